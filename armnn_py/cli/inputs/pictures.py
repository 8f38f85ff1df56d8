# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Pictures as inputs: from a file to a tensor of the input's form, also by a model's metadata.

A TensorFlow Lite model has its labels in a zip archive at its end, and the normalisation in a
flatbuffer of the schema ``metadata_schema.fbs`` of tflite-support; `_TABLES` names what is read.
"""

from __future__ import annotations

import contextlib
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from msgspec import Struct, structs

from armnn_py._native.memory.owned import map_file
from armnn_py.cli.render import words_of
from armnn_py.errors import InvalidArgumentError
from armnn_py.frontends.tflite.reading import Reader
from armnn_py.text import install_hint

if TYPE_CHECKING:
    from PIL.Image import Image as Picture

    from armnn_py.tensors import TensorInfo

Array = np.ndarray[Any, Any]
SUFFIXES = {".png", ".jpg", ".jpeg", ".bmp", ".webp", ".gif", ".tif", ".tiff"}

_CHANNELS = (1, 3, 4)
MAX_SIDE = 65535  # what picture formats can hold


class ImageOptions(Struct, frozen=True):
    """How a picture becomes a tensor: ``(pixel - mean) * scale``, pixels from 0 to 255.

    ``layout`` is ``auto`` (the dimension of size 1, 3 or 4 is the channels), ``nchw`` or ``nhwc``;
    ``resize`` is ``stretch``, ``fit`` (keep the proportions, fill with ``mean``) or ``none``;
    ``size`` is (height, width) for inputs whose own size is free. ``normalization`` has means and
    standard deviations instead of ``mean`` and ``scale``, for inputs of floats.
    """

    mean: tuple[float, ...] = (0.0,)
    scale: tuple[float, ...] = (1.0,)
    layout: str = "auto"
    channel_order: str = "rgb"
    resize: str = "stretch"
    size: tuple[int, int] | None = None
    normalization: tuple[tuple[float, ...], tuple[float, ...]] | None = None


def read_image(path: Path, info: TensorInfo, options: ImageOptions) -> Array:
    """Read a picture as the tensor ``info``.

    Grey pictures of 16 bits are scaled to 0 to 255 and keep their fractions.

    Raises
    ------
    InvalidArgumentError
        The file cannot be read, its pixels have no known range, or it does not fit the tensor.
    """
    try:
        from PIL import Image
    except ImportError as error:
        raise InvalidArgumentError(
            f"picture '{path}' needs Pillow to be read",
            hints=[install_hint("pillow", "onnx")],
        ) from error
    channels_first, channels, height, width = _form(info, options)
    if options.normalization is not None and info.dtype.kind == "f":
        means, deviations = options.normalization
        if len(means) in (1, channels):
            scales = tuple(1 / deviation for deviation in deviations)
            options = structs.replace(options, mean=means, scale=scales, normalization=None)
    for option, values in (("--mean", options.mean), ("--scale", options.scale)):
        if len(values) not in (1, channels):
            raise InvalidArgumentError(
                f"{option}: {len(values)} values given, 1 or {channels} expected"
            )
    try:
        with Image.open(path) as opened:
            picture = _upright(opened, channels, path)
    except InvalidArgumentError:
        raise
    except Exception as error:  # a damaged file may make the readers raise anything
        raise InvalidArgumentError(
            f"picture '{path}' cannot be read", details=[words_of(error)]
        ) from error
    height, width = height or picture.height, width or picture.width
    try:
        picture = _resized(picture, (width, height), options)
    except (MemoryError, ValueError, OverflowError) as error:
        raise InvalidArgumentError(
            f"picture '{path}' cannot get the size {height} x {width}", details=[words_of(error)]
        ) from error
    pixels = np.asarray(picture, np.float32)
    if pixels.ndim == 2:
        pixels = np.repeat(pixels[:, :, None], channels, axis=2)
    if options.channel_order == "bgr":
        pixels = pixels[:, :, ::-1]
    pixels = (pixels - np.asarray(options.mean, np.float32)) * np.asarray(options.scale, np.float32)
    if channels_first:
        pixels = pixels.transpose(2, 0, 1)
    if info.dtype.kind in "iu":
        limits = np.iinfo(info.dtype)
        pixels = pixels.round().clip(limits.min, limits.max)
    return np.ascontiguousarray(pixels[None] if info.rank == 4 else pixels, dtype=info.dtype)


def _upright(opened: Picture, channels: int, path: Path) -> Picture:
    """Return the picture as its camera was held, with pixels from 0 to 255."""
    from PIL import Image, ImageOps

    deep = opened.mode.startswith("I;16") or (opened.mode == "I" and opened.format == "PNG")
    if not deep and opened.mode in ("I", "F"):
        # Pillow's own conversion would cut off everything above 255.
        raise InvalidArgumentError(
            f"picture '{path}' has pixels of 32 bits, whose range is not known",
            hints=["save it with 8 or 16 bits a channel, or its values as .npy"],
        )
    picture = ImageOps.exif_transpose(opened)
    if not deep:
        return picture.convert("L" if channels == 1 else "RGB")
    return Image.fromarray(np.asarray(picture).astype(np.float32) * np.float32(255 / 65535))


def _resized(picture: Picture, size: tuple[int, int], options: ImageOptions) -> Picture:
    from PIL import Image, ImageOps

    if options.resize == "stretch":
        return picture.resize(size, Image.Resampling.BILINEAR)
    if options.resize == "none":
        return picture
    fill = [min(max(mean, 0.0), 255.0) for mean in options.mean]
    if options.channel_order == "bgr":
        fill.reverse()
    color: Any = fill[0] if picture.mode == "F" else round(fill[0])
    if picture.mode == "RGB":
        color = tuple(round(mean) for mean in (fill * 3 if len(fill) == 1 else fill))
    return ImageOps.pad(picture, size, Image.Resampling.BILINEAR, color=color)


def _form(info: TensorInfo, options: ImageOptions) -> tuple[bool, int, int | None, int | None]:
    """Return whether channels come first, how many there are, and height and width or None."""
    shape = list(info.shape[1:] if info.rank == 4 else info.shape)
    if len(shape) != 3:
        raise InvalidArgumentError(
            f"a picture cannot become {info!r}: an input of 3 or 4 dimensions is needed"
        )
    channels_first = options.layout == "nchw" or (
        options.layout == "auto" and (shape[0] in _CHANNELS or shape[2] not in _CHANNELS)
    )
    channels, height, width = shape if channels_first else (shape[2], shape[0], shape[1])
    if channels == 4:
        raise InvalidArgumentError(
            f"a picture cannot become {info!r}: 4 channels",
            hints=["pictures have 1 or 3 channels here; give an array of all 4 as .npy"],
        )
    if channels not in (1, 3, None):
        raise InvalidArgumentError(
            f"a picture cannot become {info!r}: {channels} channels",
            hints=["--layout nchw or --layout nhwc says which dimension the channels are"],
        )
    if options.size is not None:
        height, width = height or options.size[0], width or options.size[1]
    return channels_first, channels or 3, height, width


_MOST_BYTES = 1 << 20
_TABLES = {
    "Notes": ": : : graphs:[Graph",
    "Graph": ": : inputs:[Tensor",
    "Tensor": ": : : : units:[Unit",
    "Unit": "options_type:B options:Normalization",
    "Normalization": "mean:[f std:[f",
}
_NORMALIZATION = 1


class ModelNotes(Struct, frozen=True):
    """A model's metadata on its first input and its classes.

    ``mean`` and ``std`` are for ``(pixel - mean) / std``; each field is empty if it is not known.
    """

    labels: tuple[str, ...] = ()
    mean: tuple[float, ...] = ()
    std: tuple[float, ...] = ()


def read_notes(path: Path) -> ModelNotes:
    """Read the notes of a model; of another file, or a damaged one, they are empty."""
    mean: tuple[float, ...] = ()
    std: tuple[float, ...] = ()
    with contextlib.suppress(Exception):  # they are optional, and readers may raise anything
        with path.open("rb") as file:
            if file.read(8)[4:] != b"TFL3":
                return ModelNotes()
            mean, std = _normalization(map_file(file.fileno(), str(path)))
        if any(value == 0 for value in std) or len(mean) != len(std):
            mean = std = ()
    return ModelNotes(_labels(path), mean, std)


def _labels(path: Path) -> tuple[str, ...]:
    """Return the lines of the one text file behind the model."""
    with contextlib.suppress(Exception), zipfile.ZipFile(path) as archive:
        texts = [one for one in archive.infolist() if one.filename.endswith(".txt")]
        if len(texts) == 1 and texts[0].file_size <= _MOST_BYTES:
            lines = archive.read(texts[0]).decode("utf-8").splitlines()
            while lines and not lines[-1].strip():
                lines.pop()
            return tuple(line.strip() for line in lines)
    return ()


def _normalization(data: Array) -> tuple[tuple[float, ...], tuple[float, ...]]:
    model = Reader(data).root()
    for entry in model.get("metadata"):
        if entry.get("name") != "TFLITE_METADATA":
            continue
        notes = model.get("buffers")[entry.get("buffer")].array("data")
        for graph in Reader(notes, _TABLES).first("Notes").get("graphs")[:1]:
            for tensor in graph.get("inputs")[:1]:
                for unit in tensor.get("units"):
                    if unit.get("options_type") == _NORMALIZATION:
                        found = unit.get("options")
                        return found.get("mean")[:4], found.get("std")[:4]
    return (), ()
