# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Open shared objects and call the three exports of a backend, trusting nothing they return."""

from __future__ import annotations

import ctypes
import functools
import itertools
import mmap
import os
from collections.abc import Iterable

from msgspec import Struct

from armnn_py._native import abi
from armnn_py._native.library import core

EXPORTS = ("GetBackendId", "GetVersion", "BackendFactory")


class UnreadableTextError(Exception):
    """A ``const char*`` that points to no text; the message says what is wrong with it."""


# ---- The system's loader ------------------------------------------------------------------------


@functools.cache
def _dl() -> ctypes.CDLL:
    """The C library's own functions: ctypes' wrappers take a null symbol for a null error text."""
    library = ctypes.CDLL(None)
    library.dlopen.restype = ctypes.c_void_p
    library.dlopen.argtypes = [ctypes.c_char_p, ctypes.c_int]
    library.dlsym.restype = ctypes.c_void_p
    library.dlsym.argtypes = [ctypes.c_void_p, ctypes.c_char_p]
    library.dlclose.restype = ctypes.c_int
    library.dlclose.argtypes = [ctypes.c_void_p]
    library.dlerror.restype = ctypes.c_char_p
    library.dlerror.argtypes = []
    library.strdup.restype = ctypes.c_void_p
    library.strdup.argtypes = [ctypes.c_char_p]
    return library


_NEW_NAMESPACE = -1  # LM_ID_NEWLM of <dlfcn.h>


def _open_private(name: bytes, flags: int) -> int | None:
    open_in = getattr(_dl(), "dlmopen", None)
    if open_in is None:
        raise OSError("this system's loader has no namespaces")
    open_in.restype = ctypes.c_void_p
    open_in.argtypes = [ctypes.c_long, ctypes.c_char_p, ctypes.c_int]
    handle: int | None = open_in(_NEW_NAMESPACE, name, flags)
    return handle


def open_library(path: str | os.PathLike[str], *, private: bool = False) -> int:
    """Open the shared object ``path`` with all its symbols bound now, visible to itself only.

    ``private``: it gets all libraries that it needs for itself, the C library too (dlmopen).

    Raises
    ------
    OSError
        The system's loader refuses it; the text is the loader's.
    """
    name = os.fsencode(path)
    if not name:
        # dlopen takes the empty name for the program itself.
        raise OSError("the path of the shared object is empty")
    flags = os.RTLD_NOW | os.RTLD_LOCAL
    handle: int | None
    handle = _open_private(name, flags) if private else _dl().dlopen(name, flags)
    if handle is None:
        words: bytes | None = _dl().dlerror()
        raise OSError(os.fsdecode(words) if words else f"{os.fsdecode(name)}: dlopen failed")
    return handle


def open_descriptor(descriptor: int, path: str, *, private: bool = False) -> int:
    """Open the shared object that a descriptor has open, as `open_library` does; call it ``path``.

    Its initialisers, and ``$ORIGIN``, see a name in ``/proc`` instead. Debuggers find the file by
    that as long as the descriptor stays open.

    Raises
    ------
    OSError
        The system's loader refuses it, or there is no ``/proc``; ``path`` stands in the text.
    """
    # The loader knows by name what it has mapped, and what is closed may stay mapped: a number of a
    # descriptor comes again, so each name is spelled in another way.
    spelled = "".join("/." if bit == "1" else "/" for bit in f"{next(_opened):b}")
    # Other programs also find it by the number of the process.
    name = f"/proc/{os.getpid()}/fd{spelled}/{descriptor}"
    try:
        handle = open_library(name, private=private)
    except OSError as error:
        raise OSError(str(error).replace(name, path)) from None
    place = handle + _LINK_MAP_NAME
    if _link_map_name(handle) == name and (given := _dl().strdup(os.fsencode(path))):
        # The old text stays: another thread may be reading it. dlclose frees the new one.
        ctypes.c_void_p.from_address(place).value = given
    return handle


_opened = itertools.count()

#: Where a link map (<link.h>), which is what the handles of glibc and musl are, has its name.
_LINK_MAP_NAME = ctypes.sizeof(ctypes.c_void_p)


def _link_map_name(handle: int) -> str:
    return os.fsdecode(ctypes.c_char_p.from_address(handle + _LINK_MAP_NAME).value or b"")


def mapped_path(name: str) -> str:
    """Return the path of the library of this SONAME that is in use already, or an empty text.

    Where the system's loader is not glibc's or musl's, whose handles are link maps, it is empty.
    """
    handle: int | None = _dl().dlopen(os.fsencode(name), os.RTLD_NOW | os.RTLD_NOLOAD)
    if handle is None:
        _dl().dlerror()
        return ""
    try:
        return _link_map_name(handle)
    finally:
        _dl().dlclose(handle)


def stop_threads() -> None:
    """End the pool's threads, which run their exit hooks; the next parallel_for starts new ones."""
    core().armnn_core_stop_threads()


def has_signal_handlers(handle: int) -> bool:
    """Whether the handler of a signal lies in the code of a library."""
    return bool(core().armnn_core_has_signal_handlers(handle))


