# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The memory of a loaded network, by holder."""

from __future__ import annotations

import gc
import itertools
import logging
import sys
from functools import _lru_cache_wrapper
from types import CodeType, FunctionType, ModuleType
from typing import TYPE_CHECKING, Any

import numpy as np
from msgspec import Struct, to_builtins

from armnn_py._native.memory.addresses import address_of
from armnn_py._native.memory.large_pages import LARGE_PAGE, address_of_bytes
from armnn_py._native.memory.process_memory import proportional_bytes, resident_of
from armnn_py.later import public_class
from armnn_py.text import counted, first_of, format_bytes, html_table, text_table

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

    from armnn_py.runtime.contexts.plan_cache import PlanEntry
    from armnn_py.runtime.network_growth import Growth
    from armnn_py.runtime.plan.network_plan import NetworkPlan

#: Smaller texts and bytes count as objects of Python.
_LEAST_BUFFER = 4096
#: Python has memory of its own for objects of at most this size.
_LARGEST_SMALL = 512


@public_class
class MemoryShare(Struct, frozen=True):
    """One row of a `NetworkMemory`.

    Attributes
    ----------
    holder
        ``"model"``, the id of a backend, ``"backends"``, ``"host"``, ``"Python"``, ``"system"`` or
        ``"caller"``.
    content
        A few words.
    size
        Bytes.
    shared
        Those of them that were in memory before, for another network or plan.
    when
        ``"load"``: part of the growth of the load; ``"run"``: taken by first runs, which with free
        dimensions pack weights; ``"apart"``: in other processes, or of the caller.
    """

    holder: str
    content: str
    size: int
    shared: int = 0
    when: str = "load"


@public_class
class PeakTensor(Struct, frozen=True):
    """A buffer of the arena that lives at the step with the most bytes.

    Attributes
    ----------
    name
        The layer that writes it, or whose scratch it is.
    size
        Bytes.
    first, last
        Steps of its life.
    """

    name: str
    size: int
    first: int
    last: int


@public_class
class NetworkMemory(Struct, frozen=True):
    """The memory of a loaded network by holder, in bytes.

    Attributes
    ----------
    shares
        The rows.
    growth
        How much the resident memory of the process grew during `load`, as the system says. None if
        `optimize` and `Runtime.load_network` were called instead.
    process
        Resident memory of the process after the load, or None.
    peak_step
        Step of the run, and its layer, at which most bytes of the arena are in use.
    peak
        The buffers that live at that step, the largest first.
    """

    shares: tuple[MemoryShare, ...]
    growth: int | None
    process: int | None
    peak_step: str
    peak: tuple[PeakTensor, ...]

    @property
    def attributed(self) -> int:
        """Bytes of the growth that rows name; more than `growth` if memory was free for reuse."""
        return sum(one.size - one.shared for one in self.shares if one.when == "load")

    @property
    def unattributed(self) -> int | None:
        """Bytes of the growth that no row names, such as memory that Python keeps for objects."""
        return None if self.growth is None else self.growth - self.attributed

    def to_json(self) -> dict[str, Any]:
        """Return all of it as values for JSON."""
        known: dict[str, Any] = to_builtins(self)
        return {**known, "attributed": self.attributed, "unattributed": self.unattributed}

    def rows(self) -> list[list[str]]:
        """Return the table as text, its head first."""
        groups = {
            when: [
                [one.holder, one.content, format_bytes(one.size), _unless_zero(one.shared)]
                for one in self.shares
                if one.when == when
            ]
            for when in ("load", "run", "apart")
        }
        totals = (
            ("not attributed", self.unattributed),
            ("growth of the process by the load", self.growth),
            ("the process after the load", self.process),
        )
        return [
            ["holder", "content", "size", "shared"],
            *groups["load"],
            *(["", what, _signed(size), ""] for what, size in totals if size is not None),
            *groups["run"],
            *groups["apart"],
        ]

    def notes(self) -> list[str]:
        """Return the buffers at the peak of the arena, as a line if there are some."""
        if not self.peak:
            return []
        buffers = [f"{one.name} {format_bytes(one.size)}" for one in self.peak]
        return [f"The arena is fullest at {self.peak_step}: {', '.join(first_of(buffers, 5))}"]

    def __str__(self) -> str:
        return "\n".join([text_table(self.rows(), right=(2, 3)), *self.notes()])

    def _repr_html_(self) -> str:
        return html_table(self.rows(), "Memory")


