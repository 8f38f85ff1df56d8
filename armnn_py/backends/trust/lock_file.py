# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The lock file: which files of backends are meant, by the hash of their bytes."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from typing import Literal

from msgspec import Struct, convert, to_builtins

from armnn_py.backends.loader.elf import FileState
from armnn_py.backends.probe.identity import FileIdentity
from armnn_py.backends.trust.file_hash import sha256_of
from armnn_py.backends.trust.ownership import ownership_of
from armnn_py.cache_files import UnfitFileError, read_file, replace_file
from armnn_py.errors import InvalidArgumentError
from armnn_py.text import printable

_MOST_BYTES = 1 << 20
#: Bytes of a file that is hashed although the lock file does not know its size.
_MOST_HASHED = 1 << 30

#: By all times: who copies into a file can give it its old time of writing.
_hashes: dict[FileIdentity, str] = {}


class LockedBackend(Struct, frozen=True):
    """One file that is meant: id, path where it was, SHA-256 of its bytes in hexadecimal digits.

    ``size``: how many bytes it has; None: a lock file without sizes.
    """

    id: str
    path: str
    sha256: str
    size: int | None = None


class _Document(Struct):
    version: Literal[1]
    backends: list[LockedBackend]


class LockFile(Struct, frozen=True):
    """The files that a lock file names."""

    path: str
    backends: tuple[LockedBackend, ...]

    def find(self, sha256: str) -> LockedBackend | None:
        """Return the entry of a file with these bytes, wherever it lies now."""
        return next((one for one in self.backends if one.sha256 == sha256), None)

    def find_file(self, path: str, state: FileState | None = None) -> LockedBackend | None:
        """Return the entry of a file; one whose size no entry has is not read.

        Raises
        ------
        OSError
            As `hash_of`.
        """
        size = os.stat(path).st_size if state is None else state.size
        sizes = {one.size for one in self.backends}
        if size in sizes or (None in sizes and size <= _MOST_HASHED):
            return self.find(hash_of(path, state))
        return None


def read_lock_file(path: str) -> LockFile | None:
    """Read a lock file; None if it does not exist.

    Raises
    ------
    InvalidArgumentError
        It cannot be read, makes no sense, or other users may change it, its folder or a link on
        the way to it.
    """
    try:
        data = read_file(path, _MOST_BYTES, own=True)
        found = ownership_of(os.path.abspath(path), {})
        if found.writable or found.foreign:
            raise _unfit(path, found.writable or found.foreign)
        document = convert(json.loads(data), _Document)
    except FileNotFoundError:
        return None
    except UnfitFileError as error:
        raise _unfit(path, str(error)) from None
    except OSError as error:
        raise _unfit(path, error.strerror or str(error)) from None
    except (ValueError, RecursionError) as error:  # of JSON, or of `convert`
        raise _unfit(path, f"{type(error).__name__}: {error}") from None
    return LockFile(path, tuple(document.backends))


def _unfit(path: str, why: str) -> InvalidArgumentError:
    return InvalidArgumentError(
        f"lock file {printable(path)}: {printable(why)}",
        hints=["'armnn-py backends lock' writes it anew"],
    )


def write_lock_file(path: str, backends: Iterable[LockedBackend]) -> None:
    """Write a lock file that only its owner may change; folders above it are made.

    Raises
    ------
    OSError
        It cannot be written; what was there before stays.
    """
    os.makedirs(os.path.dirname(os.path.abspath(path)), mode=0o700, exist_ok=True)
    entries = sorted(backends, key=lambda one: (one.id, one.path))
    # Names of files need not be UTF-8, which msgspec's own JSON refuses.
    text = json.dumps(to_builtins(_Document(1, entries)), indent=2)
    replace_file(path, f"{text}\n".encode())


def hash_of(path: str, state: FileState | None = None) -> str:
    """Return the SHA-256 of a file; with ``state``, that of a file that was hashed is remembered.

    Raises
    ------
    OSError
        The file cannot be read, or is no longer the one of ``state``.
    """
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    try:
        before = FileIdentity.of(os.fstat(descriptor))
        if state is not None:
            if before.state != state:
                raise OSError("it was replaced or written to meanwhile")
            if before in _hashes:
                return _hashes[before]
        is_fresh = before.is_fresh  # other bytes may get the same times
        found = sha256_of(descriptor)
        if FileState.of(os.fstat(descriptor)) != before.state:
            raise OSError("it was written to meanwhile")
    finally:
        os.close(descriptor)
    if not is_fresh:
        _hashes[before] = found
    return found
