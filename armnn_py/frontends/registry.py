# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Chooses the importer of a model by its contents, and by the suffix of its file.

The package that reads a format is imported when a model of that format is, never before.
"""

from __future__ import annotations

import importlib
import os
import re
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, TypeAlias

from msgspec import Struct

from armnn_py.errors import (
    InvalidArgumentError,
    ModelError,
    ModelFormatError,
    ParseError,
    UnknownNameError,
)
from armnn_py.errors.shortage import tells_shortage
from armnn_py.text import install_hint

if TYPE_CHECKING:
    from typing import BinaryIO

    import onnx

    from armnn_py.frontends.common.source import ModelSource
    from armnn_py.frontends.common.stand_ins import RunsStandIns
    from armnn_py.network import Network

ModelLike: TypeAlias = (
    "str | os.PathLike[str] | bytes | bytearray | memoryview | BinaryIO | onnx.ModelProto"
)
"""The forms in which a model may be given."""

Shapes = Mapping[str, Sequence[int | None]]


class Frontend(Struct, frozen=True):
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
        network: Network = module.import_source(source, shapes, backends, **choices)
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
        package="flatbuffers",
        extra="tflite",
        module="armnn_py.frontends.tflite",
        choices=("signature", "subgraph", "keeps_loops"),
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
        choices=("keeps_loops",),
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
    return import_network(
        model,
        shapes=shapes,
        format=format,
        data_folder=data_folder,
        backends=backends,
        signature=signature,
        subgraph=subgraph,
        keeps_loops=False,
    )


def import_network(
    model: ModelLike,
    *,
    shapes: Shapes | None,
    format: str | None,
    data_folder: str | os.PathLike[str] | None,
    backends: Sequence[RunsStandIns],
    signature: str | None,
    subgraph: int | str | None,
    keeps_loops: bool,
) -> Network:
    """Read a model as `import_model` does; with ``keeps_loops`` long loops stay loops.

    A network with such loops runs in stages. Its builder has ``written_out``.
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
    choices: dict[str, object] = {"signature": signature, "subgraph": subgraph}
    if keeps_loops and "keeps_loops" in frontend.choices:
        choices["keeps_loops"] = True
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


_FROM_TENSORFLOW = (
    "'python -m tf2onnx.convert' writes an ONNX model of it, tf.lite.TFLiteConverter a .tflite file"
)
_FROM_TORCH = "torch.onnx.export(model, inputs, 'model.onnx') writes an ONNX model of it"
_PICTURE = "give the model first, and the picture as its input: armnn-py run MODEL -i PICTURE"
_WEIGHTS = "it holds weights alone: export the model that they belong to"
_ARRAY = "give the model first, and the array as its input: armnn-py run MODEL -i FILE"


class ForeignFile(Struct, frozen=True):
    """A kind of file that is not imported."""

    matches: Callable[[bytes], bool]
    """Whether the first 64 bytes of a file are those of this kind."""
    what: str
    """The kind with its article, after "is"."""
    hint: str


def foreign_file(head: bytes) -> ForeignFile | None:
    """Return the kind of a file by its first 64 bytes, or None if it may be a model."""
    return next((kind for kind in _KINDS if kind.matches(head)), None)


def _begins(*marks: bytes) -> Callable[[bytes], bool]:
    return lambda head: head.startswith(marks)


def _flatbuffer(identifier: bytes) -> Callable[[bytes], bool]:
    # The offset of the root comes first. It is small: four bytes of an ONNX model are not.
    return lambda head: head[4:8] == identifier and head[2:4] == b"\0\0"


def _zip_with(pattern: bytes) -> Callable[[bytes], bool]:
    """A zip archive whose first member has a name of this pattern."""
    return lambda head: head[:4] == b"PK\x03\x04" and re.match(pattern, head[30:]) is not None


def _is_graph_def(head: bytes) -> bool:
    # Field 1 is a node, whose field 1 is its name and field 2 its operator.
    match = re.match(rb"\x0a(?:[\x80-\xff]{0,3}[\0-\x7f])\x0a([\x01-\x30])", head)
    if match is None:
        return False
    end = match.end() + match[1][0]
    return re.fullmatch(rb"[\w./:-]+", head[match.end() : end]) is not None and head[
        end : end + 1
    ] in (b"\x12", b"")


