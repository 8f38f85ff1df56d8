# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""How files of each format are damaged: bytes of a file, or fields of what it says."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

from .elf_files import change_elf
from .saved_networks import change_saved
from .trees import change_message, change_object

__all__ = ["FORMATS", "damaged"]


def damaged(seed: bytes, other: bytes, format_name: str, chance: random.Random) -> bytes:
    """Return a file with some changes; ``other`` is one to take pieces from."""
    if chance.random() < 0.25:
        return _bytes(seed, other, chance)
    try:
        return FORMATS[format_name](seed, chance)
    except Exception:  # a seed that is damaged already, or what the format cannot store
        return _bytes(seed, other, chance)


def _bytes(seed: bytes, other: bytes, chance: random.Random) -> bytes:
    data = bytearray(seed)
    for _ in range(chance.choice((1, 1, 2, 8))):
        place = chance.randrange(len(data) + 1)
        length = chance.randrange(1, 64)
        match chance.randrange(5):
            case 0:
                data[place : place + 1] = bytes([chance.randrange(256)])
            case 1:
                data[place : place + 1] = bytes(
                    b ^ 1 << chance.randrange(8) for b in data[place : place + 1]
                )
            case 2:
                del data[place : place + length]
            case 3:
                start = chance.randrange(len(other) + 1)
                data[place:place] = other[start : start + length]
            case _:
                del data[place:]
    return bytes(data)


def _onnx(seed: bytes, chance: random.Random) -> bytes:
    import onnx

    model = onnx.ModelProto.FromString(seed)
    for _ in range(chance.choice((1, 1, 1, 2, 4))):
        change_message(model, chance)
    data: bytes = model.SerializeToString()
    return data


def _tflite(seed: bytes, chance: random.Random) -> bytes:
    import flatbuffers
    from ai_edge_litert import schema_py_generated as schema

    model: Any = schema.ModelT.InitFromPackedBuf(seed, 0)
    for _ in range(chance.choice((1, 1, 1, 2, 4))):
        change_object(model, chance)
    builder = flatbuffers.Builder(len(seed) + 1024)
    builder.Finish(model.Pack(builder), file_identifier=b"TFL3")
    return bytes(builder.Output())


FORMATS: dict[str, Callable[[bytes, random.Random], bytes]] = {
    "onnx": _onnx,
    "tflite": _tflite,
    "so": change_elf,
    "armnn": change_saved,
}
