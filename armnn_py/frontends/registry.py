# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Chooses the importer of a model by its contents, and by the suffix of its file.

The package that reads a format is imported when a model of that format is, never before.
"""

from __future__ import annotations

import importlib
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from armnn_py.errors import (
    InvalidArgumentError,
    ModelError,
    ModelFormatError,
    ParseError,
    UnknownNameError,
)
from armnn_py.errors.shortage import tells_shortage
from armnn_py.frontends.foreign_files import foreign_file
from armnn_py.network import Network
from armnn_py.text import install_hint

if TYPE_CHECKING:
    from typing import BinaryIO

    import onnx

    from armnn_py.frontends.common.source import ModelSource
    from armnn_py.frontends.common.stand_ins import RunsStandIns

__all__ = ["FRONTENDS", "Frontend", "ModelLike", "import_model"]

ModelLike: TypeAlias = (
    "str | os.PathLike[str] | bytes | bytearray | memoryview | BinaryIO | onnx.ModelProto"
)
"""The forms in which a model may be given."""

Shapes = Mapping[str, Sequence[int | None]]


@dataclass(frozen=True, slots=True)
class Frontend:
    """A model format and the module that reads it."""

    name: str
    key: str
    """The name that ``format=`` takes."""
    suffixes: tuple[str, ...]
    matches: Callable[[bytes], bool]
    """Whether the first bytes of a model look like this format."""
    message: str | None
    """Full protobuf name of a parsed model, where the format has one."""
    package: str
    """The package that must be installed."""
    extra: str
    """The extra of this project that installs it."""
    module: str
    """Module with ``import_source(source, shapes, backends)``."""
    choices: tuple[str, ...] = ()
    """Further keywords of ``import_source``, which choose a part of the model."""

    def import_source(
        self,
        source: ModelSource,
        shapes: Shapes | None,
        backends: Sequence[RunsStandIns],
        choices: Mapping[str, object],
    ) -> Network:
        """Read one model of this format."""
        for name in choices:
            if name not in self.choices:
                raise InvalidArgumentError(
                    f"{name} given, which '{source.name}', a model in {self.name}, does not have"
                )
        from importlib.util import find_spec

        if find_spec(self.package) is None:
            raise ModelError(
                f"importing '{source.name}' needs the Python package '{self.package}', "
                "which is not installed",
                hints=[install_hint(self.package, self.extra)],
            )
        module = importlib.import_module(self.module)
        network = module.import_source(source, shapes, backends, **choices)
        assert isinstance(network, Network)
        return network


def _looks_like_onnx(head: bytes) -> bool:
    # Field 1 of ModelProto, ir_version, comes first in every file that an exporter writes.
    return len(head) > 2 and head[0] == 0x08 and 0 < head[1] < 0x80 and head[2] & 0x07 in (0, 2)


FRONTENDS: tuple[Frontend, ...] = (
    Frontend(
        name="TensorFlow Lite",
        key="tflite",
        suffixes=(".tflite", ".lite"),
        matches=lambda head: head[4:8] == b"TFL3",
        message=None,
        package="tflite",
        extra="tflite",
        module="armnn_py.frontends.tflite",
        choices=("signature", "subgraph"),
    ),
    Frontend(
        name="ONNX",
        key="onnx",
        suffixes=(".onnx",),
        matches=_looks_like_onnx,
        message="onnx.ModelProto",
        package="onnx",
        extra="onnx",
        module="armnn_py.frontends.onnx",
    ),
)
"""All formats, the ones with a clear mark first."""


@tells_shortage("import {}")
def import_model(
    model: ModelLike,
    *,
    shapes: Shapes | None = None,
    format: str | None = None,
    data_folder: str | os.PathLike[str] | None = None,
    backends: Sequence[RunsStandIns] = (),
    signature: str | None = None,
    subgraph: int | str | None = None,
) -> Network:
    """Read a model into a `Network`.

    Parameters
    ----------
    model
        An ONNX or TensorFlow Lite model: the path of its file, its bytes, a binary file that is
        read from its position to its end, or an ``onnx.ModelProto``.
    shapes
        Shapes of inputs by name, for a model with free dimensions. A dimension that stays
        ``None`` stays free, and inputs that are not named keep their own shape. TensorFlow Lite
        states sizes for free dimensions too: they hold unless others, or ``None``, are given.
    format
        ``"onnx"`` or ``"tflite"``. By default the format is recognised by what is in the model,
        then by the suffix of its file.
    data_folder
        Folder of the files that hold weights outside of the model (external data of ONNX). By
        default that of the model's file; a model from memory has none, and must do without such
        files.
    backends
        Backends of a runtime that are offered the operators without a layer, in order:
        an operator that one of them runs becomes a StandIn layer with that backend as its hint.
        `load` offers them to all of its runtime.
    signature
        Key of a signature of a TensorFlow Lite model. Inputs and outputs then have the names that
        it gives them, else those of their tensors.
    subgraph
        Number or name of a sub-graph of a TensorFlow Lite model; default: the first.

    Returns
    -------
    Network
        If dimensions are free, ``network.is_dynamic`` is true and
        ``network.specialize(shapes)`` gives the network for one set of shapes.

    Raises
    ------
    ModelFileNotFoundError
        The file does not exist; a `ParseError` and a `FileNotFoundError`.
    ParseError
        The model cannot be read, is damaged or contradicts itself, or its external data is missing.
    ShortageError
        The model may be sound, but memory or open files ran out.
    ModelFormatError
        The model is in another format than ``format`` says.
    UnsupportedOperatorError
        Operators have no counterpart; the error lists all of them.
    ModelError
        The package that reads the format is missing.
    InvalidArgumentError
        ``model`` is nothing that a model can be read from, or an argument is wrong for this model.
    UnknownNameError
        ``format``, ``signature`` or ``subgraph`` is unknown, or the model has no input of a name in
        ``shapes``.

    Examples
    --------
    >>> from pathlib import Path
    >>> import armnn_py as ann
    >>> network = ann.import_model("model.onnx", shapes={"image": (1, 1, 8, 8)})
    >>> network.outputs["probabilities"]
    TensorInfo(float32, 1x10)
    >>> network = ann.import_model(Path("model.onnx").read_bytes())
    """
    named = None if format is None else _named(format)
    descriptor = getattr(type(model), "DESCRIPTOR", None)
    message = None if descriptor is None else getattr(descriptor, "full_name", None)
    parsed = next((f for f in FRONTENDS if message and f.message == message), None)
    from armnn_py.frontends.common.source import open_source  # late: few programs need it

    source = open_source(model, data_folder, is_message=parsed is not None)
    frontend = parsed or _recognised(source, named)
    if named is not None and frontend is not named:
        raise ModelFormatError(
            f"'{source.name}' is {frontend.name}, but format={named.key!r} is given"
        )
    choices = {"signature": signature, "subgraph": subgraph}
    return frontend.import_source(
        source,
        shapes,
        [backend for backend in backends if backend.runs_stand_ins],
        {name: value for name, value in choices.items() if value is not None},
    )


def _named(format: str) -> Frontend:
    for frontend in FRONTENDS:
        if frontend.key == format:
            return frontend
    raise UnknownNameError(
        f"model format {format!r} is not known",
        name=str(format),
        valid=[frontend.key for frontend in FRONTENDS],
    )


def _recognised(source: ModelSource, named: Frontend | None) -> Frontend:
    """Return the importer of a model by its contents; ``named`` is the one that was asked for."""
    head = source.head()
    foreign = foreign_file(head)
    if foreign is not None:
        raise ParseError(
            f"'{source.name}' is {foreign.what}", path=source.path_text, hints=[foreign.hint]
        )
    if named is not None:
        return named
    for frontend in FRONTENDS:
        if frontend.matches(head):
            return frontend
    for frontend in FRONTENDS:
        if os.path.splitext(source.name)[1].lower() in frontend.suffixes:  # noqa: PTH122
            return frontend
    raise ParseError(
        f"'{source.name}' is in no format that can be imported",
        path=source.path_text,
        details=[f"formats: {', '.join(f.name for f in FRONTENDS)}"],
    )
