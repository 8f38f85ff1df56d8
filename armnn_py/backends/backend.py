# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""A loaded backend: one runtime's instance, and the library that holds its code."""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from armnn_py._native.allocators import default_allocator
from armnn_py._native.backend_options import checked_options, set_option, visible
from armnn_py._native.backend_services import (
    DeviceDescription,
    cache_file_count,
    extension,
    self_test,
)
from armnn_py._native.backend_table import (
    TableError,
    capabilities,
    destroy_instance,
    quiesce_instance,
)
from armnn_py._native.devices import lost_reason
from armnn_py._native.interrupts import deferred_interrupts, guarded
from armnn_py._native.model_options import model_option_defaults
from armnn_py.backends import shared_library
from armnn_py.backends.model_options import ModelOptions
from armnn_py.backends.option import BackendOption, option_records
from armnn_py.device_ids import device_id
from armnn_py.errors import BackendError, InvalidArgumentError
from armnn_py.ownership import Owner

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from armnn_py._native import abi
    from armnn_py._native.allocators import GivenAllocator, NativeAllocator
    from armnn_py._native.backend_context import NativeBackendContext
    from armnn_py._native.backend_options import OptionDefault, OptionValue
    from armnn_py._native.profiling_context import Counter, NativeProfilingContext
    from armnn_py.backends.backend_allocator import BackendAllocator
    from armnn_py.backends.layer_support import StandInAnswer, Support
    from armnn_py.backends.source import BackendSource
    from armnn_py.backends.version import BackendVersion
    from armnn_py.descriptors import Descriptor, StandInDescriptor
    from armnn_py.tensors import TensorInfo
    from armnn_py.types import LayerType

__all__ = ["Backend"]

_log = logging.getLogger("armnn_py.backends")

#: Nanoseconds that a backend may take to finish its queues before it is destroyed.
QUIESCE_NS = 2_000_000_000


class _Use:
    """One use of a backend, in a ``with`` block; Ctrl-C between two lines does not lose it."""

    __slots__ = ("_backend", "_is_counted")

    def __init__(self, backend: Backend) -> None:
        self._backend = backend
        self._is_counted = False

    def __enter__(self) -> None:
        with deferred_interrupts():
            self._backend.retain()
            self._is_counted = True

    def __exit__(self, *_: object) -> None:
        with deferred_interrupts():
            is_counted, self._is_counted = self._is_counted, False
            if is_counted:
                self._backend.release()

    def __del__(self) -> None:
        if self._is_counted:
            self.__exit__()


