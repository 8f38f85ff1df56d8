# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Damage to saved networks: in the description that such a file has, and in compiled sub-graphs."""

from __future__ import annotations

import hashlib
import io
import itertools
import json
import random
import zipfile
from typing import TYPE_CHECKING, Any

from .trees import change_value

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["change_saved", "swept"]

_DESCRIPTION = "network.json"
_BLOBS = "blobs/"
_HEAD = 4096  # what a blob says of itself is there


def change_saved(seed: bytes, chance: random.Random) -> bytes:
    """Return a file with some changed values in its description or in a blob, or a member less.

    The sum of the blob is right, as anybody can make it.

    Raises
    ------
    zipfile.BadZipFile, ValueError, KeyError
        It is not such a file any more.
    """
    members = _members(seed)
    blobs = [name for name in members if name.startswith(_BLOBS)]
    if chance.random() < 0.05:
        members.pop(chance.choice(list(members)))
    elif blobs and chance.random() < 0.6:
        name = chance.choice(blobs)
        return _with_blob(members, name, _changed_blob(members[name], chance))
    else:
        others = [name for name in members if name.endswith(".json") and name != _DESCRIPTION]
        name = chance.choice(others) if others and chance.random() < 0.4 else _DESCRIPTION
        document = json.loads(members[name])
        for _ in range(chance.choice((1, 1, 1, 2, 4))):
            _change(document, chance)
        members[name] = json.dumps(document).encode()
    return _packed(members)


def swept(seed: bytes, stride: int) -> Iterator[bytes]:
    """Yield files that differ in one byte of a blob: by 1, at an end, or in the highest bit.

    Each ``stride``-th byte is changed, from the first on; those that fill up a page are left out,
    and of weights beyond 16 KiB most.
    """
    members = _members(seed)
    for name in sorted(name for name in members if name.startswith(_BLOBS)):
        blob = members[name]
        head = len(blob[:_HEAD].rstrip(b"\0"))
        weights = range(_HEAD, len(blob), stride * max(1, len(blob) >> 14))
        for at in itertools.chain(range(0, head, stride), weights):
            old = blob[at]
            for new in {(old + 1) & 255, (old - 1) & 255, 0, 255, old ^ 128} - {old}:
                yield _with_blob(members, name, blob[:at] + bytes([new]) + blob[at + 1 :])


def _members(data: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return {info.filename: archive.read(info) for info in archive.infolist()}


def _with_blob(members: dict[str, bytes], name: str, blob: bytes) -> bytes:
    """Return the file with another blob, whose sum is right."""
    document = json.loads(members[_DESCRIPTION])
    _set_sum(document, name, hashlib.sha256(blob).hexdigest())
    return _packed({**members, name: blob, _DESCRIPTION: json.dumps(document).encode()})


def _packed(members: dict[str, bytes]) -> bytes:
    result = io.BytesIO()
    with zipfile.ZipFile(result, "w", zipfile.ZIP_STORED) as new:
        for name, content in members.items():
            new.writestr(name, content)
    return result.getvalue()


def _changed_blob(blob: bytes, chance: random.Random) -> bytes:
    """The same with some other bytes, mostly whole numbers of 4 or 8 bytes near its begin."""
    changed = bytearray(blob)
    for _ in range(chance.choice((1, 1, 2, 4))):
        size = chance.choice((1, 4, 4, 8))
        at = chance.randrange(max(1, min(len(changed), _HEAD) // size)) * size
        old = int.from_bytes(changed[at : at + size], "little", signed=True)
        new = chance.choice((0, 1, -1, old + 1, old - 1, old * 2, 1 << 31, 1 << 40, old ^ 1 << 7))
        new = chance.choice((new, chance.getrandbits(8 * size)))
        changed[at : at + size] = (new % (1 << 8 * size)).to_bytes(size, "little")
    if chance.random() < 0.1:
        del changed[chance.randrange(len(changed)) :]
    return bytes(changed)


def _set_sum(document: Any, name: str, total: str) -> None:
    number = int(name[len(_BLOBS) :].split(".", maxsplit=1)[0])
    for layer in document["layers"]:
        if layer.get("compiled", {}).get("bytes") == number:
            layer["compiled"]["sha256"] = total


def _change(document: Any, chance: random.Random) -> None:
    """Change one value of a JSON document, in place."""
    holders = list(_holders(document))
    holder = chance.choice(holders)
    key = chance.choice(list(holder) if isinstance(holder, dict) else range(len(holder)))
    action = chance.random()
    if action < 0.1:
        del holder[key]
    elif action < 0.2:
        other = chance.choice(holders)
        holder[key] = json.loads(json.dumps(other))
    else:
        holder[key] = change_value(holder[key], chance)


def _holders(value: Any) -> list[Any]:
    """All objects and arrays that have something in them."""
    found = []
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else []
    if inner:
        found.append(value)
    for one in inner:
        found += _holders(one)
    return found
