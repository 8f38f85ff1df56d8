# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Guarded runs find each broken rule on a user's own network, and nothing where all is right."""

from __future__ import annotations

import logging
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import armnn_py as ann
from armnn_py.cli.main import main

from .conftest import Build

X = np.random.default_rng(1).normal(size=(5, 33)).astype(np.float32)

#: The layer that is wrong, and the words of the kit.
ERRORS = {
    "WRITES_INPUT": ("add", "an input was written to"),
    "WRITES_BEFORE_OUTPUT": ("add", "wrote beside output 0, 1 bytes before its start"),
    "WRITES_WHERE_IT_MAY_READ": ("add", "wrote beside input 0, 0 bytes behind its end"),
    "LEAVES_LAST_ELEMENT": ("relu", "output 0 depends on what was in memory before"),
    "READS_FRESH_SCRATCH": ("softmax", "output 0 depends on what was in memory before"),
    "OFFERS_WRONG_PLACE": ("softmax", "output 0 in the memory of input 0, as it offers"),
    "ROUNDS_UPWARD": ("add", "changed how numbers are rounded"),
    "CHANGES_FOLDER": ("add", "changed the working folder"),
    "LEAVES_FILES_OPEN": ("add", "leaves 1 file open in each run"),
    "WRITES_DESCRIPTOR": ("add", "create_workload wrote to its descriptor"),
}
#: These end the process; the line names the check that was under way.
CRASHES = {
    "WRITES_BEHIND_OUTPUT": ("add", "an unreadable page behind"),
    "READS_BEHIND_INPUT": ("add", "an unreadable page behind"),
    "KEEPS_ADDRESS": ("add", "an unreadable page before"),
    "WRITES_BEHIND_SCRATCH": ("softmax", "an unreadable page behind"),
    "WRITES_BEHIND_STATE": ("add", "an unreadable page behind"),
    "READS_CONSTANT_LATER": ("dense", "an unreadable page behind"),
}


def user_network() -> ann.Network:
    """One layer of each kind that the wrong backend has."""
    network = ann.Network("user")
    x = network.add_input("x", ann.TensorInfo(X.shape))
    y = network.add_addition(x, x, name="add")
    y = network.add_activation(y, ann.ActivationFunction.RELU, name="relu")
    y = network.add_softmax(y, name="softmax")
    weights = np.random.default_rng(0).normal(size=(33, 7)).astype(np.float32)
    operands = network.add_constant(weights), network.add_constant(np.ones(7, np.float32))
    network.add_output("y", network.add_fully_connected(y, *operands, name="dense"))
    return network


def run_guarded(file: Path, *, guard: bool = True, runs: int = 2) -> np.ndarray:
    """The output of the last of some runs on the wrong backend."""
    with (
        ann.Runtime(file, guard=guard, probe_seconds=0, record=False) as runtime,
        ann.load(user_network(), ["Wrong"], runtime=runtime) as loaded,
    ):
        return [loaded.run(X)["y"] for _ in range(runs)][-1]


@pytest.mark.parametrize("defect", ERRORS)
def test_a_broken_rule_is_an_error_that_names_backend_layer_and_rule(
    defect: str, wrong_backend: Build, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)  # one of them leaves it
    layer, words = ERRORS[defect]
    with pytest.raises(ann.ExecutionError) as caught:
        run_guarded(wrong_backend(defect))
    assert (caught.value.backend, caught.value.layer) == ("Wrong", layer)
    assert f"guard: layer '{layer}' (" in str(caught.value)
    assert words in str(caught.value)


