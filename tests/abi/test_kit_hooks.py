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
def test_it_stays_mapped_unless_the_author_says_so(
    tmp_path: Path, build_backend: Build, unloadable: bool
) -> None:
    flags = "ARMNN_BACKEND_UNLOADABLE" if unloadable else "0"
    build_backend("hooks_backend.c", tmp_path / FILE, f"-DFLAGS={flags}")
    ann.Runtime(tmp_path).close()
    assert (str(tmp_path / FILE) in Path("/proc/self/maps").read_text()) is not unloadable
