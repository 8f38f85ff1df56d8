# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Ids of the devices of a backend: ``AcmeNpu`` is its first, ``AcmeNpu:1`` the next.

``AcmeNpu:0`` is another way to write ``AcmeNpu``; the host itself uses the short one. No backend
has a colon in its id, so that the two parts cannot be mixed up.

In a list of backends, ``AcmeNpu?`` names one that may be absent. It is then skipped.
"""

from __future__ import annotations

from collections.abc import Container, Mapping
from typing import TypeVar

_Value = TypeVar("_Value")

SEPARATOR = ":"
OPTIONAL = "?"
#: Digits of an index: more are no index but a mistake.
_MOST_DIGITS = 9


def device_id(backend_id: str, index: int) -> str:
    """The id of a device of a backend."""
    return f"{backend_id}{SEPARATOR}{index}" if index else backend_id


def split_id(text: str) -> tuple[str, int]:
    """The backend and the index that an id names; the whole text and 0 if it ends in no index."""
    backend_id, mark, digits = text.rpartition(SEPARATOR)
    is_number = digits.isascii() and digits.isdigit() and len(digits) <= _MOST_DIGITS
    if not mark or not backend_id or not is_number or str(int(digits)) != digits:
        return text, 0
    return backend_id, int(digits)


def split_optional(text: str) -> tuple[str, bool]:
    """The id in an entry of a list, and whether its backend may be absent: ``AcmeNpu?``."""
    return text.removesuffix(OPTIONAL), text.endswith(OPTIONAL)


def canonical_id(text: str) -> str:
    """The id as the host writes it: ``AcmeNpu`` for ``AcmeNpu:0``."""
    return device_id(*split_id(text))


def without_ids(settings: Mapping[str, _Value], absent: Container[str]) -> dict[str, _Value]:
    """Settings by id, without those of backends or devices that are absent."""
    return {
        key: value
        for key, value in settings.items()
        if not isinstance(key, str) or (key not in absent and split_id(key)[0] not in absent)
    }


def option_keys(backend_id: str, index: int) -> tuple[str, str]:
    """Under which ids settings of a device may stand; the later one wins.

    Here ``AcmeNpu`` stands for every device, and ``AcmeNpu:0`` for the first alone.
    """
    return backend_id, f"{backend_id}{SEPARATOR}{index}"
