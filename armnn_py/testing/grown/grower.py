# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""A network that grows from layers of cases, fitted to the tensors that are there."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
from msgspec import Struct, structs

from armnn_py.backends.questions.layer_support import LayerSupport
from armnn_py.network import Network
from armnn_py.tensors import QuantizationInfo, TensorInfo
from armnn_py.testing.cases.quantizations import VARIANTS
from armnn_py.testing.grown.fitted import (
    fitted,
    with_inputs,
    with_operand,
    with_outputs_for,
)
from armnn_py.testing.grown.tensors import MOST_ELEMENTS, Tensor, real_outputs, results
from armnn_py.testing.outcome import NotApplicableError
from armnn_py.types import DataType, LayerType
from armnn_py.types.facts import FACTS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import NDArray

    from armnn_py.network import OutputSlot
    from armnn_py.network.layer import VariableLayer
    from armnn_py.runtime import Runtime
    from armnn_py.testing.cases import Case

#: In turn for the numbers of networks, where the backend takes layers of them.
TYPES = (
    DataType.FLOAT32,
    DataType.QASYMM_S8,
    DataType.FLOAT32,
    DataType.QASYMM_U8,
    DataType.QASYMM_S8,
    DataType.FLOAT16,
    DataType.QSYMM_S16,
)
#: Arithmetic of layers that only move elements; the others are drawn more often.
_MOVING = ("exact", "none")
_ATTEMPTS = 12  # for each layer of a network
_FEWEST, _MOST = 5, 12  # layers
_ELEMENTS = 256  # of the first tensor, in every second quantised network
_ENOUGH = 32  # different numbers for a mean
#: Of the inputs of quantised networks.
_INPUT = {
    DataType.QASYMM_S8: QuantizationInfo((0.0175,), (9,)),
    DataType.QASYMM_U8: QuantizationInfo((0.0175,), (121,)),
    DataType.QSYMM_S16: QuantizationInfo((7e-5,), (0,)),
}


class GrownNetwork(Struct, frozen=True):
    """A network to run, and what it gives.

    Attributes
    ----------
    network
        All of its layers but Quantize and Dequantize are taken by the backend.
    type
        The data type inside.
    inputs, outputs
        Values by name; those of the outputs by the reference.
    errors, means
        By the name of an output: how much an element may differ, in its own unit, and how much the
        mean of all, where that is known.
    """

    network: Network
    type: DataType
    inputs: dict[str, NDArray[Any]]
    outputs: dict[str, NDArray[Any]]
    errors: dict[str, float]
    means: dict[str, float] = {}


def is_of(case: Case, kind: DataType) -> bool:
    """Whether a layer computes a tensor of a type from one."""
    signature = case.signature
    return (
        bool(signature.outputs)
        and all(info.data_type is kind and info.element_count for info in signature.outputs)
        and any(_computed(case, place, kind) for place in range(len(signature.inputs)))
        and case.most_elements <= MOST_ELEMENTS
    )


def _computed(case: Case, place: int, kind: DataType) -> bool:
    info = case.signature.inputs[place]
    return (
        info is not None
        and info.data_type is kind
        and not case.signature.constants[place]
        and case.known[place] is None
    )