@pytest.mark.exhaustive(kept=1)
@pytest.mark.parametrize("defect", CRASHES)
def test_a_fault_ends_the_process_with_the_check_that_was_under_way(
    defect: str, wrong_backend: Build
) -> None:
    layer, words = CRASHES[defect]
    code = (
        "import sys; from pathlib import Path; from tests.conformance.test_guarded_runs import "
        "run_guarded; run_guarded(Path(sys.argv[1]))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(wrong_backend(defect))],
        cwd=Path(__file__).parents[2], capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert done.returncode == -11
    line = done.stderr.splitlines()[0]
    assert line.startswith("armnn_py: SIGSEGV at 0x")
    assert f" in execute, {words}" in line
    assert f"layer '{layer}'" in line
    assert "backend 'Wrong'" in line


def test_without_a_defect_the_answer_is_that_of_a_run_that_is_not_guarded(
    wrong_backend: Build, caplog: pytest.LogCaptureFixture
) -> None:
    file = wrong_backend("NONE")
    with caplog.at_level(logging.WARNING, "armnn_py.guard"):
        found = run_guarded(file, runs=5)
    np.testing.assert_allclose(found, run_guarded(file, guard=False), rtol=1e-5)
    assert not caplog.records


def test_a_backend_that_fails_fails_as_without_the_guard(wrong_backend: Build) -> None:
    with pytest.raises(ann.ExecutionError, match="no luck today") as caught:
        run_guarded(wrong_backend("EXECUTE_FAILS"))
    assert "guard" not in str(caught.value)


@pytest.mark.exhaustive
def test_a_worker_guards_too_and_no_other_backend_answers(wrong_backend: Build) -> None:
    with (
        ann.Runtime(wrong_backend("WRITES_INPUT"), guard=True, isolate=["Wrong"]) as runtime,
        ann.load(user_network(), ["Wrong", "CpuRef"], runtime=runtime) as loaded,
        pytest.raises(ann.ExecutionError, match="an input was written to"),
    ):
        loaded.run(X)


@pytest.mark.models
@pytest.mark.parametrize("backend", ["CpuAcc", "CpuRef"])
@pytest.mark.parametrize("name", ["hand_landmark_full.tflite", "minilm_l3.onnx", "vad_lstm.onnx"])
def test_real_networks_give_no_false_alarm(
    name: str, backend: str, models_folder: Path, caplog: pytest.LogCaptureFixture
) -> None:
    found = {}
    for guard in (True, False):
        with (
            caplog.at_level(logging.WARNING, "armnn_py.guard"),
            ann.Runtime(guard=guard) as runtime,
            ann.load(models_folder / "open" / name, [backend], runtime=runtime) as loaded,
        ):
            random = np.random.default_rng(0)
            arrays = {
                key: random.random([1 if size is None else size for size in info.shape])
                .astype(info.dtype)
                for key, info in loaded.inputs.items()
            }  # fmt: skip
            found[guard] = loaded.run(arrays)
    for key, value in found[True].items():
        np.testing.assert_allclose(value, found[False][key], rtol=1e-4, atol=1e-4)
    assert not [one for one in caplog.records if one.name == "armnn_py.guard"]


def test_nan_is_named_with_the_layer_where_it_begins(caplog: pytest.LogCaptureFixture) -> None:
    network = ann.Network("nan")
    x = network.add_input("x", ann.TensorInfo(X.shape))
    y = network.add_elementwise_unary(x, ann.UnaryOperation.LOG, name="first")
    network.add_output("y", network.add_elementwise_unary(y, ann.UnaryOperation.ABS, name="next"))
    with (
        caplog.at_level(logging.WARNING, "armnn_py.guard"),
        ann.Runtime(guard=True) as runtime,
        ann.load(network, ["CpuRef"], runtime=runtime) as loaded,
    ):
        for _ in range(2):
            loaded.run(X)
    (record,) = caplog.records
    assert record.getMessage() == (
        "backend 'CpuRef', layer 'first' (ElementwiseUnary): output 0 has NaN, its inputs have none"
    )


def test_the_command_line_and_the_variable_turn_it_on(
    wrong_backend: Build,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    model = tmp_path / "user.armnnpy"
    file = wrong_backend("WRITES_INPUT")
    with ann.Runtime(file) as runtime:
        ann.optimize(user_network(), ["Wrong"], runtime=runtime).save(model)
    given = ["run", str(model), "--random", "0", "--backend-path", str(file)]
    assert main(given) == 0
    assert main([*given, "--guard"]) != 0
    assert "an input was written to" in capsys.readouterr().err
    monkeypatch.setenv("ARMNN_PY_GUARD", "1")
    assert main(given) != 0


def test_without_the_guard_no_workload_is_wrapped() -> None:
    with ann.Runtime() as runtime, ann.load(user_network(), ["CpuRef"], runtime=runtime) as loaded:
        assert not runtime.guards
        assert not loaded._debug.is_used
