"""Files for a network's inputs: ``.npy``, ``.npz`` and pictures; and its outputs back to files."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from armnn_py.errors import InvalidArgumentError, UnknownNameError

if TYPE_CHECKING:
    from armnn_py.tensors import TensorInfo

__all__ = ["ImageOptions", "parse_shapes", "random_inputs", "read_inputs", "save_outputs"]

Array = np.ndarray[Any, Any]
_IMAGE_SUFFIXES = {".png", ".jpg", ".jpeg", ".bmp", ".webp", ".gif", ".tif", ".tiff"}


@dataclass(frozen=True, slots=True)
class ImageOptions:
    """How a picture becomes a tensor: ``(pixel - mean) * scale``, pixels from 0 to 255.

    ``layout`` is ``auto`` (the dimension of size 1, 3 or 4 is the channels), ``nchw`` or ``nhwc``;
    ``resize`` is ``stretch``, ``fit`` (keep the proportions, fill with ``mean``) or ``none``;
    ``size`` is (height, width) for inputs whose own size is free.
    """

    mean: tuple[float, ...] = (0.0,)
    scale: tuple[float, ...] = (1.0,)
    layout: str = "auto"
    channel_order: str = "rgb"
    resize: str = "stretch"
    size: tuple[int, int] | None = None


def read_inputs(
    given: Sequence[str], infos: Mapping[str, TensorInfo], options: ImageOptions
) -> dict[str, Array]:
    """Read ``NAME=FILE`` arguments; NAME may be left out when the network has one input.

    Raises
    ------
    UnknownNameError
        A name is no input of the network.
    InvalidArgumentError
        A file cannot be read, or does not become a tensor of the input's shape.
    """
    arrays: dict[str, Array] = {}
    for argument in given:
        name, path = _split(argument, infos)
        suffix = path.suffix.lower()
        if not path.is_file():
            raise InvalidArgumentError(f"input file '{path}' does not exist or is no file")
        if suffix in _IMAGE_SUFFIXES:
            arrays[_only(name, infos, path)] = _read_image(path, infos, name, options)
        elif suffix == ".npz":
            arrays |= _read_npz(path, name, infos)
        elif suffix == ".npy":
            arrays[_only(name, infos, path)] = _load(path)
        else:
            raise InvalidArgumentError(
                f"input file '{path}': suffix '{suffix}' is unknown",
                hints=["use .npy, .npz or a picture (.png, .jpg, ...)"],
            )
    return arrays


def random_inputs(infos: Mapping[str, TensorInfo], seed: int) -> dict[str, Array]:
    """Return inputs from a generator with this seed: floats in [0, 1), integers 0 and 1.

    Raises
    ------
    InvalidArgumentError
        An input has free dimensions.
    """
    generator = np.random.default_rng(seed)
    arrays: dict[str, Array] = {}
    for name, info in infos.items():
        shape = tuple(d for d in info.shape if d is not None)
        if len(shape) != len(info.shape):
            raise InvalidArgumentError(
                f"input '{name}' has free dimensions: {info!r}",
                hints=[f"give them: --shape {name}=1x3x640x640, say"],
            )
        values = generator.random(shape, dtype=np.float32)
        arrays[name] = (values if info.dtype.kind == "f" else values.round()).astype(info.dtype)
    return arrays


def parse_shapes(given: Sequence[str], infos: Mapping[str, TensorInfo]) -> dict[str, list[int]]:
    """Read ``NAME=1x3x640x640`` arguments.

    Raises
    ------
    InvalidArgumentError
        The text is no shape, or the name no input.
    """
    shapes = {}
    for argument in given:
        name, separator, text = argument.rpartition("=")
        name = name if separator else _only(None, infos, argument)
        if name not in infos:
            raise _unknown(name, infos)
        if not re.fullmatch(r"\d+([x,]\d+)*", text):
            raise InvalidArgumentError(
                f"shape '{text}' is not understood", hints=["write it as 1x3x640x640"]
            )
        shapes[name] = [int(part) for part in re.split("[x,]", text)]
    return shapes


def save_outputs(outputs: Mapping[str, Array], folder: Path) -> dict[str, Path]:
    """Write each output to ``folder`` as ``<name>.npy``; return where each went."""
    folder.mkdir(parents=True, exist_ok=True)
    paths: dict[str, Path] = {}
    for name, array in outputs.items():
        stem = re.sub(r"[^A-Za-z0-9.-]+", "_", name).strip("._") or "output"
        path = folder / f"{stem}.npy"
        number = 2
        while path in paths.values():
            path = folder / f"{stem}-{number}.npy"
            number += 1
        np.save(path, array, allow_pickle=False)
        paths[name] = path
    return paths


def _split(argument: str, infos: Mapping[str, TensorInfo]) -> tuple[str | None, Path]:
    # Names and paths may both contain '=': the longest input name that fits wins.
    for name in sorted(infos, key=len, reverse=True):
        if argument.startswith(f"{name}="):
            return name, Path(argument[len(name) + 1 :])
    name, separator, _ = argument.partition("=")
    if separator and not Path(argument).exists():
        raise _unknown(name, infos)
    return None, Path(argument)


def _unknown(name: str, infos: Mapping[str, TensorInfo]) -> UnknownNameError:
    return UnknownNameError(f"'{name}' is not an input of the network", name=name, valid=[*infos])


def _only(name: str | None, infos: Mapping[str, TensorInfo], what: object) -> str:
    if name is not None:
        return name
    if len(infos) != 1:
        raise InvalidArgumentError(
            f"'{what}' names no input, and the network has {len(infos)}",
            details=[f"inputs: {', '.join(infos)}"],
            hints=["write NAME=..."],
        )
    return next(iter(infos))


def _load(path: Path) -> Any:
    try:
        return np.load(path, allow_pickle=False)
    except (OSError, ValueError, EOFError) as error:
        raise InvalidArgumentError(
            f"input file '{path}' cannot be read as {path.suffix}", details=[str(error)]
        ) from error


def _read_npz(path: Path, name: str | None, infos: Mapping[str, TensorInfo]) -> dict[str, Array]:
    with _load(path) as archive:
        if name is None:
            unknown = [member for member in archive.files if member not in infos]
            if unknown:
                raise _unknown(unknown[0], infos)
            return {member: archive[member] for member in archive.files}
        if name in archive.files:
            return {name: archive[name]}
        if len(archive.files) == 1:
            return {name: archive[archive.files[0]]}
        raise InvalidArgumentError(
            f"archive '{path}' has no array '{name}'",
            details=[f"arrays: {', '.join(archive.files)}"],
        )


def _read_image(
    path: Path, infos: Mapping[str, TensorInfo], name: str | None, options: ImageOptions
) -> Array:
    try:
        from PIL import Image, ImageOps, UnidentifiedImageError
    except ImportError as error:
        raise InvalidArgumentError(
            f"picture '{path}' needs Pillow to be read",
            hints=["pip install 'armnn-py[image]'"],
        ) from error
    info = infos[_only(name, infos, path)]
    channels_first, channels, height, width = _picture_form(info, options)
    try:
        with Image.open(path) as opened:
            picture = ImageOps.exif_transpose(opened).convert("L" if channels == 1 else "RGB")
    except (OSError, UnidentifiedImageError, Image.DecompressionBombError) as error:
        raise InvalidArgumentError(
            f"picture '{path}' cannot be read", details=[str(error)]
        ) from error
    height = height or picture.height
    width = width or picture.width
    mean = tuple(int(m) for m in options.mean) if len(options.mean) > 1 else int(options.mean[0])
    if options.resize == "stretch":
        picture = picture.resize((width, height), Image.Resampling.BILINEAR)
    elif options.resize == "fit":
        picture = ImageOps.pad(picture, (width, height), Image.Resampling.BILINEAR, color=mean)
    pixels = np.asarray(picture, np.float32)
    pixels = pixels[:, :, None] if pixels.ndim == 2 else pixels
    if options.channel_order == "bgr":
        pixels = pixels[:, :, ::-1]
    for option, values in (("--mean", options.mean), ("--scale", options.scale)):
        if len(values) not in (1, pixels.shape[2]):
            raise InvalidArgumentError(
                f"{option}: {len(values)} values given, 1 or {pixels.shape[2]} expected"
            )
    pixels = (pixels - np.asarray(options.mean, np.float32)) * np.asarray(options.scale, np.float32)
    if channels_first:
        pixels = pixels.transpose(2, 0, 1)
    if info.dtype.kind in "iu":
        limits = np.iinfo(info.dtype)
        pixels = pixels.round().clip(limits.min, limits.max)
    return np.ascontiguousarray(pixels[None] if info.rank == 4 else pixels, dtype=info.dtype)


def _picture_form(
    info: TensorInfo, options: ImageOptions
) -> tuple[bool, int, int | None, int | None]:
    """Return whether channels come first, how many there are, and height and width or None."""
    shape = list(info.shape[1:] if info.rank == 4 else info.shape)
    if len(shape) != 3:
        raise InvalidArgumentError(
            f"a picture cannot become {info!r}: an input of 3 or 4 dimensions is needed"
        )
    channels_first = options.layout == "nchw" or (
        options.layout == "auto" and (shape[0] in (1, 3) or shape[2] not in (1, 3))
    )
    channels, height, width = shape if channels_first else (shape[2], shape[0], shape[1])
    if channels not in (1, 3, None):
        raise InvalidArgumentError(
            f"a picture cannot become {info!r}: {channels} channels",
            hints=["--layout nchw or --layout nhwc says which dimension the channels are"],
        )
    if options.size is not None:
        height, width = height or options.size[0], width or options.size[1]
    return channels_first, channels or 3, height, width
