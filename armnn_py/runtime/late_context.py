# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""A context of a plan that serves many shapes: each run sets those of its inputs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from armnn_py.runtime.buffers import Room
from armnn_py.runtime.execution_context import ExecutionContext
from armnn_py.tensors.memory import ALIGNMENT

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy as np

    from armnn_py.runtime.late_tables import Key
    from armnn_py.runtime.network_plan import NetworkPlan

__all__ = ["LateContext"]

class LateContext(ExecutionContext):
    """An arena for the bounds of all shapes."""

    __slots__ = ("_key", "_tables")

    def __init__(self, plan: NetworkPlan) -> None:
        super().__init__(plan)
        self._key: Key | None = None
        self._tables = plan.shape_tables

    def set_key(self, key: Key) -> None:
        """Let the next runs have inputs of these shapes.

        Raises
        ------
        InvalidArgumentError, LayerValidationError
            The network does not take them; the context stays as it is.
        """
        table = self._tables.find(key)
        self._key = None
        self._native.set_shapes(table.shapes)
        self._output_specs = [
            (name, alignment, Room(info.static_shape, info.dtype, max(ALIGNMENT, alignment)))
            for (name, alignment, _), info in zip(
                self._output_specs, table.outputs.values(), strict=True
            )
        ]
        self._own_outputs = None
        self._key = key

    def run(
        self,
        inputs: Sequence[np.ndarray],
        out: Mapping[str, np.ndarray] | None,
        **options: Any,
    ) -> dict[str, np.ndarray]:
        """Run over arrays of any shapes up to the bounds."""
        key = tuple([array.shape for array in inputs])
        if key != self._key:
            self.set_key(key)
        return super().run(inputs, out, **options)
