# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Chooses the importer of a model file by what is in it, and by its suffix.

The package that reads a format is imported when a model of that format is, never before.
"""

from __future__ import annotations

import importlib
import importlib.util
import os
import stat
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from armnn_py.errors import (
    InvalidArgumentError,
    ModelError,
    ModelFileNotFoundError,
    ModelFormatError,
    ParseError,
)
from armnn_py.network import Network
from armnn_py.records import record
from armnn_py.text import install_hint

__all__ = ["FRONTENDS", "Frontend", "import_model"]

Shapes = Mapping[str, Sequence[int | None]]

_HEAD_SIZE = 64


@record
class Frontend:
    """A model format and the module that reads it."""

    name: str
    suffixes: tuple[str, ...]
    matches: Callable[[bytes], bool]
    """Whether the first bytes of a file look like this format."""
    package: str
    """What must be importable."""
    extra: str
    """The extra of this project that installs it."""
    module: str | None
    """Module with ``import_file(path, shapes)``; ``None``: known, but not read."""

    def import_file(self, path: Path, shapes: Shapes | None) -> Network:
        """Read one file of this format."""
        if self.module is None:
            raise ModelFormatError(
                f"'{path.name}' is a {self.name} model, which this version does not import",
                hints=["convert it to ONNX, or build it with armnn_py.Network"],
            )
        if importlib.util.find_spec(self.package) is None:
            raise ModelError(
                f"importing '{path.name}' needs the Python package '{self.package}', "
                "which is not installed",
                hints=[install_hint(self.package, self.extra)],
            )
        network = importlib.import_module(self.module).import_file(path, shapes)
        assert isinstance(network, Network)
        return network


def _looks_like_onnx(head: bytes) -> bool:
    # Field 1 of ModelProto, ir_version, comes first in every file that an exporter writes.
    return len(head) > 2 and head[0] == 0x08 and 0 < head[1] < 0x80 and head[2] & 0x07 in (0, 2)


FRONTENDS: tuple[Frontend, ...] = (
    Frontend(
        name="TensorFlow Lite",
        suffixes=(".tflite", ".lite"),
        matches=lambda head: head[4:8] == b"TFL3",
        package="tflite",
        extra="tflite",
        module=None,
    ),
    Frontend(
        name="ONNX",
        suffixes=(".onnx",),
        matches=_looks_like_onnx,
        package="onnx",
        extra="onnx",
        module="armnn_py.frontends.onnx",
    ),
)
"""All formats, the ones with a clear mark first."""

# Files that people hand over by mistake, and what to do instead.
_FOREIGN: tuple[tuple[Callable[[bytes], bool], str, str], ...] = (
    (
        lambda head: head.startswith(b"version https://git-lfs"),
        "is a Git LFS pointer, not the model itself",
        "run 'git lfs pull' where the file came from",
    ),
    (
        lambda head: head[4:8] == b"ORTM",
        "is an ONNX Runtime .ort file",
        "give the ONNX file that it was made from",
    ),
    (
        lambda head: head.startswith(b"PK\x03\x04"),
        "is a zip archive (a torch or Keras file, perhaps)",
        "export the model to ONNX, or unpack the archive",
    ),
    (
        lambda head: head.lstrip()[:1] == b"<",
        "is an HTML or XML text",
        "a download may have saved the page instead of the file",
    ),
    (
        lambda head: head.startswith(b"\x1f\x8b"),
        "is gzip-compressed",
        "unpack it with gunzip",
    ),
)


def import_model(path: str | os.PathLike[str], *, shapes: Shapes | None = None) -> Network:
    """Read a model file into a `Network`.

    The format is recognised by the file's contents, then by its suffix.

    Parameters
    ----------
    path
        An ONNX file. Weights stored beside it (external data) are read too.
    shapes
        Shapes of inputs by name, for a model with free dimensions. A dimension that stays
        ``None`` stays free, and inputs that are not named keep their own shape.

    Returns
    -------
    Network
        If dimensions are free, ``network.is_dynamic`` is true and
        ``network.specialize(shapes)`` gives the network for one set of shapes.

    Raises
    ------
    ModelFileNotFoundError
        There is no such file; a `ParseError` and a `FileNotFoundError`.
    ParseError
        The file cannot be read, is damaged or contradicts itself.
    ModelFormatError
        The file is in a known format that this version does not read.
    UnsupportedOperatorError
        Operators have no counterpart; the error lists all of them.
    ModelError
        The package that reads the format is missing.
    InvalidArgumentError
        ``path`` or ``shapes`` is wrong for this model.

    Examples
    --------
    >>> network = import_model("model.onnx", shapes={"image": (1, 3, 224, 224)})  # doctest: +SKIP
    """
    file = _checked_path(path)
    head = _read_head(file)
    for frontend in FRONTENDS:
        if frontend.matches(head):
            return frontend.import_file(file, shapes)
    for matches, what, hint in _FOREIGN:
        if matches(head):
            raise ParseError(f"'{file.name}' {what}", path=str(file), hints=[hint])
    for frontend in FRONTENDS:
        if file.suffix.lower() in frontend.suffixes:
            return frontend.import_file(file, shapes)
    raise ParseError(
        f"'{file.name}' is in no format that can be imported",
        path=str(file),
        details=[f"formats: {', '.join(f.name for f in FRONTENDS if f.module)}"],
    )


def _checked_path(path: object) -> Path:
    if not isinstance(path, (str, os.PathLike)):
        raise InvalidArgumentError(
            f"model given as {type(path).__name__}, a path expected",
            hints=["write the bytes of a model to a file first"],
        )
    try:
        return Path(path)
    except TypeError as error:
        raise InvalidArgumentError(f"model path {path!r}: {error}") from error


def _read_head(file: Path) -> bytes:
    """Return the first bytes of a regular file; never waits, as opening a pipe would."""
    try:
        mode = file.stat().st_mode
        if not stat.S_ISREG(mode):
            what = "a folder" if stat.S_ISDIR(mode) else "not a regular file"
            raise ParseError(f"model '{file.name}' is {what}", path=str(file))
        with file.open("rb") as stream:
            head = stream.read(_HEAD_SIZE)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        kind = ModelFileNotFoundError if isinstance(error, FileNotFoundError) else ParseError
        raise kind(
            f"cannot read model '{file.name}': {reason}",
            path=str(file),
            details=[f"path: {str(file)!r}"],
        ) from error
    if not head:
        raise ParseError(f"model '{file.name}' is empty", path=str(file))
    return head
