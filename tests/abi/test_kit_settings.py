# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Options of a model in rows of the kit, blobs as hooks, and hooks that contradict themselves."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import armnn_py as ann
from armnn_py.descriptors import StandInDescriptor

Build = Callable[..., None]
FILE = "Test_Settings_backend.so"
X = np.array([1, -2, 3, -4], np.float32)


@pytest.fixture
def journal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[], list[str]]:
    path = tmp_path / "journal"
    monkeypatch.setenv("ARMNN_TEST_JOURNAL", str(path))
    return lambda: path.read_text(encoding="utf-8").splitlines() if path.exists() else []


@pytest.fixture
def open_runtime(tmp_path: Path, build_backend: Build) -> Iterator[Callable[..., ann.Runtime]]:
    runtimes: list[ann.Runtime] = []

    def made(*defines: str) -> ann.Runtime:
        build_backend("settings_backend.c", tmp_path / FILE, *defines)
        runtimes.append(ann.Runtime(tmp_path))
        return runtimes[-1]

    yield made
    for runtime in runtimes:
        runtime.close()


def network(operation: ann.UnaryOperation = ann.UnaryOperation.ABS) -> ann.Network:
    network = ann.Network()
    x = network.add_input("x", ann.TensorInfo((4,)))
    network.add_output("y", network.add_elementwise_unary(x, operation, name="layer"))
    return network


def verdict_of(runtime: ann.Runtime) -> Any:
    (verdict,) = (one for one in runtime.load_report if one.path.endswith(FILE))
    return verdict


# ---- Options of the model ----------------------------------------------------------------------


@pytest.mark.parametrize(("given", "factor"), [({}, 2), ({"gain": 5.0}, 5)])
def test_prepare_reads_options_of_the_model(
    open_runtime: Callable[..., ann.Runtime], given: dict[str, Any], factor: int
) -> None:
    options = {"Settings": given} if given else None
    loaded = ann.load(network(), ["Settings"], runtime=open_runtime(), model_options=options)
    np.testing.assert_array_equal(loaded.run(X)["y"], factor * X)


def test_two_networks_have_options_of_their_own(
    open_runtime: Callable[..., ann.Runtime], journal: Callable[[], list[str]]
) -> None:
    runtime = open_runtime()
    loaded = [
        ann.load(
            network(),
            ["Settings"],
            runtime=runtime,
            model_options={"Settings": {"gain": float(gain), "label": f"number {gain}"}},
        )
        for gain in (3, 4)
    ]
    for one, gain in zip(loaded, (3, 4), strict=True):
        np.testing.assert_array_equal(one.run(X)["y"], gain * X)
    assert [line for line in journal() if line.startswith("number")] == ["number 3", "number 4"]


def test_supports_reads_options_of_the_model(open_runtime: Callable[..., ann.Runtime]) -> None:
    runtime = open_runtime()
    with pytest.raises(ann.NoBackendForLayerError, match="3 elements at most"):
        ann.optimize(
            network(), ["Settings"], runtime=runtime, model_options={"Settings": {"most": 3}}
        )
    ann.optimize(network(), ["Settings"], runtime=runtime, model_options={"Settings": {"most": 4}})


# ---- Blobs ---------------------------------------------------------------------------------------


def test_blobs_of_the_hooks_are_saved_as_bytes(
    open_runtime: Callable[..., ann.Runtime], journal: Callable[[], list[str]], tmp_path: Path
) -> None:
    runtime = open_runtime()
    assert runtime.backends["Settings"].number_of_cache_files == 7
    path = tmp_path / "saved.armnnpy"
    options = {"Settings": {"gain": 6.0}}
    ann.optimize(
        network(ann.UnaryOperation.NEG), ["Settings"], runtime=runtime, model_options=options
    ).save(path)
    assert journal() == ["compiled"]
    with ann.load(path, runtime=runtime) as loaded:
        np.testing.assert_array_equal(loaded.run(X)["y"], 6 * X)
    assert journal()[1:3] == ["check_blob", "deserialized"]
    assert "compiled" not in journal()[1:]


def test_without_deserialize_blob_no_bytes_are_saved(
    open_runtime: Callable[..., ann.Runtime], journal: Callable[[], list[str]], tmp_path: Path
) -> None:
    runtime = open_runtime("-DNO_BYTES")
    path = tmp_path / "saved.armnnpy"
    ann.optimize(network(ann.UnaryOperation.NEG), ["Settings"], runtime=runtime).save(path)
    with ann.load(path, runtime=runtime) as loaded:
        np.testing.assert_array_equal(loaded.run(X)["y"], 2 * X)
    assert journal().count("compiled") == 2


# ---- State together with bounded sizes -----------------------------------------------


def test_a_row_has_state_and_tells_a_size(open_runtime: Callable[..., ann.Runtime]) -> None:
    network = ann.Network()
    x = network.add_input("x", ann.TensorInfo((3, 2)))
    info = ann.TensorInfo((3, 2), bounded=(0,))
    rows = network.add_layer(
        ann.LayerType.STAND_IN, [x], StandInDescriptor(1, 1), output_infos=[info], name="rows"
    )
    network.add_output("y", rows)
    value = np.arange(6, dtype=np.float32).reshape(3, 2)
    with ann.load(network, ["Settings"], runtime=open_runtime()) as loaded:
        for count in (1, 2, 3):
            np.testing.assert_array_equal(loaded.run(value)["y"], value[:count])
        loaded.reset_state()
        np.testing.assert_array_equal(loaded.run(value)["y"], value[:1])


# ---- Hooks that contradict themselves ------------------------------------------------------------


@pytest.mark.parametrize(
    ("define", "reason"),
    [
        ("-DCHANGEABLE", "option 'streams' is ARMNN_OPTION_CHANGEABLE, but the hooks have no set"),
        ("-DFORGOTTEN", "the hooks have before_run, but run_data_size is 0"),
    ],
)
def test_later_failures_are_refused_early(
    open_runtime: Callable[..., ann.Runtime], define: str, reason: str
) -> None:
    with pytest.warns(ann.BackendSkippedWarning):
        runtime = open_runtime(define)
    verdict = verdict_of(runtime)
    assert (verdict.status, verdict.stage) == ("refused", "create")
    assert reason in verdict.reason


def test_a_before_run_that_writes_nothing_gets_null(
    open_runtime: Callable[..., ann.Runtime], journal: Callable[[], list[str]]
) -> None:
    with ann.load(network(), ["Settings"], runtime=open_runtime()) as loaded:
        loaded.run(X)
    assert "before_run with nothing" in journal()


def test_options_that_nothing_reads_are_named(
    open_runtime: Callable[..., ann.Runtime], caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.WARNING):
        open_runtime("-DUNREAD").close()  # by then all lines have come
    said = [text for text in caplog.messages if "has no effect" in text]
    assert [text.partition(" has no effect")[0] for text in said] == [
        "backend option 'streams'",
        "model option 'gain'",
        "model option 'most'",
        "model option 'label'",
    ]
    assert "no optimize, supports or prepare could read it" in said[1]


def test_options_that_something_reads_are_not(
    open_runtime: Callable[..., ann.Runtime], caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.WARNING):
        open_runtime().close()
    assert not [text for text in caplog.messages if "has no effect" in text]
