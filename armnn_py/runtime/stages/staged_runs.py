# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Runs of a network whose parts run one after another, because data decide shapes."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import zip_longest
from typing import TYPE_CHECKING, Any

import numpy as np

from armnn_py.errors import ExecutionTimeoutError, InvalidArgumentError
from armnn_py.network import as_network
from armnn_py.runtime.arrays.external_arrays import plain_array, shown
from armnn_py.runtime.profile.open_profiles import LOCK, flush_profiles, open_profiles
from armnn_py.runtime.profile.profile_stages import FunctionRun, StagedRun
from armnn_py.runtime.stages.bodies import Bodies
from armnn_py.tensors import format_shape

if TYPE_CHECKING:
    from armnn_py._native.table.backend_options import OptionValue
    from armnn_py.network import Network, RunBody, Stage
    from armnn_py.runtime.cancel import CancelToken
    from armnn_py.runtime.profile.profile_stages import InStages
    from armnn_py.runtime.stages.bodies import Part


def _is_part_of(array: np.ndarray, others: Iterable[np.ndarray]) -> bool:
    return any(np.may_share_memory(array, other) for other in others)


class StagedRuns:
    """The loaded parts of a network.

    Arrays that one part hands to the next are views of its memory, where no caller gets them, and
    are dropped after their last reader.

    Parameters
    ----------
    name
        Name of the whole network, for errors.
    stages
        The parts, in order.
    outputs
        Names of the outputs of the whole network.
    load
        Loads the network of one part.

    Attributes
    ----------
    stages
        The parts, in order.

    Raises
    ------
    InvalidArgumentError
        No part makes an output.
    """

    def __init__(
        self,
        name: str,
        stages: Sequence[Stage],
        outputs: Sequence[str],
        load: Callable[[Network], Part],
    ) -> None:
        made = {name for stage in stages for name in stage.outputs}
        missing = [name for name in outputs if name not in made]
        if missing:
            raise InvalidArgumentError(
                f"output '{missing[0]}': the network runs in stages, which do not make it",
                details=[f"outputs: {', '.join(name for name in outputs if name in made)}"],
                hints=["extra_outputs= takes tensors by their names in the model file, not layers"],
            )
        self._name = name
        self._outputs = tuple(outputs)
        self.stages = tuple(stages)
        self._loaded: list[Part | None] = []
        #: Of each part: the networks that its function runs.
        self._bodies: list[dict[str, Part]] = []
        try:
            for stage in stages:
                network = stage.network
                self._loaded.append(None if network is None else load(as_network(network)))
                bodies: dict[str, Part] = {}
                self._bodies.append(bodies)
                for name, body in stage.bodies.items():
                    bodies[name] = load(as_network(body))
        except BaseException:
            for part in self.parts:
                part.close()
            raise
        kept = set(outputs)
        #: For each part: values without later readers.
        self._done: list[set[str]] = [set() for _ in stages]
        for stage, done in zip(reversed(stages), reversed(self._done), strict=True):
            done |= {name for name in (*stage.inputs, *stage.outputs) if name not in kept}
            kept |= done

    def __len__(self) -> int:
        return len(self.stages)

    @property
    def parts(self) -> Iterator[Part]:
        """The parts that are networks, in order, and the networks that other parts run."""
        for _, _, part in self.numbered_parts:
            yield part

    @property
    def numbered_parts(self) -> Iterator[tuple[int, str, Part]]:
        """The same with the number of the stage, from 1, and the name of a network that it runs."""
        both = zip_longest(self._loaded, self._bodies, fillvalue=None)
        for number, (part, bodies) in enumerate(both, 1):
            if part is not None:
                yield number, "", part
            for name, body in (bodies or {}).items():
                yield number, name, body

    def run(
        self,
        inputs: Mapping[str, np.ndarray],
        *,
        out: Mapping[str, np.ndarray] | None = None,
        timeout: float | None = None,
        cancel: CancelToken | None = None,
        share_inputs: bool = False,
        share_outputs: bool = False,
        options: Mapping[str, Mapping[str, OptionValue]] | None = None,
    ) -> dict[str, np.ndarray]:
        """Run the parts; see `LoadedNetwork.run`.

        Parameters
        ----------
        inputs
            Checked arrays by name.
        out, timeout, cancel, share_inputs, share_outputs, options
            As `LoadedNetwork.run` takes them; parts without an input of the whole network share
            nothing that they did not make themselves.
        """
        times = StageTimes(self) if open_profiles else None
        try:
            return self._run(
                inputs, times, out=out, timeout=timeout, cancel=cancel, options=options,
                share_inputs=share_inputs, share_outputs=share_outputs,
            )  # fmt: skip
        except ExecutionTimeoutError as error:
            if timeout is None:
                raise
            raise ExecutionTimeoutError(  # of a part, which had what was left of the time
                f"network '{self._name}': not done after {timeout:g} s: timeout",
                layer=error.layer,
                backend=error.backend,
                kernel=error.kernel,
                status=error.status,
                details=error.details or [error.message],
            ) from error
        finally:
            if times is not None:
                times.end()

    def _run(
        self,
        inputs: Mapping[str, np.ndarray],
        times: StageTimes | None,
        *,
        out: Mapping[str, np.ndarray] | None,
        timeout: float | None,
        cancel: CancelToken | None,
        share_inputs: bool,
        share_outputs: bool,
        options: Mapping[str, Mapping[str, OptionValue]] | None,
    ) -> dict[str, np.ndarray]:
        end = None if timeout is None else time.monotonic() + timeout
        arrays: dict[str, np.ndarray] = dict(inputs)
        given = {} if out is None else dict(out)
        for number, (stage, part, bodies, done) in enumerate(
            zip(self.stages, self._loaded, self._bodies, self._done, strict=True), 1
        ):
            read = {name: arrays[name] for name in stage.inputs}
            if part is None:
                run = Bodies(bodies, self._name, end, cancel, options)
                read = {name: plain_array("input", name, array) for name, array in read.items()}
                begin = 0 if times is None else time.monotonic_ns()
                try:
                    made = self._computed(stage, read, run, given)
                finally:
                    if times is not None:
                        times.add(number, begin)
            else:
                wanted = {name: given[name] for name in stage.outputs if name in given}
                is_inner = not wanted and not any(name in self._outputs for name in stage.outputs)
                made = part.run(
                    read,
                    out=wanted or None,
                    timeout=None if end is None else max(0.0, end - time.monotonic()),
                    cancel=cancel,
                    share_inputs=share_inputs and all(name in inputs for name in stage.inputs),
                    share_outputs=is_inner or (share_outputs and not wanted),
                    options=options,
                )
            # A result in external memory stays an array for the next stages.
            arrays |= {name: given.get(name, array) for name, array in made.items()}
            for name in done:
                arrays.pop(name, None)
        return {name: shown(arrays[name]) for name in self._outputs}

    @staticmethod
    def _computed(
        stage: Stage,
        read: Mapping[str, np.ndarray],
        run: RunBody,
        given: Mapping[str, np.ndarray],
    ) -> dict[str, np.ndarray]:
        """Compute a part without a network; results go to the caller's arrays."""
        assert stage.compute is not None
        made: dict[str, Any] = {}
        computed = stage.compute(read, run)
        for name in stage.outputs:
            array = computed[name]
            target = plain_array("output", name, given.get(name))
            if target is None:
                is_own = array.flags.writeable and not _is_part_of(
                    array, (*read.values(), *made.values())
                )
                made[name] = array if is_own else array.copy()
                continue
            if target.shape != array.shape or target.dtype != array.dtype:
                raise InvalidArgumentError(
                    f"output '{name}': {target.dtype} of shape {format_shape(target.shape)} given, "
                    f"{array.dtype} of shape {format_shape(array.shape)} computed",
                    hints=["data decide the shape: leave the output out of out="],
                )
            target[...] = array
            made[name] = target
        return made


class StageTimes:
    """Takes the times of one run of a network in stages, for the profiles that are open."""

    __slots__ = ("_begin", "_functions", "_network")

    def __init__(self, network: InStages) -> None:
        self._network = network
        self._functions: list[FunctionRun] = []
        self._begin = time.monotonic_ns()

    def add(self, number: int, begin: int) -> None:
        """Note that the function of a stage, counted from 1, has run since ``begin``."""
        stage = self._network.stages[number - 1]
        self._functions.append(FunctionRun(number, stage, begin, time.monotonic_ns() - begin))

    def end(self) -> None:
        """Tell the profiles; those of the whole network count all that was recorded."""
        duration = time.monotonic_ns() - self._begin
        run = StagedRun(
            self._network, threading.get_ident(), self._begin, duration, tuple(self._functions)
        )
        with LOCK:
            is_whole = [profile._stages.add(run) for profile in open_profiles]
        if any(is_whole):
            flush_profiles()  # a run may have many turns, and the buffer is bounded
