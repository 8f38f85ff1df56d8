# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The short way from the arguments of a run to addresses: plain arrays of the right kind.

Nearly every run is given these. They are checked in one pass, which writes addresses as it
goes and copies nothing. Whatever else is given is left to `Binder`, which copies, takes other
objects, and has the words for errors.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from armnn_py._native.memory.addresses import address_of_buffer, buffer_over

if TYPE_CHECKING:
    from collections.abc import Iterable

    from armnn_py._native.plans.context import NativeContext
    from armnn_py.runtime.arrays.buffers import Room
    from armnn_py.tensors import TensorInfo

__all__ = ["PlainArrays"]

_ndarray = np.ndarray


class PlainArrays:
    """Writes the addresses of arrays into a native context, for inputs of one set of shapes.

    Parameters
    ----------
    native
        The context.
    inputs
        Name and info of each, in the network's order.
    outputs
        The same, and what makes its fresh arrays.
    """

    __slots__ = ("_inputs", "_names", "_native", "_outputs", "_sizes")

    def __init__(
        self,
        native: NativeContext,
        inputs: Iterable[tuple[str, TensorInfo]],
        outputs: Iterable[tuple[str, TensorInfo, Room]],
    ) -> None:
        self._native = native
        self._inputs = [(i, name, *_kind(info)) for i, (name, info) in enumerate(inputs)]
        self._outputs = [
            (i, name, *_kind(info), room) for i, (name, info, room) in enumerate(outputs)
        ]
        self._sizes = [(item[0], item[4]) for item in self._inputs if item[4]]
        self._names = [item[1] for item in self._inputs]

    def set_inputs(self, inputs: Any) -> list[np.ndarray] | None:
        """Use these inputs of a run; return what has to be kept until its end.

        None: they are not all plain, and nothing may be run.
        """
        named = inputs if type(inputs) is dict else self._by_name(inputs)
        items = self._inputs
        if named is None or len(named) != len(items):
            return None
        addresses = self._native.inputs
        kept = []
        for index, name, dtype, shape, _ in items:
            value = named.get(name)
            if (
                type(value) is not _ndarray
                or (value.dtype is not dtype and value.dtype != dtype)
                or value.shape != shape
                or not (flags := value.flags).c_contiguous
                or not flags.aligned
            ):
                return None
            try:
                addresses[index] = address_of_buffer(buffer_over(value))
            except (TypeError, ValueError):  # read-only, or without elements
                addresses[index] = value.ctypes.data
            kept.append(value)
        return kept

    def set_outputs(self, out: dict[str, Any] | None) -> dict[str, np.ndarray] | None:
        """Use these arrays for outputs and fresh ones for the others; return all by name.

        It comes after `set_inputs`. None: one is not plain, or has memory in common with another or
        with an input; nothing may be run.

        Raises
        ------
        MemoryError
            No memory is left for a fresh array.
        """
        addresses = self._native.outputs
        made: dict[str, np.ndarray] = {}
        if out is None:
            for index, name, _, _, _, room in self._outputs:
                made[name], addresses[index] = room.take()
            return made
        given = self._native.inputs
        count = len(out)
        spans: list[tuple[int, int]] = []
        for index, name, dtype, shape, size, room in self._outputs:
            value = out.get(name)
            if value is None:
                made[name], addresses[index] = room.take()
                continue
            if (
                type(value) is not _ndarray
                or (value.dtype is not dtype and value.dtype != dtype)
                or value.shape != shape
                or not value.flags.aligned
            ):
                return None
            try:
                begin = address_of_buffer(buffer_over(value))
            except (TypeError, ValueError):
                return None
            end = begin + size
            for number, other_size in self._sizes:
                other = given[number] or 0
                if begin < other + other_size and other < end:
                    return None
            if spans or count > 1:
                for other, other_end in spans:
                    if begin < other_end and other < end:
                        return None
                spans.append((begin, end))
            addresses[index] = begin
            made[name] = value
            count -= 1
        return None if count else made

    def _by_name(self, inputs: Any) -> dict[str, Any] | None:
        """The same inputs by name."""
        names = self._names
        if type(inputs) is _ndarray and len(names) == 1:
            return {names[0]: inputs}
        if type(inputs) in (list, tuple) and len(inputs) == len(names):
            return dict(zip(names, inputs, strict=True))
        return None


def _kind(info: TensorInfo) -> tuple[np.dtype[Any], tuple[int, ...], int]:
    """Dtype, shape and bytes of a tensor."""
    dtype, shape = info.dtype, info.static_shape
    return dtype, shape, dtype.itemsize * math.prod(shape)
