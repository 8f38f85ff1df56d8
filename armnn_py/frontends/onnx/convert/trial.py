# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Conversions on trial: sizes that cannot run or that weights state, ranks that a file leaves out.

A convolution whose weights have 3 channels reads 3 channels.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from msgspec import Struct

from armnn_py.errors import (
    ArmnnError,
    InputValuesNeededError,
    ParseError,
    StagesNeededError,
    UnsupportedOperatorError,
)
from armnn_py.frontends.common.values import Known
from armnn_py.frontends.onnx.file.binding import describe, optional_values
from armnn_py.frontends.onnx.file.graph_node import Node
from armnn_py.frontends.onnx.file.model import OnnxModel
from armnn_py.network.conversions import Trial, stand_in_shapes
from armnn_py.symbolic import SizeTrace
from armnn_py.tensors import StringInfo, TensorInfo

if TYPE_CHECKING:
    from armnn_py.frontends.common.stand_ins import RunsStandIns
    from armnn_py.frontends.common.values import Array
    from armnn_py.network import Network

Infos: TypeAlias = "Mapping[str, TensorInfo]"

_TRIAL_VALUES = (0, 1)
#: Conversions of a network with many stages.
_FEW_TRIALS = 3
#: Budget of stages for one such conversion.
_LEAST_LEFT = 20
#: Different faults of sizes, after which sizes that suit are not looked for any longer.
_PATIENCE = 3


class Tried(Struct, frozen=True):
    """The results of trial conversions."""

    outputs: dict[str, TensorInfo]
    """Rank and type of the outputs whose rank the file does not state."""
    reasons: list[str]
    """Reasons why the last conversion failed, if all failed."""
    trial: Trial | None
    """The conversion that succeeded, if one did."""


def try_out(
    model: OnnxModel,
    infos: Infos,
    backends: Sequence[RunsStandIns],
    convert: Callable[..., Network],
) -> Tried:
    """Convert a model with stand-ins for free dimensions and for inputs whose values decide shapes.

    Faults that depend on the sizes are not raised: other sizes may suit. ``convert`` is that of
    `conversion`.

    Raises
    ------
    UnsupportedOperatorError
        Operators have no counterpart, whatever the sizes.
    ParseError
        The model contradicts itself, whatever the sizes.
    """
    return _Trials(model, infos, backends, convert).run()


