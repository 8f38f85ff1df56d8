# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Layer support, workload factory and workloads of a backend that is written in Python.

A kernel gets copies of its inputs, and what it made is copied out. So it may keep every array that
it has seen: none of them lies in memory that the host uses again, or frees.
"""

from __future__ import annotations

import ctypes
import functools
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from armnn_py._native import abi
from armnn_py._native.channel import HandedOver, channel_functions
from armnn_py._native.layers.shown_layers import (
    ShownLayer,
    read_call_infos,
    read_operator,
    read_options,
    read_query,
    read_workload_info,
)
from armnn_py._native.layers.tensor_structs import tensor_info
from armnn_py._native.library import host_pointer
from armnn_py._native.python_backend.python_objects import (
    UnsupportedError,
    drop,
    item_of,
    new_object,
    notice,
    question,
    table,
)
from armnn_py._native.python_backend.python_parts import compiled_of
from armnn_py._native.texts import counted
from armnn_py.interrupts import interruptible

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from armnn_py._native.table.backend_options import OptionValue
    from armnn_py.tensors import TensorInfo


class Runs(Protocol):
    """One layer, ready to run: what is made of a kernel."""

    name: str
    operations: int
    is_serial: bool

    def run(
        self,
        inputs: tuple[NDArray[Any] | None, ...],
        outputs: tuple[NDArray[Any], ...],
        bounded: tuple[tuple[int, ...], ...],
        cancelled: Callable[[], bool],
        run_options: Mapping[str, OptionValue],
    ) -> tuple[NDArray[Any], ...]:
        """Compute the outputs, and return them; called by many threads at once.

        Along the dimensions in ``bounded`` of an output, what it returns may be smaller than in
        ``outputs``.
        """


class WorkloadMaker(Protocol):
    """Answers questions about layers and makes what runs them.

    Attributes
    ----------
    infers
        Whether `infer` ever says yes.
    prefers_layouts
        Whether `preferred_layout` says anything.
    takes_bounded
        Whether `why_not_bounded` ever says nothing.
    """

    takes_bounded: bool

    @property
    def infers(self) -> bool: ...
    @property
    def prefers_layouts(self) -> bool: ...

    def why_not(self, layer: ShownLayer) -> str:
        """Why it does not run a layer; empty if it does."""

    def why_not_bounded(self, layer: ShownLayer) -> str:
        """Why a layer that it runs needs fixed sizes; empty if bounded dimensions will do."""

    def infer(self, layer: ShownLayer) -> Sequence[TensorInfo] | str:
        """Infos of the outputs of an operator that no layer expresses, or why it does not run."""

    def preferred_layout(self, layer: ShownLayer) -> int:
        """The layout in which it would have a layer, 0: as it is."""

    def make(self, layer: ShownLayer, compiled: object | None) -> Runs | HandedOver:
        """Make ready to run a layer, or what it compiled."""

    def options_of(self, run_id: int) -> Mapping[str, OptionValue]:
        """The options of a run that is under way."""


class _Maker:
    """The backend, and the model options that hold for what it makes or is asked."""

    def __init__(
        self, maker: WorkloadMaker, options: Mapping[str, OptionValue], children: set[int]
    ) -> None:
        self.maker, self.options, self.children = maker, options, children
        self.inferred: list[abi.armnn_tensor_info_t] = []


def _child(parent: _Maker, structure: type[Any], functions: Any, item: Any) -> Any:
    """Make an object that the instance forgets if the host never destroys it."""
    pointer = new_object(structure, functions, item)
    parent.children.add(ctypes.addressof(pointer.contents))
    return pointer


def _destroy(pointer: Any) -> None:
    address = ctypes.addressof(pointer.contents)
    item = drop(pointer)
    (item if isinstance(item, _Maker) else item.parent).children.discard(address)


# ---- Layer support -------------------------------------------------------------------------------


def new_support(maker: WorkloadMaker, options: Any, children: set[int]) -> Any:
    """Make an ``armnn_layer_support_t`` for these model options."""
    item = _Maker(maker, read_options(options), children)
    functions = _support_functions(
        infers=maker.infers, prefers_layouts=maker.prefers_layouts,
        takes_bounded=maker.takes_bounded, answers_many=hasattr(maker, "why_not_many"),
    )  # fmt: skip
    return _child(item, abi.armnn_layer_support_t, functions, item)


def _is_layer_supported(pointer: Any, query: Any) -> None:
    support: _Maker = item_of(pointer)
    reason = support.maker.why_not(read_query(query.contents, support.options))
    if reason:
        raise UnsupportedError(reason)


def _are_layers_supported(
    pointer: Any, queries: Any, count: int, verdicts: Any, on_reason: Any, context: Any
) -> int:
    support: _Maker = item_of(pointer)
    layers = [read_query(queries[index].contents, support.options) for index in range(count)]
    for index, reason in enumerate(support.maker.why_not_many(layers)):  # type: ignore[attr-defined]
        verdicts[index] = abi.ARMNN_STATUS_UNSUPPORTED if reason else abi.ARMNN_STATUS_OK
        if reason:
            on_reason(context, index, counted(reason))
    return abi.ARMNN_STATUS_OK


def _takes_bounded_shapes(pointer: Any, query: Any) -> None:
    support: _Maker = item_of(pointer)
    reason = support.maker.why_not_bounded(read_query(query.contents, support.options))
    if reason:
        raise UnsupportedError(reason)


def _infer_stand_in(pointer: Any, layer: Any, out_infos: Any) -> None:
    support: _Maker = item_of(pointer)
    struct = layer.contents
    found = support.maker.infer(read_operator(struct, support.options))
    if isinstance(found, str):
        raise UnsupportedError(found)
    # The structures hold their arrays of scales, and live until the next call.
    support.inferred = [
        tensor_info(info, bounded=sum(1 << axis for axis in info.bounded)) for info in found
    ]
    for index, info in enumerate(support.inferred):
        out_infos[index] = info


def _get_preferred_layout(pointer: Any, query: Any) -> int:
    support: _Maker = item_of(pointer)
    return support.maker.preferred_layout(read_query(query.contents, support.options))


@functools.cache
def _support_functions(
    *, infers: bool, prefers_layouts: bool, takes_bounded: bool, answers_many: bool
) -> Any:
    members: dict[str, Any] = {
        "destroy": partial(notice, function=_destroy),
        "is_layer_supported": partial(question, answer=_is_layer_supported, what="supports()"),
    }
    if infers:
        what = "infer_stand_in()"
        members["infer_stand_in"] = partial(question, answer=_infer_stand_in, what=what)
    if prefers_layouts:
        members["get_preferred_layout"] = partial(notice, function=_get_preferred_layout, default=0)
    if answers_many:
        members["are_layers_supported"] = partial(
            notice, function=_are_layers_supported, default=abi.ARMNN_STATUS_INTERNAL
        )
    if takes_bounded:
        what = "supports()"
        members["takes_bounded_shapes"] = partial(question, answer=_takes_bounded_shapes, what=what)
    return table(abi.armnn_layer_support_api_t, abi.ARMNN_STRUCT_LAYER_SUPPORT, members)


# ---- Workload factory ----------------------------------------------------------------------------


def new_factory(maker: WorkloadMaker, options: Any, children: set[int]) -> Any:
    """Make an ``armnn_workload_factory_t`` for these model options."""
    item = _Maker(maker, read_options(options), children)
    return _child(item, abi.armnn_workload_factory_t, _factory_functions, item)


def _create_workload(pointer: Any, info: Any, out: Any) -> None:
    factory: _Maker = item_of(pointer)
    struct = info.contents
    layer = read_workload_info(struct, factory.options)
    compiled = compiled_of(struct)
    with interruptible():
        runs = factory.maker.make(layer, compiled)
    functions = _workload_functions
    has_state = getattr(runs, "has_state", None)
    if has_state is not None:  # a `HandedOver`
        functions = channel_functions(_destroy, has_state=has_state)
    out[0] = _child(factory, abi.armnn_workload_t, functions, _Workload(factory, layer, runs))


# ---- Workloads -----------------------------------------------------------------------------------


class _Workload:
    def __init__(self, parent: _Maker, layer: ShownLayer, runs: Any) -> None:
        self.parent = parent
        self.inputs, self.outputs, self.constants = layer.inputs, layer.outputs, layer.constants
        self.runs = runs
        self.name = ctypes.create_string_buffer(runs.name.encode("utf-8", "replace"))
        self.name_address = ctypes.addressof(self.name)

    def execute(self, args: Any) -> None:
        infos = read_call_infos(args, len(self.inputs), len(self.outputs))
        operands, results = (self.inputs, self.outputs) if infos is None else infos
        inputs = tuple(
            constant if info is None or constant is not None else _copy(args.inputs[index], info)
            for index, (info, constant) in enumerate(zip(operands, self.constants, strict=True))
        )
        outputs = tuple(np.zeros(info.static_shape, info.dtype) for info in results)
        bounded = tuple(info.bounded for info in results)
        run_id = int(args.run_id)
        with interruptible():
            options = self.parent.maker.options_of(run_id)
            arrays = self.runs.run(inputs, outputs, bounded, lambda: _is_cancelled(run_id), options)
        for index, (info, made) in enumerate(zip(results, arrays, strict=True)):
            if info.bounded:
                info = info.with_shape(made.shape)
                for axis, size in enumerate(made.shape):
                    args.output_dims[index][axis] = size
            if made.shape != info.static_shape or made.dtype != info.dtype:
                raise ValueError(
                    f"kernel '{self.runs.name}' changed the array of output {index} to "
                    f"{made.dtype} {made.shape}, {info.dtype} {info.static_shape} is needed"
                )
            _memory(args.outputs[index], info)[...] = made


def _memory(address: int | None, info: TensorInfo) -> NDArray[Any]:
    """The memory of a tensor as an array, for the length of a call."""
    if not info.byte_size:
        return np.empty(info.static_shape, info.dtype)
    if not address:
        raise ValueError("a tensor without an address")
    buffer: Any = (ctypes.c_char * info.byte_size).from_address(address)
    return np.ndarray(info.static_shape, info.dtype, buffer)


def _copy(address: int | None, info: TensorInfo) -> NDArray[Any]:
    array = _memory(address, info).copy()
    array.flags.writeable = False
    return array


def _is_cancelled(run_id: int) -> bool:
    host = host_pointer().contents
    return bool(host.cancelled and host.cancelled(host.context, run_id))


def _execute(pointer: Any, args: Any) -> None:
    workload: _Workload = item_of(pointer)
    workload.execute(args.contents)


def _get_requirements(pointer: Any, out: Any) -> None:
    workload: _Workload = item_of(pointer)
    # Constants were copied when the workload was made.
    known = (index for index, value in enumerate(workload.constants) if value is not None)
    needs = out.contents
    needs.consumed_mask = sum(1 << index for index in known if index < 64)
    needs.operations = workload.runs.operations
    needs.flags = abi.ARMNN_WORKLOAD_SERIAL if workload.runs.is_serial else 0


def _get_kernel_name(pointer: Any) -> int:
    workload: _Workload = item_of(pointer)
    return workload.name_address


_workload_functions = table(
    abi.armnn_workload_api_t,
    abi.ARMNN_STRUCT_WORKLOAD,
    {
        "destroy": partial(notice, function=_destroy),
        "execute": partial(question, answer=_execute, what="execute", keeps=True),
        "get_requirements": partial(notice, function=_get_requirements),
        "get_kernel_name": partial(notice, function=_get_kernel_name, default=0),
    },
)

_factory_functions = table(
    abi.armnn_workload_factory_api_t,
    abi.ARMNN_STRUCT_WORKLOAD_FACTORY,
    {
        "destroy": partial(notice, function=_destroy),
        "create_workload": partial(
            question, answer=_create_workload, what="create_workload", keeps=True
        ),
    },
)