class Backend(Owner, instead="a process makes its own Runtime, and shares it between threads"):
    """One runtime's instance of a backend; made by :func:`armnn_py.backends.load_backends`.

    Attributes
    ----------
    id
        Name of the backend, unique in a runtime; for a device of index 1 and on with the index,
        as in ``"AcmeNpu:1"``.
    device_index
        Which of `devices` it computes on.
    options
        Every option that it understands with the value in force; a secret one is not shown.
    run_option_defaults
        Options of one run: their types, defaults and descriptions.
    context
        Its native backend context, or None; the runtime notifies it of networks.
    lost_device
        Why its device is gone, or None: a backend without its device gets no more work.

    The instance has users: its registry, plans and running support queries. It is destroyed with
    the last of them, in whatever order Python frees objects.
    """

    __slots__ = (
        "_allocator",
        "_default_allocator",
        "_instance",
        "_is_open",
        "_option_defaults",
        "_profiling",
        "_quiesced",
        "_table",
        "_users",
        "context",
        "device_index",
        "id",
        "lost_device",
        "options",
        "run_option_defaults",
        "source",
    )

    def __init__(
        self,
        *,
        source: BackendSource,
        device_index: int,
        instance: int,
        context: NativeBackendContext | None,
        values: Mapping[str, OptionValue],
        option_defaults: Mapping[str, OptionDefault],
        run_option_defaults: Mapping[str, OptionDefault],
        profiling: NativeProfilingContext | None = None,
        allocator: GivenAllocator | None = None,
    ) -> None:
        self.source = source
        self.id = device_id(source.id, device_index)
        self.device_index = device_index
        self._option_defaults = option_defaults
        self.run_option_defaults = run_option_defaults
        in_force = {name: one.value for name, one in option_defaults.items()} | dict(values)
        self.options = visible(in_force, option_defaults)
        self._table = source.table
        self._instance = instance
        self._quiesced = False
        self.context = context
        self._profiling = profiling
        self._allocator = allocator  # outlives the instance
        self._default_allocator: NativeAllocator | None = None
        self._is_open = True
        self._users = 1
        self.lost_device: str | None = None

    @property
    def version(self) -> BackendVersion:
        """Version of the backend API that it asks for."""
        return self.source.version

    @property
    def place(self) -> str:
        """Origin of the file, as in :class:`~armnn_py.backends.verdict.Verdict`."""
        return self.source.place

    @property
    def file(self) -> str | None:
        """Real path of its shared object; None if it is linked into the library, or in Python."""
        return self.source.file

    @property
    def is_static(self) -> bool:
        """Whether it is linked into the core library."""
        return self.place == "static"

    @property
    def origin(self) -> str:
        """Words for where its code is."""
        if self.source.python_table is not None:
            return "the backend written in Python"
        return self.file or "the backend linked into the core library"

    @property
    def is_reference(self) -> bool:
        """Whether it computes by the definition, so that others are compared with it, as CpuRef."""
        return self._table.is_reference

    @property
    def vendor_version(self) -> str | None:
        """The backend's own version, any text."""
        return self._table.vendor_version

    @property
    def description(self) -> str | None:
        """One line for people."""
        return self._table.description

    @property
    def score(self) -> int:
        """Default order of preference, higher first."""
        return int(self._table.api.score)

    @property
    def api(self) -> abi.armnn_backend_api_t:
        """A private copy of its table; functions that an older backend lacks are null."""
        return guarded(self._table.api, self.id)

    @property
    def may_call_python(self) -> bool:
        """Whether `calls_python` can ever be true."""
        return self._profiling is not None or self._is_pythons

    @property
    def calls_python(self) -> bool:
        """Whether its code may call Python while a network runs."""
        return self._is_pythons or (self._profiling is not None and self._profiling.is_on)

    @property
    def _is_pythons(self) -> bool:
        return self._allocator is not None or self.source.python_table is not None

    @property
    def instance(self) -> int:
        """Address of the backend object; 0 after :meth:`close`."""
        return self._instance

    @property
    def capabilities(self) -> dict[str, OptionValue]:
        """Its capabilities: named values, e.g. ``{"HasFp16": True}``.

        Raises
        ------
        BackendError
            It fails to answer.
        InvalidArgumentError
            The runtime of the backend is closed.
        """
        with self.in_use():
            try:
                return capabilities(self._table, self._instance, self.id)
            except TableError as error:
                raise BackendError(f"backend '{self.id}': {error.reason}") from None

    @property
    def model_options(self) -> dict[str, OptionValue]:
        """The per-model options that it understands, with their defaults.

        Raises
        ------
        BackendError
            It fails to list them.
        InvalidArgumentError
            The runtime of the backend is closed.
        """
        return {option.name: option.default for option in self._model_options()}

    @property
    def run_options(self) -> dict[str, OptionValue]:
        """The options of one run that it understands, with their defaults."""
        defaults = self.run_option_defaults
        return visible({name: one.value for name, one in defaults.items()}, defaults)

    def _model_options(self) -> list[BackendOption]:
        with self.in_use():
            return option_records("model", model_option_defaults(self.id, self.api, self._instance))

    def describe_options(self) -> tuple[BackendOption, ...]:
        """Everything that there is to say of its options: of the backend, of a model, of a run.

        Raises
        ------
        BackendError
            It fails to list the options of a model.
        InvalidArgumentError
            The runtime of the backend is closed.

        Examples
        --------
        >>> import armnn_py as ann
        >>> with ann.Runtime() as runtime:
        ...     isa, threads, *_ = runtime.backends["CpuAcc"].describe_options()
        >>> isa.help
        'instruction set of the kernels; auto: the best that the processor has'
        """
        return (
            *option_records("backend", self._option_defaults, self.options),
            *self._model_options(),
            *option_records("run", self.run_option_defaults),
        )

    def set_option(self, name: str, value: OptionValue) -> None:
        """Give an option another value, also while networks are loaded and run.

        Parameters
        ----------
        name
            An option of scope ``"backend"`` that is ``changeable``.
        value
            A value of its type; a run under way may see the old one or this one.

        Raises
        ------
        UnknownNameError
            The backend has no such option.
        InvalidArgumentError
            The option cannot be changed, the value is not allowed, or the runtime is closed.
        BackendError
            The backend does not take it; the old value holds.
        """
        subject, defaults = f"backend '{self.id}'", self._option_defaults
        checked = checked_options(subject, {name: value}, defaults)[name]
        if not defaults[name].description.changeable:
            changeable = [key for key, one in defaults.items() if one.description.changeable]
            raise InvalidArgumentError(
                f"{subject}: option '{name}' cannot be changed once the backend is loaded",
                details=[f"changeable: {', '.join(changeable) or 'none'}"],
                hints=[f"make a new Runtime(backend_options={{'{self.id}': {{'{name}': ...}}}})"],
            )
        with self.in_use(), shared_library.LOADING:
            set_option(self.id, self.api, self._instance, name, checked, defaults[name])
            self.options |= visible({name: checked}, defaults)

    @property
    def default_allocator(self) -> BackendAllocator | None:
        """The backend's own allocator, or None if it has none.

        Raises
        ------
        BackendError
            It fails to return one.
        InvalidArgumentError
            The runtime of the backend is closed.
        """
        from armnn_py.backends.backend_allocator import BackendAllocator

        with self.in_use(), shared_library.LOADING:
            if self._default_allocator is None:
                self._default_allocator = default_allocator(self.id, self.api, self._instance)
            native = self._default_allocator
        return None if native is None else BackendAllocator(self, native)

    @property
    def counters(self) -> tuple[Counter, ...]:
        """The counters that it has; empty for a backend without a profiling context."""
        return () if self._profiling is None else self._profiling.counters

    @property
    def profiling(self) -> NativeProfilingContext | None:
        """Its native profiling context, or None; for profiles."""
        return self._profiling

    def read_counters(self) -> dict[str, float]:
        """Return the current value of each counter, in its unit.

        Raises
        ------
        BackendError
            It fails to report them.
        InvalidArgumentError
            The runtime of the backend is closed.
        """
        with self.in_use():
            profiling = self._profiling
            if profiling is None:
                return {}
            profiling.start()
            try:
                return profiling.scaled(profiling.read())
            finally:
                profiling.stop()

    @property
    def number_of_cache_files(self) -> int:
        """How many cache files it keeps for one network; 0 if it does not say.

        Raises
        ------
        InvalidArgumentError
            The runtime of the backend is closed.
        """
        with self.in_use():
            return cache_file_count(self.api, self._instance)

    @property
    def devices(self) -> tuple[DeviceDescription, ...]:
        """The devices that the backend lists, its own at ``[device_index]``.

        Empty if the backend has one device and tells nothing of it.

        Raises
        ------
        BackendError
            It fails to list them, or answers otherwise than before.
        InvalidArgumentError
            The runtime of the backend is closed.
        """
        with self.in_use():
            return self.source.devices(self._instance)

    @property
    def device(self) -> DeviceDescription | None:
        """Its own device; None if the backend tells nothing of it.

        Raises
        ------
        BackendError
            As `devices`.
        InvalidArgumentError
            The runtime of the backend is closed.
        """
        with self.in_use():
            return self.source.device(self.device_index)

    def self_test(self, level: int = 0) -> None:
        """Let it test itself: level 0 is quick, higher levels may take seconds.

        A backend without a self test passes.

        Raises
        ------
        BackendError
            The test failed; ``BackendUnavailableError`` if its device is not there.
        InvalidArgumentError
            ``level`` is not from 0 to 2147483647, or the runtime of the backend is closed.
        """
        if isinstance(level, bool) or not isinstance(level, int) or not 0 <= level < 1 << 31:
            raise InvalidArgumentError(f"level: {level!r} given, an int of at least 0 expected")
        with self.in_use(), shared_library.LOADING:
            self_test(self.id, self.api, self._instance, level)

    def supports(
        self,
        layer_type: LayerType,
        inputs: Sequence[TensorInfo | None],
        outputs: Sequence[TensorInfo] | None = None,
        descriptor: Descriptor | None = None,
        *,
        constants: Collection[int] = (),
        model_options: Mapping[str, OptionValue] | None = None,
    ) -> Support:
        """Ask whether it runs a layer: Arm NN's ``ILayerSupport::IsLayerSupported``.

        Parameters
        ----------
        layer_type
            Type of the layer.
        inputs
            Infos of its operands in the order of ``armnn/descriptors.h``, None for an optional one
            that is absent.
        outputs
            Infos of its outputs; without them they are inferred, as `Network.add_layer` does.
        descriptor
            Parameters, of the class that ``DESCRIPTOR_OF[layer_type]`` names.
        constants
            Indices, from 0, of the operands whose values are known when a network is loaded.
        model_options
            Options of the model for this backend, by name.

        Returns
        -------
        Support
            True if it runs the layer; otherwise false, with the backend's ``reason``.

        Raises
        ------
        LayerValidationError
            No network can have such a layer; the backend is not asked.
        InvalidArgumentError
            An argument has a wrong type, or the runtime of the backend is closed.
        UnknownNameError
            The backend has no such model option.

        Examples
        --------
        >>> import armnn_py as ann
        >>> from armnn_py.descriptors import ActivationDescriptor
        >>> x = ann.TensorInfo((1, 16))
        >>> with ann.Runtime() as runtime:
        ...     backend = runtime.backends["CpuRef"]
        ...     bool(backend.supports(ann.LayerType.ACTIVATION, [x], None, ActivationDescriptor()))
        True
        """
        from armnn_py.backends.layer_support import (
            LayerSupport,
            Support,
            never_shown,
            valid_signature,
        )

        signature = valid_signature(layer_type, inputs, outputs, descriptor, constants)
        why = never_shown(signature.type, signature.descriptor)
        if why:
            return Support(False, why)
        options = None
        if model_options is not None:
            options = ModelOptions({self.id: model_options}, {self.id: self}).of(self)
        with LayerSupport(self, options) as support:
            return support.ask(signature)

    @property
    def runs_stand_ins(self) -> bool:
        """Whether it runs any operator that no layer expresses.

        Raises
        ------
        InvalidArgumentError
            The runtime of the backend is closed.
        """
        from armnn_py.backends.layer_support import LayerSupport

        with LayerSupport(self) as support:
            return support.runs_stand_ins

    def infer_stand_in(
        self,
        descriptor: StandInDescriptor,
        inputs: Sequence[TensorInfo | None],
        constants: Mapping[int, NDArray[Any]] | None = None,
        *,
        name: str = "",
    ) -> StandInAnswer:
        """Ask whether it runs an operator that no layer expresses, and what its outputs are.

        Parameters
        ----------
        descriptor
            The operator: domain, name, version, attributes, counts of operands and outputs.
        inputs
            Infos of its operands, None for one that is absent.
        constants
            Values of operands that are known, by index.
        name
            Name of the layer, for messages of the backend.

        Returns
        -------
        StandInAnswer
            True with the infos of the outputs; otherwise false, with the backend's ``reason``.

        Raises
        ------
        InvalidArgumentError
            The descriptor has other counts, or the runtime of the backend is closed.
        """
        from armnn_py.backends.layer_support import LayerSupport

        if descriptor.input_count != len(inputs):
            raise InvalidArgumentError(
                f"infos of {len(inputs)} operands given, {descriptor.input_count} expected by the "
                "descriptor"
            )
        known = constants or {}
        values = [known.get(index) for index in range(len(inputs))]
        with LayerSupport(self) as support:
            return support.infer_stand_in(descriptor, inputs, values, name)

    def extension(self, name: str) -> int | None:
        """Return the address of its table of that name, e.g. ``"acme.tuning/1"``, or None.

        Raises
        ------
        InvalidArgumentError
            ``name`` is no text, or the runtime of the backend is closed.
        """
        if not isinstance(name, str) or "\0" in name:
            raise InvalidArgumentError(f"extension: {name!r} given, a name expected")
        with self.in_use():
            return extension(self.api, self._instance, name)

    def in_use(self) -> contextlib.AbstractContextManager[None]:
        """Keep the instance for the length of a block; raises if the runtime is closed."""
        return _Use(self)

    def note_lost_device(self) -> None:
        """After a failure: remember whether the backend reported its device lost."""
        if self.lost_device is None and self._instance:
            self.lost_device = lost_reason(self._instance)

    def retain(self) -> None:
        """Count one more user, who must call :meth:`release`.

        Raises
        ------
        InvalidArgumentError
            The runtime of the backend is closed.
        """
        with shared_library.LOADING:
            if not self._is_open:
                raise InvalidArgumentError(
                    f"backend '{self.id}' is closed", hints=["make a new Runtime()"]
                )
            self._users += 1

    def close(self) -> None:
        """End the registry's use; may be repeated. No new user is accepted from now on."""
        # An interrupt between two steps would leave it neither open nor closed.
        with shared_library.LOADING, deferred_interrupts():
            if self._is_open:
                self._is_open = False
                self.source.forget()
                self.release()

    def quiesce(self) -> None:
        """Tell the instance to finish and rest, once; a failure is logged."""
        with shared_library.LOADING:
            if self._quiesced or not self._instance:
                return
            self._quiesced = True
            reason = quiesce_instance(self._table, self._instance, QUIESCE_NS, self.id)
            if reason is not None:
                _log.warning("backend '%s' did not come to rest: %s", self.id, reason)

    def release(self) -> None:
        """Count one user less; the last one destroys the instance and closes the library."""
        with shared_library.LOADING, deferred_interrupts():
            self._users -= 1
            if self._users:
                return
            self.quiesce()
            if self._profiling is not None:
                self._profiling.destroy()
            if self._default_allocator is not None:
                self._default_allocator.destroy()
                self._default_allocator = None
            if self.context is not None:
                self.context.destroy()
                self.context = None
            instance, self._instance = self._instance, 0
            destroy_instance(self._table, instance, self.id)
            self._allocator = None
            if self.source.library is not None:
                shared_library.release(self.source.library, unloadable=self._table.unloadable)

    def __repr__(self) -> str:
        state = "" if self._is_open else " closed"
        return f"<Backend '{self.id}' API {self.version} from {self.file or self.place}{state}>"
