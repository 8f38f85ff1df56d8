# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Runs with all that callers may ask for, where the short way of `LoadedNetwork.run` fails."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeAlias

from armnn_py._native.log import drain_log
from armnn_py.errors import InvalidArgumentError, StagesNeededError
from armnn_py.errors.shortage import tells_shortage
from armnn_py.runtime.arrays.shared_outputs import guarded_views
from armnn_py.stopping import check_stops

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import numpy as np

    from armnn_py._native.table.backend_options import OptionValue
    from armnn_py.backends.options.run_options import RunOptions
    from armnn_py.runtime.arrays.binding import Binder
    from armnn_py.runtime.cancel import CancelToken
    from armnn_py.runtime.contexts.context_pool import ContextPool
    from armnn_py.runtime.contexts.plan_choice import PlanChoice
    from armnn_py.runtime.stages.staged_parts import StagedParts
    from armnn_py.runtime.stages.staged_runs import StagedRuns

Options: TypeAlias = Mapping[str, Mapping[str, "OptionValue"]]


class GeneralRuns:
    """Runs one inference, by a plan or in stages; arguments are those of `LoadedNetwork.run`.

    Parameters
    ----------
    binder
        Inputs and outputs of the network.
    pool
        Lends contexts.
    choice
        Finds the plan.
    parts
        Gets the parts of the network, if a run finds out that it has some.
    """

    __slots__ = ("_binder", "_choice", "_parts", "_pool")

    def __init__(
        self, binder: Binder, pool: ContextPool, choice: PlanChoice, parts: StagedParts
    ) -> None:
        self._binder = binder
        self._pool = pool
        self._choice = choice
        self._parts = parts

    @tells_shortage("run the network")
    def run(
        self,
        inputs: Any,
        outputs: Sequence[str] | None,
        out: Mapping[str, np.ndarray] | None,
        timeout: float | None,
        cancel: CancelToken | None,
        options: Options | None,
        checked: Callable[[Options], RunOptions],
        *,
        share_inputs: bool,
        share_outputs: bool,
    ) -> dict[str, np.ndarray]:
        """Run over what callers give; ``checked`` checks options of a network without parts."""
        if timeout is not None or cancel is not None:
            check_stops(timeout, cancel)
        if share_outputs and out is not None:
            raise InvalidArgumentError("pass out= or share_outputs=True, not both")
        if outputs is not None:
            self._binder.check_outputs(outputs)
        arrays = self._binder.bind(inputs, share=share_inputs)
        if self._parts.runs is not None:
            made = self._in_stages(
                self._parts.runs, arrays, out,
                timeout=timeout, cancel=cancel, share_inputs=share_inputs,
                share_outputs=share_outputs, options=options,
            )  # fmt: skip
            return made if outputs is None else {name: made[name] for name in outputs}
        run_options = None if options is None else checked(options)
        pool, choice = self._pool, self._choice
        given_out = out
        lease = pool.take()
        begin = 0.0
        try:
            if lease is None:
                if timeout is not None and pool.sequence is not None:
                    begin = time.monotonic()
                lease = pool.start(timeout=timeout, cancel=cancel)
            if out is not None:
                key = choice.ready_key(arrays)
                arrays, out = self._binder.bind_out(
                    out,
                    arrays,
                    lambda name: choice.output(name, key),
                    share=share_inputs,
                    in_place=lambda: choice.in_place(key),
                )
            context = lease.context
            if context is None:
                context = choice.borrow(lease, arrays, timeout, cancel)
            if share_outputs:
                context.set_key(tuple([array.shape for array in arrays]))
                out, token = context.arrays.lend()
            made = context.run(
                arrays,
                out,
                timeout=timeout,
                cancel=cancel,
                strict=share_inputs,
                options=run_options,
                begin=begin,
            )
            if share_outputs:
                made = guarded_views(made, token)
            return made if outputs is None else {name: made[name] for name in outputs}
        except StagesNeededError as found:
            stages = found.stages  # of the first run, if dimensions are free
        finally:
            if lease is not None:
                pool.give_back(lease)
            drain_log()
        self._parts.load(stages)
        return self.run(
            inputs, outputs, given_out, timeout, cancel, options, checked,
            share_inputs=share_inputs, share_outputs=share_outputs,
        )  # fmt: skip

    def _in_stages(
        self,
        stages: StagedRuns,
        arrays: list[np.ndarray],
        out: Mapping[str, np.ndarray] | None,
        *,
        timeout: float | None,
        cancel: CancelToken | None,
        share_inputs: bool,
        share_outputs: bool,
        options: Options | None,
    ) -> dict[str, np.ndarray]:
        """Run one part after another; a lease has `LoadedNetwork.close` wait."""
        if out is not None:
            infos = self._binder.outputs
            arrays, out = self._binder.bind_out(
                out, arrays, lambda name: infos[name], share=share_inputs
            )
        lease = self._pool.start(timeout=timeout, cancel=cancel)
        try:
            return stages.run(
                dict(zip(self._binder.inputs, arrays, strict=True)),
                out=out,
                timeout=timeout,
                cancel=cancel,
                share_inputs=share_inputs,
                share_outputs=share_outputs,
                options=options,
            )
        finally:
            self._pool.give_back(lease)
            drain_log()
