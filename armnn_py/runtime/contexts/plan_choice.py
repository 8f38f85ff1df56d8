# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Which plan of a loaded network serves the inputs of a call."""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping, Sequence
from typing import TYPE_CHECKING, TypeVar

from armnn_py.errors import InputValuesNeededError, InvalidArgumentError
from armnn_py.runtime.bounded.bounded_plan import make_plan
from armnn_py.runtime.bounded.bounded_sizes import read_bounds, read_point
from armnn_py.runtime.contexts.plan_keys import plan_key
from armnn_py.runtime.plan.network_plan import NetworkPlan
from armnn_py.runtime.threads import limited_threads

if TYPE_CHECKING:
    import numpy as np

    from armnn_py.optimizer import OptimizedNetwork
    from armnn_py.runtime.arrays.binding import Binder
    from armnn_py.runtime.bounded.bounded_sizes import Bounds
    from armnn_py.runtime.cancel import CancelToken
    from armnn_py.runtime.contexts.context_pool import ContextPool
    from armnn_py.runtime.contexts.execution_context import ExecutionContext
    from armnn_py.runtime.contexts.plan_cache import Lease
    from armnn_py.runtime.contexts.plan_keys import PlanKey
    from armnn_py.runtime.debug_hook import DebugHook
    from armnn_py.tensors import TensorInfo

_Used = TypeVar("_Used")


def maker_of_the_plan(
    optimized: OptimizedNetwork, network_id: int, debug: DebugHook, threads: int | None
) -> Callable[[PlanKey], NetworkPlan]:
    """Make the plan of a network whose inputs have known shapes, as `plan_maker` does of others.

    Without a reference to the loaded network, too.
    """

    def plan_of(_key: PlanKey) -> NetworkPlan:
        with limited_threads(threads):
            layers = optimized.contents.layers
            if any(slot.info.bounded for layer in layers for slot in layer.outputs):
                return make_plan(optimized, network_id, debug)
            return NetworkPlan(optimized, network_id, debug)

    return plan_of


class PlanChoice:
    """Finds the plan for arrays: the one that there is, or that of their shapes.

    With free dimensions each set of shapes has a plan, and so has each value of an input whose
    values decide shapes; or one plan serves them all.

    Parameters
    ----------
    optimized
        The network.
    binder
        Its inputs and outputs.
    pool
        Where the plans are; it gets the plan of a network that has only one.
    has_bounded_plan
        Whether the pool makes one plan for all shapes.

    Attributes
    ----------
    only_key
        The key of the one plan, where that serves all shapes.
    static_key
        The shapes of the inputs; None: there are free dimensions.
    """

    __slots__ = ("_binder", "_optimized", "_pool", "only_key", "static_key")

    def __init__(
        self,
        optimized: OptimizedNetwork,
        binder: Binder,
        pool: ContextPool,
        *,
        has_bounded_plan: bool,
    ) -> None:
        self._optimized = optimized
        self._binder = binder
        self._pool = pool
        self.only_key: PlanKey | None = None
        self.static_key: PlanKey | None = None
        if not optimized.is_dynamic:
            self.static_key = tuple([info.static_shape for info in optimized.inputs.values()])
            pool.fix(self.static_key)
        elif has_bounded_plan:
            self.only_key = ()
            pool.fix(self.only_key)

    @property
    def depends_on_values(self) -> bool:
        """Whether values of inputs decide which plan serves them."""
        return bool(self._optimized.value_inputs)

    def key_in_pool(self, key: PlanKey) -> PlanKey:
        """The key by which the pool has the plan for a key of `ready_key`."""
        return key if self.only_key is None else self.only_key

    def output(self, name: str, key: PlanKey) -> TensorInfo:
        """The info of an output for a key of `ready_key`, free dimensions bound."""
        if self.static_key is not None:
            return self._binder.outputs[name]
        if self.only_key is not None:
            return self._pool.plan(self.only_key).shape_tables.find(key).outputs[name]
        return self._pool.plan(key).network.outputs[name]

    def in_place(self, key: PlanKey) -> Container[tuple[int, int]]:
        """Pairs of an input and an output that may be one array, for a key of `ready_key`."""
        return self._pool.plan(self.key_in_pool(key)).in_place

    def ready_key(self, arrays: Sequence[np.ndarray]) -> PlanKey:
        """The shapes of these inputs; with a plan for each set of them: the key of their plan."""
        if self.static_key is not None or self.only_key is not None:
            return tuple([array.shape for array in arrays])

        def plan(key: PlanKey) -> PlanKey:
            self._pool.plan(key)
            return key

        return self._with_plan(arrays, plan)

    def borrow(
        self,
        lease: Lease,
        arrays: Sequence[np.ndarray],
        timeout: float | None,
        cancel: CancelToken | None,
    ) -> ExecutionContext:
        """Give a lease a context for these inputs."""
        return self._with_plan(
            arrays, lambda key: self._pool.borrow(lease, key, timeout=timeout, cancel=cancel)
        )

    def _with_plan(self, arrays: Sequence[np.ndarray], use: Callable[[PlanKey], _Used]) -> _Used:
        """Call ``use`` with the key of the plan for these inputs."""
        while True:
            known = len(self._optimized.value_inputs)
            try:
                return use(self._key_of(arrays))
            except InputValuesNeededError:
                # The first time that values of an input turn out to decide shapes.
                if len(self._optimized.value_inputs) == known:
                    raise

    def _key_of(self, arrays: Sequence[np.ndarray]) -> PlanKey:
        if self.only_key is not None:
            return self.only_key
        return plan_key(arrays, self._binder.inputs, self._optimized.value_inputs)

    def fixed(self, arrays: list[np.ndarray]) -> list[np.ndarray]:
        """Arrays for many runs: those whose values decide shapes can be written no more."""
        fixed = self._optimized.value_inputs
        if fixed:
            for index, name in enumerate(self._binder.inputs):
                if name in fixed:
                    arrays[index] = arrays[index].copy()
                    arrays[index].flags.writeable = False
        return arrays

    def prepare(self, shapes: Bounds | Sequence[Bounds]) -> None:
        """Make the plans for these shapes, see `LoadedNetwork.prepare`."""
        wanted = [shapes] if isinstance(shapes, Mapping) else list(shapes)
        infos = self._binder.inputs

        for one in wanted:
            sizes = read_bounds(infos, one, what="shapes")
            dims = {name: list(info.shape) for name, info in infos.items()}
            for size in sizes:
                for name, axis in size.places:
                    dims[name][axis] = size.bound
            found = {name: tuple(shape) for name, shape in dims.items()}
            read_point(sizes, found)  # type: ignore[arg-type]
            if self.static_key is not None or self.only_key is not None:
                continue
            if self._optimized.value_inputs:
                raise InvalidArgumentError(
                    f"network '{self._binder.name}': values of inputs decide shapes",
                    details=[f"inputs: {', '.join(self._optimized.value_inputs)}"],
                    hints=["run() makes the plan for the values that it gets"],
                )
            lease = self._pool.start(waits=False)
            try:
                self._pool.plan(tuple(found.values()))  # type: ignore[arg-type]
            finally:
                self._pool.give_back(lease)