class _Trials:
    def __init__(
        self,
        model: OnnxModel,
        infos: Infos,
        backends: Sequence[RunsStandIns],
        convert: Callable[..., Network],
    ) -> None:
        self.model = model
        self.infos = infos
        self.backends = backends
        self.convert = convert
        self.unknown = [name for name, info in model.outputs.items() if info.dims is None]
        self.unsupported: list[UnsupportedOperatorError] = []
        self.faults: list[ArmnnError] = []
        self.has_values = False
        self.own = optional_values(model, infos)

    def run(self) -> Tried:
        """Return what the first conversion that succeeds tells; see `try_out`."""
        told = told_sizes(self.model)
        shapes = [*stand_in_shapes(self.infos, told, keeps_axes=bool(self.unknown))]
        if self.model.depth:
            few = 1 if self.model.depth > 1 else 4
            shapes = [*shapes[:few], *self._of_a_stage()]
        elif all(info.is_static for info in self.infos.values()):
            shapes = shapes[:1]
        reasons: list[str] = []
        made = 0
        for number, sizes in enumerate(shapes):
            if number > 0 and not self._affords(number):
                break
            made += 1
            bound = {name: info.with_shape(sizes[name]) for name, info in self.infos.items()}
            # Each conversion of a stage makes all stages behind it.
            tried = self._traced(bound) if self.model.depth < 2 else None
            tried = tried or self._with_values(bound)
            if tried is not None:
                if tried.trial is not None:
                    tried.trial.shapes = shapes[number + 1 :]
                return tried
            if self.faults:
                last = self.faults[-1]
                inputs = "; ".join(describe(bound))
                reasons = [f"with {inputs}: {last.message}", *_own_details(last)]
            if not self.unknown and not self.unsupported and self._are_of_sizes():
                break
        self._raise_what_stays(made)
        return Tried({}, reasons, None)

    def _affords(self, number: int) -> bool:
        """Say whether there is time for a further conversion: each makes all stages behind it."""
        if self.model.depth:
            self.model.trials_left[0] -= 1
            return self.model.trials_left[0] >= 0
        return number < _FEW_TRIALS or self.model.trials_left[0] > _LEAST_LEFT

    def _of_a_stage(self) -> list[dict[str, tuple[int, ...]]]:
        """Return sizes of what data choose: of some inputs perhaps no elements at all."""
        free = {name: info for name, info in self.infos.items() if not info.is_static}

        def sized(size: int, empty: str = "") -> dict[str, tuple[int, ...]]:
            return {
                name: tuple(
                    (0 if name == empty else size) if dim is None else dim for dim in info.shape
                )
                for name, info in self.infos.items()
            }

        return [sized(32), *(sized(32, name) for name in free)]

    def _traced(self, bound: Infos) -> Tried | None:
        """Convert with symbolic sizes, so that the first run can go on with the result."""
        trace = SizeTrace()
        symbolic = {
            name: info.with_shape(
                [
                    trace.free(given) if free is None else given
                    for given, free in zip(bound[name].static_shape, info.shape, strict=True)
                ]
            )
            for name, info in self.infos.items()
        }
        try:
            network = self.convert(self.model, symbolic, self.backends)
            return Tried(self._ranks(network.outputs), [], Trial(network, trace))
        except StagesNeededError as error:
            return Tried(self._ranks(error.outputs), [], Trial(None))
        except Exception:
            return None  # numbers show whether it is a fault, and which

    def _with_values(self, bound: Infos) -> Tried | None:
        for value in _TRIAL_VALUES:
            values: dict[str, Array] = {}
            try:
                network = self._on_trial(bound, values, value)
                return Tried(self._ranks(network.outputs), [], Trial(network))
            except StagesNeededError as error:
                return Tried(self._ranks(error.outputs), [], Trial(None))
            except UnsupportedOperatorError as error:
                if self.model.depth and self.model.trials_left[0] <= 0:
                    raise
                self.unsupported.append(error)
            except ArmnnError as error:
                self.faults.append(error)
            if not values:
                return None
            self.has_values = True
        return None

    def _on_trial(self, infos: Infos, values: dict[str, Array], value: int) -> Network:
        """Convert with inputs that decide shapes full of one value."""
        while True:
            try:
                # Stages may rely on these sizes: only ranks and types are taken from them.
                return self.convert(self.model, infos, self.backends, values, has_one_shape=True)
            except InputValuesNeededError as error:
                more = [name for name in error.names if name not in values]
                if not more:
                    raise
            for name in more:
                info = infos[name]
                own = self.own.get(name)
                if own is not None and own.shape == info.shape:
                    values[name] = own
                else:
                    values[name] = np.full(info.static_shape, value, info.dtype)

    def _ranks(self, outputs: Infos) -> dict[str, TensorInfo]:
        return {name: _free(outputs[name]) for name in self.unknown if name in outputs}

    # ---- Faults ----------------------------------------------------------------------------------

    def _are_of_sizes(self) -> bool:
        """Say whether the faults so far differ from size to size, so that none stays."""
        return len({_text(error) for error in self.faults}) >= _PATIENCE

    def _raise_what_stays(self, count: int) -> None:
        """Raise the error that all trials have in common."""
        if self.unsupported:
            common = [{(one.name, one.reason) for one in e.operators} for e in self.unsupported]
            if self.model.is_tried or set.intersection(*common):
                raise self.unsupported[0]
            return
        if self.has_values or self.model.is_tried or self.model.depth > 1:
            return
        if len(self.faults) >= count > 1:
            first = self.faults[0]
            if isinstance(first, ParseError) and len({*map(_text, self.faults)}) == 1:
                first.details = _own_details(first)
                raise first


def _text(error: ArmnnError) -> tuple[str, ...]:
    """Return what an error says; of operands that it shows, the sizes say nothing."""
    is_general = error.message.endswith("cannot be converted")
    return (error.message, *_own_details(error)) if is_general else (error.message,)


def _own_details(error: ArmnnError) -> tuple[str, ...]:
    """Return the details of an error without the shapes of inputs, which are stand-ins."""
    return tuple(text for text in error.details if not text.startswith("input '"))


def _free(info: TensorInfo) -> TensorInfo:
    """Return rank and type of an output, without its quantisation."""
    shape = (None,) * info.rank
    return StringInfo(shape) if isinstance(info, StringInfo) else TensorInfo(shape, info.data_type)


