# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Seconds of a few layers alone: measured by running them, and kept on disk for each machine."""

from __future__ import annotations

import contextlib
import dataclasses
import enum
import hashlib
import json
import logging
import os
import platform
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from msgspec import Struct, structs

from armnn_py import environment
from armnn_py._native.library import core, core_path
from armnn_py._native.table.handle_registry import HandleRegistry
from armnn_py.cache_files import UnfitFileError, locked, read_file, replace_file
from armnn_py.errors import BackendError
from armnn_py.network import Network
from armnn_py.optimizer.host import UnsteadySeconds
from armnn_py.optimizer.options import OptimizerOptions
from armnn_py.optimizer.placing.placement import Placement, PlacementRule
from armnn_py.tensors import TensorInfo
from armnn_py.text import printable
from armnn_py.types import LayerType

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from armnn_py.backends.backend import Backend
    from armnn_py.backends.options.model_options import ModelOptions
    from armnn_py.network import OutputSlot
    from armnn_py.optimizer.graph import Node, Value


_log = logging.getLogger("armnn_py.optimizer")
_FORMAT = 1
_MOST_ENTRIES = 50_000
_MOST_BYTES = 16 << 20
#: Seconds to wait for another process that writes.
_PATIENCE = 1.0
#: Seconds: no measurement takes longer, and sums of such times stay finite.
_LONGEST = 1e6


def digest(value: object) -> str:
    """A short name for a value; unequal values have different names.

    It may hold numbers, texts, bytes, None, enumerations, dataclasses, structs, lists and tuples.
    """
    return hashlib.sha256(repr(_plain(value)).encode()).hexdigest()[:32]


def _plain(value: object) -> object:
    """The value without classes whose ``repr`` leaves something out."""
    if isinstance(value, enum.Enum):
        return type(value).__name__, value.name
    if isinstance(value, Struct):
        return type(value).__name__, *map(_plain, structs.astuple(value))
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        own = (_plain(getattr(value, field.name)) for field in dataclasses.fields(value))
        return type(value).__name__, *own
    if isinstance(value, (list, tuple)):
        return tuple(_plain(one) for one in value)
    return value


def backend_identity(backend: Backend) -> tuple[Any, ...]:
    """The key of a time measured on a backend: its id, version, file, options and device."""
    file = Path(core_path() if backend.file is None else backend.file)
    try:
        status = file.stat()
        content: tuple[Any, ...] = (str(file), status.st_size, status.st_mtime_ns)
    except OSError:
        content = (str(file),)
    options = tuple(sorted(backend.options.items()))
    try:
        device = backend.device
    except BackendError:
        device = None
    facts = None if device is None else (device.name, device.driver_version, device.memory_size)
    return backend.id, str(backend.version), backend.vendor_version, content, options, facts


class MeasureCache:
    """Seconds by key, in a file; one that cannot be read counts as empty.

    A damaged file is logged once, as a warning, and rewritten.

    Parameters
    ----------
    place
        True for the user's cache folder, a folder, or None (or False) to keep nothing.
    """

    def __init__(self, place: str | os.PathLike[str] | bool | None) -> None:
        folder = environment.cache_folder() if place is True else place or None
        self.file = None if folder is None else Path(folder) / f"measurements-{machine_name()}.json"
        self._is_told = False
        self._known = self._read()
        self._new: dict[str, float] = {}
        self._unsteady: set[str] = set()

    @property
    def unsteady_count(self) -> int:
        """How many of the new times are not kept."""
        return len(self._unsteady)

    def get(self, key: str) -> float | None:
        """The seconds, or None."""
        return self._known.get(key)

    def is_new(self, key: str) -> bool:
        """Whether the seconds were put since the last `save`."""
        return key in self._new

    def put(self, key: str, seconds: float, *, is_steady: bool = True) -> None:
        """Remember seconds; `save` writes steady ones."""
        self._known[key] = self._new[key] = seconds
        if is_steady:
            self._unsteady.discard(key)
        else:
            self._unsteady.add(key)

    def save(self) -> None:
        """Write new times beside those that other processes wrote meanwhile, in one step."""
        new = {key: self._new[key] for key in self._new if key not in self._unsteady}
        if self.file is None or not new:
            return
        try:
            self.file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            with locked(self.file.parent, patience=_PATIENCE) as is_locked:
                if not is_locked:
                    raise UnfitFileError("another process holds the lock of its folder")
                self._replace(self.file, {**self._read(), **new})
        except OSError as error:
            _log.warning(
                "measured times are not kept in '%s': %s",
                printable(str(self.file)),
                error.strerror or error,
            )
        self._new = {}

    @staticmethod
    def _replace(file: Path, times: dict[str, float]) -> None:
        kept = dict(list(times.items())[-_MOST_ENTRIES:])
        document = json.dumps({"format": _FORMAT, "seconds": kept}, indent=0)
        replace_file(file, document.encode())

    def _read(self) -> dict[str, float]:
        if self.file is None:
            return {}
        try:
            return _times_of(json.loads(read_file(self.file, _MOST_BYTES, own=True)))
        except FileNotFoundError:
            return {}
        except (OSError, ValueError, RecursionError) as error:
            if not self._is_told:
                self._is_told = True
                words = getattr(error, "strerror", None) or error
                _log.warning(
                    "measured times in '%s' are not used: %s", printable(str(self.file)), words
                )
            return {}


