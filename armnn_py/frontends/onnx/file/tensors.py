# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""From a ``TensorProto`` to a numpy array: checked before memory is taken, 64-byte aligned.

Strings become ``str``, in an array of dtype object. Element types and the fields they are stored in
are those of ``onnx.proto``.

External data must lie in the model's own folder: a model from elsewhere must not make its reader
open any file of the machine. The owner of the folder may exchange files during the read, so the
file is opened folder by folder, following no link, and judged by its descriptor.
"""

from __future__ import annotations

import math
import os
import stat
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np
from msgspec import Struct

from armnn_py.errors import ParseError
from armnn_py.frontends.common.quoting import quoted
from armnn_py.frontends.common.slabs import Empty
from armnn_py.frontends.onnx.file.element_types import (
    STRING_NUMBER,
    dtype_of_number,
    element_type_name,
)
from armnn_py.frontends.onnx.file.reading import protobuf_text
from armnn_py.tensors.memory import aligned_empty

if TYPE_CHECKING:
    from collections.abc import Iterable

    import onnx
    from numpy.typing import NDArray

    from armnn_py.frontends.common.source import Part

#: Bits of an element where that is less than a byte: they are stored as in tensors of ours.
_BITS = {21: 4, 22: 4, 23: 4, 25: 2, 26: 2}
# Elements that are not raw bytes: the repeated field that holds them, and the type of that field.
_FIELDS: dict[int, tuple[str, type[np.generic]]] = {
    1: ("float_data", np.float32),
    7: ("int64_data", np.int64),
    11: ("double_data", np.float64),
    12: ("uint64_data", np.uint64),
    13: ("uint64_data", np.uint64),
}
_SMALL: tuple[str, type[np.generic]] = ("int32_data", np.int32)
_BY_BITS = {10: np.uint16, 16: np.uint16, **dict.fromkeys((17, 18, 19, 20, 24), np.uint8)}
_EXTERNAL = 1


class Unreadable(Struct, frozen=True):
    """A tensor of an element type that numpy lacks; a node that reads it is unsupported."""

    reason: str


def all_reasons(tensors: Iterable[Unreadable]) -> str:
    """Return the reasons of all operands of a node that cannot be read, each once."""
    return "; ".join(dict.fromkeys(tensor.reason for tensor in tensors))


def read_tensor(
    tensor: onnx.TensorProto,
    folder: str | None,
    what: str,
    empty: Empty = aligned_empty,
    part: Part | None = None,
) -> NDArray[Any] | Unreadable:
    """Read a tensor's values.

    Parameters
    ----------
    tensor
        The message.
    folder
        The only folder for files of external data; ``None``: there may be none.
    what
        Names the tensor in an error.
    empty
        Makes the array: `aligned_empty`, or ``empty`` of a `Slabs`.
    part
        What ``raw_data`` of the message stands for, if not for its own bytes.

    Returns
    -------
    numpy.ndarray or Unreadable
        Read-only and C-contiguous.

    Raises
    ------
    ParseError
        Shape and stored data do not match, or external data cannot be read.
    """
    shape = tuple(tensor.dims)
    number = tensor.data_type
    if any(dim < 0 for dim in shape):
        raise ParseError(f"{what} has a negative dimension", details=[f"shape: {shape}"])
    if len(shape) > 64:
        raise ParseError(f"{what} has {len(shape)} dimensions")
    dtype = dtype_of_number(number)
    if dtype is None:
        if number == 0:
            raise ParseError(f"{what} has no element type")
        if number == STRING_NUMBER:
            return _read_strings(tensor, what)
        return Unreadable(f"{what} holds {element_type_name(number)} values")
    if number in _BITS:
        return _read_packed(tensor, folder, what, empty, part)
    size = math.prod(shape) * dtype.itemsize
    if tensor.data_location == _EXTERNAL:
        array = _read_external(tensor, folder, shape, dtype, what, empty)
    elif part is not None:
        array = _read_part(part, shape, dtype, what, empty)
    elif tensor.HasField("raw_data"):
        raw = tensor.raw_data  # protobuf copies the bytes each time
        if len(raw) != size:
            raise _mismatch(what, shape, dtype, f"{len(raw)} bytes")
        array = empty(shape, dtype)
        stored = dtype if dtype.isbuiltin == 2 else dtype.newbyteorder("<")  # 2: of a package
        array[...] = np.frombuffer(raw, stored).reshape(shape)
    else:
        array = _read_field(tensor, shape, dtype, what, empty)
    if dtype == np.bool_:  # any byte but 0 is true
        array[...] = array.view(np.uint8) != 0
    array.flags.writeable = False
    return array


def _read_strings(tensor: onnx.TensorProto, what: str) -> NDArray[Any]:
    """Read strings, which lie in a field of their own."""
    shape, texts = tuple(tensor.dims), tensor.string_data
    if tensor.data_location == _EXTERNAL or tensor.HasField("raw_data"):
        raise ParseError(f"{what} holds strings as raw data")
    if len(texts) != math.prod(shape):
        raise ParseError(
            f"{what} has the wrong amount of data",
            details=[
                f"shape: {'x'.join(map(str, shape)) or 'scalar'} of strings",
                f"stored: {len(texts)} strings",
            ],
            hints=["the file is damaged, or was cut short"],
        )
    array = np.empty(shape, object)
    array.reshape(-1)[:] = [protobuf_text(text, f"{what}: string") for text in texts]
    array.flags.writeable = False
    return array


def _read_packed(
    tensor: onnx.TensorProto, folder: str | None, what: str, empty: Empty, part: Part | None
) -> NDArray[Any] | Unreadable:
    """Read elements of less than a byte: those of a byte from its low bits upwards."""
    shape, bits = tuple(tensor.dims), _BITS[tensor.data_type]
    dtype = dtype_of_number(tensor.data_type)
    assert dtype is not None
    count = math.prod(shape)
    packed = type(tensor)()
    packed.CopyFrom(tensor)
    packed.data_type = 2  # uint8
    packed.ClearField("dims")
    packed.dims.append(-(-count * bits // 8))
    stored = read_tensor(packed, folder, what, part=part)
    assert not isinstance(stored, Unreadable)
    shifts = np.arange(0, 8, bits, dtype=np.uint8)
    codes = (stored[:, None] >> shifts & np.uint8((1 << bits) - 1)).reshape(-1)[:count]
    if dtype.name.startswith("int"):  # two's complement
        half = 1 << (bits - 1)
        values = ((codes ^ half).astype(np.int8) - half).astype(dtype)
    else:
        values = codes.view(dtype) if dtype.name.startswith("float") else codes.astype(dtype)
    array = empty(shape, dtype)
    array[...] = values.reshape(shape)
    array.flags.writeable = False
    return array


def _mismatch(what: str, shape: tuple[int, ...], dtype: np.dtype[Any], found: str) -> ParseError:
    size = math.prod(shape) * dtype.itemsize
    return ParseError(
        f"{what} has the wrong amount of data",
        details=[
            f"shape: {'x'.join(map(str, shape)) or 'scalar'} of {dtype}, {size} bytes",
            f"stored: {found}",
        ],
        hints=["the file is damaged, or was cut short"],
    )


def _read_part(
    part: Part, shape: tuple[int, ...], dtype: np.dtype[Any], what: str, empty: Empty
) -> NDArray[Any]:
    if part.size != math.prod(shape) * dtype.itemsize:
        raise _mismatch(what, shape, dtype, f"{part.size} bytes")
    array = empty(shape, dtype)
    found = part.fill(array.reshape(-1).view(np.uint8).data)
    if found != part.size:  # somebody made the file shorter
        raise _mismatch(what, shape, dtype, f"{found} bytes")
    if sys.byteorder == "big":  # stored little-endian
        array.byteswap(inplace=True)
    return array


def _read_field(
    tensor: onnx.TensorProto,
    shape: tuple[int, ...],
    dtype: np.dtype[Any],
    what: str,
    empty: Empty,
) -> NDArray[Any]:
    field, stored = _FIELDS.get(tensor.data_type, _SMALL)
    stored_values = getattr(tensor, field)
    if len(stored_values) != math.prod(shape):
        raise _mismatch(what, shape, dtype, f"{len(stored_values)} elements")
    values = np.array(stored_values, stored)
    if tensor.data_type in _BY_BITS:  # each number holds the bits of an element
        values = values.astype(_BY_BITS[tensor.data_type]).view(dtype)
    array = empty(shape, dtype)
    array.reshape(-1)[...] = values.astype(dtype, copy=False)  # numbers out of range wrap
    return array


def _external_number(entries: dict[str, str], key: str, what: str) -> int | None:
    """Return an entry of external data that is decimal digits, or None if it is missing."""
    value = entries.get(key) or None
    if value is None:
        return None
    if not (value.isascii() and value.isdigit()) or len(value) > 20:
        raise ParseError(
            f"{what}: the {key} of its external data is {quoted(value)}, which is not a number of "
            "bytes",
            hints=["store it as decimal digits"],
        )
    return int(value)


def _read_external(
    tensor: onnx.TensorProto,
    folder: str | None,
    shape: tuple[int, ...],
    dtype: np.dtype[Any],
    what: str,
    empty: Empty,
) -> NDArray[Any]:
    entries = {
        protobuf_text(entry.key, "key of external data"): protobuf_text(
            entry.value, "external data entry"
        )
        for entry in tensor.external_data
    }
    location = entries.get("location", "")
    if not location:
        raise ParseError(f"{what} is stored in another file that is not named")
    if folder is None:
        raise ParseError(
            f"{what} is stored in {quoted(location)}, and the model in memory has no folder",
            hints=[f"data_folder=... names the folder of {quoted(location)}"],
        )

    size = math.prod(shape) * dtype.itemsize
    offset = _external_number(entries, "offset", what) or 0
    length = _external_number(entries, "length", what)
    with open_external_file(folder, location, what) as stream:
        available = os.fstat(stream.fileno()).st_size - offset
        if length not in (None, size) or available < size:
            stored = max(available, 0)
            stored = length if length is not None and length <= stored else stored
            raise _mismatch(what, shape, dtype, f"{stored} bytes in {quoted(location)}")
        array = empty(shape, dtype)
        stream.seek(offset)
        if size and stream.readinto(array.reshape(-1).view(np.uint8).data) != size:  # type: ignore[attr-defined]
            raise _mismatch(what, shape, dtype, f"fewer bytes in {quoted(location)}")
    if sys.byteorder == "big":  # stored little-endian
        array.byteswap(inplace=True)
    return array


_FOLDER = os.O_RDONLY | os.O_CLOEXEC | os.O_DIRECTORY
# Without O_NONBLOCK a pipe would make us wait.
_FILE = os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK | os.O_NOCTTY | os.O_NOFOLLOW


def open_external_file(folder: str, location: str, what: str) -> BinaryIO:
    """Open a file of external data for reading.

    A link into the ``blobs`` of the model cache that the folder is a snapshot of stays in that
    cache.

    Parameters
    ----------
    folder
        The model's folder.
    location
        Path in the model, relative to the folder.
    what
        Names the tensor in an error.

    Raises
    ------
    ParseError
        It is missing, lies outside of the folder, or may do so by another name.
    """
    if location.rpartition("/")[2] in ("", ".", ".."):  # a folder, which Path forgets
        raise _missing(what, location)
    try:
        root = Path(folder).resolve()
        file = (root / location).resolve()
        base = _home_of(file, root)
        if base is None or Path(location).is_absolute():
            raise ParseError(
                f"{what}: external data {quoted(location)} lies outside the model's folder",
                hints=["put the data file beside the model and store a relative location"],
            )
        descriptor = _open_below(base, file.relative_to(base).parts)
    except (FileNotFoundError, NotADirectoryError):
        raise _missing(what, location) from None
    except (OSError, ValueError, RuntimeError) as error:
        raise ParseError(f"{what}: external data {quoted(location)}: {error}") from error
    try:
        _check(os.fstat(descriptor), location, what)
        return os.fdopen(descriptor, "rb")
    except BaseException:
        os.close(descriptor)
        raise


def _check(status: os.stat_result, location: str, what: str) -> None:
    if not stat.S_ISREG(status.st_mode):
        raise _missing(what, location)
    if status.st_nlink > 1:
        raise ParseError(
            f"{what}: external data {quoted(location)} is a file of {status.st_nlink} names "
            "(hard links)",
            details=["another of them may lie outside the model's folder"],
            hints=["copy the file, and put the copy in its place"],
        )


def _home_of(file: Path, root: Path) -> Path | None:
    """Return the folder that a file has to stay in, or None if it is in none."""
    if file.is_relative_to(root):
        return root
    blobs = _blobs_of(root)
    return blobs if file.parent == blobs else None


def _blobs_of(folder: Path) -> Path | None:
    """Return ``X/blobs`` for ``X/snapshots/REVISION`` and folders in it: a cache of the hub."""
    for above in folder.parents:
        if above.name == "snapshots":
            return above.parent / "blobs"
    return None


def _open_below(base: Path, names: Sequence[str]) -> int:
    """Open a file by its names below a folder; none of them may be a link."""
    folder = os.open(base, _FOLDER)
    try:
        for name in names[:-1]:
            inner = os.open(name, _FOLDER | os.O_NOFOLLOW, dir_fd=folder)
            os.close(folder)
            folder = inner
        return os.open(names[-1] if names else ".", _FILE, dir_fd=folder)
    finally:
        os.close(folder)


def _missing(what: str, location: str) -> ParseError:
    return ParseError(
        f"{what}: external data file {quoted(location)} is missing",
        hints=[f"copy {quoted(location)} into the folder of the model"],
    )
