# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Notices to the backends of a runtime about loading and unloading a network.

As in Arm NN every backend context of the runtime is told, also those that run none of its layers.
Unlike in Arm NN, an error in reply to a "before" notice is also a veto at load.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from armnn_py.backends import LOADING
from armnn_py.errors import BackendError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from armnn_py.backends.backend import Backend
    from armnn_py.backends.registry import BackendRegistry

_logger = logging.getLogger("armnn_py.runtime")


class NetworkNotices:
    """The notices about one network; holds the backends that must be told of its end.

    Made before the network's first workload: asks each context by ``before_load_network``.

    Raises
    ------
    BackendError
        A context vetoes the load. Contexts that had agreed were told ``after_unload_network``.
    InvalidArgumentError
        The runtime is closed.
    """

    __slots__ = ("_registry", "_told", "name", "network_id")

    def __init__(self, registry: BackendRegistry, network_id: int, name: str) -> None:
        self.network_id = network_id
        self.name = name
        self._registry = registry
        self._told: list[Backend] = []  # backends that agreed to the load, in order
        try:
            for backend in registry.values():
                if backend.context is not None:
                    self._ask_to_load(backend)
        except BaseException:
            self.after_unload()
            raise

    def tell_newcomers(self, backends: Iterable[str | None]) -> None:
        """Ask contexts that came after the load, before a plan uses their backends.

        A network with free dimensions gets backends at a run, and a hint may name a device of
        which there was no instance when it was loaded.

        Raises
        ------
        BackendError
            A context does not let the network be loaded.
        """
        with LOADING:
            for backend_id in dict.fromkeys(backends):
                backend = None if backend_id is None else self._registry[backend_id]
                if backend is not None and backend.context and backend not in self._told:
                    self._ask_to_load(backend)
                    self._log(backend, "after_load_network")

    def _ask_to_load(self, backend: Backend) -> None:
        backend.retain()
        reason = self._notify(backend, "before_load_network")
        if reason is not None:
            backend.release()
            raise BackendError(
                f"backend '{backend.id}' does not let network '{self.name}' be loaded: {reason}"
            )
        self._told.append(backend)

    def _notify(self, backend: Backend, function: str) -> str | None:
        # The header promises that calls on one context do not overlap.
        with LOADING:
            context = backend.context
            return None if context is None else context.notify(function, self.network_id)

    def after_load(self) -> None:
        """Tell that the network is ready; failures are logged."""
        for backend in self._told:
            self._log(backend, "after_load_network")

    def before_unload(self, *, obey: bool) -> None:
        """Ask whether the network may be unloaded; without ``obey`` a veto is only logged.

        Raises
        ------
        BackendError
            A context vetoes it.
        """
        for backend in self._told:
            if not obey:
                self._log(backend, "before_unload_network")
                continue
            reason = self._notify(backend, "before_unload_network")
            if reason is not None:
                raise BackendError(
                    f"backend '{backend.id}' does not let network '{self.name}' be closed: {reason}"
                )

    def after_unload(self) -> None:
        """Tell that the network is gone, or was never made; releases the backends."""
        while self._told:
            backend = self._told.pop()
            try:
                self._log(backend, "after_unload_network")
            finally:
                backend.release()

    def _log(self, backend: Backend, function: str) -> None:
        reason = self._notify(backend, function)
        if reason is not None:
            _logger.warning(
                "backend '%s', network '%s': %s failed: %s", backend.id, self.name, function, reason
            )