def _times_of(document: Any) -> dict[str, float]:
    """The times in a file of this format; invalid ones are left out.

    Raises
    ------
    ValueError
        It is not such a file. A file of another format belongs to another version: no times.
    """
    if isinstance(document, dict) and document.get("format") not in (None, _FORMAT):
        return {}
    if not isinstance(document, dict) or not isinstance(document.get("seconds"), dict):
        raise ValueError("it is not a file of measured times")
    return {key: value for key, value in document["seconds"].items() if _is_time(value)}


def _is_time(value: Any) -> bool:
    """Whether a value from a file is a valid time; 0 is never written."""
    return isinstance(value, float) and 0 < value < _LONGEST


def machine_name() -> str:
    """A name for processor and number of threads."""
    return digest((platform.machine(), processor_name(), core().armnn_core_thread_count()))[:16]


def processor_name() -> str:
    """The processor as the system names it, a line for each kind of core."""
    with contextlib.suppress(OSError):
        lines: Sequence[str] = Path("/proc/cpuinfo").read_text(errors="replace").splitlines()
        wanted = ("model name", "Hardware", "CPU part")
        found = dict.fromkeys(line for line in lines if line.startswith(wanted))
        if found:
            return "\n".join(found)
    return platform.processor()


Measure: TypeAlias = "Callable[[Network, Sequence[str], OptimizerOptions], float | None]"

_SMALL = 1024
"""Bytes: the values of smaller constants, as axes and indices, may decide the amount of work."""
_LEAST = 1e-9
"""Seconds: no time is stored as less; a 0 in a file is damage."""


