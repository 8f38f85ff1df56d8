# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Files for a network's inputs, pictures among them, and its outputs back to files."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import click
import numpy as np

from armnn_py.cli.inputs import number_files, pictures
from armnn_py.cli.inputs.pictures import ImageOptions
from armnn_py.cli.networks import only_input, shape_hint
from armnn_py.cli.render import words_of
from armnn_py.errors import InvalidArgumentError, UnknownNameError
from armnn_py.tensors import StringInfo

if TYPE_CHECKING:
    from armnn_py.tensors import TensorInfo

__all__ = [
    "SEED",
    "ImageOptions",
    "made_inputs",
    "read_inputs",
    "save_outputs",
]

Array = np.ndarray[Any, Any]


class _Seed(click.IntRange):
    def _describe_range(self) -> str:
        return ""  # a random seed of nineteen digits is not worth naming


SEED = _Seed(0, 2**63 - 1)
"""Type of the value of ``--random``."""


def read_inputs(
    given: Sequence[str], infos: Mapping[str, TensorInfo], options: ImageOptions
) -> dict[str, Array]:
    """Read ``NAME=FILE`` arguments; NAME may be left out when the network has one input.

    Raises
    ------
    UnknownNameError
        The network has no input of a name.
    InvalidArgumentError
        A file cannot be read, or does not become a tensor of the input's shape.
    """
    arrays: dict[str, Array] = {}
    for argument in given:
        found = _read(argument, infos, options)
        twice = [name for name in found if name in arrays]
        if twice:
            raise InvalidArgumentError(
                f"input '{twice[0]}' is given twice",
                details=[f"files: {', '.join(given)}"],
                hints=["one file for each input"],
            )
        arrays |= found
    return arrays


def _read(
    argument: str, infos: Mapping[str, TensorInfo], options: ImageOptions
) -> dict[str, Array]:
    name, path = _split(argument, infos)
    suffix = path.suffix.lower()
    if not os.path.isfile(path):  # noqa: PTH113 (Path.is_file raises for overlong names)
        raise InvalidArgumentError(f"input file '{path}' does not exist or is not a file")
    if suffix in pictures.SUFFIXES:
        target = name if name is not None else only_input(infos, path)
        _refuse_strings(path, target, infos)
        return {target: pictures.read_image(path, infos[target], options)}
    if suffix == ".npz":
        return _read_npz(path, name, infos)
    if suffix == ".npy":
        return {name if name is not None else only_input(infos, path): _read_npy(path)}
    if suffix in number_files.SUFFIXES:
        target = name if name is not None else only_input(infos, path)
        return {target: number_files.read_numbers(path, target, infos[target])}
    raise InvalidArgumentError(
        f"input file '{path}': suffix '{suffix}' is unknown",
        hints=["use .npy, .npz, .raw, .txt or a picture (.png, .jpg, ...)"],
    )


def _refuse_strings(path: Path, name: str, infos: Mapping[str, TensorInfo]) -> None:
    if isinstance(infos[name], StringInfo):
        raise InvalidArgumentError(
            f"input file '{path}' has no strings, which input '{name}' takes",
            details=[f"input: {infos[name]!r}"],
            hints=["use .npy, .npz, or .txt with a string a line"],
        )


def made_inputs(infos: Mapping[str, TensorInfo], seed: int) -> dict[str, Array]:
    """Return random inputs; see `armnn_py.comparing.random_inputs`.

    Raises
    ------
    InvalidArgumentError
        An input has free dimensions.
    """
    from armnn_py.comparing.random_inputs import random_inputs

    for name, info in infos.items():
        if None in info.shape:
            raise InvalidArgumentError(
                f"input '{name}' has free dimensions: {info!r}",
                hints=[shape_hint(infos)],
            )
    return random_inputs(infos, seed)


