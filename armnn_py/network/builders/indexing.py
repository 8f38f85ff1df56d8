# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Builders of layers that pick and change by index."""

from __future__ import annotations

from armnn_py.descriptors import GatherDescriptor, ScatterNdDescriptor
from armnn_py.network.core import NetworkCore
from armnn_py.network.layer import Layer, Source
from armnn_py.types import LayerType, ScatterNdFunction

__all__ = ["IndexingBuilders"]


class IndexingBuilders(NetworkCore):
    """Layers that take indices; ``name=`` and ``backend=`` as everywhere."""

    __slots__ = ()

    def add_gather(
        self,
        params: Source,
        indices: Source,
        axis: int = 0,
        *,
        name: str | None = None,
        backend: str | None = None,
    ) -> Layer:
        """Pick slices by index, as numpy.take: Arm NN's Gather.

        Parameters
        ----------
        params
            What is picked from.
        indices
            ``SIGNED32`` or ``SIGNED64`` of any shape; negative ones count from the end.
        axis
            Along which the indices count.

        Returns
        -------
        Layer
            One output, in whose shape that of the indices replaces ``axis``.

        Raises
        ------
        LayerValidationError
            Indices are no integers, or constant ones lie outside; there is no such axis.
        """
        descriptor = GatherDescriptor(axis)
        return self._add(LayerType.GATHER, [params, indices], descriptor, None, name, backend)

    def add_gather_nd(
        self,
        params: Source,
        indices: Source,
        *,
        name: str | None = None,
        backend: str | None = None,
    ) -> Layer:
        """Pick slices by index vectors: TensorFlow's gather_nd, Arm NN's GatherNd.

        Parameters
        ----------
        params
            What is picked from.
        indices
            ``SIGNED32`` or ``SIGNED64``, [..., k], one index for each of the first k dimensions.

        Returns
        -------
        Layer
            One output of ``indices.shape[:-1] + params.shape[k:]``.

        Raises
        ------
        LayerValidationError
            Indices are no integers, too many, or constant ones lie outside.
        """
        return self._add(LayerType.GATHER_ND, [params, indices], None, None, name, backend)

    def add_scatter_nd(
        self,
        x: Source,
        indices: Source,
        updates: Source,
        function: ScatterNdFunction = ScatterNdFunction.UPDATE,
        *,
        name: str | None = None,
        backend: str | None = None,
    ) -> Layer:
        """Change slices of a tensor: TensorFlow's tensor_scatter_nd_*, Arm NN's ScatterNd.

        Parameters
        ----------
        x
            What is changed.
        indices
            ``SIGNED32`` or ``SIGNED64``, [..., k].
        updates
            ``indices.shape[:-1] + x.shape[k:]``.
        function
            How an update joins the value in its place.

        Returns
        -------
        Layer
            One output like ``x``.

        Raises
        ------
        LayerValidationError
            The operands do not fit together.
        """
        descriptor = ScatterNdDescriptor(function)
        return self._add(
            LayerType.SCATTER_ND, [x, indices, updates], descriptor, None, name, backend
        )
