# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""A `PythonBackend` as the table of functions calls it: what it says, checked."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from armnn_py._native.python_backend.python_options import option_default
from armnn_py.errors import InvalidArgumentError
from armnn_py.python_backend.backend import PythonBackend
from armnn_py.python_backend.call import KernelCall, store_answer
from armnn_py.python_backend.kernel import KernelRow
from armnn_py.python_backend.option import Option, Run
from armnn_py.python_backend.part import CompiledPart, Part
from armnn_py.tensors import TensorInfo
from armnn_py.types import DataLayout

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from armnn_py._native.layers.shown_layers import ShownLayer
    from armnn_py._native.python_backend.python_parts import ShownPart
    from armnn_py._native.table.backend_options import OptionDefault, OptionValue
    from armnn_py._native.table.profiling_context import ProfilingContext

_VALUES = (bool, int, float, str)
_LEAST, _MOST = -(2**63), 2**63 - 1
_SCORES = -(2**31), 2**31 - 1


class Serving:
    """One backend behind a table.

    Attributes
    ----------
    place, path, file
        As `Verdict` has them.

    Raises
    ------
    InvalidArgumentError
        Something else than a backend was given, or what it says of itself is of the wrong kind.
    """

    place = "python"
    file: str | None = None
    devices: Sequence[tuple[str, str, str, int]] = ()
    profiling: ProfilingContext | None = None

    def __init__(self, backend: Any) -> None:
        if not isinstance(backend, PythonBackend):
            given = "the class " + backend.__name__ if isinstance(backend, type) else repr(backend)
            hint = "make an object of it" if isinstance(backend, type) else "derive its class"
            raise InvalidArgumentError(
                f"python_backends: {given} given, a PythonBackend object expected", hints=[hint]
            )
        self._backend = backend
        self.path = f"{type(backend).__module__}.{type(backend).__qualname__}"
        self.id = self._text("id", backend.id)
        if not self.id:
            raise InvalidArgumentError(
                f"{self.path} has no id", hints=['write id = "Mine" in the class']
            )
        if "\0" in self.id:
            raise InvalidArgumentError(f"{self.path}.id is {self.id!r}: it contains a NUL")
        self.vendor_version = self._text("version", backend.version)
        self.description = _first_line(backend)
        self.score = backend.score
        if type(self.score) is not int or not _SCORES[0] <= self.score <= _SCORES[1]:
            raise InvalidArgumentError(f"{self.path}.score is {self.score!r}, an int expected")
        self.is_reference = bool(backend.is_reference)
        self.optimizes = type(backend).optimize is not PythonBackend.optimize
        self.infers = type(backend).infer_stand_in is not PythonBackend.infer_stand_in
        self.prefers_layouts = type(backend).preferred_layout is not PythonBackend.preferred_layout
        self.takes_bounded = any(row.bounded for rows in backend._rows.values() for row in rows)
        self.capabilities = self._values("capabilities", backend.capabilities)
        self.options = self._options("option_defaults", backend.option_defaults)
        self.model_options = self._options("model_option_defaults", backend.model_option_defaults)
        self.run_options = self._options("run_option_defaults", backend.run_option_defaults)
        own = type(backend)
        self.listens = (
            bool(self.run_options)
            or own.before_run is not PythonBackend.before_run
            or own.after_run is not PythonBackend.after_run
        )
        self._options_of: dict[int, Mapping[str, OptionValue]] = {}  # by run, while it lasts

    def _text(self, name: str, value: Any) -> str:
        if not isinstance(value, str):
            raise InvalidArgumentError(f"{self.path}.{name} is {value!r}, a text expected")
        return value

    def _values(self, name: str, values: Any) -> Mapping[str, OptionValue]:
        if not isinstance(values, Mapping):
            raise InvalidArgumentError(
                f"{self.path}.{name} is {values!r}, a mapping of names to values expected"
            )
        for key, value in values.items():
            self._text(f"{name}: the name of a value", key)
            # Other classes of numbers have no type in C, a bool is told apart from an int.
            if type(value) not in _VALUES or (
                isinstance(value, int) and not _LEAST <= value <= _MOST
            ):
                raise InvalidArgumentError(
                    f"{self.path}.{name}['{key}'] is {value!r}, "
                    "a bool, an int of 64 bits, a float or a str expected"
                )
        return dict(values)

    def _options(self, name: str, values: Any) -> Mapping[str, OptionDefault]:
        """Defaults, and what is said of them."""
        if not isinstance(values, Mapping):
            values = self._values(name, values)
        options = {key: one for key, one in values.items() if isinstance(one, Option)}
        for key, option in options.items():
            option.check(f"{self.path}.{name}['{key}']")
        defaults = {key: options[key].default if key in options else values[key] for key in values}
        return {
            key: option_default(value, options.get(key, Option(value)))
            for key, value in self._values(name, defaults).items()
        }

    # ---- Begin and end ---------------------------------------------------------------------------

    def of_device(self, _index: int) -> Serving:
        """The backend itself: it has one device."""
        return self

    def start(self, options: Mapping[str, OptionValue], lose_device: Callable[[str], bool]) -> None:
        """Begin to serve a runtime, with the values that somebody gave."""
        backend = self._backend
        with _serving_lock:
            if id(backend) in _serving:
                raise InvalidArgumentError(
                    f"this object serves another runtime: make one {type(backend).__name__}() "
                    "for each, or close the other runtime and its networks"
                )
            _serving[id(backend)] = backend
        try:
            defaults = {name: one.value for name, one in self.options.items()}
            backend.options = {**defaults, **options}
            backend._lose_device = lose_device
            backend.open()
        except BaseException:
            _serving.pop(id(backend), None)
            raise

    def stop(self) -> None:
        """End of that."""
        try:
            self._backend.close()
        finally:
            _serving.pop(id(self._backend), None)

    def self_test(self, level: int) -> None:
        """Raise if it does not work."""
        self._backend.self_test(level)

    # ---- Options and runs ------------------------------------------------------------------------

    def set_option(self, name: str, value: OptionValue) -> None:
        """Take another value for a changeable option."""
        self._backend.set_option(name, value)

    def before_run(self, network_id: int, run_id: int, options: Mapping[str, OptionValue]) -> None:
        """Keep the options of a run for its kernels, and tell the backend."""
        self._backend.before_run(Run(network_id, run_id, options))
        self._options_of[run_id] = options  # of the run alone, so that no lock is needed

    def after_run(self, network_id: int, run_id: int, status: str) -> None:
        """End of that."""
        options = self._options_of.pop(run_id, {})
        self._backend.after_run(Run(network_id, run_id, options, status))

    def options_of(self, run_id: int) -> Mapping[str, OptionValue]:
        """The options of a run that is under way."""
        return self._options_of.get(run_id, {})

    # ---- Layers ----------------------------------------------------------------------------------

    def why_not(self, layer: ShownLayer) -> str:
        """Why the backend does not run a layer; empty if it does."""
        found = self._choose(layer)
        return found if isinstance(found, str) else ""

    def why_not_bounded(self, layer: ShownLayer) -> str:
        """Why a layer needs fixed sizes; empty if bounded dimensions will do."""
        found = self._choose(layer)
        if isinstance(found, str):
            return found
        return "" if found.bounded else f"kernel '{found.name}' needs to know all shapes"

    def infer(self, layer: ShownLayer) -> Sequence[TensorInfo] | str:
        """Infos of the outputs of an operator that no layer expresses, or why it does not run."""
        found = self._backend.infer_stand_in(layer)
        if isinstance(found, str):
            return found or "infer_stand_in() gave no reason"
        infos = [found] if isinstance(found, TensorInfo) else list(found)
        count = layer.descriptor.output_count
        if len(infos) != count or not all(isinstance(info, TensorInfo) for info in infos):
            raise TypeError(
                f"infer_stand_in() returned {infos!r}, a TensorInfo for each of {count} outputs or "
                "a text that says why not expected"
            )
        return infos

    def preferred_layout(self, layer: ShownLayer) -> int:
        """The layout in which the backend would have a layer, 0: as it is."""
        answer = self._backend.preferred_layout(layer)
        if answer is None or type(answer) is DataLayout:
            return 0 if answer is None else answer.value
        raise TypeError(
            f"preferred_layout() returned {type(answer).__name__}, a DataLayout or None expected"
        )

    def make(self, layer: ShownLayer, compiled: object | None) -> ReadyKernel:
        """Choose the kernel of a layer and let it prepare, or take what was compiled."""
        backend = self._backend
        if isinstance(compiled, CompiledPart):
            return ReadyKernel(compiled.name, compiled.function, layer, None)
        row = self._choose(layer)
        if isinstance(row, str):  # it answered otherwise when it was asked
            raise RuntimeError(f"supports() took the layer before, and now: {row}")
        prepared = None if row.prepare is None else row.prepare(backend, layer)

        def call_method(call: KernelCall) -> Any:
            return getattr(backend, row.name)(call)  # which may have been replaced meanwhile

        count = 0 if row.operations is None else row.operations(backend, layer)
        if type(count) is not int or not 0 <= count < 2**64:
            raise ValueError(
                f"operations() of kernel '{row.name}' gave {count!r}, a count expected"
            )
        return ReadyKernel(row.name, call_method, layer, prepared, count, serial=row.serial)

    def optimize(self, part: ShownPart) -> bool:
        """Let the backend answer for the layers of a part; False if there is nothing to do."""
        view = Part(part)
        self._backend.optimize(view)
        return view.finish()

    def _choose(self, layer: ShownLayer) -> KernelRow | str:
        """The first row that takes a layer, or why none does."""
        rows = self._backend._rows.get(layer.type, [])
        if not rows:
            return f"no kernel for {layer.type.label} layers"
        reasons: list[str] = []
        for row in rows:
            reason = row.why_not(layer)
            if not reason and row.supports is not None:
                reason = _reason(row.supports(self._backend, layer), f"supports of '{row.name}'")
            if not reason:
                reason = _reason(self._backend.supports(layer), "supports()")
            if not reason:
                return row
            if reason not in reasons:
                reasons.append(reason)
        return "; ".join(reasons)


