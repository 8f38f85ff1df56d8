# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Options of backends as a caller gives them, by the id of a backend or of a device."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from armnn_py._native.table.backend_options import OptionDefault, OptionValue, checked_options
from armnn_py.backends.devices import count_of
from armnn_py.device_ids import device_id, option_keys, split_id
from armnn_py.errors import InvalidArgumentError, UnknownNameError
from armnn_py.text import counted

if TYPE_CHECKING:
    from armnn_py.backends.backend import Backend
    from armnn_py.backends.loader.verdict import LoadReport

BackendOptions = Mapping[str, Mapping[str, OptionValue]]


class OptionsOfCaller:
    """``backend_options``, checked against what each backend understands."""

    def __init__(self, options: BackendOptions | None) -> None:
        self._options: dict[str, dict[str, OptionValue]] = {}
        if options is None:
            return
        if not isinstance(options, Mapping):
            raise InvalidArgumentError(
                f"backend_options: {type(options).__name__} given, "
                "a mapping of ids to options expected"
            )
        for backend_id, values in options.items():
            if not isinstance(values, Mapping):
                raise InvalidArgumentError(
                    f"backend_options['{backend_id}']: {type(values).__name__} given, "
                    "a mapping of names to values expected"
                )
            self._options[backend_id] = dict(values)

    @property
    def keys(self) -> Collection[str]:
        """The ids that were given, of backends and of devices."""
        return self._options.keys()

    @property
    def ids(self) -> Collection[str]:
        """Ids of the backends that have options, or whose devices have."""
        return {split_id(key)[0] for key in self._options if isinstance(key, str)}

    def values_for(
        self, backend_id: str, index: int, defaults: Mapping[str, OptionDefault]
    ) -> dict[str, OptionValue]:
        """Return the options for a device, checked against ``defaults``."""
        values: dict[str, OptionValue] = {}
        for key in option_keys(backend_id, index):
            values |= checked_options(
                f"backend_options['{key}']", self._options.get(key, {}), defaults
            )
        return values

    def check_devices(self, backends: Mapping[str, Backend]) -> None:
        """Refuse wrong options of devices: their instances are made later, and may never be.

        Raises
        ------
        UnknownNameError, InvalidArgumentError
            As `values_for`.
        """
        for key in self._options:
            name, index = split_id(key)
            if index and name in backends:
                self.values_for(name, index, backends[name].source.defaults)


def check_known(
    subject: str,
    ids: Iterable[str],
    backends: Mapping[str, Backend],
    report: LoadReport,
    valid: Sequence[str],
) -> None:
    """Refuse settings for an id that is neither loaded nor in the report, or has no such device.

    Settings for a backend that was found but refused, or has no device here, are allowed.

    Raises
    ------
    UnknownNameError
        There is such an id.
    """
    for backend_id in ids:
        if backend_id in backends:
            continue
        name, index = split_id(backend_id) if isinstance(backend_id, str) else (backend_id, 0)
        if name in backends:
            count = count_of(backends[name])
            raise UnknownNameError(
                f"{subject}: backend '{name}' has no device {index}, "
                f"it has {counted(count, 'device')}",
                name=backend_id,
                valid=[device_id(name, number) for number in range(count)],
            )
        if not report.about(name):
            raise UnknownNameError(
                f"{subject}: backend '{backend_id}' is not loaded",
                name=str(backend_id),
                valid=list(valid),
                details=[f"loaded: {', '.join(backends) or 'none'}", *map(str, report.refused)],
            )
