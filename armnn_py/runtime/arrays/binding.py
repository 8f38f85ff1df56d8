# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""From the arguments of ``run`` to dense arrays in the order of the network's inputs."""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from armnn_py._native.memory.addresses import address_of
from armnn_py.errors import InvalidArgumentError, UnknownNameError
from armnn_py.runtime.arrays.buffers import bind_input, bind_output
from armnn_py.runtime.arrays.external_arrays import ExternalArrays, ExternalOutputs
from armnn_py.tensors import StringInfo
from armnn_py.text import counted

if TYPE_CHECKING:
    from armnn_py.tensors import TensorInfo

#: Arrays as users make them; another type is an `ExternalArray`.
_PLAIN = (np.ndarray,)


class Binder:
    """Checks inputs and outputs of one network by name, dtype and shape.

    ``defaults`` are values of inputs that may be left out.
    """

    __slots__ = ("_defaults", "_items", "inputs", "name", "outputs")

    def __init__(
        self,
        name: str,
        inputs: Mapping[str, TensorInfo],
        outputs: Mapping[str, TensorInfo],
        defaults: Mapping[str, np.ndarray] | None = None,
    ) -> None:
        self._defaults = dict(defaults or {})
        self.name = name
        self.inputs = dict(inputs)
        self.outputs = dict(outputs)
        # Elements of arrays of objects are looked at, whatever the shape.
        self._items = [
            (n, info, info.dtype, None if isinstance(info, StringInfo) else tuple(info.shape))
            for n, info in inputs.items()
        ]

    def bind(self, inputs: Any, *, share: bool = False) -> list[np.ndarray]:
        """One dense array for each input; others are copied, or refused with ``share``.

        Raises
        ------
        InvalidArgumentError
            A name, dtype or shape does not fit; with ``share`` also: an array must be copied.
        """
        arrays = self._values(inputs)
        has_external = False
        for index, (name, info, dtype, shape) in enumerate(self._items):
            value = arrays[index]
            if (
                type(value) is not np.ndarray
                or value.dtype != dtype
                or value.shape != shape
                or not (flags := value.flags).c_contiguous
                or not flags.aligned
            ):
                arrays[index] = array = bind_input(name, value, info, share=share)
                has_external = has_external or type(array) not in _PLAIN
        if has_external:
            return ExternalArrays(arrays)
        return arrays

    def _values(self, inputs: Any) -> list[Any]:
        items = self._items
        if type(inputs) is dict and len(inputs) == len(items):  # nearly always
            try:
                return [inputs[item[0]] for item in items]
            except KeyError:
                pass  # the error is raised below
        if isinstance(inputs, Mapping):
            given = {**self._defaults, **inputs} if self._defaults else inputs
            if len(given) != len(items) or any(name not in given for name in self.inputs):
                self._raise_names(given)
            return [given[item[0]] for item in items]
        if isinstance(inputs, (list, tuple)):
            if len(inputs) != len(items):
                nested = "a list has one array for each input: np.array(list, dtype) makes one"
                raise InvalidArgumentError(
                    f"network '{self.name}' has {counted(len(items), 'input')}, "
                    f"{len(inputs)} given",
                    details=[f"inputs: {', '.join(self.inputs)}"],
                    hints=[nested] if len(items) == 1 else [],
                )
            return list(inputs)
        if len(items) == 1:
            return [inputs]
        if len(items) - len(self._defaults) == 1:
            return [self._defaults.get(item[0], inputs) for item in items]
        raise InvalidArgumentError(
            f"network '{self.name}' has {counted(len(items), 'input')}: pass a dict by name",
            details=[f"inputs: {', '.join(self.inputs)}"],
        )

    def _raise_names(self, inputs: Mapping[str, Any]) -> NoReturn:
        valid = list(self.inputs)
        for name in inputs:
            if name not in self.inputs:
                raise UnknownNameError(
                    f"network '{self.name}' has no input '{name}'", name=str(name), valid=valid
                )
        missing = [f"'{name}'" for name in valid if name not in inputs]
        raise InvalidArgumentError(
            f"network '{self.name}': no array for input {', '.join(missing)}",
            details=[f"inputs: {', '.join(valid)}"],
        )

    def check_outputs(self, names: Sequence[str]) -> None:
        """Raise unless these are names of outputs.

        Raises
        ------
        UnknownNameError
            One is not.
        InvalidArgumentError
            They are not a list of names.
        """
        if isinstance(names, str) or not isinstance(names, Sequence):
            raise InvalidArgumentError(
                f"outputs: {type(names).__name__} given, a list of names expected",
                hints=["out={'name': array} gives arrays to write outputs into"],
            )
        for name in names:
            if name not in self.outputs:
                raise UnknownNameError(
                    f"network '{self.name}' has no output '{name}'",
                    name=str(name),
                    valid=list(self.outputs),
                )

    def bind_out(
        self,
        out: Mapping[str, np.ndarray],
        arrays: list[np.ndarray],
        info_of: Callable[[str], TensorInfo],
        *,
        share: bool = False,
        in_place: Callable[[], Container[tuple[int, int]]] = tuple,
    ) -> tuple[list[np.ndarray], Mapping[str, np.ndarray]]:
        """Check the caller's outputs; return inputs, copied where one overlaps them, and outputs.

        ``info_of`` returns the info of an output with its free dimensions bound. With ``share`` an
        input that overlaps raises `InvalidArgumentError`. An output in the very memory of an input
        is neither copied nor an error if the pair of their indices is one of ``in_place``, which is
        called if it matters.
        """
        if not isinstance(out, Mapping):
            raise InvalidArgumentError(f"out: a dict by name expected, {type(out).__name__} given")
        checked: list[np.ndarray] = []
        externals: dict[str, np.ndarray] = {}
        for name, array in out.items():
            if name not in self.outputs:
                raise UnknownNameError(
                    f"network '{self.name}' has no output '{name}'",
                    name=str(name),
                    valid=list(self.outputs),
                )
            array = bind_output(name, array, info_of(name))
            if type(array) not in _PLAIN:
                externals[name] = array
            if checked and any(np.may_share_memory(array, other) for other in checked):
                raise InvalidArgumentError(f"output '{name}': its array overlaps another output's")
            checked.append(array)
        if externals:
            out = ExternalOutputs({**out, **externals})
        overlaps = self._overlaps(arrays, out, in_place)
        if overlaps and share:
            index, name = next(iter(overlaps.items()))
            raise InvalidArgumentError(
                f"input '{list(self.inputs)[index]}': its array overlaps that of output '{name}'",
                hints=["shared inputs need memory of their own"],
            )
        if not overlaps:
            return arrays, out
        copied = [a.copy() if index in overlaps else a for index, a in enumerate(arrays)]
        return type(arrays)(copied), out

    def _overlaps(
        self,
        arrays: Sequence[np.ndarray],
        out: Mapping[str, np.ndarray],
        in_place: Callable[[], Container[tuple[int, int]]],
    ) -> dict[int, str]:
        """Inputs whose memory an output overwrites too early, by index, and such an output."""
        found: dict[int, str] = {}
        same: dict[str, list[int]] = {}  # outputs that lie where inputs do
        for name, array in out.items():
            for index, given in enumerate(arrays):
                if not np.may_share_memory(given, array):
                    continue
                if _is_same_memory(given, array):
                    same.setdefault(name, []).append(index)
                else:
                    found[index] = name
        for name, indices in same.items():
            output = list(self.outputs).index(name)
            if len(indices) > 1 or (indices[0], output) not in in_place():
                found |= dict.fromkeys(indices, name)
        return found


def _is_same_memory(a: np.ndarray, b: np.ndarray) -> bool:
    """Whether two dense arrays are the same bytes of the host."""
    if type(a) not in _PLAIN or type(b) not in _PLAIN or a.nbytes != b.nbytes:
        return False
    return address_of(a) == address_of(b)
