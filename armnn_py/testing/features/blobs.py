# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Bytes of compiled sub-graphs: another version is refused; damaged bytes do no harm."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from armnn_py._native.table.blob import deserialize_blob
from armnn_py.errors import ArmnnError
from armnn_py.guard.outcome import CheckFailedError
from armnn_py.optimizer import OptimizerOptions, optimize
from armnn_py.testing.grown.networks import grow
from armnn_py.testing.oracles.reference import REFERENCE
from armnn_py.testing.outcome import NotApplicableError
from armnn_py.testing.random_networks import random_network
from armnn_py.testing.spreading import random_inputs

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from armnn_py._native.table.blob import NativeBlob
    from armnn_py.backends.backend import Backend
    from armnn_py.network import Network
    from armnn_py.optimizer import OptimizedNetwork
    from armnn_py.runtime import Runtime
    from armnn_py.testing.cases import Case
    from armnn_py.testing.target import Target

_NETWORKS = 2  # with bytes, out of these many
_GROWN = 5
_ANOTHER = b"another version"
_FLIPPED = 48  # bytes at the start, where headers are, and as many anywhere


def check_blobs(
    target: Target, seed: int, taken: Sequence[Case], on_step: Callable[[str], None]
) -> None:
    """Read bytes that are too few, or of which one is another; run what is taken all the same.

    A crash or a hang is the failure; wrong numbers are not, because who writes a file may write
    other weights.

    Raises
    ------
    CheckFailedError
        The backend reads bytes of another version, or makes bytes of no network of the kit.
    NotApplicableError
        The backend reads no bytes of compiled sub-graphs.
    """
    tried = 0
    with target.runtime(with_others=True) as runtime:
        backend = runtime.backends[target.id]
        if not backend.api.deserialize_blob:
            raise NotApplicableError("the backend reads no compiled sub-graphs")
        both = list(dict.fromkeys([target.id, REFERENCE]))
        options = OptimizerOptions(simplify=False)
        for name, network, inputs in _networks(runtime, target, seed, taken, on_step):
            if tried == _NETWORKS:
                break
            on_step(f"{name}, compiled")
            placed = optimize(network, both, runtime=runtime, options=options)
            for guid, blob in placed.placed.blobs.items():
                if placed.placed.layer_backends[guid] != target.id or not blob.is_serializable:
                    continue
                tried += 1
                data = blob.to_bytes(backend.id, "layer")
                on_step(f"{name}, a blob of another version")
                _check_version(backend, data, blob.compatibility)
                for what, damaged in _damaged(data, seed):
                    on_step(f"{name}, a blob of {data.size} bytes, {what}")
                    with contextlib.suppress(ArmnnError):
                        read = _read(backend, damaged, blob.compatibility)
                        _run_with(runtime, placed, guid, read, inputs)
                break
    if not tried:
        raise CheckFailedError(
            "the table has deserialize_blob, but the backend made bytes of no network of the kit: "
            "what it does with damaged bytes is untested"
        )


def _networks(
    runtime: Runtime,
    target: Target,
    seed: int,
    taken: Sequence[Case],
    on_step: Callable[[str], None],
) -> Iterator[tuple[str, Network, dict[str, NDArray[Any]]]]:
    """Give networks of layers that the backend takes, then one of random patterns."""
    backend = runtime.backends[target.id]
    with contextlib.suppress(NotApplicableError):
        for number in range(seed, seed + _GROWN):
            grown = grow(taken, backend, runtime, number, on_step)
            yield f"network {number}", grown.network, grown.inputs
    network = random_network(seed)
    yield f"random network {seed}", network, random_inputs(network, seed)


def _read(backend: Backend, data: NDArray[np.uint8], compatibility: bytes) -> NativeBlob:
    with backend.in_use():
        return deserialize_blob(
            backend.id,
            backend.api,
            backend.instance,
            data,
            compatibility,
            "layer",
            retain=backend.retain,
            release=backend.release,
        )


def _check_version(backend: Backend, data: NDArray[np.uint8], compatibility: bytes) -> None:
    """Want bytes refused that another version of the backend may have written."""
    try:
        _read(backend, data, _ANOTHER)
    except ArmnnError:
        return
    raise CheckFailedError(
        f"check_blob and deserialize_blob take bytes with the compatibility text "
        f"'{_ANOTHER.decode()}', where the backend writes '{compatibility.decode()}': bytes of an "
        "older version would run; hint: refuse other texts in check_blob"
    )


def _run_with(
    runtime: Runtime,
    placed: OptimizedNetwork,
    guid: int,
    blob: NativeBlob,
    inputs: dict[str, NDArray[Any]],
) -> None:
    """Run a network with another blob in the place of one."""
    blobs = cast("dict[int, NativeBlob]", placed.placed.blobs)
    before = blobs[guid]
    blobs[guid] = blob
    try:
        with runtime.load_network(placed) as loaded:
            loaded.run(inputs)
    finally:
        blobs[guid] = before


def _damaged(data: NDArray[np.uint8], seed: int) -> Iterator[tuple[str, NDArray[np.uint8]]]:
    size = data.size
    for left in sorted({1, 8, size // 2, size - 8, size - 1}):
        if 0 < left < size:
            yield f"only {left} of them", data[:left].copy()
    random = np.random.default_rng(seed)
    places = [*range(min(_FLIPPED, size)), *random.integers(0, size, _FLIPPED)]
    for place in places:
        for mask in (0xFF, 0x01):
            flipped = data.copy()
            flipped[place] ^= mask
            yield f"byte {place} flipped by {mask:#x}", flipped