class Grower:
    """A network while it grows, and what it has become.

    Attributes
    ----------
    grown
        The network.
    tensors
        All that were computed, in order, and inputs that are quantised.
    state
        The variable, which is the first tensor; None in a network without state.
    """

    grown: GrownNetwork

    def __init__(
        self,
        support: LayerSupport,
        reference: Runtime,
        taken: Sequence[Case],
        kind: DataType,
        seed: int,
    ) -> None:
        self._support, self._reference, self._kind = support, reference, kind
        self._random = np.random.default_rng(seed)
        self._is_small = seed % 2 == 1
        self._forms: dict[LayerType, list[Case]] = {}
        for case in taken:
            if is_of(case, kind):
                self._forms.setdefault(case.layer, []).append(case)
        self._network = Network("grown")
        self.tensors: list[Tensor] = []
        self.state: VariableLayer | None = None
        self._inputs: dict[str, NDArray[Any]] = {}
        self._steps: list[tuple[Case, list[int | None]]] = []  # with places among the tensors
        self._outputs: list[tuple[int, bool]] = []  # such places, and whether they are real numbers

    def add_state(self) -> None:
        """Begin with a variable, which a layer of the backend may read."""
        types = sorted(self._forms)
        forms = self._forms[types[self._random.integers(len(types))]]
        case = forms[self._random.integers(len(forms))]
        info = self._first_info(case, self._first(case))
        value = self._new_value(info)
        self.state = self._network.add_variable("state", info, value)
        self.tensors.append(Tensor(self.state.output, info, value))

    def grow(self, name: str, on_step: Callable[[str], None]) -> None:
        """Add layers, then outputs."""
        count = int(self._random.integers(_FEWEST, _MOST + 1))
        made = 0
        for _ in range(_ATTEMPTS * count):
            on_step(f"asking about layer {made + 1}, and computing it on the reference")
            made += self._add_layer()
            if made == count:
                break
        if not made:
            raise NotApplicableError(f"{name}: no layer of {self._kind.described} can be its first")
        self._outputs = self._read_outside()
        self.grown = self._finished()

    def _finished(self) -> GrownNetwork:
        outputs: dict[str, NDArray[Any]] = {}
        errors: dict[str, float] = {}
        means: dict[str, float] = {}
        for number, (place, is_real) in enumerate(self._outputs):
            name = f"y{number}"
            outputs[name], errors[name], mean = self._add_output(name, place, is_real=is_real)
            if self._kind.is_quantized and math.isfinite(mean):
                means[name] = mean
        return GrownNetwork(self._network, self._kind, self._inputs, outputs, errors, means)

    def resized(self, axis: int, before: int, after: int) -> GrownNetwork | None:
        """Return it for inputs of another size, with other values; None if a layer forbids it.

        Parameters
        ----------
        axis, before
            Each dimension ``axis`` of inputs that is ``before`` long becomes
        after
            so long.
        """

        def changed(info: TensorInfo) -> TensorInfo:
            shape = list(info.static_shape)
            if len(shape) > axis and shape[axis] == before:
                shape[axis] = after
            return info.with_shape(shape)

        return self._repeated(lambda case: case, changed, after)

    def with_other_constants(self) -> GrownNetwork | None:
        """Return it with other values, those of constants too; None if a layer forbids it."""
        return self._repeated(
            lambda case: structs.replace(case, seed=case.seed + 1, drawn={}), lambda info: info, 1
        )

    def _repeated(
        self,
        other: Callable[[Case], Case],
        changed: Callable[[TensorInfo], TensorInfo],
        seed: int,
    ) -> GrownNetwork | None:
        made = Grower(self._support, self._reference, (), self._kind, seed)
        for case, places in self._steps:
            operands = [None if place is None else made.tensors[place] for place in places]
            if not made.repeat(other(case), operands, changed):
                return None
        made._outputs = self._outputs
        return made._finished()

    def repeat(
        self,
        case: Case,
        operands: list[Tensor | None],
        changed: Callable[[TensorInfo], TensorInfo],
    ) -> bool:
        """Add a layer for operands of other sizes; returns whether it takes them."""
        signature, inputs, with_constants = case.signature, [], []
        for place, info in enumerate(signature.inputs):
            tensor = operands[place]
            now = info if tensor is None else tensor.info
            if now is not None and tensor is None and _computed(case, place, self._kind):
                now = changed(now)
            inputs.append(now)
            is_free = signature.constants[place] and case.known[place] is None
            with_constants.append(changed(now) if now is not None and is_free else now)
        fit = with_inputs(case, inputs) or with_inputs(case, with_constants)
        if fit is None:
            return False
        values = self._values(fit, operands)
        found = results(
            self._reference, fit, values, operands, self._random, self._real(fit, values)
        )
        if found is not None:
            self._add(fit, operands, values, found)
        return found is not None

    # ---- Layers --------------------------------------------------------------------------------

    def _add_layer(self) -> bool:
        """Draw a layer, and add it if it fits; returns whether it does."""
        types = sorted(self._forms)
        weights = np.array([1.0 if FACTS[one].arithmetic in _MOVING else 3.0 for one in types])
        forms = self._forms[types[self._random.choice(len(types), p=weights / weights.sum())]]
        case: Case | None = forms[self._random.integers(len(forms))]
        assert case is not None
        first = self._first(case)
        operands: list[Tensor | None] = [None] * len(case.known)
        operands[first] = tensor = self._pick()
        info = self._first_info(case, first) if tensor is None else tensor.info
        larger = self._larger(case, first, info) if tensor is None else None
        case = larger or fitted(case, first, info)
        for place in range(len(operands)):
            if case is not None and place != first and _computed(case, place, self._kind):
                case, operands[place] = self._with_operand(case, place)
        if case is None or case.most_elements > MOST_ELEMENTS:
            return False
        return self._try(case, operands)

    def _first(self, case: Case) -> int:
        """Return the place of the first operand that may be computed."""
        return next(i for i in range(len(case.known)) if _computed(case, i, self._kind))

    def _pick(self) -> Tensor | None:
        """Return a tensor to read: often the last, else any of them; None before the first."""
        if not self.tensors:
            return None
        if self._random.random() < 0.6:
            return self.tensors[-1]
        return self.tensors[self._random.integers(len(self.tensors))]

    def _first_info(self, case: Case, place: int) -> TensorInfo:
        """Return the info of the first input, mostly with a quantisation of its own."""
        given = case.signature.inputs[place]
        assert given is not None
        if self._kind in _INPUT and self._random.random() < 0.8:
            return TensorInfo(given.shape, self._kind, _INPUT[self._kind])
        return given

    def _larger(self, case: Case, place: int, info: TensorInfo) -> Case | None:
        """Return a first layer over more rows, whose results have a mean; None if it has none."""
        shape, times = info.static_shape, _ELEMENTS // max(info.element_count, 1)
        if not self._kind.is_quantized or self._is_small or not shape or times < 2:
            return None
        return fitted(case, place, info.with_shape((shape[0] * times + 1, *shape[1:])))

    def _with_operand(self, case: Case, place: int) -> tuple[Case | None, Tensor | None]:
        """Choose a further operand: a tensor of that shape, a constant, or an input of its own."""
        info = case.signature.inputs[place]
        assert info is not None
        alike = [tensor for tensor in self.tensors if tensor.info.shape == info.shape]
        if alike and self._random.random() < 0.6:
            chosen = alike[self._random.integers(len(alike))]
            return with_operand(case, place, chosen.info), chosen
        return with_operand(case, place, info, constant=self._random.random() < 0.6), None

    def _try(self, case: Case, operands: list[Tensor | None]) -> bool:
        values = self._values(case, operands)
        variant = VARIANTS[self._random.integers(len(VARIANTS))]
        real = self._real(case, values)
        for requested in self._requests(case, with_outputs_for(case, real, variant)):
            if not self._support.ask(requested.signature):
                continue
            found = results(self._reference, requested, values, operands, self._random, real)
            if found is not None:
                self._add(requested, operands, values, found)
                return True
        return False

    def _real(self, case: Case, values: Sequence[Any]) -> list[NDArray[Any]] | None:
        """Return what a quantised layer computes before it is rounded, if that is known."""
        return real_outputs(self._reference, case, values) if self._kind.is_quantized else None

    def _requests(self, case: Case, others: Iterator[Case]) -> Iterator[Case]:
        """Give forms of a layer; the first may compute what the variable could be next."""
        if self.state is not None and FACTS[case.layer].quantization == "calculates":
            info = self.state.output.info
            signature = case.signature
            if [one.static_shape for one in signature.outputs] == [info.static_shape]:
                yield structs.replace(case, signature=signature._replace(outputs=(info,)), drawn={})
        yield from others

    def _values(self, case: Case, operands: Sequence[Tensor | None]) -> list[NDArray[Any] | None]:
        """Return the values of the operands of a layer."""
        values = case.values()
        for place, tensor in enumerate(operands):
            info = case.signature.inputs[place]
            if tensor is not None:
                values[place] = tensor.value
            elif info is not None and _computed(case, place, self._kind):
                values[place] = self._new_value(info)
        return values

    def _new_value(self, info: TensorInfo) -> NDArray[Any]:
        """Draw the values of one more input of the network."""
        real = self._random.uniform(-2, 2, info.static_shape).astype(np.float32)
        if info.data_type.is_quantized:
            return np.asarray(info.quantize(real))
        return real.astype(info.dtype)

    def _add(
        self,
        case: Case,
        operands: Sequence[Tensor | None],
        values: Sequence[NDArray[Any] | None],
        found: Sequence[tuple[NDArray[Any], float, float, float]],
    ) -> None:
        signature = case.signature
        places = [self._place_of(tensor) for tensor in operands]
        sources: list[OutputSlot | None] = []
        for place, info in enumerate(signature.inputs):
            tensor, value = operands[place], values[place]
            if info is None or value is None:
                sources.append(None)
            elif tensor is not None:
                sources.append(tensor.slot)
            elif signature.constants[place]:
                sources.append(self._network.add_constant(value, info=info).output)
            else:
                sources.append(self._add_input(info, value))
        self._steps.append((case, places))
        layer = self._network.add_layer(
            signature.type, sources, signature.descriptor, output_infos=signature.outputs
        )
        for slot, (value, *errors) in zip(layer.outputs, found, strict=True):
            self.tensors.append(Tensor(slot, slot.info, value, *errors))

    def _place_of(self, tensor: Tensor | None) -> int | None:
        return next((place for place, one in enumerate(self.tensors) if one is tensor), None)

    def _add_input(self, info: TensorInfo, value: NDArray[Any]) -> OutputSlot:
        """Add an input; a quantised one is of float32, with a Quantize behind it."""
        name = f"x{len(self._inputs)}"
        if info.data_type is not self._kind or not self._kind.is_quantized:
            self._inputs[name] = value
            return self._network.add_input(name, info).output
        self._inputs[name] = info.dequantize(value).astype(np.float32)
        source = self._network.add_input(name, TensorInfo(info.shape))
        slot = self._network.add_layer(LayerType.QUANTIZE, [source], output_infos=[info]).output
        self.tensors.append(Tensor(slot, info, value))
        return slot

    # ---- Outputs -------------------------------------------------------------------------------

    def _read_outside(self) -> list[tuple[int, bool]]:
        """Choose outputs: tensors that no layer reads, and one or two that layers read too.

        Of a quantised tensor in half of all cases its real numbers.
        """
        places = range(len(self.tensors))
        unread = [one for one in places if not self.tensors[one].slot.consumers]
        inner = [one for one in places if one not in unread and self.tensors[one].error]
        self._random.shuffle(inner)
        chosen = unread + inner[: int(self._random.integers(1, 3))]
        return [
            (place, bool(self._kind.is_quantized and self._random.random() < 0.5))
            for place in chosen
        ]

    def _add_output(
        self, name: str, place: int, *, is_real: bool
    ) -> tuple[NDArray[Any], float, float]:
        """Add an output; returns its value, and how much an element and the mean may differ."""
        tensor = self.tensors[place]
        slot, value, error, mean = tensor.slot, tensor.value, tensor.error, math.inf
        count = np.unique(value).size
        if count >= _ENOUGH:
            mean = tensor.mean + 4 * tensor.spread / math.sqrt(count)
        if is_real:
            assert tensor.info.quantization is not None
            layer = self._network.add_layer(LayerType.DEQUANTIZE, [slot])
            slot, value = layer.output, tensor.info.dequantize(value).astype(np.float32)
            scale = float(max(tensor.info.quantization.scales)) * 1.001
            error, mean = error * scale + 1e-6, mean * scale + 1e-6
        self._network.add_output(name, slot)
        return value, error, mean