def _is_saved_model(head: bytes) -> bool:
    # Field 1 is the version 1; field 2 is a graph, whose field 1 is a message. In an ONNX model
    # field 2 is the text of its producer.
    return re.match(rb"\x08\x01\x12[\x80-\xff]{0,4}[\0-\x7f]\x0a", head) is not None


def _is_openvino(head: bytes) -> bool:
    return re.match(rb"\s*(<\?xml[^>]*>\s*)?<net\b", head) is not None


def _is_saved_network(head: bytes) -> bool:
    from armnn_py.network.saved_files import MARK  # late: its package imports numpy

    return head[30:] == MARK


_KINDS: tuple[ForeignFile, ...] = (
    ForeignFile(
        _begins(b"version https://git-lfs"),
        "a Git LFS pointer, not the model itself",
        "run 'git lfs pull' where the file came from",
    ),
    ForeignFile(
        _flatbuffer(b"ORTM"),
        "an ONNX Runtime .ort file",
        "give the ONNX file that it was made from",
    ),
    ForeignFile(
        _flatbuffer(b"ARMN"),
        "a network that Arm NN serialised (.armnn)",
        "give the ONNX or TensorFlow Lite model that it was made from",
    ),
    ForeignFile(
        _is_saved_network,
        "a network that was saved with its backends (.armnnpy)",
        "load it by armnn_py.load(path) or OptimizedNetwork.load(path)",
    ),
    ForeignFile(
        _zip_with(rb"[^\0]*?(data\.pkl|constants\.pkl|\.format_version|\.data/|byteorder)"),
        "a PyTorch file",
        _FROM_TORCH,
    ),
    ForeignFile(_begins(b"\x80\x02\x8a\x0a\x6c\xfc\x9c\x46"), "a PyTorch file", _FROM_TORCH),
    ForeignFile(
        lambda head: re.match(rb"\x80[\2-\5]", head) is not None,
        "a Python pickle",
        "it can run any code when it is opened; of a PyTorch model, " + _FROM_TORCH,
    ),
    ForeignFile(_zip_with(rb"(metadata|config)\.json"), "a Keras file", _FROM_TENSORFLOW),
    ForeignFile(_zip_with(rb"[^\0]*?\.npy"), "an archive of numpy arrays (.npz)", _ARRAY),
    ForeignFile(
        _begins(b"PK\x03\x04"),
        "a zip archive",
        "unpack it, or export the model to ONNX if a framework wrote it",
    ),
    ForeignFile(
        _begins(b"\x89HDF\r\n\x1a\n"), "an HDF5 file (.h5), as Keras writes", _FROM_TENSORFLOW
    ),
    ForeignFile(_is_saved_model, "a TensorFlow SavedModel (.pb)", _FROM_TENSORFLOW),
    ForeignFile(_is_graph_def, "a TensorFlow graph (.pb)", _FROM_TENSORFLOW),
    ForeignFile(
        _is_openvino,
        "an OpenVINO model (.xml)",
        "give the ONNX or TensorFlow Lite model that it was converted from",
    ),
    ForeignFile(
        lambda head: head[8:9] == b"{" and head[4:8] == bytes(4),
        "a safetensors file",
        _WEIGHTS,
    ),
    ForeignFile(_begins(b"GGUF", b"ggml", b"lmgg"), "a GGUF file", _WEIGHTS),
    ForeignFile(_begins(b"\x89PNG\r\n\x1a\n"), "a PNG picture", _PICTURE),
    ForeignFile(_begins(b"\xff\xd8\xff"), "a JPEG picture", _PICTURE),
    ForeignFile(_begins(b"GIF87a", b"GIF89a"), "a GIF picture", _PICTURE),
    ForeignFile(
        lambda head: head[:4] == b"RIFF" and head[8:12] == b"WEBP", "a WebP picture", _PICTURE
    ),
    ForeignFile(_begins(b"\x93NUMPY"), "a numpy array (.npy)", _ARRAY),
    ForeignFile(
        _begins(b"\x7fELF"),
        "a shared library or program",
        "a backend goes into a folder of --backend-path",
    ),
    ForeignFile(_begins(b"%PDF-"), "a PDF document", "give the model that it describes"),
    ForeignFile(
        lambda head: head.lstrip()[:1] == b"<",
        "an HTML or XML text",
        "a download may have saved the page instead of the file",
    ),
    ForeignFile(_begins(b"\x1f\x8b"), "gzip-compressed", "unpack it with gunzip"),
)
