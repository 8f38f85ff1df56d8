# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The checks of one layer of a user's network, each time that it is executed."""

from __future__ import annotations

import contextlib
import itertools
import logging
from typing import TYPE_CHECKING, Any

import numpy as np

from armnn_py._native.process.noted_calls import noted_block
from armnn_py.guard.memory import LAYOUTS, check_layouts
from armnn_py.guard.one_run import Layout, Run, Step, in_place_offers
from armnn_py.guard.outcome import AnsweredError
from armnn_py.guard.process import UnchangedProcess, left_files, open_files
from armnn_py.network import Network
from armnn_py.types import LayerType

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from armnn_py._native.memory.guarded_memory import Region
    from armnn_py._native.table.guarded_workload import ExecuteArrays
    from armnn_py._native.table.workloads import NativeWorkload
    from armnn_py.network import Layer, OutputSlot

_log = logging.getLogger("armnn_py.guard")


class GuardedStep:
    """Executes a layer in each layout of memory; the outputs must be the same.

    Parameters
    ----------
    workload
        The backend's.
    layer
        Its layer.
    """

    def __init__(self, workload: NativeWorkload, layer: Layer) -> None:
        self._workload = workload
        self.words = f"layer '{layer.name}' ({layer.type.label})"
        self.network = Network("guarded")
        needs = workload.requirements
        inputs: list[OutputSlot | None] = []
        self._names: list[str] = []
        self._knows_nan = False
        for index, slot in enumerate(layer.inputs):
            if slot is None or needs.consumes(index):
                value = None if slot is None else getattr(slot.layer, "value", None)
                self._knows_nan |= value is not None and _has_nan(value)
                inputs.append(None)
                continue
            self._names.append(f"x{index}")
            made = self.network.append_unchecked(
                f"x{index}", LayerType.INPUT, None, (), [slot.info]
            )
            inputs.append(made.outputs[0])
        made = self.network.append_unchecked(
            layer.name, layer.type, layer.descriptor, tuple(inputs),
            [slot.info for slot in layer.outputs],
        )  # fmt: skip
        for index, output in enumerate(made.outputs):
            self.network.append_unchecked(f"y{index}", LayerType.OUTPUT, None, (output,), ())
        self.steps = [Step(workload, inputs, list(made.outputs))]
        self.input_infos = [None if slot is None else slot.info for slot in inputs]
        self.output_infos = [slot.info for slot in made.outputs]
        self.constants: dict[OutputSlot, NDArray[Any]] = {}
        self.workload_data: int | None = None
        self._execution_data: int | None = None
        self._turns = itertools.cycle(layout for _, layout in LAYOUTS)
        self._has_told = False

    @contextlib.contextmanager
    def one_run(self, *, own_data: bool) -> Iterator[int | None]:
        """The run is under way already."""
        yield self._execution_data

    def execute(self, given: ExecuteArrays) -> bool:
        """Execute the layer into its outputs; False: the backend gave an error.

        A layer that keeps something from run to run is executed once, in another layout each time.

        Raises
        ------
        CheckFailedError
            The backend broke a rule.
        """
        self.workload_data, self._execution_data = given.workload_data, given.execution_data
        values: dict[str, NDArray[Any] | None] = {}
        with_address = (one for one in given.inputs if one is not None)
        values.update(zip(self._names, with_address, strict=True))
        seen = [open_files()]

        def run(layout: Layout, used: list[Region]) -> list[NDArray[Any]]:
            made = Run(self, layout)
            used += made.all_regions
            found = made.through(values, own_data=False, kept=given.kept)
            seen.append(open_files())
            return found

        steps = _Labels(self._workload.backend_id, self.words)
        try:
            with UnchangedProcess(), steps:
                if self._workload.may_have_state:
                    layout = next(self._turns)
                    steps(f"execute, {next(one for one, other in LAYOUTS if other is layout)}")
                    found = run(layout, [])
                else:
                    found = check_layouts(run, steps, in_place_offers(self))
        except AnsweredError:
            return False
        left_files(seen)
        for array, value in zip(given.outputs, found, strict=True):
            array[...] = value
        self._tell_nan(values, found)
        return True

    def _tell_nan(self, values: dict[str, NDArray[Any] | None], found: list[NDArray[Any]]) -> None:
        if self._has_told or self._knows_nan:
            return
        if any(one is not None and _has_nan(one) for one in values.values()):
            return
        for index, array in enumerate(found):
            if _has_nan(array):
                self._has_told = True
                _log.warning(
                    "backend '%s', %s: output %d has NaN, its inputs have none",
                    self._workload.backend_id, self.words, index,
                )  # fmt: skip


class _Labels:
    """Names the check that is under way, for the report of a fatal signal."""

    def __init__(self, backend_id: str, words: str) -> None:
        self._backend_id, self._words = backend_id, words
        self._stack = contextlib.ExitStack()

    def __call__(self, step: str) -> None:
        self._stack.close()
        self._stack.enter_context(noted_block(self._backend_id, f"{step}: {self._words}"))

    def __enter__(self) -> None:
        pass

    def __exit__(self, *_: object) -> None:
        self._stack.close()


def _has_nan(array: NDArray[Any]) -> bool:
    return array.dtype.kind == "f" and bool(np.isnan(array).any())
