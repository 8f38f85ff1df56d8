# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Weights that several plans and networks have in common are kept once."""

from __future__ import annotations

import gc
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import armnn_py as ann
from armnn_py.optimizer import OptimizedNetwork

SIDE = 1500
WEIGHTS = np.random.default_rng(3).standard_normal((SIDE, SIDE)).astype(np.float32) / SIDE


def rows(weights: np.ndarray[Any, Any] = WEIGHTS) -> ann.Network:
    def build(infos: Any) -> ann.Network:
        network = ann.Network()
        x = network.add_input("x", infos["x"])
        w = network.add_constant(weights)
        network.add_output("y", network.add_fully_connected(x, w))
        return network

    side = weights.shape[0]
    infos = [ann.TensorInfo((None, side)) for _ in range(2)]
    return ann.Network.from_builder("rows", {"x": infos[0]}, build, {"y": infos[1]})


def resident() -> int:
    gc.collect()  # graphs of optimisation refer to one another
    return int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1]) * 4096


def growth_of_twenty_plans() -> int:
    """Bytes that a process grows by while one network gets plans for twenty further sizes."""
    with ann.load(rows(), ["CpuAcc"], plan_cache_size=100) as network:
        for size in (2, 3):
            network.run(np.zeros((size, SIDE), np.float32))
        before = resident()
        for size in range(4, 24):
            network.run(np.zeros((size, SIDE), np.float32))
        return resident() - before


def growth_of_twenty_scales() -> int:
    """Bytes that a process grows by while it loads products of one matrix in twenty sub-graphs.

    Each has a scale of its own behind it. CumSum, which CpuAcc lacks, separates the sub-graphs.
    """
    network = ann.Network()
    y = network.add_input("x", ann.TensorInfo((1, SIDE)))
    w = network.add_constant(WEIGHTS)
    for number in range(20):
        scale = np.float32([1 + number / 32])
        y = network.add_multiplication(network.add_fully_connected(y, w), scale)
        y = network.add_cum_sum(y, 1)
    network.add_output("y", y)
    places = ["CpuAcc", "CpuRef"]
    with ann.Runtime() as runtime, ann.load(rows(), places, runtime=runtime):
        before = resident()
        # Without passes, which scale copies of weights within a budget.
        optimized = ann.optimize(
            network, places, runtime=runtime, options=ann.OptimizerOptions(simplify=False)
        )
        with runtime.load_network(optimized) as loaded:
            assert loaded.run(np.zeros((1, SIDE), np.float32))["y"].shape == (1, SIDE)
            return resident() - before


@pytest.mark.skipif("ARMNN_TEST_SANITIZE" in os.environ, reason="a sanitizer keeps what is freed")
@pytest.mark.parametrize("growth", ["growth_of_twenty_plans", "growth_of_twenty_scales"])
def test_plans_and_scales_need_no_further_weights(growth: str) -> None:
    done = subprocess.run(
        [sys.executable, __file__, growth],
        # What is freed leaves the process at once, so that its size is what is in use.
        env={**os.environ, "MALLOC_MMAP_THRESHOLD_": str(2**20)},
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    )
    assert int(done.stdout) < 3 * WEIGHTS.nbytes  # of 20; each had them before


def test_plans_that_share_weights_go_one_by_one() -> None:
    x = np.random.default_rng(5).standard_normal((9, SIDE)).astype(np.float32)
    with ann.load(rows(), ["CpuAcc"], plan_cache_size=1) as network:
        for size in (1, 9, 4, 9, 1):
            expected = x[:size] @ WEIGHTS
            np.testing.assert_allclose(network.run(x[:size])["y"], expected, atol=1e-5)


def test_equal_bytes_only_are_shared() -> None:
    """Weights that differ in their last number, and in the sign of a zero."""
    base = np.random.default_rng(6).standard_normal((40, 40)).astype(np.float32)
    base[0, 0] = 0.0
    other, negative = base.copy(), base.copy()
    other[-1, -1] += 1
    negative[0, 0] = -0.0
    x = np.zeros((1, 40), np.float32)
    x[0, 0] = np.inf
    with (
        ann.load(rows(base), ["CpuAcc"]) as first,
        ann.load(rows(other), ["CpuAcc"]) as second,
        ann.load(rows(negative), ["CpuAcc"]) as third,
        np.errstate(invalid="ignore"),
    ):
        ones = np.ones((1, 40), np.float32)
        for network, weights in ((first, base), (second, other), (third, negative)):
            np.testing.assert_allclose(network.run(ones)["y"], ones @ weights, rtol=1e-5, atol=1e-5)


