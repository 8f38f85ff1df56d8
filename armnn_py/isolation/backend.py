# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""A backend in a worker process, as the host's table of functions calls it, and its counters."""

from __future__ import annotations

import contextlib
import functools
import pickle
from typing import TYPE_CHECKING, Any

from armnn_py._native.python_backend.python_options import option_default
from armnn_py._native.table.profiling_context import Counter, ProfilingContext
from armnn_py.errors import BackendError, BackendUnavailableError
from armnn_py.isolation.keeper import WorkerEndedError
from armnn_py.isolation.messages import Request
from armnn_py.isolation.parts import network_of, network_of_layer, parts_without
from armnn_py.isolation.supervisor import Supervisor
from armnn_py.isolation.worker_part import WorkerPart
from armnn_py.python_backend.option import Option
from armnn_py.python_backend.part import Part
from armnn_py.tensors.json_infos import info_from_json

if TYPE_CHECKING:
    from collections.abc import Container, Mapping, Sequence

    from armnn_py._native.layers.shown_layers import ShownLayer
    from armnn_py._native.python_backend.python_parts import ShownPart
    from armnn_py._native.table.backend_options import OptionDefault, OptionValue
    from armnn_py.tensors import TensorInfo


class IsolatedBackend:
    """The description that a worker gives of its backend, and its sub-graphs.

    Parameters
    ----------
    worker
        Its worker; it is ended if it describes the backend wrongly.

    Attributes
    ----------
    file
        The shared object of the backend.

    Raises
    ------
    BackendError
        The description of the worker lacks a member, or has one of another type.
    """

    place = "isolated"
    takes_bounded = False
    optimizes = True

    def __init__(self, worker: Supervisor) -> None:
        self.id = worker.id
        self._worker = worker
        self._answers: dict[bytes, str] = {}
        self.file = worker.file
        self.path = worker.file or worker.id
        try:
            self._read(worker.facts)
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            worker.stop()
            raise BackendError(
                f"backend '{self.id}': its worker describes it wrongly: {error!r}"
            ) from None

    def _read(self, facts: Mapping[str, Any]) -> None:
        """Take over the description."""
        self.score = int(facts["score"])
        self.is_reference = bool(facts["is_reference"])
        self.vendor_version = str(facts["version"])
        self.description = str(facts["description"])
        self.capabilities: Mapping[str, OptionValue] = dict(facts["capabilities"])
        scopes = {
            scope: {one["name"]: _option(one) for one in facts["options"] if one["scope"] == scope}
            for scope in ("backend", "model", "run")
        }
        self.options: Mapping[str, OptionDefault] = scopes["backend"]
        self.model_options: Mapping[str, OptionDefault] = scopes["model"]
        self.run_options: Mapping[str, OptionDefault] = scopes["run"]
        self.listens = bool(self.run_options)
        self.profiling: ProfilingContext | None = _Counters(self._worker, facts["counters"])
        self.devices: Sequence[tuple[str, str, str, int]] = tuple(
            (str(name), str(vendor), str(driver), int(memory))
            for name, vendor, driver, memory in facts["devices"]
        )

    @functools.cached_property
    def _traits(self) -> Mapping[str, Any]:
        return self._worker.running().ask(Request("traits"))

    @property
    def infers(self) -> bool:
        """Whether it infers outputs of operators that no layer expresses."""
        return bool(self._traits.get("stand_ins"))

    @property
    def prefers_layouts(self) -> bool:
        """Whether it would have layers in another layout."""
        return bool(self._traits.get("layouts"))

    # ---- As the table calls it -------------------------------------------------------------------

    def of_device(self, index: int) -> IsolatedBackend:
        """Itself for the first device; for another one it starts a worker of its own."""
        return IsolatedBackend(self._worker.of_device(index)) if index else self

    def start(self, options: Mapping[str, OptionValue], lose_device: object) -> None:
        """Begin to serve a runtime."""
        if options:
            self._worker.options = dict(options)
            try:
                self._worker.running().ask(Request("reopen", {self.id: dict(options)}))
            except BaseException:
                self._worker.stop()
                raise

    def stop(self) -> None:
        """End the worker. Harmless when repeated."""
        self._worker.stop()

    @property
    def process_id(self) -> int:
        """Number of the worker's process."""
        return self._worker.running().pid

    @property
    def why_not_running(self) -> str:
        """The reason why the worker does not run; empty if it runs."""
        return self._worker.why_not_running

    def weights(self, sizes: Container[int]) -> list[memoryview]:
        """The weights of some sizes in bytes, in memory that the worker has mapped as well."""
        parts = list(self._worker.parts)
        return [array for part in parts for array in part.request.arrays(sizes)]

    def self_test(self, level: int) -> None:
        """Let the backend test itself."""
        self._worker.running().ask(Request("self_test", level))

    def set_option(self, name: str, value: OptionValue) -> None:
        """Take another value for a changeable option."""
        self._worker.running().ask(Request("set_option", (name, value)))
        self._worker.options[name] = value

    def before_run(self, network_id: int, run_id: int, options: Mapping[str, OptionValue]) -> None:
        """Tell the worker the options of a run; without a worker the run will fail."""
        if options:
            with contextlib.suppress(WorkerEndedError, BackendUnavailableError):
                self._worker.running().ask(Request("run_options", (run_id, dict(options))))

    def after_run(self, network_id: int, run_id: int, status: str) -> None:
        """Let the worker forget them."""
        self._worker.post(Request("run_options", (run_id, None)))

    def options_of(self, run_id: int) -> Mapping[str, OptionValue]:
        """Never called: the worker has the options of a run."""
        return {}

    def infer(self, layer: ShownLayer) -> Sequence[TensorInfo] | str:
        """Infos of the outputs of an operator that no layer expresses, or why it does not run."""
        answer = self._worker.running().ask(Request("infer", layer))
        if "reason" in answer:
            return str(answer["reason"])
        return [info_from_json(info) for info in answer["infos"]]

    def why_not(self, layer: ShownLayer) -> str:
        """Why it does not run a layer; empty if it does."""
        return self.why_not_many([layer])[0]

    def why_not_many(self, layers: Sequence[ShownLayer]) -> list[str]:
        """The same for many layers, with one message."""
        keys = [pickle.dumps(layer) for layer in layers]
        asked = dict(zip(keys, layers, strict=True))
        unknown = {key: layer for key, layer in asked.items() if key not in self._answers}
        if unknown:
            answer = self._worker.running().ask(Request("support", list(unknown.values())))
            reasons = [str(reason) for reason in answer["reasons"]]
            self._answers.update(zip(unknown, reasons, strict=True))
        return [self._answers[key] for key in keys]

    def why_not_bounded(self, layer: ShownLayer) -> str:
        """Sizes that are found in a run do not cross the border."""
        return "in a process of its own it needs to know all shapes"

    def preferred_layout(self, layer: ShownLayer) -> int:
        """The layout in which it would have a layer, 0: as it is."""
        return int(self._worker.running().ask(Request("layout", layer))["layout"])

    def make(self, layer: ShownLayer, compiled: object | None) -> WorkerPart:
        """The sub-graph that `optimize` compiled, or one layer that it was not asked about."""
        if isinstance(compiled, WorkerPart):
            return compiled
        consumed = [
            info is None or value is not None
            for info, value in zip(layer.inputs, layer.constants, strict=True)
        ]
        network = network_of_layer(layer, self.id)
        part = WorkerPart(
            self._worker, network, layer.model_options, layer.name, [layer.guid], consumed
        )
        with self._worker.lock:
            refused = part.compile(self._worker.running())
        if refused:
            raise RuntimeError(f"it took the layer before, and now: {refused[0]}")
        self._worker.parts.add(part)
        return part

    def optimize(self, shown: ShownPart) -> bool:
        """Compile the layers of a sub-graph in the worker."""
        part = Part(shown)
        refused: dict[int, str] = {}
        while True:
            made: list[tuple[Any, WorkerPart]] = []
            newly: dict[int, str] = {}
            for group in parts_without(part, refused):
                cut = part.cut(group)
                network = network_of(part, cut, self.id)
                names = [part.layers[number].name for number in cut.layers]
                name = " + ".join(names[:3]) + (" ..." if len(names) > 3 else "")
                guids = [layer.guid for layer in part.layers]
                options = part.layers[0].model_options
                compiled = WorkerPart(self._worker, network, options, name, guids)
                with self._worker.lock:
                    found = compiled.compile(self._worker.running())
                if not found.keys() <= set(cut.layers):
                    raise BackendError(f"backend '{self.id}': its worker refuses other layers")
                newly.update(found)
                made.append((cut, compiled))
            if not newly:
                break
            refused.update(newly)
        for number, reason in refused.items():
            part.fail([number], reason)
        for cut, compiled in made:
            self._worker.parts.add(compiled)
            part.put(cut, compiled)
        return part.finish()


