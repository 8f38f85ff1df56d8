# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Options of one model, for each backend that may run layers of it."""

from __future__ import annotations

import warnings
from collections.abc import Collection, Iterable, Mapping
from typing import TYPE_CHECKING, Any

from armnn_py._native.table.option_structs import NativeModelOptions, model_options
from armnn_py.caller import caller_level
from armnn_py.device_ids import option_keys, split_id
from armnn_py.errors import ArmnnWarning, InvalidArgumentError

if TYPE_CHECKING:
    from armnn_py._native.table.backend_options import OptionValue
    from armnn_py.backends.instance import BackendInstance


class ModelOptions:
    """``model_options`` of one call: backend id to (name to value), checked.

    Parameters
    ----------
    options
        The caller's mapping; None stands for no options. Those of ``"AcmeNpu"`` hold for all its
        devices, those of ``"AcmeNpu:1"`` come before them.
    backends
        The backends of the runtime by id.

    Raises
    ------
    BackendNotFoundError
        There are options for a backend or a device that is not there.
    UnknownNameError
        A backend has no such option; the hint lists similar names.
    InvalidArgumentError
        ``options`` is not a mapping of mappings, or a value has another type.
    BackendError
        A backend does not say which options it has.
    """

    __slots__ = ("_given", "_native")

    def __init__(
        self,
        options: Mapping[str, Mapping[str, OptionValue]] | None,
        backends: Mapping[str, BackendInstance],
    ) -> None:
        self._given: dict[str, Mapping[str, OptionValue]] = {}
        self._native: dict[str, NativeModelOptions | None] = {}
        for backend_id, values in mapping_of(options or {}, "model_options").items():
            values = mapping_of(values, f"model_options['{backend_id}']")
            backend = backends[backend_id]
            backend.retain()
            try:
                native = model_options(backend_id, backend.api, backend.instance, values)
            finally:
                backend.release()
            if native is not None:
                self._given[backend_id] = native.values

    def of(self, backend: BackendInstance) -> NativeModelOptions | None:
        """The model options for calls of this backend; None: null."""
        if not self._given:
            return None
        if backend.id not in self._native:
            values = self.values_of(backend)
            with backend.in_use():
                native = model_options(backend.id, backend.api, backend.instance, values)
            self._native[backend.id] = native
        return self._native[backend.id]

    @property
    def given(self) -> dict[str, dict[str, OptionValue]]:
        """The values that were given, by the id that they were given for."""
        return {backend_id: dict(values) for backend_id, values in self._given.items()}

    def values_of(self, backend: BackendInstance) -> dict[str, OptionValue]:
        """The values that were given for this backend."""
        values: dict[str, OptionValue] = {}
        for key in option_keys(*split_id(backend.id)):
            values |= self._given.get(key, {})
        return values


def warn_of_unused(what: str, given: Iterable[str], used: Collection[str]) -> None:
    """Warn of options for backends, or devices, that no layer runs on.

    Parameters
    ----------
    what
        The kind of options.
    given
        The ids that have options; ``"AcmeNpu"`` stands for all its devices.
    used
        The ids of the devices that may run, or hear of, layers.
    """
    keys = {key for name in used for key in option_keys(*split_id(name))}
    unused = [name for name in given if name not in keys]
    if unused:
        warnings.warn(
            f"{what} for {', '.join(unused)}, which this network does not use; "
            f"it uses {', '.join(used) or 'no backend with such options'}",
            ArmnnWarning,
            stacklevel=caller_level(),
        )


def mapping_of(value: Any, subject: str) -> Mapping[str, Any]:
    """Return options as they were given, of all backends or of one; raises if they are no mapping.

    Raises
    ------
    InvalidArgumentError
        They are no mapping.
    """
    if not isinstance(value, Mapping):
        raise InvalidArgumentError(
            f"{subject}: {type(value).__name__} given, a mapping of "
            f"{'names to values' if '[' in subject else 'ids to options'} expected"
        )
    return value
