# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""What a backend of the kit can have besides kernels."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import armnn_py as ann

Build = Callable[..., None]
X = np.array([1, -2, 3, -4], np.float32)
FILE = "Test_Hooks_backend.so"


@pytest.fixture
def folder(tmp_path: Path, build_backend: Build) -> Path:
    build_backend("hooks_backend.c", tmp_path / FILE, "-DFLAGS=0")
    return tmp_path


def network(layers: int = 1) -> ann.Network:
    network = ann.Network()
    x = network.add_input("x", ann.TensorInfo((4,)))
    for n in range(layers):
        x = network.add_elementwise_unary(x, ann.UnaryOperation.ABS, name=f"layer {n}")
    network.add_output("y", x)
    return network


def opened(folder: Path) -> int:
    return int(ctypes.CDLL(str(folder / FILE)).opened())


def test_an_option_reaches_the_kernels(folder: Path) -> None:
    for options, factor in (({}, 2), ({"factor": 5.0}, 5)):
        with ann.Runtime(folder, backend_options={"Hooks": options}) as runtime:
            assert opened(folder) == 1
            with ann.load(network(), ["Hooks"], runtime=runtime) as loaded:
                np.testing.assert_array_equal(loaded.run(X)["y"], factor * X)
            del loaded  # it holds what the backend compiled, and that holds the instance
        assert opened(folder) == 0


def test_an_option_that_it_does_not_have(folder: Path) -> None:
    with pytest.raises(ann.UnknownNameError, match="option 'factr' is unknown"):
        ann.Runtime(folder, backend_options={"Hooks": {"factr": 5.0}})
    assert opened(folder) == 0


def test_open_says_that_nothing_is_here(folder: Path) -> None:
    with ann.Runtime(folder, backend_options={"Hooks": {"factor": 0.0}}) as runtime:
        assert "Hooks" not in runtime.backends
        (verdict,) = (one for one in runtime.load_report if one.path == str(folder / FILE))
        assert (verdict.status, verdict.stage) == ("unavailable", "create")
        assert "no device multiplies by 0" in verdict.reason
        assert opened(folder) == 0


def test_a_compiler(folder: Path) -> None:
    with ann.Runtime(folder) as runtime:
        assert runtime.backends["Hooks"].capabilities["HasMultiplication"] is True
        one = ann.optimize(network(), ["Hooks"], runtime=runtime)
        assert one.assignment.of("layer 0").run_as != "layer 0"
        with runtime.load_network(one) as loaded:
            np.testing.assert_array_equal(loaded.run(X)["y"], 2 * X)
        with ann.load(network(3), ["Hooks"], runtime=runtime) as loaded:
            np.testing.assert_array_equal(loaded.run(X)["y"], 8 * X)


@pytest.mark.parametrize("unloadable", [False, True])
def test_stays_mapped_unless_unloadable(
    tmp_path: Path, build_backend: Build, unloadable: bool
) -> None:
    flags = "ARMNN_BACKEND_UNLOADABLE" if unloadable else "0"
    build_backend("hooks_backend.c", tmp_path / FILE, f"-DFLAGS={flags}")
    ann.Runtime(tmp_path).close()
    assert (str(tmp_path / FILE) in Path("/proc/self/maps").read_text()) is not unloadable


# ---- Layouts -----------------------------------------------------------------------------------


def pooling(padding: int = 0) -> ann.Network:
    network = ann.Network()
    x = network.add_input("x", ann.TensorInfo((1, 2, 4, 6)))
    settings = {"stride": 2, "padding": padding, "data_layout": ann.DataLayout.NCHW}
    y = network.add_pooling2d(x, ann.PoolingAlgorithm.MAX, (2, 3), name="pool", **settings)
    network.add_output("y", y)
    return network


def test_a_layer_comes_in_the_layout_that_the_hook_names(
    tmp_path: Path, build_backend: Build
) -> None:
    build_backend("layout_backend.c", tmp_path / "Test_Layout_backend.so", "-DANSWER=2")
    x = np.random.default_rng(0).standard_normal((1, 2, 4, 6)).astype(np.float32)
    with ann.Runtime(tmp_path) as runtime:
        with ann.load(pooling(), ["Layout", "CpuRef"], runtime=runtime) as loaded:
            backends = [(row.type, row.backend) for row in loaded.assignment]
            result = loaded.run(x)["y"]
        refused = ann.optimize(pooling(1), ["Layout", "CpuRef"], runtime=runtime)
    assert backends == [("Transpose", "CpuRef"), ("Pooling2d", "Layout"), ("Transpose", "CpuRef")]
    rows = np.maximum(x[:, :, 0::2], x[:, :, 1::2])
    columns = [rows[..., start : start + 3].max(-1) for start in (0, 2)]
    np.testing.assert_array_equal(result, np.stack(columns, -1))
    (reason,) = refused.assignment.of("pool").refusals
    assert reason == ("Layout", "in NHWC: one image without padding is taken")


@pytest.mark.parametrize("answer", [0, 1, 3, 5, -7])
def test_another_answer_is_not_a_preference(
    tmp_path: Path, build_backend: Build, caplog: pytest.LogCaptureFixture, answer: int
) -> None:
    """0 and the layer's own layout are sound; others are the backend's fault, told once."""
    build_backend("layout_backend.c", tmp_path / "Test_Layout_backend.so", f"-DANSWER={answer}")
    with ann.Runtime(tmp_path) as runtime:
        optimized = ann.optimize(pooling(), ["Layout", "CpuRef"], runtime=runtime)
    row = optimized.assignment.of("pool")
    assert (row.backend, row.refusals) == ("CpuRef", (("Layout", "channels come last here"),))
    told = [text for text in caplog.messages if "get_preferred_layout" in text]
    if answer in (0, 1):
        assert told == []
    else:
        assert told == [
            f"backend 'Layout': get_preferred_layout answered {answer} about a layer of type "
            "Pooling2d; 0 or 1 or 2 was expected"
        ]