def _reason(answer: object, function: str) -> str:
    """An answer about support as a reason, empty for yes."""
    if isinstance(answer, str):
        return answer or f"{function} gave no reason"
    if answer is True:
        return ""
    if answer is False:
        return f"{function} says no"
    raise TypeError(
        f"{function} returned {type(answer).__name__}, True, False or a text that says why not "
        "expected"
    )


def _first_line(backend: PythonBackend) -> str:
    """The first line of what the class says of itself."""
    text = type(backend).__doc__ or ""
    return text.strip().partition("\n")[0]


# The objects that serve a runtime: ids are unique while they are held here.
_serving: dict[int, PythonBackend] = {}
_serving_lock = threading.Lock()


class ReadyKernel:
    """The kernel of one layer, with what it prepared."""

    def __init__(
        self,
        name: str,
        function: Callable[[KernelCall], Any],
        layer: ShownLayer,
        prepared: Any,
        operations: int = 0,
        *,
        serial: bool = False,
    ) -> None:
        self.name = name
        self.operations, self.is_serial = operations, serial
        self._function, self._layer, self._prepared = function, layer, prepared

    def run(
        self,
        inputs: tuple[NDArray[Any] | None, ...],
        outputs: tuple[NDArray[Any], ...],
        bounded: tuple[tuple[int, ...], ...],
        cancelled: Callable[[], bool],
        run_options: Mapping[str, OptionValue],
    ) -> tuple[NDArray[Any], ...]:
        """Call it and return what it made."""
        call = KernelCall(self._layer, inputs, outputs, self._prepared, cancelled, run_options)
        return store_answer(self.name, self._function(call), outputs, bounded)
