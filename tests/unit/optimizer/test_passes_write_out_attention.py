# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Attention and rotary embedding written out for a backend that takes the parts alone."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import armnn_py as ann

from .picky import Picky

if TYPE_CHECKING:
    from collections.abc import Iterator

NAME = "write-out-attention"
BOTH = ["Picky", "CpuRef"]
RNG = np.random.default_rng(5)
TYPES = {ann.LayerType.ATTENTION, ann.LayerType.ROTARY_EMBEDDING}


@pytest.fixture(scope="module")
def runtime() -> Iterator[ann.Runtime]:
    """One with a backend that takes everything but these layers."""
    picky = Picky(*ann.DataLayout)
    picky.refused |= TYPES
    with ann.Runtime(python_backends=[picky], enable_dynamic_backends=False) as found:
        yield found


def normal(*shape: int) -> Any:
    return RNG.standard_normal(shape).astype(np.float32)


def changes(optimized: ann.OptimizedNetwork) -> tuple[str, ...]:
    (record,) = (one for one in optimized.passes if one.name == NAME)
    return record.changes


def check(runtime: ann.Runtime, network: ann.Network, fed: dict[str, Any]) -> None:
    """Written out, the layer gives the numbers that it gives as a whole."""
    written = ann.optimize(network, BOTH, runtime=runtime)
    whole = ann.optimize(network, BOTH, runtime=runtime, disabled_passes=[NAME])
    assert changes(written) == ("'layer' written out",)
    assert {row.backend for row in written.assignment} == {"Picky"}
    with runtime.load_network(written) as one, runtime.load_network(whole) as other:
        found, expected = one.run(fed)["y"], other.run(fed)["y"]
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("interleaved", [False, True])
@pytest.mark.parametrize(("shape", "angles"), [((2, 3, 4, 8), (4, 3)), ((3, 8), (1, 4))])
def test_rotary_embedding(
    runtime: ann.Runtime, shape: tuple[int, ...], angles: tuple[int, ...], interleaved: bool
) -> None:
    network = ann.Network()
    both = network.add_input("x", ann.TensorInfo((2, *shape)))
    x, _ = network.add_split(network.add_reshape(both, (2 * shape[0], *shape[1:])), 2, 0).outputs
    cos, sin = normal(*angles), normal(*angles)
    y = network.add_rotary_embedding(x, cos, sin, interleaved=interleaved, name="layer")
    network.add_output("y", y)
    check(runtime, network, {"x": normal(2, *shape)})


SEEN = np.tri(3, 5, 1, bool)
MASKS = {
    "none": None,
    "numbers": normal(3, 5),
    "hiding all": np.where(np.arange(3)[:, np.newaxis] == 1, -np.inf, normal(3, 5)),
    "booleans": SEEN,
    "booleans hiding all": SEEN & (np.arange(3)[:, np.newaxis] != 1),
}


def attention(mask: Any = None, queries: int = 3, keys: int = 5, **options: Any) -> ann.Network:
    network = ann.Network()
    query = network.add_input("q", ann.TensorInfo((2, 4, queries, 8)))
    key = network.add_input("k", ann.TensorInfo((2, 2, keys, 8)))
    value = network.add_input("v", ann.TensorInfo((2, 2, keys, 6)))
    y = network.add_attention(query, key, value, mask, name="layer", **options)
    network.add_output("y", y)
    return network


def operands(queries: int = 3, keys: int = 5) -> dict[str, Any]:
    return {"q": normal(2, 4, queries, 8), "k": normal(2, 2, keys, 8), "v": normal(2, 2, keys, 6)}


@pytest.mark.parametrize("mask", MASKS)
@pytest.mark.parametrize("options", [{}, {"scale": 0.5, "softcap": 1.5}, {"causal": True}])
def test_attention(runtime: ann.Runtime, mask: str, options: dict[str, Any]) -> None:
    check(runtime, attention(MASKS[mask], **options), operands())


@pytest.mark.parametrize("queries", [1, 9])
def test_causality_of_other_sizes(runtime: ann.Runtime, queries: int) -> None:
    check(runtime, attention(queries=queries, causal=True), operands(queries))


def test_a_mask_that_is_computed(runtime: ann.Runtime) -> None:
    network = ann.Network()
    heads = [network.add_input(name, ann.TensorInfo((1, 1, 3, 4))) for name in "qkv"]
    mask = network.add_input("m", ann.TensorInfo((3, 3)))
    network.add_output("y", network.add_attention(*heads, mask, name="layer"))
    fed = {name: normal(1, 1, 3, 4) for name in "qkv"}
    hidden = normal(3, 3)
    hidden[2] = -np.inf
    check(runtime, network, {**fed, "m": hidden})


def test_a_backend_that_takes_the_layer_gets_it(runtime: ann.Runtime) -> None:
    optimized = ann.optimize(attention(), ["CpuRef"], runtime=runtime)
    assert changes(optimized) == ()


@pytest.mark.parametrize("options", [{"backend": "CpuRef"}, {"keys": 0}])
def test_layers_that_are_not_written_out(runtime: ann.Runtime, options: dict[str, Any]) -> None:
    optimized = ann.optimize(attention(**options), BOTH, runtime=runtime)
    assert changes(optimized) == ()
    assert {row.layer: row.backend for row in optimized.assignment}["layer"] == "CpuRef"