def memory_of(loaded: Any, growth: Growth | None) -> NetworkMemory:
    """Return who holds how much memory of a network.

    Parameters
    ----------
    loaded
        The `LoadedNetwork`.
    growth
        Of its load, if it is known.
    """
    networks: list[Any] = [loaded, *loaded._parts]
    entries = [entry for one in networks for entry in one._pool.entries]
    objects, small, copied, mapped = _python_bytes(loaded)
    imported = () if growth is None else growth.modules
    modules = [sys.modules[name] for name in imported if name in sys.modules]
    code = [sys.getsizeof(one) for one in _reachable(modules, (), imported)]
    small += sum(size for size in code if size <= _LARGEST_SMALL)
    packed = list(_packed(entries, "run" if loaded._optimized.is_dynamic else "load"))
    taken = 0 if growth is None else growth.backends
    taken -= sum(one.size - one.shared for one in packed if one.when == "load")
    files = 0 if growth is None else max(growth.files - mapped, 0)
    room = 0 if growth is None else growth.python
    before = copied if growth is not None and growth.has_weights else 0
    shares = [
        MemoryShare("model", "weights as the model has them, copied", copied, before),
        MemoryShare("model", "weights as the model has them, mapped", mapped),
        *packed,
        MemoryShare("backends", "structures, and room in large pages", max(taken, 0)),
        MemoryShare("Python", "objects of the network", objects),
        MemoryShare("Python", "modules that the load imported", sum(code)),
        MemoryShare("Python", "other small objects, and room for more", max(room - small, 0)),
        MemoryShare("system", "pages of libraries and other files", files),
        *_contexts(entries),
        *_workers(loaded),
    ]
    peak_step, peak = _peak(entries[-1].plan) if entries else ("", ())
    total = None if growth is None else growth.anonymous + growth.files
    process = None if growth is None else growth.process
    return NetworkMemory(tuple(one for one in shares if one.size), total, process, peak_step, peak)


def _packed(entries: Iterable[PlanEntry], when: str) -> Iterator[MemoryShare]:
    """Yield a row for each backend that states what it packed."""
    sizes: dict[str, list[int]] = {}
    for entry in entries:
        for backend, packed, shared in entry.plan.packed:
            size = sizes.setdefault(backend, [0, 0])
            size[0] += packed
            size[1] += shared
    for backend, (packed, shared) in sizes.items():
        yield MemoryShare(backend, "packed weights", packed, shared, when)


def _contexts(entries: Iterable[PlanEntry]) -> Iterator[MemoryShare]:
    """Yield rows for execution contexts, and for the arrays of one run."""
    arena = state = arrays = count = 0
    for entry in entries:
        count += len(entry.made)
        arena += len(entry.made) * entry.plan.arena_size
        state += len(entry.made) * entry.plan.persistent_size
        network = entry.plan.network
        infos = [*network.inputs.values(), *network.outputs.values()]
        arrays = sum(info.byte_size for info in infos if info.is_static)
    yield MemoryShare("host", f"arena, of {counted(count, 'context')}", arena, when="run")
    yield MemoryShare("host", "state of workloads", state, when="run")
    yield MemoryShare("caller", "inputs and outputs of a run", arrays, when="apart")


def _workers(loaded: Any) -> Iterator[MemoryShare]:
    """Yield a row for the process of each isolated backend."""
    for backend in loaded.assignment.counts:
        worker = loaded.runtime.isolated.get(backend)
        if worker is not None and not worker.why_not_running:
            size = proportional_bytes(worker.process_id)
            yield MemoryShare(backend, "its worker process", size, when="apart")