def save_outputs(outputs: Mapping[str, Array], folder: Path) -> dict[str, Path]:
    """Write each output to ``folder`` as ``<name>.npy``; return where each went."""
    folder.mkdir(parents=True, exist_ok=True)
    paths: dict[str, Path] = {}
    for name, array in outputs.items():
        # File systems take 255 bytes; the other 55 are for a number and the suffix.
        stem = re.sub(r"[^A-Za-z0-9.-]+", "_", name)[:200].strip("._") or "output"
        path = folder / f"{stem}.npy"
        number = 2
        while path in paths.values():
            path = folder / f"{stem}-{number}.npy"
            number += 1
        np.save(path, _plain(name, array), allow_pickle=False)
        paths[name] = path
    return paths


def _plain(name: str, array: Array) -> Array:
    """Return an array that a file holds without Python objects: strings of one length."""
    if array.dtype != np.dtype(object):
        return array
    try:
        return array.astype(str)
    except (MemoryError, ValueError) as error:
        raise InvalidArgumentError(
            f"output '{name}' cannot be saved: the longest of its strings is long",
            details=[words_of(error)],
        ) from error


def _split(argument: str, infos: Mapping[str, TensorInfo]) -> tuple[str | None, Path]:
    # Names and paths may both contain '=': the longest input name that fits wins.
    for name in sorted(infos, key=len, reverse=True):
        if argument.startswith(f"{name}="):
            return name, Path(argument[len(name) + 1 :])
    name, separator, _ = argument.partition("=")
    if separator and not os.path.exists(argument):  # noqa: PTH110 (as above)
        raise _unknown(name, infos)
    return None, Path(argument)


def _unknown(name: str, infos: Mapping[str, TensorInfo]) -> UnknownNameError:
    return UnknownNameError(f"'{name}' is not an input of the network", name=name, valid=[*infos])


def _unreadable(path: Path, error: Exception) -> InvalidArgumentError:
    words = words_of(error)
    if "pickle" in words:  # numpy takes any junk for a pickle, and advises to trust it
        words = "it holds no plain array of numbers"
    return InvalidArgumentError(
        f"input file '{path}' cannot be read as {path.suffix}", details=[words]
    )


def _load(file: BinaryIO, path: Path) -> Any:
    try:
        return np.load(file, allow_pickle=False)
    except Exception as error:  # a damaged head may make the reader raise anything
        raise _unreadable(path, error) from error


def _open(path: Path) -> BinaryIO:
    try:
        return path.open("rb")
    except OSError as error:
        raise _unreadable(path, error) from error


def _read_npy(path: Path) -> Array:
    with _open(path) as file:
        loaded = _load(file, path)
        if isinstance(loaded, np.ndarray):
            return loaded
        loaded.close()
    raise InvalidArgumentError(
        f"input file '{path}' cannot be read as .npy",
        details=["it is an archive of arrays"],
        hints=["call the file .npz"],
    )


def _read_npz(path: Path, name: str | None, infos: Mapping[str, TensorInfo]) -> dict[str, Array]:
    with _open(path) as file:
        loaded = _load(file, path)
        if isinstance(loaded, np.ndarray):
            raise InvalidArgumentError(
                f"input file '{path}' cannot be read as .npz",
                details=["it is a single array"],
                hints=["call the file .npy"],
            )
        with loaded as archive:
            return _choose(archive, path, name, infos)


def _choose(
    archive: Any, path: Path, name: str | None, infos: Mapping[str, TensorInfo]
) -> dict[str, Array]:
    if name is None:
        unknown = [member for member in archive.files if member not in infos]
        if unknown:
            raise _unknown(unknown[0], infos)
        return {member: _member(archive, member, path) for member in archive.files}
    if name in archive.files:
        return {name: _member(archive, name, path)}
    if len(archive.files) == 1:
        return {name: _member(archive, archive.files[0], path)}
    raise InvalidArgumentError(
        f"archive '{path}' has no array '{name}'",
        details=[f"arrays: {', '.join(archive.files)}"],
    )


def _member(archive: Any, member: str, path: Path) -> Array:
    """Read one array of an archive; it is unpacked only now."""
    try:
        array = archive[member]
    except Exception as error:  # as in _load
        raise _unreadable(path, error) from error
    if not isinstance(array, np.ndarray):
        raise InvalidArgumentError(f"archive '{path}': '{member}' is not an array")
    return array