def _option(told: Mapping[str, Any]) -> OptionDefault:
    described = Option(
        told["default"], told["help"], told["unit"], told["minimum"], told["maximum"],
        tuple(told["choices"]), bool(told["secret"]), bool(told["changeable"]),
    )  # fmt: skip
    return option_default(told["default"], described)


class _Counters(ProfilingContext):
    """The counters as the worker describes them: for each one its members, in order."""

    __slots__ = ("_counters", "_worker")

    def __init__(self, worker: Supervisor, described: Sequence[Sequence[Any]]) -> None:
        super().__init__(worker.id)
        self._worker = worker
        self._counters = _counters(described)

    @property
    def counters(self) -> tuple[Counter, ...]:
        """Those of the last answer."""
        return self._counters

    def _turn(self, on: bool) -> None:
        self._worker.is_profiled = on
        self._worker.running().ask(Request("profile", on))

    def read(self) -> dict[str, int]:
        """As `ProfilingContext.read`."""
        answer = self._worker.running().ask(Request("counters"))
        self._counters = _counters(answer["counters"])
        known = {counter.name for counter in self._counters}
        return {name: int(answer["values"][name]) for name in known & answer["values"].keys()}


def _counters(described: Sequence[Sequence[Any]]) -> tuple[Counter, ...]:
    return tuple(
        Counter(str(key), str(doc), str(unit), "delta" if kind == "delta" else "absolute", float(x))
        for key, doc, unit, kind, x in described
    )
