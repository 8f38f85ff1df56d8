# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""A loaded backend: one runtime's instance, and the library that holds its code."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from armnn_py._native.table.allocators import default_allocator
from armnn_py._native.table.backend_options import checked_options, set_option, visible
from armnn_py._native.table.backend_table import TableError, capabilities
from armnn_py._native.table.option_structs import model_option_defaults
from armnn_py.backends.loader import shared_library
from armnn_py.backends.options.allocator import BackendAllocator
from armnn_py.backends.questions.layer_questions import LayerQuestions
from armnn_py.errors import BackendError, InvalidArgumentError

if TYPE_CHECKING:
    from armnn_py._native.table.allocators import GivenAllocator
    from armnn_py._native.table.backend_context import NativeBackendContext
    from armnn_py._native.table.backend_options import OptionDefault, OptionValue
    from armnn_py._native.table.backend_services import DeviceDescription
    from armnn_py._native.table.profiling_context import Counter, ProfilingContext
    from armnn_py.backends.loader.identity import BackendVersion
    from armnn_py.backends.loader.source import BackendSource
    from armnn_py.backends.options.option import BackendOption


class Backend(
    LayerQuestions, instead="a process makes its own Runtime, and shares it between threads"
):
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

    __slots__ = ("_option_defaults", "options", "run_option_defaults")

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
        profiling: ProfilingContext | None = None,
        allocator: GivenAllocator | None = None,
    ) -> None:
        super().__init__(source, device_index, instance, context, profiling, allocator)
        self._option_defaults = option_defaults
        self.run_option_defaults = run_option_defaults
        in_force = {name: one.value for name, one in option_defaults.items()} | dict(values)
        self.options = visible(in_force, option_defaults)

    @property
    def version(self) -> BackendVersion:
        """Version of the backend API that it asks for."""
        return self.source.version

    @property
    def place(self) -> str:
        """Origin of the file, as in :class:`~armnn_py.backends.loader.verdict.Verdict`."""
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
        if self.source.place == "isolated":
            return f"the worker that opened {self.file}"
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
        """One line that describes the backend."""
        return self._table.description

    @property
    def score(self) -> int:
        """Default order of preference, higher first."""
        return int(self._table.api.score)

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
        return self._allocator is not None or self.place == "python"

    @property
    def reads_blobs_in_place(self) -> bool:
        """Whether blobs are weights for one kind of processor, which are read where they are."""
        return self.capabilities.get("BlobsInPlace") is True

    @property
    def may_have_memory(self) -> bool:
        """Whether it may work in other memory than the host's."""
        api = self.api
        return bool(api.register_tensor_handle_factories or api.get_handle_factory_preferences)

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
            from armnn_py.backends.options.option import option_records

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
        'instruction set of the kernels; auto: the best that the processor has, without amx'
        """
        from armnn_py.backends.options.option import option_records

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
    def profiling(self) -> ProfilingContext | None:
        """Its profiling context, or None; for profiles."""
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
            from armnn_py._native.table.backend_services import cache_file_count

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
            from armnn_py._native.table.backend_services import self_test

            self_test(self.id, self.api, self._instance, level)

    def extension(self, name: str) -> int | None:
        """Return the address of its table of that name, e.g. ``"acme.tuning/1"``, or None.

        Raises
        ------
        InvalidArgumentError
            ``name`` is not a string, or the runtime of the backend is closed.
        """
        if not isinstance(name, str) or "\0" in name:
            raise InvalidArgumentError(f"extension: {name!r} given, a name expected")
        with self.in_use():
            from armnn_py._native.table.backend_services import extension

            return extension(self.api, self._instance, name)

    def __repr__(self) -> str:
        state = "" if self._is_open else " closed"
        return f"<Backend '{self.id}' API {self.version} from {self.file or self.place}{state}>"
