# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Python objects whose end calls the host in C.

A callback of a weak reference, or ``__del__``, may run the handler of a signal, and Python drops
what that raises there. The destructor of a capsule runs no Python code.
"""

from __future__ import annotations

import ctypes
import functools
import os
import weakref
from typing import TYPE_CHECKING, Any

import numpy as np

from armnn_py import environment
from armnn_py._native import abi
from armnn_py._native.library import core

if TYPE_CHECKING:
    from numpy.typing import NDArray

_new_capsule = ctypes.pythonapi.PyCapsule_New
_new_capsule.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
_new_capsule.restype = ctypes.py_object


@functools.cache
def _destructor() -> ctypes.c_void_p:
    library = core()
    kind: Any = abi.CORE_FUNCTIONS["armnn_core_set_capsule_reader"][1][0]
    library.armnn_core_set_capsule_reader(ctypes.cast(ctypes.pythonapi.PyCapsule_GetPointer, kind))
    return ctypes.cast(library.armnn_core_end_owned, ctypes.c_void_p)


def owner_of(owned: int) -> object:
    """Return an object that owns what ``armnn_core_new_...`` made."""
    owner: object = _new_capsule(owned, None, _destructor())
    return owner


class MappedFile:
    """A mapped file, as long as its bytes are used.

    Attributes
    ----------
    address, size
        Of the bytes.
    """

    def __init__(self, memory: Any, file: int, path: str) -> None:
        self.address, self.size = ctypes.addressof(memory), len(memory)
        self._memory = weakref.ref(memory)
        self._path, self._status = os.path.abspath(path), os.fstat(file)  # noqa: PTH100

    def bytes_at(self, address: int, size: int) -> NDArray[np.uint8] | None:
        """Return some of the bytes, read-only; None if they are no longer mapped."""
        memory = self._memory()
        if memory is None:
            return None
        begin = address - self.address
        return np.frombuffer(memoryview(memory).toreadonly()[begin : begin + size], np.uint8)

    def open(self) -> int | None:
        """Return a new descriptor of the file; None if its path names another file now."""
        try:
            file = os.open(self._path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
        except OSError:
            return None
        found, known = os.fstat(file), self._status
        if (found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns) == (
            known.st_dev, known.st_ino, known.st_size, known.st_mtime_ns
        ):  # fmt: skip
            return file
        os.close(file)
        return None


#: By address; the object lives as long as the bytes.
_mapped: weakref.WeakValueDictionary[int, MappedFile] = weakref.WeakValueDictionary()


def mapped_file_at(address: int, size: int) -> MappedFile | None:
    """Return the mapped file that has all of some bytes, or None."""
    for one in list(_mapped.values()):
        if one.address <= address and address + size <= one.address + one.size:
            return one
    return None


def map_file(file: int, path: str) -> NDArray[np.uint8]:
    """Return the bytes of a file, mapped; ``file`` is a descriptor, which may be closed then.

    numpy and Python keep a descriptor for each mapping. The program dies if the file is truncated
    and these bytes are read: one line names it, unless ``ARMNN_PY_CRASH_REPORT=0``.

    Raises
    ------
    OSError
        It cannot be mapped.
    """
    size = os.fstat(file).st_size
    owned = core().armnn_core_new_mapping()
    if not owned:
        raise MemoryError
    owner = owner_of(owned)
    data = ctypes.c_void_p()
    number = core().armnn_core_map_file(
        owned, file, size, os.fsencode(path), environment.crash_report(), ctypes.byref(data)
    )
    if number:
        raise OSError(number, os.strerror(number), path)
    memory = (ctypes.c_uint8 * size).from_address(data.value or 0)
    memory.owner = owner  # type: ignore[attr-defined]
    memory.mapped = _mapped[ctypes.addressof(memory)] = MappedFile(memory, file, path)  # type: ignore[attr-defined]
    # Read-only for good: numpy refuses to make an array over such a view writable.
    return np.frombuffer(memoryview(memory).toreadonly(), np.uint8)
