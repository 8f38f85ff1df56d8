# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Where cases of the ONNX project's test data lie, and how one is read and judged."""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from msgspec import Struct

from armnn_py.errors import InvalidArgumentError, ModelError
from armnn_py.types import DataType

if TYPE_CHECKING:
    import onnx
    from numpy.typing import NDArray

FAMILIES = ("node", "simple", "pytorch-operator", "pytorch-converted")
"""Families of cases, each a folder of the test data."""

# What the ONNX project's own runner allows.
_RTOL, _ATOL = 1e-3, 1e-7
_OF_PACKAGE = 2  # numpy.dtype.isbuiltin of a dtype that a package adds


class OnnxCase(Struct, frozen=True):
    """One case.

    Attributes
    ----------
    family
        One of `FAMILIES`.
    name
        Of its folder, which has ``model.onnx`` and ``test_data_set_0`` and so on.
    folder
        That folder.
    """

    family: str
    name: str
    folder: Path

    @property
    def title(self) -> str:
        """``node/test_abs``."""
        return f"{self.family}/{self.name}"

    @property
    def model(self) -> Path:
        """The model's file."""
        return self.folder / "model.onnx"


def find_cases(folder: Path | None, scratch: Path) -> list[OnnxCase]:
    """Return all cases in a folder of test data, sorted.

    Parameters
    ----------
    folder
        Has a folder for each family, or for some. None stands for the data of the installed package
        ``onnx``; its newer versions make the cases of the family ``node``, which then are written.
    scratch
        An empty folder for those.

    Raises
    ------
    InvalidArgumentError
        The folder has no case.
    ModelError
        The package ``onnx`` is not installed.
    """
    tops = [_installed_data()] if folder is None else [folder]
    if folder is None and not (tops[0] / "node").is_dir():
        write_node_cases(scratch / "node")
        tops.append(scratch)
    found = [
        OnnxCase(family, path.parent.name, path.parent)
        for top in tops
        for family in FAMILIES
        for path in (top / family).glob("*/model.onnx")
    ]
    if not found:
        raise InvalidArgumentError(
            f"'{folder}' has no ONNX test data",
            details=[f"looked for {family}/*/model.onnx" for family in FAMILIES],
            hints=["the folder is onnx/backend/test/data of the ONNX project"],
        )
    return sorted(found, key=lambda case: (FAMILIES.index(case.family), case.name))


def _installed_data() -> Path:
    try:
        import onnx.backend.test
    except ImportError as error:
        raise ModelError(
            "the Python package 'onnx' cannot be imported",
            details=[f"{type(error).__name__}: {error}"],
            hints=["pip install onnx"],
        ) from error
    return Path(onnx.backend.test.__file__).parent / "data"


def write_node_cases(folder: Path) -> None:
    """Write the cases of operators that the installed package ``onnx`` makes."""
    from onnx.backend.test.case.node import collect_testcases

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of numpy, on infinities that are meant
        cases = collect_testcases(None)
    for case in cases:
        assert case.model is not None
        assert case.data_sets is not None
        place = folder / case.name
        place.mkdir(parents=True)
        (place / "model.onnx").write_bytes(case.model.SerializeToString())
        for number, (inputs, outputs) in enumerate(case.data_sets):
            data = place / f"test_data_set_{number}"
            data.mkdir()
            for kind, values, infos in (
                ("input", inputs, case.model.graph.input),
                ("output", outputs, case.model.graph.output),
            ):
                for index, (value, info) in enumerate(zip(values, infos, strict=False)):
                    (data / f"{kind}_{index}.pb").write_bytes(_message(value, info))


def _message(value: Any, info: onnx.ValueInfoProto) -> bytes:
    """Return a tensor, sequence, optional or map as it is stored."""
    from onnx import TensorProto, numpy_helper

    if not isinstance(value, TensorProto):
        which = info.type.WhichOneof("value")
        if which == "sequence_type":
            value = numpy_helper.from_list(value, info.name)
        elif which == "optional_type":
            value = numpy_helper.from_optional(value, info.name)
        elif which == "map_type":
            value = numpy_helper.from_dict(value, info.name)
        else:
            value = numpy_helper.from_array(np.asarray(value), info.name)
    message: bytes = value.SerializeToString()
    return message


