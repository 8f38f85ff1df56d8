# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Arguments of run, check and graph about a model: strategy, options of backends, checks."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest
from onnx import helper

import armnn_py as ann
from armnn_py.optimizer import run_passes

from .conftest import Answer, Command, save_model


@pytest.fixture(scope="module")
def services(tmp_path_factory: pytest.TempPathFactory, build_backend: Callable[..., None]) -> Path:
    """A folder with the backend "Services", which has model options; "negate": takes Neg."""
    folder = tmp_path_factory.mktemp("services")
    build_backend("services_backend.c", folder / "Test_Services_backend.so")
    return folder


@pytest.fixture
def negation(tmp_path: Path) -> Path:
    node = helper.make_node("Neg", ["x"], ["y"], "the_neg")
    return save_model(tmp_path / "neg.onnx", [node], {"x": [2]}, "y")


@pytest.fixture(params=["run", "check", "graph"])
def place(
    request: pytest.FixtureRequest, command: Command, services: Path, negation: Path
) -> Callable[..., Answer]:
    """Call a command on the model with Services before CpuRef."""
    own = {"run": ["--random", "1"], "check": [], "graph": ["--format", "json", "-o", "-"]}

    def call(*options: str) -> Answer:
        return command(
            request.param, negation, *own[request.param], "--backend-path", services,
            "-b", "Services", "-b", "CpuRef", *options, *(() if "-o" in own[request.param] else
            ("--json",)),
        )  # fmt: skip

    return call


@pytest.mark.parametrize("said", ["Services.negate=false", "negate=0"])
def test_a_model_option_reaches_the_backend(place: Callable[..., Answer], said: str) -> None:
    assert place().json["backends"] == {"Services": 1}
    assert place("--model-option", said).json["backends"] == {"CpuRef": 1}
    assert place("--model-option", said.partition("=")[0] + "=1").json["backends"] == {
        "Services": 1
    }


@pytest.mark.parametrize(
    ("said", "code", "words"),
    [
        ("Services.negat=1", 2, "did you mean 'negate'?"),
        ("negat=1", 2, "did you mean 'negate'?"),
        ("Services.effort=much", 2, "a value of type uint expected"),
        ("Services.effort", 2, "write it as ID.NAME=VALUE"),
        ("Servces.effort=1", 4, "did you mean 'Services'?"),
    ],
)
def test_wrong_model_options(
    place: Callable[..., Answer], said: str, code: int, words: str
) -> None:
    answer = place("--model-option", said)
    assert answer.code == code
    assert words in (answer.err or json.dumps(answer.json["error"]))


@pytest.fixture
def absolute(
    command: Command, tmp_path: Path, build_backend: Callable[..., None]
) -> Callable[..., Answer]:
    """Run Abs of -2 on a backend with options."""
    (tmp_path / "backends").mkdir()
    build_backend("options_backend.c", tmp_path / "backends" / "Test_Options_backend.so")
    node = helper.make_node("Abs", ["x"], ["y"], "the_abs")
    model = save_model(tmp_path / "abs.onnx", [node], {"x": [1]}, "y")
    np.save(tmp_path / "x.npy", np.float32([-2]))

    def call(*options: str) -> Answer:
        return command(
            "run", model, "-i", tmp_path / "x.npy", "--backend-path", tmp_path / "backends",
            "-b", "Options", *options, "--json",
        )  # fmt: skip

    return call


@pytest.mark.parametrize(
    ("said", "value"),
    [([], -4), (["--run-option", "Options.gain=3"], -12), (["--run-option", "gain=-1"], 4),
     (["--backend-option", "Options.factor=5", "--run-option", "gain=2"], -20)],
)  # fmt: skip
def test_a_run_option_reaches_the_backend(
    absolute: Callable[..., Answer], said: list[str], value: float
) -> None:
    assert absolute(*said).json["outputs"][0]["values"] == [value]


@pytest.mark.parametrize("timed", ["bench", "profile"])
def test_timed_runs_have_run_options(
    command: Command, absolute: Callable[..., Answer], tmp_path: Path, timed: str
) -> None:
    assert absolute().code == 0  # the model and the backend are there now
    arguments = (timed, tmp_path / "abs.onnx", "-b", "Options", "--warmup", "1")
    arguments += ("--backend-path", tmp_path / "backends")
    assert command(*arguments, "--run-option", "gain=2").code == 0
    answer = command(*arguments, "--run-option", "veto=true")
    assert "backend 'Options' did not let the run begin" in answer.err


@pytest.mark.parametrize(
    ("said", "words"),
    [
        ("--run-option Options.gain=5", "option 'gain' is 5.0, a value of type float from -4.0 to"),
        ("--run-option Options.gian=5", "did you mean 'gain'?"),
        ("--run-option gian=5", "no backend in use has a run option 'gian'"),
        ("--run-option gain", "run option 'gain' is not understood"),
        ("--backend-option Options.mode=exactly", "did you mean 'exact'?"),
        ("--model-option effort=10", "a value of type uint from 0 to 9 expected"),
    ],
)
def test_values_that_are_not_allowed(
    absolute: Callable[..., Answer], said: str, words: str
) -> None:
    answer = absolute(*said.split())
    assert answer.code == 2
    assert words in json.dumps(answer.json["error"])