def _peak(plan: NetworkPlan) -> tuple[str, tuple[PeakTensor, ...]]:
    """Return the step at which most bytes of the arena are in use, and these."""
    lives: dict[int, list[int]] = {}  # by record: size, first and last step
    for tensor in plan.tensors:
        if tensor.record >= 0 and tensor.last >= 0:
            first = max(tensor.first, 0)
            life = lives.setdefault(tensor.record, [0, first, tensor.last])
            life[:] = max(life[0], tensor.size), min(life[1], first), max(life[2], tensor.last)
    buffers = [PeakTensor(_writer(plan, life[1]), *life) for life in lives.values()]
    buffers += [
        PeakTensor(f"scratch of {step.layer}", step.scratch, number, number)
        for number, step in enumerate(plan.steps)
        if step.scratch
    ]
    changes = [0] * (len(plan.steps) + 2)
    for one in buffers:
        changes[one.first] += one.size
        changes[min(one.last, len(plan.steps)) + 1] -= one.size
    used = list(itertools.accumulate(changes))
    if not any(used):
        return "", ()
    step = used.index(max(used))
    living = sorted(
        (one for one in buffers if one.first <= step <= one.last and one.size),
        key=lambda one: -one.size,
    )
    return _writer(plan, step), tuple(living)


def _writer(plan: NetworkPlan, step: int) -> str:
    return plan.steps[step].layer if step < len(plan.steps) else "the end"


# ---- Objects of Python ---------------------------------------------------------------------------


def _python_bytes(loaded: Any) -> tuple[int, int, int, int]:
    """Return the bytes of objects, of the small ones, of arrays, and of arrays in mapped memory."""
    runtime = loaded.runtime
    others = [runtime, runtime.backends, *runtime.backends.values()]
    objects = small = 0
    buffers: dict[int, int] = {}
    mapped: dict[int, int] = {}
    for found in _reachable([loaded], others, ()):
        if isinstance(found, np.ndarray):
            root: Any = found
            while isinstance(root, np.ndarray) and root.base is not None:
                root = root.base
            if isinstance(root, np.ndarray):
                buffers[address_of(root)] = root.nbytes
            elif isinstance(root, bytes):
                buffers[address_of_bytes(root)] = len(root)
            else:
                mapped[address_of(found)] = found.nbytes
            size = sys.getsizeof(found) - (found.nbytes if found.base is None else 0)
        elif isinstance(found, bytes) and len(found) >= _LEAST_BUFFER:
            buffers[address_of_bytes(found)] = len(found)
            continue
        else:
            size = sys.getsizeof(found)
        objects += size
        small += size if size <= _LARGEST_SMALL else 0
    copied = sum(
        resident_of(address, size) if size >= LARGE_PAGE else size
        for address, size in buffers.items()
    )
    return objects, small, copied, sum(resident_of(*one) for one in mapped.items())


def _reachable(
    starts: Iterable[object], others: Iterable[object], modules: Collection[str]
) -> Iterator[object]:
    """Yield all objects that these hold, but for ``others``.

    Of modules, classes and functions only those of the named modules are followed; of any other
    function the values that it closes over.
    """
    stack: list[object] = list(starts)
    seen = {id(other) for other in others}
    while stack:
        found = stack.pop()
        if id(found) in seen or isinstance(found, (logging.Logger, _lru_cache_wrapper)):
            continue
        seen.add(id(found))
        if isinstance(found, ModuleType):
            if found.__name__ not in modules:
                continue
        elif isinstance(found, type):
            if found.__module__ not in modules:
                continue
        elif isinstance(found, FunctionType):
            if found.__module__ not in modules:
                stack += found.__closure__ or ()
                continue
        elif isinstance(found, CodeType):
            stack += (found.co_consts, found.co_names, found.co_varnames, found.co_linetable)
            stack += (found.co_exceptiontable, found.co_qualname)
        yield found
        stack += gc.get_referents(found)


def _signed(size: int) -> str:
    return ("-" if size < 0 else "") + format_bytes(abs(size))


def _unless_zero(size: int) -> str:
    return format_bytes(size) if size else ""
