# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Memory that a backend points to, read without trusting the pointer: arrays, structures, texts."""

from __future__ import annotations

import ctypes
from typing import Any, TypeVar

from armnn_py._native import abi
from armnn_py._native.table.dynamic_library import is_readable

_Struct = TypeVar("_Struct", bound=ctypes.Structure)
_MAX_TEXT = 1 << 16
_MAX_SIZE = 1 << 16


class NonsenseError(Exception):
    """A backend handed over a structure that makes no sense; the message says why."""


def address_of(pointer: Any) -> int:
    """The address in a pointer of any kind, 0 for null; a number is one already."""
    if type(pointer) is int:
        return pointer
    return ctypes.cast(pointer, ctypes.c_void_p).value or 0


def read_array(pointer: Any, item: type[Any], count: int, what: str) -> Any:
    """``count`` items of C at a pointer, read in place.

    Raises
    ------
    NonsenseError
        They cannot be read.
    """
    address = address_of(pointer)
    size = count * ctypes.sizeof(item)
    if not count:
        return (item * 0)()
    if not address or address + size > 2**64 or not is_readable(address, size):
        raise NonsenseError(f"{what}: {count} at 0x{address:x} cannot be read")
    if address % ctypes.alignment(item):
        raise NonsenseError(f"{what}: 0x{address:x} is not aligned")
    return (item * count).from_address(address)


def read_struct(
    pointer: Any, structure: type[_Struct], tag: int, what: str, *, least: str = ""
) -> _Struct:
    """Copy a structure by the growth rule: members beyond its stated size are zero.

    Parameters
    ----------
    pointer
        To the structure.
    structure, tag
        Its expected type and tag.
    what
        For messages.
    least
        The last member that must be covered.

    Raises
    ------
    NonsenseError
        It is null, unreadable, or another structure.
    """
    address, most = address_of(pointer), ctypes.sizeof(structure)
    # Nearly always; an older structure is shorter, and may end where readable memory does.
    is_whole = address and not address % ctypes.alignment(structure) and is_readable(address, most)
    if is_whole:
        header = abi.armnn_header_t.from_address(address)
    else:
        (header,) = read_array(address, abi.armnn_header_t, 1, what)
    if header.struct_type != tag:
        raise NonsenseError(f"{what} has tag 0x{header.struct_type:08x}, 0x{tag:08x} belongs there")
    size = int(header.struct_size)
    member = getattr(structure, least or "header")
    if size > _MAX_SIZE or size < member.offset + member.size:
        raise NonsenseError(f"{what} states a size of {size} bytes")
    size = min(size, most)
    if not is_whole:
        read_array(address, ctypes.c_ubyte, size, what)
    copy = structure()
    ctypes.memmove(ctypes.byref(copy), address, size)
    return copy


def read_counted(text: abi.armnn_string_t, what: str) -> bytes:
    """The bytes of an ``armnn_string_t``.

    Raises
    ------
    NonsenseError
        They cannot be read, or are too many for a text.
    """
    size = int(text.size)
    if size > _MAX_TEXT:
        raise NonsenseError(f"{what} has {size} bytes")
    return bytes(read_array(text.data, ctypes.c_ubyte, size, what))
