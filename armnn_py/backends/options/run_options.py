# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Options of one run, for each backend that hears of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from armnn_py._native.table.backend_options import checked_options
from armnn_py._native.table.option_structs import NativeRunOptions
from armnn_py.backends.options.model_options import mapping_of
from armnn_py.device_ids import option_keys, split_id

if TYPE_CHECKING:
    from armnn_py._native.table.backend_options import OptionDefault, OptionValue
    from armnn_py.backends.backend import Backend


class RunOptions:
    """``options`` of a run: backend id to (name to value), checked.

    Parameters
    ----------
    options
        The caller's mapping. Options of ``"AcmeNpu"`` hold for all its devices, those of
        ``"AcmeNpu:1"`` come before them.
    backends
        The backends of the runtime by id. One without layers in the network gets nothing.

    Raises
    ------
    BackendNotFoundError
        There are options for a backend that is not loaded.
    UnknownNameError
        A backend has no such option; the hint lists similar names.
    InvalidArgumentError
        ``options`` is not a mapping of mappings, or a value is not allowed.
    """

    __slots__ = ("_listeners", "_native", "_values")

    def __init__(
        self, options: Mapping[str, Mapping[str, OptionValue]], backends: Mapping[str, Backend]
    ) -> None:
        self._values: dict[str, tuple[dict[str, OptionValue], Mapping[str, OptionDefault]]] = {}
        self._listeners: Sequence[str] = ()
        self._native: NativeRunOptions | None = None
        given: Mapping[str, Any] = mapping_of(options, "options")
        for backend_id, values in given.items():
            subject = f"options['{backend_id}']"
            defaults = backends[backend_id].run_option_defaults
            values = mapping_of(values, subject)
            self._values[backend_id] = (checked_options(subject, values, defaults), defaults)

    def for_plan(self, listeners: Sequence[str]) -> NativeRunOptions:
        """The C form for a plan, whose backends that hear of runs are ``listeners``, by id."""
        if self._native is None or self._listeners is not listeners:
            self._listeners = listeners
            self._native = NativeRunOptions([self._of(name) for name in listeners])
        return self._native

    def _of(self, listener: str) -> tuple[dict[str, OptionValue], Mapping[str, OptionDefault]]:
        values: dict[str, OptionValue] = {}
        defaults: Mapping[str, OptionDefault] = {}
        for key in option_keys(*split_id(listener)):
            if key in self._values:
                given, defaults = self._values[key]
                values |= given
        return values, defaults
