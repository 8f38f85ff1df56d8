# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Layer to backend, with the reason each earlier choice was refused.

Arm NN's rules: the layer's own hint first, then the list of preferences in order; the first backend
that says yes wins. Unlike there, an unknown hint is an error, a hint must be one of the loaded
backends but need not be listed, and all layers that nobody takes are reported together.
"""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

from armnn_py.backends.support import LayerSupport
from armnn_py.errors import LayerRefusal, NoBackendForLayerError, UnknownNameError
from armnn_py.optimizer.report import Assignment, LayerAssignment
from armnn_py.types import LayerType

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from armnn_py.backends.backend import Backend
    from armnn_py.network import Layer, Network

__all__ = ["HOST_LAYERS", "assign_backends"]

#: Layers that belong to the host: no backend ever sees them.
HOST_LAYERS = frozenset({LayerType.INPUT, LayerType.OUTPUT, LayerType.CONSTANT})


def assign_backends(
    network: Network, backends: Sequence[Backend], available: Mapping[str, Backend]
) -> Assignment:
    """Give every layer of ``network`` that is not the host's a backend.

    Parameters
    ----------
    network
        A network without free dimensions.
    backends
        Preferences, best first.
    available
        All loaded backends by id; a layer's hint may name any of them.

    Raises
    ------
    UnknownNameError
        If a hint names a backend that is not loaded.
    NoBackendForLayerError
        If some layers are taken by nobody; ``.layers`` has each with each backend's reason.
    """
    records: list[LayerAssignment] = []
    refused: list[LayerRefusal] = []
    with contextlib.ExitStack() as stack:
        supports: dict[str, LayerSupport] = {}

        def support_of(backend: Backend) -> LayerSupport:
            if backend.id not in supports:
                supports[backend.id] = stack.enter_context(LayerSupport(backend))
            return supports[backend.id]

        for layer in network.layers:
            if layer.type in HOST_LAYERS:
                continue
            candidates = _candidates(layer, backends, available)
            refusals: list[tuple[str, str]] = []
            for backend in candidates:
                answer = support_of(backend).ask(layer)
                if answer:
                    file = None if backend.file is None else str(backend.file)
                    records.append(
                        LayerAssignment(
                            layer.guid,
                            layer.name,
                            layer.type.label,
                            backend.id,
                            file,
                            layer.backend_hint,
                            tuple(refusals),
                        )
                    )
                    break
                refusals.append((backend.id, answer.reason))
            else:
                refused.append(LayerRefusal(layer.name, layer.type.label, tuple(refusals)))
    if refused:
        raise _no_backend(refused, [backend.id for backend in backends], available)
    return Assignment(records)


def _candidates(
    layer: Layer, backends: Sequence[Backend], available: Mapping[str, Backend]
) -> list[Backend]:
    hint = layer.backend_hint
    if hint is None:
        return list(backends)
    if hint not in available:
        raise UnknownNameError(
            f"layer '{layer.name}' asks for backend '{hint}', which is not loaded",
            name=hint,
            valid=list(available),
        )
    return [available[hint], *(backend for backend in backends if backend.id != hint)]


def _no_backend(
    refused: Sequence[LayerRefusal], listed: Sequence[str], available: Mapping[str, Backend]
) -> NoBackendForLayerError:
    count = len(refused)
    unused = [name for name in available if name not in listed]
    if unused:
        hint = f"also loaded, but not in the list: {', '.join(unused)}"
    else:
        hint = "'armnn-py backends show ID' lists what a backend can run"
    return NoBackendForLayerError(
        f"{count} layer{'s' if count != 1 else ''} cannot run on "
        + ", ".join(f"'{name}'" for name in listed),
        layers=refused,
        hints=[hint],
    )
