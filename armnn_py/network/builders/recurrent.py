# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Builders of long short-term memory cells, and the weights that they take."""

from __future__ import annotations

import reprlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from armnn_py.descriptors import LstmDescriptor, QLstmDescriptor
from armnn_py.errors import InvalidArgumentError
from armnn_py.network.core import NetworkCore
from armnn_py.network.layer import Layer, Source
from armnn_py.types import LayerType, RowRounding
from armnn_py.types.facts import FACTS

if TYPE_CHECKING:
    from armnn_py.tensors import TensorInfo


@dataclass(frozen=True, slots=True)
class LstmWeights:
    """Weights of a long short-term memory cell: Arm NN's ``LstmInputParams``.

    Input size I, C cells, O outputs; without projection O is C. What is None is left out, and says
    what the cell is: without the weights of the input gate that gate is 1 - forget gate (CIFG),
    without ``cell_to_...`` there are no peepholes, and so on.

    Attributes
    ----------
    input_to_input_weights, input_to_forget_weights, input_to_cell_weights, input_to_output_weights
        [C, I] each.
    recurrent_to_input_weights, recurrent_to_forget_weights, recurrent_to_cell_weights, recurrent_to_output_weights
        [C, O] each.
    input_gate_bias, forget_gate_bias, cell_bias, output_gate_bias
        [C] each.
    cell_to_input_weights, cell_to_forget_weights, cell_to_output_weights
        Peepholes, [C] each.
    projection_weights, projection_bias
        [O, C] and [O].
    input_layer_norm_weights, forget_layer_norm_weights, cell_layer_norm_weights, output_layer_norm_weights
        Of layer normalisation, [C] each.
    """  # noqa: E501

    input_to_forget_weights: Source
    input_to_cell_weights: Source
    input_to_output_weights: Source
    recurrent_to_forget_weights: Source
    recurrent_to_cell_weights: Source
    recurrent_to_output_weights: Source
    forget_gate_bias: Source
    cell_bias: Source
    output_gate_bias: Source
    input_to_input_weights: Source | None = None
    recurrent_to_input_weights: Source | None = None
    input_gate_bias: Source | None = None
    cell_to_input_weights: Source | None = None
    cell_to_forget_weights: Source | None = None
    cell_to_output_weights: Source | None = None
    projection_weights: Source | None = None
    projection_bias: Source | None = None
    input_layer_norm_weights: Source | None = None
    forget_layer_norm_weights: Source | None = None
    cell_layer_norm_weights: Source | None = None
    output_layer_norm_weights: Source | None = None

    @property
    def operands(self) -> list[Source | None]:
        """All of them, in the order of the layer's operands."""
        names = FACTS[LayerType.LSTM].operands[3:]
        return [getattr(self, name.removesuffix("?")) for name in names]

    @property
    def switches(self) -> dict[str, bool]:
        """The fields of the layer's descriptor that say what the cell is."""
        return {
            "cifg_enabled": self.input_to_input_weights is None,
            "peephole_enabled": self.cell_to_forget_weights is not None,
            "projection_enabled": self.projection_weights is not None,
            "layer_norm_enabled": self.forget_layer_norm_weights is not None,
        }


def _check_weights(weights: object, method: str) -> None:
    if not isinstance(weights, LstmWeights):
        raise InvalidArgumentError(
            f"{method}: weights: {type(weights).__name__} given, LstmWeights expected",
            hints=["armnn_py.network.LstmWeights holds an array or a layer for each operand"],
        )


