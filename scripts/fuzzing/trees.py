# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Changes of one field of a model: protobuf messages, and objects of the FlatBuffers object API."""

from __future__ import annotations

import copy
import random
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

__all__ = ["change_message", "change_object", "change_value"]

_INTEGERS = (0, 1, -1, 2, 3, 7, 64, 255, 2**16, 2**31 - 1, 2**31, -(2**31), 2**40, 2**62,
             2**63 - 1, -(2**63))  # fmt: skip
_FLOATS = (0.0, -0.0, 1.0, -1.0, 0.5, 1e-45, 3e38, float("inf"), float("-inf"), float("nan"))
_TEXTS = ("", "x", "../outside", "/etc/passwd", "\x1b[31m", "a" * 5000, "\u202e", "axis", "NCHW")
_DEEPEST = 12


def _number(old: int, chance: random.Random, lowest: int, highest: int) -> int:
    new = chance.choice(
        (*_INTEGERS, old + 1, old - 1, old * 2, -old, old ^ 1 << chance.randrange(8))
    )
    return new if lowest <= new <= highest else lowest + new % (highest - lowest + 1)


def _text(old: str, chance: random.Random) -> str:
    return chance.choice((*_TEXTS, old + "_", old[1:], old[::-1]))


def _bytes(old: bytes, chance: random.Random) -> bytes:
    data = bytearray(old[: chance.choice((len(old), len(old), len(old) // 2, 3, 0))])
    for _ in range(chance.choice((0, 1, 4)) if data else 0):
        data[chance.randrange(len(data))] = chance.randrange(256)
    return bytes(data) + b"\0" * chance.choice((0, 0, 0, 1, 8))


# ---- Protobuf ------------------------------------------------------------------------------------


def change_message(message: Any, chance: random.Random) -> None:
    """Change one field of a message or of one inside it, in place."""
    from google.protobuf.descriptor import FieldDescriptor as F

    messages = list(_messages(message))
    for _ in range(20):
        inner = chance.choice(messages)
        fields = inner.DESCRIPTOR.fields
        field = chance.choice([one for one, _ in inner.ListFields()] or list(fields))
        if chance.random() < 0.1:
            field = chance.choice(list(fields))
        repeated = field.is_repeated if hasattr(field, "is_repeated") else field.label == 3
        if repeated:
            if _change_repeated(getattr(inner, field.name), field, messages, chance):
                return
        elif field.type == F.TYPE_MESSAGE:
            others = [one for one in messages if one.DESCRIPTOR is field.message_type]
            if others and chance.random() < 0.5:
                getattr(inner, field.name).CopyFrom(copy.deepcopy(chance.choice(others)))
            else:
                inner.ClearField(field.name)
            return
        elif chance.random() < 0.1:
            inner.ClearField(field.name)
            return
        else:
            setattr(inner, field.name, _scalar(getattr(inner, field.name), field, chance))
            return


def _messages(message: Any, depth: int = 0) -> Iterator[Any]:
    yield message
    if depth == _DEEPEST:
        return
    for field, value in message.ListFields():
        if field.message_type is None:
            continue
        items = [value] if hasattr(value, "ListFields") else list(value)
        for item in items[:400]:
            yield from _messages(item, depth + 1)


def _scalar(old: Any, field: Any, chance: random.Random) -> Any:
    from google.protobuf.descriptor import FieldDescriptor as F

    if isinstance(old, bytes):
        return _bytes(old, chance)
    if isinstance(old, str):
        return _text(old, chance)
    if isinstance(old, float):
        return chance.choice(_FLOATS)
    if field.type == F.TYPE_ENUM:
        return chance.randrange(0, 30)
    unsigned = field.type in (F.TYPE_UINT32, F.TYPE_UINT64)
    bits = 64 if field.type in (F.TYPE_INT64, F.TYPE_UINT64) else 32
    if unsigned:
        return _number(int(old), chance, 0, 2**bits - 1)
    return _number(int(old), chance, -(2 ** (bits - 1)), 2 ** (bits - 1) - 1)


def _change_repeated(items: Any, field: Any, messages: list[Any], chance: random.Random) -> bool:
    is_message = field.message_type is not None
    action = chance.randrange(4)
    if not len(items) or action == 0:
        if is_message:
            others = [one for one in messages if one.DESCRIPTOR is field.message_type]
            if not others:
                return False
            items.add().CopyFrom(copy.deepcopy(chance.choice(others)))
            return True
        if not len(items):
            return False
        items.append(items[chance.randrange(len(items))])
        return True
    place = chance.randrange(len(items))
    if action == 1:
        del items[place]
    elif is_message:
        other = chance.randrange(len(items))
        first, second = copy.deepcopy(items[place]), copy.deepcopy(items[other])
        items[place].CopyFrom(second)
        items[other].CopyFrom(first)
    else:
        items[place] = _scalar(items[place], field, chance)
    return True


# ---- Objects -------------------------------------------------------------------------------------


def change_object(root: Any, chance: random.Random) -> None:
    """Change one attribute of an object or of one inside it, in place."""
    places = list(_places(root))
    get, put = chance.choice(places)
    put(_changed(get(), places, chance))


def change_value(old: Any, chance: random.Random) -> Any:
    """Return another value of the same kind as one of a JSON document, or of another kind."""
    if chance.random() < 0.1:
        return chance.choice((None, True, 0, -1, 1.5, "x", [], {}, [0], 2**70))
    return _changed(old, [], chance)


def _places(root: Any, depth: int = 0) -> Iterator[tuple[Callable[[], Any], Callable[[Any], None]]]:
    if depth == _DEEPEST or not hasattr(root, "__dict__"):
        return
    for name, value in vars(root).items():
        yield (
            lambda name=name: getattr(root, name),  # type: ignore[misc]
            lambda new, name=name: setattr(root, name, new),  # type: ignore[misc]
        )
        if isinstance(value, list):
            for index, item in enumerate(value[:400]):
                yield (
                    lambda value=value, index=index: value[index],  # type: ignore[misc]
                    lambda new, value=value, index=index: value.__setitem__(index, new),  # type: ignore[misc]
                )
                yield from _places(item, depth + 1)
        else:
            yield from _places(value, depth + 1)


def _changed(old: Any, places: list[Any], chance: random.Random) -> Any:
    if isinstance(old, bool):
        return not old
    if isinstance(old, int):
        return _number(old, chance, -(2**31), 2**31 - 1)
    if isinstance(old, float):
        return chance.choice(_FLOATS)
    if isinstance(old, str):
        return _text(old, chance)
    if isinstance(old, bytes):
        return _text(old.decode("utf-8", "replace"), chance).encode()
    if isinstance(old, np.ndarray):
        if old.dtype == np.uint8:
            return np.frombuffer(_bytes(old.tobytes(), chance), np.uint8)
        new = old.copy()
        if new.size:
            limits = np.iinfo(new.dtype) if new.dtype.kind in "iu" else None
            number = chance.choice(_INTEGERS)
            in_range = limits is not None and limits.min <= number <= limits.max
            new[chance.randrange(new.size)] = number if in_range else chance.choice(_FLOATS[:5])
        return new[: chance.choice((new.size, new.size, max(new.size - 1, 0)))]
    if isinstance(old, list):
        new_list = list(old)
        if new_list and chance.random() < 0.5:
            del new_list[chance.randrange(len(new_list))]
        elif new_list:
            new_list.insert(chance.randrange(len(new_list)), copy.deepcopy(chance.choice(new_list)))
        return new_list
    if old is None:
        return None
    same = [
        one for one, _ in chance.sample(places, min(len(places), 60)) if type(one()) is type(old)
    ]
    return copy.deepcopy(chance.choice(same)()) if same and chance.random() < 0.7 else None
