# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Networks of the layers that a backend takes, each with its values and the error it may have.

A network grows from a case of the kit. Each further layer is a case too, fitted to a tensor that is
there: its shape, and a quantisation that holds its values. The backend is asked about each of them.
A layer that makes a small error a large one is left out, so that outputs can be compared closely.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from msgspec import Struct

from armnn_py.backends.questions.layer_support import LayerSupport
from armnn_py.network import Network
from armnn_py.tensors import QuantizationInfo, TensorInfo
from armnn_py.testing.cases.quantizations import VARIANTS
from armnn_py.testing.grown.fitted import fitted, with_operand, with_outputs_for
from armnn_py.testing.grown.tensors import MOST_ELEMENTS, Tensor, real_outputs, results
from armnn_py.testing.outcome import NotApplicableError
from armnn_py.types import DataType, LayerType
from armnn_py.types.facts import FACTS

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from armnn_py.backends.backend import Backend
    from armnn_py.network import OutputSlot
    from armnn_py.runtime import Runtime
    from armnn_py.testing.cases import Case

#: In turn for the numbers of networks, where the backend takes layers of them.
_TYPES = (
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
    errors
        By the name of an output: how much an element may differ, in its own unit.
    """

    network: Network
    type: DataType
    inputs: dict[str, NDArray[Any]]
    outputs: dict[str, NDArray[Any]]
    errors: dict[str, float]


def grow(
    cases: Sequence[Case],
    backend: Backend,
    reference: Runtime,
    number: int,
    on_step: Callable[[str], None],
) -> GrownNetwork:
    """Return network number so much.

    Parameters
    ----------
    cases
        Layers to ask the backend about.
    backend
        The backend under test.
    reference
        A runtime with the reference.
    number
        Everything is drawn from it.
    on_step
        Called with what is under way.

    Raises
    ------
    NotApplicableError
        The backend takes no layer that fits into a network.
    """
    on_step("asking about layers")
    with LayerSupport(backend) as support:
        fit = [case for case in cases if any(_is_of(case, one) for one in set(_TYPES))]
        answers = support.ask_many([case.signature for case in fit])
        taken = [case for case, answer in zip(fit, answers, strict=True) if answer]
        types = [one for one in _TYPES if any(_is_of(case, one) for case in taken)]
        if not types:
            raise NotApplicableError("it takes no layer that fits into a network")
        kind = types[number % len(types)]
        grower = _Grower(support, reference, taken, kind, number)
        return grower.grown(f"network {number}", on_step)


def _is_of(case: Case, kind: DataType) -> bool:
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


class _Grower:
    """A network while it grows."""

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
        self._forms: dict[LayerType, list[Case]] = {}
        for case in taken:
            if _is_of(case, kind):
                self._forms.setdefault(case.layer, []).append(case)
        self._network = Network("grown")
        self._tensors: list[Tensor] = []
        self._inputs: dict[str, NDArray[Any]] = {}

    def grown(self, name: str, on_step: Callable[[str], None]) -> GrownNetwork:
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
        outputs: dict[str, NDArray[Any]] = {}
        errors: dict[str, float] = {}
        for number, tensor in enumerate(self._read_outside()):
            output = f"y{number}"
            outputs[output], errors[output] = self._add_output(output, tensor)
        return GrownNetwork(self._network, self._kind, self._inputs, outputs, errors)

    # ---- Layers --------------------------------------------------------------------------------

    def _add_layer(self) -> bool:
        """Draw a layer, and add it if it fits; returns whether it does."""
        types = sorted(self._forms)
        weights = np.array([1.0 if FACTS[one].arithmetic in _MOVING else 3.0 for one in types])
        forms = self._forms[types[self._random.choice(len(types), p=weights / weights.sum())]]
        case: Case | None = forms[self._random.integers(len(forms))]
        assert case is not None
        first = next(i for i in range(len(case.known)) if _computed(case, i, self._kind))
        operands: list[Tensor | None] = [None] * len(case.known)
        operands[first] = tensor = self._pick()
        case = fitted(case, first, self._first_info(case, first) if tensor is None else tensor.info)
        for place in range(len(operands)):
            if case is not None and place != first and _computed(case, place, self._kind):
                case, operands[place] = self._with_operand(case, place)
        if case is None or case.most_elements > MOST_ELEMENTS:
            return False
        return self._try(case, operands)

    def _pick(self) -> Tensor | None:
        """Return a tensor to read: often the last, else any of them; None if there is none."""
        if not self._tensors:
            return None
        if self._random.random() < 0.6:
            return self._tensors[-1]
        return self._tensors[self._random.integers(len(self._tensors))]

    def _first_info(self, case: Case, place: int) -> TensorInfo:
        """Return the info of the first input, mostly with a quantisation of its own."""
        given = case.signature.inputs[place]
        assert given is not None
        if self._kind in _INPUT and self._random.random() < 0.8:
            return TensorInfo(given.shape, self._kind, _INPUT[self._kind])
        return given

    def _with_operand(self, case: Case, place: int) -> tuple[Case | None, Tensor | None]:
        """Choose a further operand: a tensor of that shape, a constant, or an input of its own."""
        info = case.signature.inputs[place]
        assert info is not None
        alike = [tensor for tensor in self._tensors if tensor.info.shape == info.shape]
        if alike and self._random.random() < 0.6:
            chosen = alike[self._random.integers(len(alike))]
            return with_operand(case, place, chosen.info), chosen
        return with_operand(case, place, info, constant=self._random.random() < 0.6), None

    def _try(self, case: Case, operands: list[Tensor | None]) -> bool:
        values = case.values()
        for place, tensor in enumerate(operands):
            if tensor is not None:
                values[place] = tensor.value
            elif _computed(case, place, self._kind):
                values[place] = self._new_value(case, place)
        variant = VARIANTS[self._random.integers(len(VARIANTS))]
        real = real_outputs(self._reference, case, values) if self._kind.is_quantized else None
        for wished in with_outputs_for(case, real, variant):
            if not self._support.ask(wished.signature):
                continue
            found = results(self._reference, wished, values, operands, self._random)
            if found is not None:
                self._add(wished, operands, values, found)
                return True
        return False

    def _new_value(self, case: Case, place: int) -> NDArray[Any]:
        """Draw the values of one more input of the network."""
        info = case.signature.inputs[place]
        assert info is not None
        real = self._random.uniform(-2, 2, info.static_shape).astype(np.float32)
        if info.data_type.is_quantized:
            return np.asarray(info.quantize(real))
        return real.astype(info.dtype)

    def _add(
        self,
        case: Case,
        operands: Sequence[Tensor | None],
        values: Sequence[NDArray[Any] | None],
        found: Sequence[tuple[NDArray[Any], float]],
    ) -> None:
        signature = case.signature
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
        layer = self._network.add_layer(
            signature.type, sources, signature.descriptor, output_infos=signature.outputs
        )
        for slot, (value, error) in zip(layer.outputs, found, strict=True):
            self._tensors.append(Tensor(slot, slot.info, value, error))

    def _add_input(self, info: TensorInfo, value: NDArray[Any]) -> OutputSlot:
        """Add an input; a quantised one is of float32, with a Quantize behind it."""
        name = f"x{len(self._inputs)}"
        if info.data_type is not self._kind or not self._kind.is_quantized:
            self._inputs[name] = value
            return self._network.add_input(name, info).output
        self._inputs[name] = info.dequantize(value).astype(np.float32)
        source = self._network.add_input(name, TensorInfo(info.shape))
        slot = self._network.add_layer(LayerType.QUANTIZE, [source], output_infos=[info]).output
        self._tensors.append(Tensor(slot, info, value, 0.0))
        return slot

    # ---- Outputs -------------------------------------------------------------------------------

    def _read_outside(self) -> list[Tensor]:
        """Choose outputs: tensors that no layer reads, and one or two that layers read too."""
        unread = [one for one in self._tensors if not one.slot.consumers]
        inner = [one for one in self._tensors if one.slot.consumers and one.error]
        self._random.shuffle(inner)
        return unread + inner[: int(self._random.integers(1, 3))]

    def _add_output(self, name: str, tensor: Tensor) -> tuple[NDArray[Any], float]:
        """Add an output; of a quantised tensor in half of all cases its real numbers."""
        slot, value, error = tensor.slot, tensor.value, tensor.error
        if self._kind.is_quantized and self._random.random() < 0.5:
            assert tensor.info.quantization is not None
            layer = self._network.add_layer(LayerType.DEQUANTIZE, [slot])
            slot, value = layer.output, tensor.info.dequantize(value).astype(np.float32)
            error = error * float(max(tensor.info.quantization.scales)) * 1.001 + 1e-6
        self._network.add_output(name, slot)
        return value, error