Axes: TypeAlias = "list[tuple[str, int]]"
"""For each axis of a value: the input of the model that it comes from, and the axis there."""

#: Operators whose output has the shape of their first input, if the others are weights.
_SAME_SHAPE = frozenset(
    [
        "Add",
        "Cast",
        "Clip",
        "DequantizeLinear",
        "Div",
        "Dropout",
        "Elu",
        "Gelu",
        "HardSigmoid",
        "HardSwish",
        "Identity",
        "LeakyRelu",
        "Mul",
        "QuantizeLinear",
        "Relu",
        "Selu",
        "Sigmoid",
        "Softplus",
        "Sqrt",
        "Sub",
        "Tanh",
        "Abs",
        "Neg",
        "Erf",
        "PRelu",
        "BatchNormalization",
        "InstanceNormalization",
        "LayerNormalization",
    ]
)


def told_sizes(model: OnnxModel) -> dict[tuple[str, int], int]:
    """Return sizes by input and axis, for dimensions that the file leaves free.

    Dimensions of one name have one size. The conversion refuses sizes that contradict weights.
    """
    free = {
        name: [(name, axis) for axis in range(len(info.dims))]
        for name, info in model.inputs.items()
        if info.dims is not None
    }
    origins: dict[str, Axes] = dict(free)
    found: dict[tuple[str, int], int] = {}
    for node in model.nodes:
        axes = origins.get(node.inputs[0]) if node.inputs and not node.domain else None
        if axes is None:
            continue
        shapes = [
            one.shape if isinstance(one := model.constants.get(name), Known) else None
            for name in node.inputs[1:]
        ]
        tell = _TOLD.get(node.op_type)
        if tell is not None and shapes and shapes[0]:
            axis, size = tell(node, shapes[0], len(axes))
            if -len(axes) <= axis < len(axes):
                found.setdefault(axes[axis], size)
        if node.op_type == "Transpose":
            order = node.attributes.get("perm") or list(range(len(axes)))[::-1]
            if isinstance(order, list) and sorted(order) == list(range(len(axes))):
                origins[node.outputs[0]] = [axes[axis] for axis in order]
        elif node.op_type in _SAME_SHAPE and all(
            shape is not None and len(shape) <= len(axes) for shape in shapes
        ):
            origins[node.outputs[0]] = axes
    return _by_name(model, found)


def _by_name(model: OnnxModel, found: dict[tuple[str, int], int]) -> dict[tuple[str, int], int]:
    """Give sizes to all dimensions of the names that some of them have."""
    dims = {
        (name, axis): dim
        for name, info in model.inputs.items()
        for axis, dim in enumerate(info.dims or ())
    }
    named = {dims[place]: size for place, size in found.items() if isinstance(dims[place], str)}
    return {**found, **{place: named[dim] for place, dim in dims.items() if dim in named}}


def _last(node: Node, shape: tuple[int, ...], _: int) -> tuple[int, int]:
    turned = node.op_type == "Gemm" and node.attributes.get("transB")
    return -1, shape[-1] if turned or len(shape) == 1 else shape[-2]


def _gemm(node: Node, shape: tuple[int, ...], rank: int) -> tuple[int, int]:
    axis, size = _last(node, shape, rank)
    return (-2 if node.attributes.get("transA") else axis), size


def _convolution(node: Node, shape: tuple[int, ...], _: int) -> tuple[int, int]:
    group = node.attributes.get("group", 1)
    return 1, shape[1] * (group if isinstance(group, int) else 1) if len(shape) > 1 else 1


_TOLD: dict[str, Callable[[Node, tuple[int, ...], int], tuple[int, int]]] = {
    "BatchNormalization": lambda _, shape, rank: (1, shape[0]),
    "Conv": _convolution,
    "ConvTranspose": lambda _, shape, rank: (1, shape[0]),
    "Gemm": _gemm,
    "InstanceNormalization": lambda _, shape, rank: (1, shape[0]),
    "LayerNormalization": lambda _, shape, rank: (-1, shape[-1]),
    "MatMul": _last,
    **dict.fromkeys(("GRU", "LSTM", "RNN"), lambda _, shape, rank: (2, shape[-1])),
}
"""An axis of the first input, and its size by the shape of the weights behind it."""
