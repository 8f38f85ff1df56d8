# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Random LSTM cells in integers, of any shape and with all that they can have."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

import armnn_py as ann
from armnn_py.backends.questions.recurrent_examples import lstm_shapes
from armnn_py.descriptors import LstmDescriptor, QLstmDescriptor
from armnn_py.types import DataType, LayerType

if TYPE_CHECKING:
    from numpy.typing import NDArray

S8, W8, S16, S32 = (
    DataType.QASYMM_S8, DataType.QSYMM_S8, DataType.QSYMM_S16, DataType.SIGNED32,
)  # fmt: skip
TANH = 4
# Types of the operands behind the states, as `lstm_shapes` has them.
KINDS = [W8] * 8 + [S16] * 3 + [S32] * 4 + [W8, S32] + [S16] * 4


class Cell:
    """Sizes and options that are drawn from ``seed``, unless they are given."""

    def __init__(self, seed: int, **given: Any) -> None:
        self.rng = np.random.default_rng(seed)
        rng = self.rng
        drawn: dict[str, Any] = {
            "step": rng.random() < 0.2,
            "time_major": rng.random() < 0.5,
            "steps": int(rng.integers(1, 9)),
            "batch": int(rng.choice([1, 1, 2, 3, 7, 17])),
            "size": int(rng.integers(1, 80)),
            "cells": int(rng.integers(1, 80)),
            "outputs": int(rng.integers(1, 70)) if rng.random() < 0.5 else None,
            "cifg": rng.random() < 0.5,
            "peephole": rng.random() < 0.5,
            "norm": rng.random() < 0.4,
            "projection_bias": rng.random() < 0.5,
            "cell_clip": float(rng.choice([0.0, 0.0, 0.3, 1.5, 100.0])),
            "projection_clip": float(rng.choice([0.0, 0.0, 0.2, 0.9])),
            "cell_exponent": int(rng.integers(-15, -8)),
            "has_hidden_scale": rng.random() < 0.7,
            "small": rng.random() < 0.5,  # sums in the middle of the functions
            "most_bias": int(rng.choice([9000, 2**31 - 2])),  # of a norm: sums in 32 bits or not
            "bias": None,  # of all gates
            "same": 0,  # all weights: then gates see 256 inputs and one state
            "weights_scale": 0.0,
            "hidden_scale": 0.0,
            "bias_type": S32,
            "activation": TANH,
            "computed": False,  # not constant: the weights of a gate
        }
        self.o = drawn | given
        self.network = ann.Network(f"cell {seed}")
        self.layer = self._add()
        for at, name in enumerate(("h", "c", "y")):
            self.network.add_output(name, self.layer.outputs[at])

    def _scale(self, low: float, high: float) -> float:
        return float(np.float32(np.exp(self.rng.uniform(np.log(low), np.log(high)))))

    def _constant(self, kind: DataType, shape: tuple[int, ...]) -> Any:
        rng = self.rng
        if kind == S32:
            most = self.o["most_bias"] if self.o["norm"] else 9000
            most = 0 if self.o["same"] else most
            dtype: Any = np.int32 if self.o["bias_type"] == S32 else np.int16
            info = ann.TensorInfo(shape, self.o["bias_type"])
            if dtype is np.int16:
                info = ann.TensorInfo(shape, S16, ann.QuantizationInfo((2.0**-12,)))
            biases = rng.integers(-most, most + 1, shape).astype(dtype)
            if self.o["bias"] is not None:
                biases[:] = self.o["bias"]
            return self.network.add_constant(biases, info=info)
        if self.o["same"]:
            info = ann.TensorInfo(shape, W8, ann.QuantizationInfo((2.0**-5,)))
            return self.network.add_constant(np.full(shape, self.o["same"], np.int8), info=info)
        most = 127 if kind == W8 else 32767
        values = np.clip(rng.standard_normal(shape) * most / 3, -most - 1, most)
        if kind == W8:
            scale = self._scale(0.0004, 0.004) if self.o["small"] else self._scale(0.004, 0.05)
        else:
            scale = self._scale(2.0**-16, 2.0**-13)
        scale = self.o["weights_scale"] or scale
        dtype = np.int8 if kind == W8 else np.int16
        # Symmetric numbers may say so by their zero point alone.
        stated = S8 if kind == W8 and rng.random() < 0.2 else kind
        info = ann.TensorInfo(shape, stated, ann.QuantizationInfo((scale,)))
        if kind == W8 and self.o["computed"]:
            return self.network.add_input(f"w{len(self.network.inputs)}", info)
        return self.network.add_constant(np.rint(values).astype(dtype), info=info)

    def _asymmetric(self, shape: tuple[int, ...], scale: float) -> ann.TensorInfo:
        most = 128 if self.rng.random() < 0.3 else 9
        point = int(self.rng.integers(-most, most))
        return ann.TensorInfo(shape, S8, ann.QuantizationInfo((scale,), (point,)))

    def _add(self) -> Any:
        o, network = self.o, self.network
        batch, cells = o["batch"], o["cells"]
        shown = cells if o["outputs"] is None else o["outputs"]
        lead: tuple[int, ...] = (batch, o["steps"])
        if o["step"]:
            lead = (batch,)
        elif o["time_major"]:
            lead = (o["steps"], batch)
        x = self._asymmetric((*lead, o["size"]), self._scale(0.005, 0.05))
        state = self._asymmetric((batch, shown), self._scale(0.004, 0.02))
        if o["same"]:  # a gate sees 256 times the input, and 1 to 256 of the state
            x = ann.TensorInfo(x.shape, S8, ann.QuantizationInfo((2.0**-5,), (0,)))
            state = ann.TensorInfo(state.shape, S8, ann.QuantizationInfo((2.0**-13,), (-128,)))
        cell = ann.TensorInfo(
            (batch, cells), S16, ann.QuantizationInfo((2.0 ** o["cell_exponent"],))
        )
        made = ann.TensorInfo((*lead, shown), S8, state.quantization)
        shapes = lstm_shapes(
            o["size"], cells, o["outputs"], cifg=o["cifg"], peephole=o["peephole"],
            norm=o["norm"], projection_bias=o["projection_bias"],
        )  # fmt: skip
        operands = [
            None if shape is None else self._constant(kind, shape)
            for kind, shape in zip(KINDS, shapes, strict=True)
        ]
        projects = o["outputs"] is not None
        hidden = projects or o["has_hidden_scale"]
        drawn_scale = self._scale(0.004, 0.02) if hidden else 0.0
        common: dict[str, Any] = {
            "cifg_enabled": o["cifg"], "peephole_enabled": o["peephole"],
            "projection_enabled": projects, "layer_norm_enabled": o["norm"],
            "hidden_state_scale": o["hidden_scale"] or drawn_scale,
            "hidden_state_zero_point": int(self.rng.integers(-20, 20)) if hidden else 0,
        }  # fmt: skip
        for gate in ("input", "forget", "cell", "output"):
            common[f"{gate}_intermediate_scale"] = self._scale(0.0002, 0.002)
        infos = [
            network.add_input("x", x),
            network.add_input("h0", state),
            network.add_input("c0", cell),
        ]
        if o["step"]:
            step = QLstmDescriptor(
                cell_clip=o["cell_clip"], projection_clip=o["projection_clip"], **common
            )
            kind, descriptor = LayerType.QLSTM, step
        else:
            kind = LayerType.UNIDIRECTIONAL_SEQUENCE_LSTM
            descriptor = LstmDescriptor(
                activation_function=o["activation"], clipping_threshold_cell=o["cell_clip"],
                clipping_threshold_projection=o["projection_clip"], time_major=o["time_major"],
                **common,
            )  # fmt: skip
        return network.add_layer(
            kind, [*infos, *operands], descriptor, output_infos=[state, cell, made]
        )

    def values(self) -> dict[str, NDArray[Any]]:
        """Of all inputs, their ends more often than by chance."""
        found = {}
        for name, info in self.network.inputs.items():
            ends = np.iinfo(info.dtype)
            given = self.rng.integers(ends.min, ends.max + 1, info.static_shape)
            extreme = self.rng.choice([ends.min, ends.max], info.static_shape)
            few = self.rng.random(info.static_shape) < 0.1
            found[name] = np.where(few, extreme, given).astype(info.dtype)
        return found
