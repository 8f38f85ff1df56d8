# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Builders of reductions, products, normalisations, and what tells of a shape."""

from __future__ import annotations

from collections.abc import Sequence

from armnn_py.descriptors import (
    ArgMinMaxDescriptor,
    BatchMatMulDescriptor,
    MeanDescriptor,
    ReduceDescriptor,
)
from armnn_py.network.builders.arguments import integers
from armnn_py.network.core import NetworkCore
from armnn_py.network.layer import Layer, Source
from armnn_py.tensors import TensorInfo
from armnn_py.types import (
    ArgMinMaxFunction,
    DataType,
    LayerType,
    ReduceOperation,
)

__all__ = ["ReductionBuilders"]


class ReductionBuilders(NetworkCore):
    """Layers that join elements; ``name=``, ``backend=`` and ``output_info=`` as everywhere."""

    __slots__ = ()

    def add_reduce(
        self,
        x: Source,
        operation: ReduceOperation,
        axes: Sequence[int] = (),
        *,
        keep_dims: bool = False,
        output_info: TensorInfo | None = None,
        name: str | None = None,
        backend: str | None = None,
    ) -> Layer:
        """Reduce dimensions, as numpy's sum, max, mean, min and prod: Arm NN's Reduce.

        Parameters
        ----------
        x
            Numbers of any shape.
        operation
            What is made of the elements.
        axes
            Which dimensions; none means all, negative ones count from the end.
        keep_dims
            Whether reduced dimensions stay, with size 1.

        Returns
        -------
        Layer
            One output of the input's type.

        Raises
        ------
        LayerValidationError
            There is no such axis, or it is named twice.
        InvalidArgumentError
            The operation is none.
        """
        descriptor = ReduceDescriptor(operation, keep_dims, integers(axes, "axes"))
        return self._add(LayerType.REDUCE, [x], descriptor, output_info, name, backend)

    def add_mean(
        self,
        x: Source,
        axes: Sequence[int] = (),
        *,
        keep_dims: bool = False,
        output_info: TensorInfo | None = None,
        name: str | None = None,
        backend: str | None = None,
    ) -> Layer:
        """Average dimensions, as numpy.mean: Arm NN's Mean.

        Parameters
        ----------
        x
            Numbers of any shape.
        axes, keep_dims
            As in `add_reduce`.

        Returns
        -------
        Layer
            One output of the input's type.

        Raises
        ------
        LayerValidationError
            There is no such axis, or it is named twice.
        """
        descriptor = MeanDescriptor(keep_dims, integers(axes, "axes"))
        return self._add(LayerType.MEAN, [x], descriptor, output_info, name, backend)

    def add_arg_min_max(
        self,
        x: Source,
        function: ArgMinMaxFunction,
        axis: int = -1,
        output_type: DataType = DataType.SIGNED32,
        *,
        name: str | None = None,
        backend: str | None = None,
    ) -> Layer:
        """Find the place of an extreme, as numpy.argmin and argmax: Arm NN's ArgMinMax.

        Parameters
        ----------
        x
            Numbers of any shape.
        function
            Least or greatest; ties go to the lower index.
        axis
            The dimension that is searched, and vanishes.
        output_type
            ``SIGNED32`` or ``SIGNED64``.

        Returns
        -------
        Layer
            One output of indices.

        Raises
        ------
        LayerValidationError
            There is no such axis, or it is empty.
        InvalidArgumentError
            The output type is none of the two.
        """
        descriptor = ArgMinMaxDescriptor(function, axis, output_type)
        return self._add(LayerType.ARG_MIN_MAX, [x], descriptor, None, name, backend)

    def add_batch_mat_mul(
        self,
        x: Source,
        y: Source,
        *,
        transpose_x: bool = False,
        transpose_y: bool = False,
        output_info: TensorInfo | None = None,
        name: str | None = None,
        backend: str | None = None,
    ) -> Layer:
        """Multiply matrices, as numpy.matmul: Arm NN's BatchMatMul.

        Parameters
        ----------
        x, y
            [..., M, K] and [..., K, N] of one type; the leading dimensions broadcast.
        transpose_x, transpose_y
            Whether the last two dimensions of an operand are swapped first.

        Returns
        -------
        Layer
            One output of [..., M, N].

        Raises
        ------
        LayerValidationError
            The matrices do not multiply.
        """
        descriptor = BatchMatMulDescriptor(transpose_x, transpose_y)
        return self._add(LayerType.BATCH_MAT_MUL, [x, y], descriptor, output_info, name, backend)

    def add_rank(self, x: Source, *, name: str | None = None, backend: str | None = None) -> Layer:
        """Add the number of dimensions, a ``SIGNED32`` scalar: Arm NN's Rank."""
        return self._add(LayerType.RANK, [x], None, None, name, backend)

    def add_shape(self, x: Source, *, name: str | None = None, backend: str | None = None) -> Layer:
        """Add the dimensions, ``SIGNED32`` of [rank]: Arm NN's Shape."""
        return self._add(LayerType.SHAPE, [x], None, None, name, backend)
