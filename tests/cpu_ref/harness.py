# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""One layer of CpuRef on arrays, with its descriptor and infos as the C interface has them.

The kit runs its cases between guards, with chunks of every size and in place of inputs; here the
numbers and the reasons of refusals count.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

import armnn_py as ann
from armnn_py._native import abi
from armnn_py._native.layers.layer_structs import descriptor_struct
from armnn_py._native.layers.read_layers import descriptor_from_struct
from armnn_py._native.layers.read_tensors import read_tensor_info
from armnn_py._native.memory.read_memory import NonsenseError
from armnn_py.backends.questions.layer_support import LayerSignature, LayerSupport, never_shown
from armnn_py.descriptors import Descriptor
from armnn_py.descriptors.canonical import canonical_form
from armnn_py.errors import LayerValidationError
from armnn_py.network import shapes
from armnn_py.optimizer import AS_IT_IS
from armnn_py.types import LayerType
from armnn_py.types.facts import FACTS

NUMPY_TO_DATA_TYPE = {
    np.dtype(np.float16): abi.ARMNN_DATA_TYPE_FLOAT16,
    np.dtype(np.float32): abi.ARMNN_DATA_TYPE_FLOAT32,
    np.dtype(np.int32): abi.ARMNN_DATA_TYPE_SIGNED32,
    np.dtype(np.bool_): abi.ARMNN_DATA_TYPE_BOOLEAN,
    np.dtype(np.int64): abi.ARMNN_DATA_TYPE_SIGNED64,
    np.dtype(np.uint8): abi.ARMNN_DATA_TYPE_QASYMM_U8,
    np.dtype(np.int8): abi.ARMNN_DATA_TYPE_QASYMM_S8,
    np.dtype(np.int16): abi.ARMNN_DATA_TYPE_QSYMM_S16,
}


@dataclass
class Tensor:
    """A tensor and its quantisation; ``data_type`` overrules what the array's type implies.

    TensorFlow Lite gets a ``constant`` one with the model.
    """

    array: np.ndarray
    scales: Sequence[float] = ()
    zero_points: Sequence[int] = ()
    axis: int = 0
    data_type: int | None = None
    constant: bool = False

    @property
    def real(self) -> np.ndarray:
        """The values that the elements stand for, in float64."""
        shape = [1] * self.array.ndim
        if len(self.scales) > 1:
            shape[self.axis] = -1
        scales = np.asarray(self.scales, np.float32).astype(np.float64).reshape(shape)
        points = np.asarray(self.zero_points or [0] * len(self.scales), np.float64).reshape(shape)
        return scales * (self.array.astype(np.float64) - points)

    @property
    def info(self) -> abi.armnn_tensor_info_t:
        """The C form of shape, type and quantisation."""
        info = tensor_info(self.array.shape, self.array.dtype, data_type=self.data_type)
        # A bias of 64 bits has a scale in TensorFlow Lite alone.
        count = 0 if self.array.dtype == np.int64 else len(self.scales)
        if count:
            points = list(self.zero_points) or [0] * count
            info.scales = (ctypes.c_float * count)(*self.scales)
            info.zero_points = (ctypes.c_int32 * count)(*points)
            info.quantization_count = count
            info.quantization_dim = self.axis if count > 1 else -1
        return info


def tensor_info(
    shape: Sequence[int], dtype: Any, *, data_type: int | None = None
) -> abi.armnn_tensor_info_t:
    """The C form of a shape and a type; ``data_type`` overrules what ``dtype`` implies."""
    info = abi.armnn_tensor_info_t()
    info.header = abi.armnn_header_t(ctypes.sizeof(info), abi.ARMNN_STRUCT_TENSOR_INFO)
    info.data_type = NUMPY_TO_DATA_TYPE[np.dtype(dtype)] if data_type is None else data_type
    info.dimensionality = (
        abi.ARMNN_DIMENSIONALITY_SPECIFIED if len(shape) else abi.ARMNN_DIMENSIONALITY_SCALAR
    )
    info.rank = len(shape)
    info.dim_known_mask = (1 << len(shape)) - 1
    count = 1
    for index, side in enumerate(shape):
        info.dims[index] = side
        count *= side
    info.element_count = count & 0xFFFF_FFFF_FFFF_FFFF
    info.quantization_dim = -1
    return info


