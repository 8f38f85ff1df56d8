# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The tables of functions behind a backend's objects, read by the growth rule of ``types.h``."""

from __future__ import annotations

import ctypes
from typing import Any, TypeVar

from armnn_py._native import abi
from armnn_py._native.table.dynamic_library import is_readable
from armnn_py._native.table.guarded_calls import guarded
from armnn_py.errors import BackendError

_Table = TypeVar("_Table", bound=ctypes.Structure)


def _table_at(item: int, backend_id: str) -> int:
    """Return the first word of an object, which leads to a header that can be read."""
    if not is_readable(item, ctypes.sizeof(ctypes.c_void_p)):
        raise BackendError(
            f"backend '{backend_id}' gave an object at 0x{item:x}, which cannot be read",
            hints=["report it to the backend's vendor"],
        )
    table: int | None = ctypes.c_void_p.from_address(item).value
    if not table:
        raise BackendError(f"backend '{backend_id}' gave an object without a table")
    if not is_readable(table, ctypes.sizeof(abi.armnn_header_t)):
        raise BackendError(
            f"backend '{backend_id}' gave an object whose table is at 0x{table:x}, which cannot be "
            "read",
            hints=["report it to the backend's vendor"],
        )
    return table


def object_table(
    item: Any, structure: type[_Table], tag: int, mandatory: tuple[str, ...], backend_id: str
) -> _Table:
    """Copy the table of ``item``; members beyond the size that it states are null in the copy.

    A backend built with an older header has shorter tables; the memory after them is not theirs.

    Parameters
    ----------
    item
        Pointer to an object of the backend, not null.
    structure
        Its table as this package knows it.
    tag
        The table's ``struct_type``.
    mandatory
        Functions that must be there.
    backend_id
        For messages.

    Raises
    ------
    BackendError
        The object has no such table, or the table lacks a mandatory function.
    """
    address = ctypes.cast(item, ctypes.c_void_p).value or 0
    pointer = _table_at(address, backend_id)
    header = abi.armnn_header_t.from_address(pointer)
    if header.struct_type != tag:
        raise BackendError(
            f"backend '{backend_id}' gave an object whose table has tag "
            f"0x{header.struct_type:08x} where 0x{tag:08x} belongs"
        )
    table = structure()
    # After the header a table has only pointers: half of one is not copied.
    whole = int(header.struct_size) & -ctypes.sizeof(ctypes.c_void_p)
    size = min(whole, ctypes.sizeof(structure))
    if not is_readable(pointer, size):
        raise BackendError(
            f"backend '{backend_id}' gave an object whose table says that it has {whole:,} bytes, "
            "which cannot be read"
        )
    ctypes.memmove(ctypes.byref(table), pointer, size)
    missing = [name for name in mandatory if not getattr(table, name)]
    if missing:
        raise BackendError(
            f"backend '{backend_id}' gave an object whose table lacks {', '.join(missing)}"
        )
    return guarded(table, backend_id)
