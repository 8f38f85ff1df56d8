# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Ids of the devices of a backend: ``AcmeNpu`` is its first, ``AcmeNpu:1`` the next.

``AcmeNpu:0`` is another way to write ``AcmeNpu``; the host itself uses the short one. No backend
has a colon in its id, so that the two parts cannot be mixed up.
"""

from __future__ import annotations

__all__ = ["SEPARATOR", "canonical_id", "device_id", "option_keys", "split_id"]

SEPARATOR = ":"
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


def canonical_id(text: str) -> str:
    """The id as the host writes it: ``AcmeNpu`` for ``AcmeNpu:0``."""
    return device_id(*split_id(text))


def option_keys(backend_id: str, index: int) -> tuple[str, str]:
    """Under which ids settings of a device may stand; the later one wins.

    Here ``AcmeNpu`` stands for every device, and ``AcmeNpu:0`` for the first alone.
    """
    return backend_id, f"{backend_id}{SEPARATOR}{index}"