class Clock:
    """Times groups of nodes, each kind of group once.

    Attributes
    ----------
    memory
        The kind of memory that each backend works in; empty for the host's.
    compiles
        Backends that may make one layer of several.
    """

    def __init__(
        self,
        backends: dict[str, Backend],
        options: OptimizerOptions,
        model_options: ModelOptions | None,
        measure: Measure,
    ) -> None:
        self.cache = MeasureCache(options.measure_cache)
        self._measure = measure
        self._floor: float | None = None
        self._options = dataclasses.replace(
            options, simplify=False, debug=False, reduce_fp32_to_fp16=False, strategy="preference"
        )
        self._identities = {name: backend_identity(b) for name, b in backends.items()}
        self._model_options = {}
        if model_options is not None:
            for name, backend in backends.items():
                self._model_options[name] = tuple(sorted(model_options.values_of(backend).items()))
        self._failed: set[str] = set()
        self.compiles: set[str] = set()
        for backend in backends.values():
            if options.compile_parts and backend.api.optimize_subgraph_view:
                self.compiles.add(backend.id)
        with contextlib.ExitStack() as stack:
            for backend in backends.values():
                backend.retain()
                stack.callback(backend.release)
            registry = HandleRegistry(backends.values())
            stack.callback(registry.close)
            self.memory = {name: (*registry.preferences(name), "")[0] for name in backends}

    def seconds(
        self,
        nodes: Sequence[Node],
        places: Sequence[str],
        *,
        shared: Collection[Value] = (),
        keep_inner: bool = False,
        again: bool = False,
    ) -> float | None:
        """Seconds of nodes that run one after the other, or None if they do not run there.

        A value that several nodes read comes from the host for each of them, a ``shared`` one once.
        With ``keep_inner``, a value that one of them reads is not copied to the host for other
        readers. ``again``: measure a time once more that is not saved yet, and keep the lesser.
        """
        if not all(place in self._identities for place in places):
            return None
        groups = {place: f"at{number}" for number, place in enumerate(dict.fromkeys(places))}
        names = [f"{groups[place]}_{number}" for number, place in enumerate(places)]
        network, signature = _network_of(nodes, names, shared, keep_inner)
        given = sorted((place, self._model_options.get(place, ())) for place in set(places))
        where = [self._identities[place] for place in places]
        options = self._options
        key = digest((signature, where, given, options.compile_parts, options.import_memory))
        known = self.cache.get(key)
        if key in self._failed or (known is not None and not (again and self.cache.is_new(key))):
            return known
        rules = tuple(PlacementRule(place, name=f"{at}_*") for place, at in groups.items())
        options = dataclasses.replace(self._options, placement=Placement(rules, strict=True))
        taken = self._measure(network, list(groups), options)
        if taken is None:
            self._failed.add(key)
            return None
        is_steady = not isinstance(taken, UnsteadySeconds)
        taken = max(_LEAST, taken - self._cost_of_a_run())
        if known is not None:
            taken = min(taken, known)
        self.cache.put(key, taken, is_steady=is_steady)
        return taken

    def _cost_of_a_run(self) -> float:
        """Seconds of an empty run, which do not count as a layer's time."""
        if self._floor is None:
            network = Network("nothing")
            network.add_output("y", network.add_input("x", TensorInfo((1,))))
            options = dataclasses.replace(self._options, placement=None)
            self._floor = self._measure(network, [*self._identities], options) or 0.0
        return self._floor


def _network_of(
    nodes: Sequence[Node], names: Sequence[str], shared: Collection[Value], keep_inner: bool
) -> tuple[Network, str]:
    """Nodes in topological order as a network of their own, and a digest of its work."""
    network = Network("measured")
    slots: dict[tuple[Value, Node | None], OutputSlot] = {}
    words: list[object] = []
    numbers: dict[tuple[Value, Node | None], int] = {}
    inside = set(nodes)

    def key_of(value: Value, reader: Node) -> tuple[Value, Node | None]:
        is_own = value.node not in inside and value.constant is None and value not in shared
        return value, reader if is_own else None

    for number, node in enumerate(nodes):
        for value in node.inputs:
            if value is None or key_of(value, node) in slots:
                continue
            key = key_of(value, node)
            numbers[key] = len(numbers)
            array = value.constant
            if array is None:
                slots[key] = network.add_input(f"x{len(slots)}", value.info).outputs[0]
                words.append(("input", value.info))
                continue
            constant = network.append_unchecked(
                f"c{len(slots)}", LayerType.CONSTANT, None, (), [value.info], value=array
            )
            slots[key] = constant.output
            small = array.nbytes <= _SMALL
            content = hashlib.sha256(array.tobytes()).hexdigest() if small else ""
            words.append(("constant", value.info, content))
        layer = network.append_unchecked(
            names[number],
            node.type,
            node.descriptor,
            tuple(None if value is None else slots[key_of(value, node)] for value in node.inputs),
            [value.info for value in node.outputs],
        )
        operands = [
            None if value is None else numbers[key_of(value, node)] for value in node.inputs
        ]
        read = [[user not in inside for user, _ in value.users] for value in node.outputs]
        border = [all(own) or (any(own) and not keep_inner) for own in read]
        infos = [value.info for value in node.outputs]
        words.append((node.shown_type.label, node.descriptor, operands, infos, border))
        for value, slot, is_read in zip(node.outputs, layer.outputs, border, strict=True):
            numbers[value, None] = len(numbers)
            slots[value, None] = slot
            if is_read:
                network.add_output(f"y{number}_{value.index}", slot)
    return network, digest(words)
