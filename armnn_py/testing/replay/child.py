# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The process that repeats a recording: JSON lines before and after each call."""

from __future__ import annotations

import contextlib
import json
import os
import time
from typing import TYPE_CHECKING, Any

from armnn_py.device_ids import split_id
from armnn_py.errors import ArmnnError, ExecutionError
from armnn_py.optimizer import OptimizerOptions, optimize
from armnn_py.recording.container import read_recording
from armnn_py.runtime import Runtime
from armnn_py.testing.tolerances import compare, tolerance_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np

    from armnn_py._native.table.backend_options import OptionValue
    from armnn_py.recording.container import RecordedCall, RecordedPart, Recording
    from armnn_py.runtime import LoadedNetwork
    from armnn_py.runtime.bound_network import BoundNetwork

_PATIENCE = 5.0


def repeat(path: str, folders: Sequence[str], isolate: bool, tells: bool) -> None:
    """Repeat the calls of a recording.

    Parameters
    ----------
    path
        The recording.
    folders
        Where backends are searched; none: the usual folders.
    isolate
        Whether the backends run in workers, as in the program.
    tells
        Whether JSON lines say what happens; a debugger's user wants none.
    """
    recording = read_recording(path)
    with contextlib.ExitStack() as stack:
        try:
            repeated = _Repetition(recording, folders, stack, isolate=isolate, tells=tells)
            for number, part in enumerate(recording.parts):
                repeated.load(number, part)
            for number, call in enumerate(recording.calls):
                repeated.run(number, call)
        except ArmnnError as error:
            repeated_error = {"message": error.message, "details": list(error.details)}
            _write({"error": {**repeated_error, "hints": list(error.hints)}}, tells=tells)
            return
        _write({"done": True}, tells=tells)


def _write(message: dict[str, Any], *, tells: bool) -> None:
    if tells:
        os.write(1, (json.dumps(message) + "\n").encode())


class _Repetition:
    """Runtime, loaded sub-graphs, and execution contexts of one repetition."""

    def __init__(
        self,
        recording: Recording,
        folders: Sequence[str],
        stack: contextlib.ExitStack,
        *,
        isolate: bool,
        tells: bool,
    ) -> None:
        self._recording, self._stack = recording, stack
        self._is_isolated, self._tells = isolate, tells
        options = {name: one["options"] for name, one in recording.backends.items()}
        ids = list(recording.backends)
        self._runtime = stack.enter_context(
            Runtime(
                list(folders) or None,
                backends=ids,
                backend_options={name: one for name, one in options.items() if one} or None,
                isolate=[split_id(name)[0] for name in ids] if isolate else {},
                on_failure="raise",
                record=False,
                probe_seconds=0,  # a crash is wanted where it happens
            )
        )
        self._loaded: list[LoadedNetwork] = []
        self._bound: dict[tuple[int, int], BoundNetwork] = {}

    def load(self, number: int, part: RecordedPart) -> None:
        """Compile and load a sub-graph, as a worker does."""
        _write({"part": number}, tells=self._tells)
        given: dict[str, dict[str, OptionValue]] = {}
        if part.model_options:
            given[part.backend] = part.model_options
        options = OptimizerOptions(simplify=False, model_options=given)
        optimized = optimize(
            part.network,  # type: ignore[arg-type]
            [part.backend],
            runtime=self._runtime,
            options=options,
        )
        self._loaded.append(self._stack.enter_context(self._runtime.load_network(optimized)))

    def run(self, number: int, call: RecordedCall) -> None:
        """Repeat a call, and compare its outputs with the recorded ones."""
        _write({"call": number}, tells=self._tells)
        loaded = self._loaded[call.part]
        key = call.part, call.context
        bound = self._bound.get(key)
        if bound is None:
            bound = self._bound[key] = self._stack.enter_context(loaded.bind())
        elif call.begins:
            bound.reset_state()
        for array, value in zip(bound.inputs.values(), call.inputs, strict=True):
            array[...] = value
        answer: dict[str, Any] = {"call": number, "status": "ok", "differences": []}
        try:
            outputs = bound.run()
        except ExecutionError as error:
            answer |= {"status": "failed", "reason": "; ".join([error.message, *error.details])}
            answer |= self._end()
        else:
            if call.status == "ok":
                answer["differences"] = self._differences(call, list(outputs.values()))
        _write(answer, tells=self._tells)

    def _end(self) -> dict[str, Any]:
        """How the worker ended, if it has."""
        until = time.monotonic() + _PATIENCE
        while self._is_isolated and time.monotonic() < until:
            for event in self._runtime.events:
                if event.kind == "ended":
                    return {
                        "status": "ended", "reason": event.reason, "signal": event.signal,
                        "exit_status": event.exit_status,
                    }  # fmt: skip
            if all(not one.why_not_running for one in self._runtime.isolated.values()):
                break
            time.sleep(0.01)
        return {}

    def _differences(
        self, call: RecordedCall, outputs: list[np.ndarray[Any, Any]]
    ) -> list[dict[str, Any]]:
        infos = self._recording.parts[call.part].network.outputs.values()
        found = []
        for index, (info, one, other) in enumerate(zip(infos, outputs, call.outputs, strict=True)):
            if one.tobytes() == other.tobytes():
                continue
            label = info.data_type.label
            words = compare(one, other, info.data_type, tolerance_of("Activation", label))
            found.append({"output": index, "words": words or "equal within rounding"})
        return found