def data_sets(case: OnnxCase, model: onnx.ModelProto) -> Iterator[tuple[dict[str, Any], list[Any]]]:
    """Yield recorded inputs by name, and outputs in order: arrays, lists of sequences, dictionaries
    of maps, or None.

    Files of inputs go with the inputs of the graph that no initialiser has a value for; a model of
    IR version 3, whose initialisers are inputs too, may record all.
    """
    stored = {initializer.name for initializer in model.graph.initializer}
    given = list(model.graph.input)
    free = [value for value in given if value.name not in stored]
    for data in sorted(case.folder.glob("test_data_set_*")):
        paths = list(_files(data, "input"))
        infos = given if len(paths) == len(given) else free
        # "": an optional input that is left out.
        inputs = {
            info.name: _read(path, info.type)
            for info, path in zip(infos, paths, strict=False)
            if info.name
        }
        results = zip(model.graph.output, _files(data, "output"), strict=False)
        yield inputs, [_read(path, info.type) for info, path in results]


def _files(folder: Path, kind: str) -> Iterator[Path]:
    paths = (folder / f"{kind}_{index}.pb" for index in itertools.count())
    return itertools.takewhile(Path.exists, paths)


def _read(path: Path, kind: onnx.TypeProto) -> Any:
    from onnx import MapProto, OptionalProto, SequenceProto, TensorProto, numpy_helper

    data = path.read_bytes()
    which = kind.WhichOneof("value")
    if which == "sequence_type":
        return numpy_helper.to_list(SequenceProto.FromString(data))
    if which == "optional_type":
        return numpy_helper.to_optional(OptionalProto.FromString(data))
    if which == "map_type":
        return numpy_helper.to_dict(MapProto.FromString(data))
    return np.asarray(numpy_helper.to_array(TensorProto.FromString(data)), order="C")


def compare(found: Mapping[str, Any], expected: Sequence[Any]) -> None:
    """Judge outputs as the ONNX project's runner does.

    Raises
    ------
    AssertionError
        Not as many outputs, another dtype or shape, or numbers too far away.
    """
    if len(found) != len(expected):
        raise AssertionError(f"{len(found)} outputs, {len(expected)} expected")
    for (name, value), wanted in zip(found.items(), expected, strict=True):
        if isinstance(wanted, list):
            items = {f"{name}[{index}]": item for index, item in enumerate(value)}
            compare(items, wanted)
        elif wanted is None or value is None:
            if value is not wanted:
                raise AssertionError(f"output '{name}' is {value!r}, {wanted!r} expected")
        else:
            _compare(name, value, wanted)


def _in_package(value: NDArray[Any], dtype: np.dtype[Any]) -> NDArray[Any]:
    """Return an output as an array of ml_dtypes where that is recorded.

    Outputs of types that numpy lacks are arrays of their bits, those of less than a byte of their
    numbers.
    """
    if dtype.isbuiltin != _OF_PACKAGE:
        return value
    data_type = DataType.from_numpy(dtype)
    if value.dtype != data_type.unpacked.numpy:
        return value
    return value.astype(dtype) if data_type.is_packed else value.view(dtype)


def _compare(name: str, value: NDArray[Any], wanted: NDArray[Any]) -> None:
    value = _in_package(value, wanted.dtype)
    if value.dtype != wanted.dtype:
        raise AssertionError(f"output '{name}' is {value.dtype}, {wanted.dtype} expected")
    if value.shape != wanted.shape:
        raise AssertionError(f"output '{name}' is {value.shape}, {wanted.shape} expected")
    if value.dtype.kind in "OSU":
        np.testing.assert_array_equal(value, wanted)
        return
    if value.dtype.kind == "V" or value.dtype.name.startswith(("bfloat", "float8", "float4")):
        value, wanted = value.astype(np.float32), wanted.astype(np.float32)
    np.testing.assert_allclose(value, wanted, rtol=_RTOL, atol=_ATOL)