def descriptor(
    structure: type[ctypes.Structure], layer_type: int, **values: Any
) -> ctypes.Structure:
    """A descriptor with the given members, sequences becoming arrays; the others are zero."""
    result = structure()
    result.header = abi.armnn_header_t(
        ctypes.sizeof(structure), abi.ARMNN_STRUCT_DESCRIPTOR + layer_type
    )
    names = {name for name, *_ in structure._fields_}
    for name, value in values.items():
        assert name in names, f"{structure.__name__} has no member {name}"
        if isinstance(value, (list, tuple)):
            for index, item in enumerate(value):
                getattr(result, name)[index] = item
        else:
            setattr(result, name, value)
    return result


def shown_form(
    layer_type: LayerType, parameters: Descriptor | None = None
) -> tuple[int, ctypes.Structure | None]:
    """The type and the descriptor in C as which backends see a layer of any of Arm NN's types."""
    kind, form = canonical_form(layer_type, parameters)
    return int(kind), descriptor_struct(kind, form)


def _signature(
    layer_type: int, form: ctypes.Structure | None, inputs: Sequence[Any], outputs: Sequence[Any]
) -> LayerSignature:
    """The layer as Python has it; tensors are infos in C or (shape, dtype)."""
    kind = LayerType(layer_type)
    read, stated = (
        [
            None
            if info is None
            else read_tensor_info(
                ctypes.byref(tensor_info(*info) if isinstance(info, tuple) else info),
                f"{what} {index}",
            )
            for index, info in enumerate(infos)
        ]
        for what, infos in (("input", inputs), ("output", outputs))
    )
    viewed = stated if kind is LayerType.CONCAT else read
    rank = viewed[0].rank if viewed and viewed[0] is not None else 0
    header = None if form is None else ctypes.byref(form)
    parameters = descriptor_from_struct(kind, header, "the descriptor", view_rank=rank)
    known = (False,) * len(read)
    return LayerSignature(kind, parameters, tuple(read), tuple(filter(None, stated)), known)


def host_refusal(*layer: Any) -> str | None:
    """Why the host does not show such a layer to any backend, or None: as in ``backend_api.h``."""
    try:
        kind = LayerType(layer[0])
        canonical = FACTS[kind].canonical
        if canonical is not None:
            return f"{kind.label} is shown as {canonical.label}"
        made = _signature(*layer)
        shapes.infer(kind, made.descriptor, made.inputs, outputs=made.outputs)
        return never_shown(kind, made.descriptor) or None
    except NonsenseError as error:
        return str(error)
    except LayerValidationError as error:
        return error.message


class Layers:
    """CpuRef under test."""

    def __init__(self, runtime: ann.Runtime, support: LayerSupport) -> None:
        self.runtime, self.support = runtime, support

    def run(
        self,
        layer_type: int,
        form: ctypes.Structure | None,
        inputs: Sequence[np.ndarray | Tensor | None],
        outputs: Sequence[tuple[Sequence[int], Any] | Tensor],
    ) -> list[np.ndarray]:
        """The outputs of one layer."""
        given = [x if x is None or isinstance(x, Tensor) else Tensor(x) for x in inputs]
        targets = [x if isinstance(x, Tensor) else Tensor(np.empty(*x)) for x in outputs]
        layer = _signature(
            layer_type, form, [x and x.info for x in given], [x.info for x in targets]
        )
        network = ann.Network()
        sources = [
            info and network.add_input(f"x{index}", info) for index, info in enumerate(layer.inputs)
        ]
        made = network.add_layer(layer.type, sources, layer.descriptor, output_infos=layer.outputs)
        for index, slot in enumerate(made.outputs):
            network.add_output(f"y{index}", slot)
        placed = ann.optimize(network, ["CpuRef"], runtime=self.runtime, options=AS_IT_IS)
        with self.runtime.load_network(placed) as loaded:
            arrays = {f"x{index}": x.array for index, x in enumerate(given) if x is not None}
            return [np.array(y) for y in loaded.run(arrays).values()]

    def supports(self, *layer: Any) -> str | None:
        """The reason of CpuRef against a layer that no host has checked, or None."""
        return self.support.ask(_signature(*layer)).reason or None

    def refusal(self, *layer: Any) -> str | None:
        """The reason of the host or of CpuRef against a layer, or None."""
        return host_refusal(*layer) or self.supports(*layer)
