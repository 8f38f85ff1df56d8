# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Files that no importer reads, recognised by their first bytes, and how to convert them."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from armnn_py.network.saved_files import MARK

__all__ = ["ForeignFile", "foreign_file"]

_FROM_TENSORFLOW = (
    "'python -m tf2onnx.convert' writes an ONNX model of it, tf.lite.TFLiteConverter a .tflite file"
)
_FROM_TORCH = "torch.onnx.export(model, inputs, 'model.onnx') writes an ONNX model of it"
_PICTURE = "give the model first, and the picture as its input: armnn-py run MODEL -i PICTURE"
_WEIGHTS = "it holds weights alone: export the model that they belong to"
_ARRAY = "give the model first, and the array as its input: armnn-py run MODEL -i FILE"


@dataclass(frozen=True, slots=True)
class ForeignFile:
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
        lambda head: head[30:] == MARK,
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