def close_library(handle: int | None) -> None:
    """Give back what :func:`open_library` returned; None is allowed."""
    if handle:
        _dl().dlclose(handle)


def symbol(handle: int, name: str) -> int | None:
    """Return the address of an exported symbol, or None if it is missing or null.

    Raises
    ------
    OSError
        ``handle`` is null, which the system would take for the program itself.
    ValueError
        ``name`` is empty.
    """
    if not handle:
        raise OSError("the handle of the shared object is null")
    if not name:
        raise ValueError("the name of the symbol is empty")
    address: int | None = _dl().dlsym(handle, name.encode())
    if address is None:
        _dl().dlerror()
    return address


def process_has_symbol(name: str) -> bool:
    """Say whether the program itself, or what was loaded with it, defines a symbol."""
    return _dl().dlsym(None, name.encode()) is not None


# ---- Looking at memory --------------------------------------------------------------------------


def is_readable_behind(address: int, size: int, extra: int) -> bool:
    """Whether ``extra`` bytes behind memory are readable as long as the memory itself is."""
    return bool(core().armnn_core_is_readable_behind(address, size, extra))


def is_readable(address: int, size: int) -> bool:
    """Say whether ``size`` bytes at ``address`` can be read."""
    return bool(core().armnn_core_is_readable(address, size))


def is_code(address: int) -> bool:
    """Say whether ``address`` lies in executable memory of a mapped object, or was noted."""
    return address in _noted_code or bool(core().armnn_core_is_code(address))


#: Functions that ctypes made of Python's: their code lies in no mapped object.
_noted_code: set[int] = set()


def note_code(address: int) -> None:
    """From now on ``address`` is code for `is_code`, until `forget_code`."""
    _noted_code.add(address)


def forget_code(addresses: Iterable[int]) -> None:
    """Undo `note_code` before the functions go."""
    _noted_code.difference_update(addresses)


def read_text(address: int, limit: int) -> bytes:
    """Return the zero-terminated text at ``address``, at most ``limit`` bytes long.

    Raises
    ------
    UnreadableTextError
        The memory cannot be read, or there is no zero within ``limit`` bytes.
    """
    text = b""
    while len(text) <= limit:
        position = address + len(text)
        # Up to the next page only: a text may end where readable memory does.
        size = min(mmap.PAGESIZE - position % mmap.PAGESIZE, limit + 1 - len(text))
        if position + size > 2**64 or not is_readable(position, size):
            raise UnreadableTextError(f"points to memory that cannot be read (0x{position:x})")
        # Stops at the zero: the bytes after it do not belong to the text.
        chunk: bytes = (ctypes.c_char * size).from_address(position).value
        text += chunk
        if len(chunk) < size:
            return text
    raise UnreadableTextError(f"is longer than {limit} bytes")


# ---- The three exports --------------------------------------------------------------------------

# Pointers come back as numbers: ctypes would follow a c_char_p before it could be checked.
_GetBackendId = ctypes.CFUNCTYPE(ctypes.c_void_p)
_BackendFactory = ctypes.CFUNCTYPE(ctypes.c_void_p)


def call_get_backend_id(address: int) -> bytes | None:
    """Return what ``GetBackendId`` says, or None for a null pointer.

    Raises
    ------
    UnreadableTextError
        The pointer cannot be followed, or the text is longer than ``ARMNN_MAX_ID_SIZE``.
    """
    pointer: int | None = _GetBackendId(address)()
    return None if pointer is None else read_text(pointer, abi.ARMNN_MAX_ID_SIZE)


def call_get_version(address: int) -> tuple[int, int]:
    """Return major and minor as ``GetVersion`` writes them; 0 for one that it does not write."""
    major, minor = ctypes.c_uint32(0), ctypes.c_uint32(0)
    abi.armnn_get_version_fn_t(address)(ctypes.byref(major), ctypes.byref(minor))
    return major.value, minor.value


def call_factory(address: int) -> int:
    """Return the pointer that ``BackendFactory`` gives, 0 for null."""
    return _BackendFactory(address)() or 0


class Exports(Struct, frozen=True):
    """Addresses of the three functions of one backend."""

    get_backend_id: int
    get_version: int
    backend_factory: int


# ---- Statically linked backends, and other facts of the core ------------------------------------


class StaticBackend(Struct, frozen=True):
    """A backend that is linked into the core library."""

    vendor: str
    name: str
    exports: Exports


def static_backends() -> list[StaticBackend]:
    """Return the backends linked into the core library, in their order."""
    found = []
    for index in range(core().armnn_core_static_backend_count()):
        entry = core().armnn_core_static_backend(index).contents
        functions = (entry.get_backend_id, entry.get_version, entry.backend_factory)
        addresses = (ctypes.cast(function, ctypes.c_void_p).value for function in functions)
        exports = Exports(*(address or 0 for address in addresses))
        found.append(StaticBackend(entry.vendor.decode(), entry.name.decode(), exports))
    return found


def compiled_in_paths() -> str:
    """Return the colon-separated list that the build compiled in."""
    text: bytes = core().armnn_core_dynamic_backend_paths() or b""
    return os.fsdecode(text)
