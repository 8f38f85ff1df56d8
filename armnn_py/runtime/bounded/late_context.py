# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""A context of a plan that serves many shapes: each run sets those of its inputs."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from armnn_py.errors import InvalidArgumentError
from armnn_py.runtime.contexts.execution_context import ExecutionContext
from armnn_py.tensors import MAX_DIMENSIONS

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    import numpy as np

    from armnn_py._native.plans.plan import PlanShapes
    from armnn_py.network import OutputSlot
    from armnn_py.runtime.bounded.late_tables import ShapeTable
    from armnn_py.runtime.contexts.plan_keys import PlanKey
    from armnn_py.runtime.plan.network_plan import NetworkPlan

__all__ = ["LateContext"]


class LateContext(ExecutionContext):
    """An arena for the bounds of all shapes."""

    __slots__ = ("_key", "_table", "_tables", "_told")

    def __init__(self, plan: NetworkPlan) -> None:
        super().__init__(plan)
        self._key: PlanKey | None = None
        self._tables = plan.shape_tables
        self._table: ShapeTable | None = None
        #: Sizes that layers have told in this run.
        self._told: dict[OutputSlot, tuple[int, ...]] = {}
        if plan.telling:
            self._may_call_python = True
            self.native.follow_told(self._shapes_behind)

    def set_key(self, key: PlanKey) -> None:
        """Let the next runs have inputs of these shapes.

        Raises
        ------
        InvalidArgumentError, LayerValidationError
            The network does not take them; the context stays as it is.
        """
        if key == self._key:
            return
        table = self._tables.find(key)
        self._key = None
        self.native.set_shapes(table.shapes)
        self.arrays.set_outputs(table.outputs.values())
        self._table, self._key = table, key

    def set_addresses(self, inputs: Iterable[np.ndarray], outputs: Iterable[np.ndarray]) -> None:
        """As for every context; not where a run tells the sizes of outputs."""
        if self.plan.telling:
            layer = next(iter(self.plan.telling.values()))
            raise InvalidArgumentError(
                f"network '{self.plan.network.name}': bind() needs outputs of known sizes, layer "
                f"'{layer.name}' tells sizes only when it runs",
                hints=["run() returns arrays of the sizes of each run"],
            )
        super().set_addresses(inputs, outputs)

    def _calls_python(self) -> bool:
        return bool(self.plan.telling) or super()._calls_python()

    def _shapes_behind(self, step: int, dims: Sequence[int]) -> PlanShapes:
        """The shapes behind a step that has told sizes."""
        assert self._key is not None
        for index, slot in enumerate(self.plan.telling[step].outputs):
            if slot in self._tables.told:
                begin = index * MAX_DIMENSIONS
                self._told[slot] = tuple(dims[begin + d] for d in range(slot.info.rank))
        self._table = self._tables.find(self._key, self._told)
        return self._table.shapes

    def run(
        self,
        inputs: Sequence[np.ndarray],
        out: Mapping[str, np.ndarray] | None,
        **options: Any,
    ) -> dict[str, np.ndarray]:
        """Run over arrays of any shapes up to the bounds."""
        self.set_key(tuple([array.shape for array in inputs]))
        if not self.plan.telling:
            return super().run(inputs, out, **options)
        self._told.clear()
        try:
            outputs = super().run(inputs, out, **options)
        finally:
            self._key = None  # the next run begins before anything is told
        assert self._table is not None
        return {
            name: _first(array, self._table.outputs[name].static_shape)
            for name, array in outputs.items()
        }


def _first(array: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    """The elements of a dense tensor that lies at the begin of an array."""
    return array if array.shape == shape else array.reshape(-1)[: math.prod(shape)].reshape(shape)