def chain(layers: int, kind: str) -> ann.Network:
    """Products with one matrix, each with a bias of its own."""
    rng, network = np.random.default_rng(8), ann.Network()
    weights = (rng.standard_normal((256, 256)) / 16).astype(np.float32)
    w = network.add_constant(weights)
    y: Any = network.add_input("x", ann.TensorInfo((4, 256)))
    for _ in range(layers):
        bias = rng.standard_normal(256).astype(np.float32)
        if kind == "copies":
            w = network.add_constant(weights.copy())
        turned = network.add_transpose(w, (1, 0)) if kind == "transposed" else w
        y = network.add_addition(network.add_fully_connected(y, turned), bias)
        y = network.add_activation(y, ann.ActivationFunction.TANH)
    network.add_output("y", y)
    return network


@pytest.mark.parametrize("kind", ["shared", "transposed", "copies"])
def test_layers_that_share_weights_share_what_is_packed(kind: str, tmp_path: Path) -> None:
    """Saved networks hold constants and packed weights: ten layers need those of one."""
    sizes = []
    with ann.Runtime() as runtime:
        for layers in (1, 10):
            network = chain(layers, kind)
            optimized = ann.optimize(network, ["CpuAcc"], runtime=runtime)
            optimized.save(path := tmp_path / f"{layers}.armnn")
            sizes.append(path.stat().st_size)
            x = np.random.default_rng(9).standard_normal((4, 256)).astype(np.float32)
            expected = ann.load(chain(layers, kind), ["CpuRef"]).run(x)["y"]
            for loaded in (optimized, OptimizedNetwork.load(path, runtime=runtime)):
                with runtime.load_network(loaded) as net:
                    np.testing.assert_allclose(net.run(x)["y"], expected, rtol=1e-4, atol=1e-4)
    assert sizes[1] - sizes[0] < 256 * 256 * 4


def scaled(layers: int, kind: str, each: bool) -> ann.Network:
    """Products with the same weights, each with a scale of its own: for all channels, or each."""
    rng, network = np.random.default_rng(8), ann.Network()
    weights = (rng.standard_normal((256, 256)) / 16).astype(np.float32)
    is_image = kind == "convolution"
    w = network.add_constant(weights.reshape(256, 1, 1, 256) if is_image else weights)
    y: Any = network.add_input("x", ann.TensorInfo((1, 2, 2, 256) if is_image else (4, 256)))
    for _ in range(layers):
        add = network.add_convolution2d if is_image else network.add_fully_connected
        scale = rng.uniform(0.5, 2, 256 if each else 1).astype(np.float32)
        y = network.add_multiplication(add(y, w), scale)
        y = network.add_activation(y, ann.ActivationFunction.TANH, a=1.0, b=1.0)
    network.add_output("y", y)
    return network


@pytest.mark.parametrize("simplify", [False, True], ids=["plain", "passes"])
@pytest.mark.parametrize("each", [False, True], ids=["scalar", "channels"])
@pytest.mark.parametrize("kind", ["product", "convolution"])
def test_scales_of_shared_weights_copy_no_weights(
    kind: str, each: bool, simplify: bool, tmp_path: Path
) -> None:
    """Neither the backend nor, beyond some bytes, the optimiser's passes copy weights."""
    sizes = []
    with ann.Runtime() as runtime:
        for layers in (1, 10):
            network = scaled(layers, kind, each)
            optimized = ann.optimize(
                network,
                ["CpuAcc"],
                runtime=runtime,
                options=ann.OptimizerOptions(simplify=simplify),
            )
            optimized.save(path := tmp_path / "one.armnnpy")
            sizes.append(path.stat().st_size)
            x = np.random.default_rng(9).standard_normal((1, 2, 2, 256)).astype(np.float32)
            x = x if kind == "convolution" else x.reshape(4, 256)
            expected = ann.load(network, ["CpuRef"]).run(x)["y"]
            with ann.load(path, runtime=runtime) as net:
                np.testing.assert_allclose(net.run(x)["y"], expected, rtol=1e-4, atol=1e-4)
    assert sizes[1] - sizes[0] < 256 * 256 * 4


@pytest.mark.parametrize("turn", range(3))
def test_networks_come_and_go_in_threads(turn: int) -> None:
    weights = [WEIGHTS[:64, :64] + shift for shift in (0, 0, 1)]

    def work(number: int) -> None:
        own = np.ascontiguousarray(weights[number % 3])
        x = np.full((1 + number % 4, 64), 0.5, np.float32)
        for _ in range(5):
            with ann.load(rows(own), ["CpuAcc"]) as network:
                np.testing.assert_allclose(network.run(x)["y"], x @ own, rtol=1e-4, atol=1e-5)

    with ThreadPoolExecutor(6) as pool:
        list(pool.map(work, range(turn, turn + 12)))


if __name__ == "__main__":  # in a process of its own, whose memory nothing else moves
    print(globals()[sys.argv[1]]())
