# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The container of a saved network: a zip archive with aligned members that are not compressed.

A file whose sums are right gets a mark, so that weights are read only once for that. The mark is an
extended attribute with inode, size and time of change: a copy, or a file that was written to, is
checked anew. Without such attributes, or in the file of another user, each load checks. The process
that writes a file marks it at once. The mark is about damage by accident: the sums in a file are no
signature either.
"""

from __future__ import annotations

import binascii
import contextlib
import copy
import os
import stat
import struct
import tempfile
import time
import zipfile
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np

from armnn_py._native.memory.owned import map_file
from armnn_py.errors import ArmnnError, ModelFileNotFoundError, ParseError
from armnn_py.network.saved_files import MARK, MIMETYPE, open_without_waiting
from armnn_py.optimizer.saved.safetensors import read_header, tensor_of
from armnn_py.tensors.memory import aligned_empty

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from numpy.typing import NDArray

CONSTANTS = "constants.safetensors"
"""The member that has the values of constants."""

BLOBS = "blobs/"
"""The folder of members that have compiled sub-graphs."""

REPORTS = "reports.json"
"""The member that says which layer went where and why, for who asks."""

SOURCES = "sources/"
"""The folder of members that have the layers of compiled sub-graphs, for who compiles them anew."""

_LOCAL = struct.Struct("<4sHHHHHIIIHH")  # the header before each member
_PAGE = 4096  # that members can be mapped one by one
_PADDING = 0xD935  # the kind of extra field that Android's zipalign pads with, too
_DATE = (1980, 1, 1, 0, 0, 0)  # equal networks make equal files
_ZIP64_FROM = 1 << 30
_ZIP64_SIZE = 20
_MOST_MEMBERS = 1 << 20
_ENCRYPTED = 1  # a flag of a member


# ---- Writing -------------------------------------------------------------------------------------


def write_archive(
    path: str, members: Mapping[str, tuple[bytes, ...]], *, mode: int = 0o666
) -> None:
    """Write a file under another name, and rename it: a reader sees all of it or nothing.

    Parameters
    ----------
    path
        The file; one that is there is replaced.
    members
        By name: chunks of bytes, or what has the buffer protocol.
    mode
        The permissions of the file, from which the umask takes some.

    Raises
    ------
    OSError
        It cannot be written.
    """
    path = os.path.realpath(path)  # of a link, its target is replaced
    folder, name = os.path.split(path)
    file, temporary = tempfile.mkstemp(prefix=f".{name}.", suffix=".tmp", dir=folder)
    try:
        with os.fdopen(file, "wb") as stream:
            _write_members(stream, {"mimetype": (MIMETYPE,), **members})
            stream.flush()
            os.fsync(stream.fileno())
        mask = os.umask(0)
        os.umask(mask)
        os.chmod(temporary, mode & ~mask)  # noqa: PTH101
        mark_as_written(temporary)
        os.replace(temporary, path)  # noqa: PTH105
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)  # noqa: PTH108
        raise


def _write_members(stream: BinaryIO, members: Mapping[str, tuple[bytes, ...]]) -> None:
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_STORED) as archive:
        for name, chunks in members.items():
            info = zipfile.ZipInfo(name, _DATE)
            info.external_attr = 0o644 << 16
            large = sum(memoryview(chunk).nbytes for chunk in chunks) >= _ZIP64_FROM
            if name != "mimetype":
                at = stream.tell() + _LOCAL.size + len(name) + _ZIP64_SIZE * large
                info.extra = _padding(-at % _PAGE)
            with archive.open(info, "w", force_zip64=large) as member:
                for chunk in chunks:
                    member.write(chunk)


def _padding(size: int) -> bytes:
    if size == 0:
        return b""
    size += _PAGE if size < 4 else 0  # for the field's own head
    return struct.pack("<HH", _PADDING, size - 4) + bytes(size - 4)


# ---- Reading -------------------------------------------------------------------------------------


def damaged_file(path: str, why: str) -> ParseError:
    """Return the error for a file that cannot be used."""
    return ParseError(
        f"'{os.path.basename(path)}' is not a sound saved network: {why}",  # noqa: PTH119
        path=path,
        hints=["save the network again"],
    )


@contextlib.contextmanager
def damage_in(path: str) -> Iterator[None]:
    """Whatever fails because the contents are not as they were written is a `ParseError`."""
    try:
        yield
    except ParseError:
        raise
    except (
        ArmnnError, ValueError, TypeError, KeyError, IndexError, ArithmeticError, RecursionError
    ) as error:  # fmt: skip
        why = error.message if isinstance(error, ArmnnError) else str(error)
        raise damaged_file(path, why or type(error).__name__) from error


class Archive:
    """A saved network's file, mapped to memory; nothing in it is believed.

    Parameters
    ----------
    path
        The file.
    in_place
        Whether arrays of it may be views of the mapped file, or copies. If so, sums of constants
        and blobs are not computed for a file that is marked as checked: it would read all of them.

    Raises
    ------
    ParseError
        It cannot be read, or is not a saved network.
    """

    def __init__(self, path: str, *, in_place: bool = True) -> None:
        self.path = path
        self._in_place = in_place
        #: Whether the sums of what is large agreed before, for just this file.
        self.is_checked = False
        self._memory, entries = self._map()  # each array of it keeps the map
        self._members: dict[str, tuple[int, int]] = {}
        self._tensors: tuple[dict[str, Any], NDArray[np.uint8]] | None = None
        self._find_members(entries)

    def mark(self) -> None:
        """Remember that all sums of the file are right, so that it need not be read for them."""
        if self._in_place and not self.is_checked:
            mark_as_checked(self.path)

    def damaged(self, why: str) -> ParseError:
        """Return the error for a file that cannot be used."""
        return damaged_file(self.path, why)

    def _map(self) -> tuple[NDArray[np.uint8], list[zipfile.ZipInfo]]:
        """Return the mapped file, or memory that it was copied to, and its directory."""
        try:
            with open(self.path, "rb", opener=open_without_waiting) as stream:
                status = os.fstat(stream.fileno())
                if not stat.S_ISREG(status.st_mode):
                    raise self.damaged("it is not a regular file")
                if not status.st_size:
                    raise self.damaged("it is empty")
                if stream.read(64)[30:] != MARK:
                    raise self.damaged("it does not begin as one")
                entries = self._directory(stream)
                if self._in_place:
                    self.is_checked = is_marked(stream.fileno(), status)
                    return map_file(stream.fileno(), self.path), entries
                memory = aligned_empty((status.st_size,), np.dtype(np.uint8))
                stream.seek(0)
                if stream.readinto(memory.data) != status.st_size:
                    raise self.damaged("it changed while it was read")
                memory.flags.writeable = False
                return memory, entries
        except (OSError, ValueError) as error:
            kind = ModelFileNotFoundError if isinstance(error, FileNotFoundError) else ParseError
            reason = getattr(error, "strerror", None) or str(error)
            raise kind(f"cannot read '{self.path}': {reason}", path=self.path) from error

    def _directory(self, stream: BinaryIO) -> list[zipfile.ZipInfo]:
        try:
            with zipfile.ZipFile(stream) as archive:
                entries = archive.infolist()
        except (zipfile.BadZipFile, NotImplementedError, ValueError, struct.error) as error:
            raise self.damaged(f"its directory is damaged: {error}") from error
        if len(entries) > _MOST_MEMBERS:
            raise self.damaged(f"it has {len(entries)} members")
        return entries

    def _find_members(self, entries: list[zipfile.ZipInfo]) -> None:
        total = 0
        for entry in entries:
            name, start, size = entry.filename, entry.header_offset, entry.file_size
            if name in self._members:
                raise self.damaged(f"it has two members '{name}'")
            if entry.compress_type != zipfile.ZIP_STORED or entry.flag_bits & _ENCRYPTED:
                raise self.damaged(f"member '{name}' is compressed or encrypted")
            head = self._memory[start : start + _LOCAL.size].tobytes()
            if len(head) < _LOCAL.size or head[:4] != b"PK\x03\x04":
                raise self.damaged(f"member '{name}' is not where it should be")
            fields = _LOCAL.unpack(head)
            begin = start + _LOCAL.size + fields[9] + fields[10]
            if size != entry.compress_size or begin + size > len(self._memory):
                raise self.damaged(f"member '{name}' has {size} bytes that are not there")
            total += size
            if total > len(self._memory):
                # Sums would be computed over the same bytes again and again, for hours.
                raise self.damaged("its members have more bytes than the file")
            self._members[name] = (begin, size)
            if self.is_checked and (name.endswith(CONSTANTS) or BLOBS in name):
                continue
            if binascii.crc32(self._memory[begin : begin + size].data) != entry.CRC:
                raise self.damaged(f"member '{name}' is damaged: its sum does not agree")

    def _view(self, name: str) -> NDArray[np.uint8]:
        if name not in self._members:
            raise self.damaged(f"it has no member '{name}'")
        begin, size = self._members[name]
        return self._memory[begin : begin + size]

    def within(self, folder: str) -> Archive:
        """Return the members of a folder, whose name ends in a slash, as an archive of its own."""
        inner = copy.copy(self)
        inner._members = {
            name.removeprefix(folder): place
            for name, place in self._members.items()
            if name.startswith(folder)
        }
        inner._tensors = None
        return inner

    def read(self, name: str) -> bytes:
        """Return a copy of the bytes of a member."""
        return self._view(name).tobytes()

    def read_aligned(self, name: str) -> NDArray[np.uint8]:
        """Return a copy of the bytes of a member, 64-byte aligned, which no one else can change."""
        view = self._view(name)
        copy = aligned_empty(view.shape, view.dtype)
        copy[:] = view
        return copy

    def view_aligned(self, name: str) -> NDArray[np.uint8]:
        """Return the bytes of a member where they are, 64-byte aligned; a copy if they are not."""
        view = self._view(name)
        return self.read_aligned(name) if view.ctypes.data % 64 else view

    def array(self, name: str, shape: tuple[int, ...], dtype: np.dtype[Any]) -> NDArray[Any]:
        """Return a constant by its name, which must be just this one: read-only, dense."""
        try:
            if self._tensors is None:
                self._tensors = read_header(self._view(CONSTANTS))
            return tensor_of(*self._tensors, name, shape, dtype)
        except (ValueError, RecursionError) as error:
            raise self.damaged(f"member '{CONSTANTS}': {error}") from error


_NAME = "user.armnn_py.checked"
_SECONDS = 2.0  # within the resolution of times a change could go unseen


def is_marked(file: int, status: os.stat_result) -> bool:
    """Whether an open file, of which this is the status, is as it was when it was marked."""
    try:
        return os.getxattr(file, _NAME) == _value(status)
    except OSError:
        return False


def mark_as_checked(path: str) -> None:
    """Mark a file, unless it was written to a moment ago or cannot be marked."""
    with contextlib.suppress(OSError):
        status = os.stat(path)  # noqa: PTH116
        if time.time() - status.st_mtime > _SECONDS:
            os.setxattr(path, _NAME, _value(status))


def mark_as_written(path: str) -> None:
    """Mark a file that the caller has just written, before its name is known to others.

    It gets the time of now to the nanosecond, which is not the one of any later change.
    """
    with contextlib.suppress(OSError):
        now = time.time_ns()
        os.utime(path, ns=(now, now))
        status = os.stat(path)  # noqa: PTH116
        if status.st_mtime_ns == now:
            os.setxattr(path, _NAME, _value(status))


def _value(status: os.stat_result) -> bytes:
    return f"1:{status.st_dev}:{status.st_ino}:{status.st_size}:{status.st_mtime_ns}".encode()
