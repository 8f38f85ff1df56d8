# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Damage to saved networks: in the description that such a file has."""

from __future__ import annotations

import io
import json
import random
import zipfile
from typing import Any

from .trees import change_value

__all__ = ["change_saved"]

_DESCRIPTION = "network.json"


def change_saved(seed: bytes, chance: random.Random) -> bytes:
    """Return a file with some changed values in its description, or a member less.

    Raises
    ------
    zipfile.BadZipFile, ValueError, KeyError
        It is no such file any more.
    """
    with zipfile.ZipFile(io.BytesIO(seed)) as old:
        members = {info.filename: old.read(info) for info in old.infolist()}
    if chance.random() < 0.05:
        members.pop(chance.choice(list(members)))
    else:
        document = json.loads(members[_DESCRIPTION])
        for _ in range(chance.choice((1, 1, 1, 2, 4))):
            _change(document, chance)
        members[_DESCRIPTION] = json.dumps(document).encode()
    result = io.BytesIO()
    with zipfile.ZipFile(result, "w", zipfile.ZIP_STORED) as new:
        for name, content in members.items():
            new.writestr(name, content)
    return result.getvalue()


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