class RecurrentBuilders(NetworkCore):
    """Layers that go on from their state; ``name=``, ``backend=`` as everywhere.

    The state is an operand and an output: `Network.add_variable` and `Network.assign` keep it from
    run to run.
    """

    __slots__ = ()

    def add_lstm(
        self,
        x: Source,
        output_state: Source,
        cell_state: Source,
        weights: LstmWeights,
        *,
        activation_function: int = 4,
        cell_clip: float = 0.0,
        projection_clip: float = 0.0,
        row_rounding: RowRounding = RowRounding.NONE,
        output_infos: Sequence[TensorInfo] | None = None,
        name: str | None = None,
        backend: str | None = None,
    ) -> Layer:
        """Run one step of a long short-term memory cell: Arm NN's Lstm.

        Parameters
        ----------
        x
            [N, I].
        output_state, cell_state
            [N, O] and [N, C]: what the step before left.
        weights
            They say what the cell is.
        activation_function
            Of the cell: 0 none, 1 ReLU, 3 ReLU6, 4 tanh, 6 sigmoid.
        cell_clip, projection_clip
            Bounds of the cell state and of the projection; 0 for none.
        row_rounding
            Whether what products read is rounded to 8 bits in each step, as in TensorFlow Lite's
            hybrid layers.
        output_infos
            Quantised ones need them.

        Returns
        -------
        Layer
            Four outputs: the gates [N, 3 C or 4 C], output state, cell state, and the output
            [N, O], which is the output state.

        Raises
        ------
        LayerValidationError
            The operands do not fit together.
        InvalidArgumentError
            The weights are no `LstmWeights`.
        """
        _check_weights(weights, "add_lstm")
        descriptor = LstmDescriptor(
            activation_function=activation_function,
            clipping_threshold_cell=cell_clip,
            clipping_threshold_projection=projection_clip,
            row_rounding=row_rounding,
            **weights.switches,
        )
        states = [x, output_state, cell_state]
        return self._add_cell(
            LayerType.LSTM, states, weights, descriptor, output_infos, name, backend
        )

    def add_unidirectional_sequence_lstm(
        self,
        x: Source,
        output_state: Source,
        cell_state: Source,
        weights: LstmWeights,
        *,
        activation_function: int = 4,
        cell_clip: float = 0.0,
        projection_clip: float = 0.0,
        time_major: bool = False,
        row_rounding: RowRounding = RowRounding.NONE,
        output_infos: Sequence[TensorInfo] | None = None,
        name: str | None = None,
        backend: str | None = None,
    ) -> Layer:
        """Run a long short-term memory cell over a sequence: Arm NN's UnidirectionalSequenceLstm.

        Parameters
        ----------
        x
            [N, T, I], or [T, N, I] if time comes first.
        output_state, cell_state
            [N, O] and [N, C]: what enters the first step.
        weights
            They say what the cell is.
        activation_function
            Of the cell: 0 none, 1 ReLU, 3 ReLU6, 4 tanh, 6 sigmoid.
        cell_clip, projection_clip
            Bounds of the cell state and of the projection; 0 for none.
        time_major
            Whether time is the first dimension of the sequences.
        row_rounding
            Whether what products read is rounded to 8 bits in each step, as in TensorFlow Lite's
            hybrid layers.
        output_infos
            Quantised ones need them.

        Returns
        -------
        Layer
            Three outputs: output state and cell state behind the last step, and the output of each
            step, [N, T, O] or [T, N, O].

        Raises
        ------
        LayerValidationError
            The operands do not fit together.
        InvalidArgumentError
            The weights are no `LstmWeights`.
        """
        _check_weights(weights, "add_unidirectional_sequence_lstm")
        descriptor = LstmDescriptor(
            activation_function=activation_function,
            clipping_threshold_cell=cell_clip,
            clipping_threshold_projection=projection_clip,
            time_major=time_major,
            row_rounding=row_rounding,
            **weights.switches,
        )
        states = [x, output_state, cell_state]
        kind = LayerType.UNIDIRECTIONAL_SEQUENCE_LSTM
        return self._add_cell(kind, states, weights, descriptor, output_infos, name, backend)

    def add_q_lstm(
        self,
        x: Source,
        output_state: Source,
        cell_state: Source,
        weights: LstmWeights,
        *,
        cell_clip: float = 0.0,
        projection_clip: float = 0.0,
        intermediate_scales: Sequence[float] = (0.0, 0.0, 0.0, 0.0),
        hidden_state_scale: float = 0.0,
        hidden_state_zero_point: int = 0,
        name: str | None = None,
        backend: str | None = None,
    ) -> Layer:
        """Run one step of a long short-term memory cell in integers: Arm NN's QLstm.

        Parameters
        ----------
        x
            [N, I] of QASYMM_S8.
        output_state, cell_state
            [N, O] of QASYMM_S8, [N, C] of QSYMM_S16 in a power of two.
        weights
            They say what the cell is.
        cell_clip, projection_clip
            Bounds of the cell state and of the projection; 0 for none.
        intermediate_scales
            Of what layer normalisation of the input, forget, cell and output gate reads.
        hidden_state_scale, hidden_state_zero_point
            Of what the projection reads; 0: those of the output state.

        Returns
        -------
        Layer
            Three outputs: output state, cell state, and the output, which is the output state.

        Raises
        ------
        LayerValidationError
            The operands do not fit together.
        InvalidArgumentError
            The weights are no `LstmWeights`, or there are not 4 scales.
        """
        _check_weights(weights, "add_q_lstm")
        if not isinstance(intermediate_scales, Sequence) or len(intermediate_scales) != 4:
            raise InvalidArgumentError(
                f"add_q_lstm: intermediate_scales: {reprlib.repr(intermediate_scales)} given, "
                "4 scales expected",
                hints=["of the input, forget, cell and output gate, in this order"],
            )
        first, second, third, fourth = intermediate_scales
        descriptor = QLstmDescriptor(
            cell_clip=cell_clip,
            projection_clip=projection_clip,
            input_intermediate_scale=first,
            forget_intermediate_scale=second,
            cell_intermediate_scale=third,
            output_intermediate_scale=fourth,
            hidden_state_scale=hidden_state_scale,
            hidden_state_zero_point=hidden_state_zero_point,
            **weights.switches,
        )
        states = [x, output_state, cell_state]
        return self._add_cell(LayerType.QLSTM, states, weights, descriptor, None, name, backend)

    def _add_cell(
        self,
        layer_type: LayerType,
        states: Sequence[Source],
        weights: LstmWeights,
        descriptor: Any,
        output_infos: Sequence[TensorInfo] | None,
        name: str | None,
        backend: str | None,
    ) -> Layer:
        return self.add_layer(
            layer_type,
            [*states, *weights.operands],
            descriptor,
            output_infos=output_infos,
            name=name,
            backend=backend,
        )