def test_a_secret_of_the_command_line_is_not_repeated(absolute: Callable[..., Answer]) -> None:
    secrets = ("--backend-option", "Options.key=hunter2", "--run-option", "token=hunter3")
    good = absolute("-v", *secrets)
    assert good.code == 0
    bad = absolute("-v", *secrets, "--run-option", "veto=true")
    assert bad.code != 0
    assert "hunter" not in good.out + good.err + bad.out + bad.err


def test_backends_without_the_option_are_listed(
    command: Command, negation: Path, services: Path
) -> None:
    backends = ("-b", "Services", "-b", "CpuRef", "--backend-path", services)
    answer = command("check", negation, *backends, "--model-option", "fast=1")
    assert answer.code == 2
    assert answer.err.splitlines()[:3] == [
        "error: no backend in use has a model option 'fast'",
        "  Services: negate, effort",
        "  CpuRef: none",
    ]


def test_measured_layers_go_where_they_are_fastest(
    place: Callable[..., Answer], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """CpuRef is made up to be faster; without the option nothing is measured."""

    def seconds(_: object, network: ann.Network, ids: Sequence[str], __: object) -> float:
        if all(layer.type.label in ("Input", "Output") for layer in network.layers):
            return 0.0  # what any run costs
        return 2e-6 if list(ids) == ["CpuRef"] else 5e-6

    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(ann.Runtime, "measure", seconds)
    assert place().json["backends"] == {"Services": 1}
    assert place("--strategy", "measure").json["backends"] == {"CpuRef": 1}
    wrong = place("--strategy", "fastest")
    assert wrong.code == 2
    assert "'preference', 'measure'" in wrong.err + wrong.out


def test_check_shows_what_the_whole_network_took(
    command: Command,
    services: Path,
    negation: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def seconds(_: object, network: ann.Network, ids: Sequence[str], __: object) -> float:
        layers = [layer for layer in network.layers if layer.type.label == "ElementwiseUnary"]
        return len(layers) * (3e-5 if "CpuRef" in ids else 5e-5)

    monkeypatch.setattr(ann.Runtime, "measure", seconds)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    options = ("--backend-path", services, "-b", "Services", "-b", "CpuRef")
    assert command("check", negation, *options, "--json").json["measured"] == []
    answer = command("check", negation, *options, "--strategy", "measure", "--layers")
    assert answer.out.splitlines()[1].endswith("measured: 30.0 us here, 50.0 us on Services")
    assert answer.out.splitlines()[2:4] == [
        "Measured: the whole network, by the least sum of times: 30.0 us",
        "Measured: the whole network, by preference: 50.0 us",
    ]


def test_validate_checks_after_each_step(
    place: Callable[..., Answer], monkeypatch: pytest.MonkeyPatch
) -> None:
    loose = ["a wire hangs loose"]
    monkeypatch.setattr(run_passes, "find_graph_problems", lambda _, **_options: loose)
    assert place().code == 0
    answer = place("--validate")
    assert answer.code == 1
    assert "a wire hangs loose" in answer.err + answer.out


def test_check_says_refusals_once(command: Command, services: Path, negation: Path) -> None:
    """In its answer; the log has them for those who ask for it."""
    options = ("--backend-path", services, "-b", "Services", "-b", "CpuRef",
               "--model-option", "negate=0")  # fmt: skip
    answer = command("check", negation, *options)
    assert answer.err == ""
    assert "1x ElementwiseUnary (layer: the_neg): Services: option 'negate' is off" in answer.out
    loud = command("check", negation, *options, "-v")
    assert "1 layer refused by an earlier choice of backend" in loud.err


def test_a_backend_that_may_be_absent(command: Command, adder: Path) -> None:
    found = command(
        "check", adder, "-b", "AcmeNpu?", "-b", "CpuRef", "--model-option", "AcmeNpu.level=3",
        "--backend-option", "AcmeNpu.cache=/x",
    )  # fmt: skip
    assert found.code == 0
    assert found.out.splitlines()[-1].endswith("; not loaded and skipped: AcmeNpu")
    answer = json.loads(command("check", adder, "-b", "AcmeNpu?", "-b", "CpuRef", "--json").out)
    assert answer["skipped"] == {"AcmeNpu": "no file of a backend has this id"}
    found = command("run", adder, "--random", "0", "-b", "AcmeNpu?", "-b", "CpuRef")
    assert "on CpuRef (1 layer)" in found.out
    found = command("run", adder, "--random", "0", "-b", "AcmeNpu?")
    assert found.code == 4
    assert found.err.startswith("error: no backend of the list is loaded\n")
