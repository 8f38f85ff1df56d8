# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""``"AcmeNpu?"`` in lists of backends: one that is absent is skipped, and that is said."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest

import armnn_py as ann
from armnn_py import PlacementRule

from .test_assignment import X, mixed_network, places

NOT_FOUND = "no file of a backend has this id"
DEMO = Path(ann.__file__).parent / "demo" / "digits.onnx"


@pytest.fixture
def runtime(dozen_folder: Path) -> ann.Runtime:
    return ann.Runtime(dozen_folder)


def test_an_absent_backend_is_skipped_and_said(
    runtime: ann.Runtime, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "armnn_py.optimizer")
    optimized = ann.optimize(mixed_network(), ["AcmeNpu?", "Dozen", "CpuRef"], runtime=runtime)
    assert places(optimized) == {"sum": "Dozen", "relu": "CpuRef"}
    assert dict(optimized.assignment.skipped) == {"AcmeNpu": NOT_FOUND}
    assert optimized.assignment.summary().endswith("; not loaded and skipped: AcmeNpu")
    assert f"backend 'AcmeNpu' is skipped: {NOT_FOUND}" in caplog.messages
    with runtime.load_network(optimized) as loaded:
        assert dict(loaded.assignment.skipped) == {"AcmeNpu": NOT_FOUND}
        np.testing.assert_array_equal(loaded.run(X)["y"], 2 * X)


def test_a_present_backend_is_used(runtime: ann.Runtime) -> None:
    optimized = ann.optimize(mixed_network(), ["Dozen?", "CpuRef?"], runtime=runtime)
    assert places(optimized) == {"sum": "Dozen", "relu": "CpuRef"}
    assert not optimized.assignment.skipped
    assert "skipped" not in optimized.assignment.summary()


def test_a_device_that_is_not_there(runtime: ann.Runtime) -> None:
    optimized = ann.optimize(mixed_network(), ["Dozen:1?", "CpuRef"], runtime=runtime)
    assert dict(optimized.assignment.skipped) == {"Dozen:1": "'Dozen' has no device 1"}


def test_a_file_that_was_refused(tmp_path: Path) -> None:
    (tmp_path / "Acme_Npu_backend.so").write_text("not a shared object")
    with pytest.warns(ann.BackendSkippedWarning), ann.Runtime(tmp_path) as runtime:
        optimized = ann.optimize(mixed_network(), ["Npu?", "CpuRef"], runtime=runtime)
    assert optimized.assignment.skipped["Npu"].startswith("refused, inspect: ")


@pytest.mark.parametrize("listed", [["AcmeNpu", "CpuRef"], ["Other?", "AcmeNpu", "CpuRef"]])
def test_others_have_to_be_there(runtime: ann.Runtime, listed: list[str]) -> None:
    with pytest.raises(ann.BackendNotFoundError, match="backend 'AcmeNpu' is not loaded"):
        ann.optimize(mixed_network(), listed, runtime=runtime)


@pytest.mark.parametrize("listed", ["AcmeNpu?", ["AcmeNpu?"], ["AcmeNpu?", "Other?"]])
def test_one_of_the_list_has_to_be_there(runtime: ann.Runtime, listed: list[str]) -> None:
    with pytest.raises(ann.BackendNotFoundError, match="no backend of the list is loaded") as info:
        ann.optimize(mixed_network(), listed, runtime=runtime)
    assert info.value.details[0] == f"AcmeNpu: {NOT_FOUND}"
    assert "'CpuRef'" in info.value.hints[0]


def test_free_dimensions(runtime: ann.Runtime) -> None:
    def build(infos: Mapping[str, ann.TensorInfo]) -> ann.Network:
        network = ann.Network("free")
        x = network.add_input("x", infos["x"])
        network.add_output("y", network.add_addition(x, x, name="sum"))
        return network

    free = ann.TensorInfo((None, 3))
    network = ann.Network.from_builder("free", {"x": free}, build, {"y": free})
    optimized = ann.optimize(network, ["AcmeNpu?", "CpuRef"], runtime=runtime)
    assert list(optimized.assignment.skipped) == ["AcmeNpu"]
    assert list(optimized.specialize({"x": (2, 3)}).assignment.skipped) == ["AcmeNpu"]
    with runtime.load_network(optimized) as loaded:
        loaded.run(X)
        assert list(loaded.assignment.skipped) == ["AcmeNpu"]


def test_load_with_and_without_a_cache(tmp_path: Path) -> None:
    for _ in range(2):
        with ann.load(DEMO, ["AcmeNpu?", "CpuRef"], cache=tmp_path) as loaded:
            assert list(loaded.assignment.skipped) == ["AcmeNpu"]
    assert len(list(tmp_path.iterdir())) == 1
    with ann.load(DEMO, "CpuRef?", shapes={"image": (1, 1, 8, 8)}) as loaded:
        assert list(loaded.assignment.counts) == ["CpuRef"]


# ---- Options of a backend that may be absent ----------------------------------------------------


def test_model_options_go_with_it(runtime: ann.Runtime) -> None:
    options = {"AcmeNpu": {"level": 3}, "AcmeNpu:1": {"level": 2}}
    ann.optimize(mixed_network(), ["AcmeNpu?", "CpuRef"], runtime=runtime, model_options=options)
    with pytest.raises(ann.BackendNotFoundError, match="'AcmeNpu' is not loaded"):
        ann.optimize(mixed_network(), ["CpuRef"], runtime=runtime, model_options=options)


def test_options_of_runs_go_with_it(runtime: ann.Runtime) -> None:
    options = {"AcmeNpu": {"level": 3}}
    optimized = ann.optimize(mixed_network(), ["AcmeNpu?", "CpuRef"], runtime=runtime)
    with runtime.load_network(optimized) as loaded:
        np.testing.assert_array_equal(loaded.run(X, options=options)["y"], 2 * X)


def test_options_of_the_backend_go_with_it() -> None:
    for options in ({"AcmeNpu": {"level": 3}}, {"AcmeNpu:1": {"level": 3}}):
        ann.Runtime(backends=["AcmeNpu?", "CpuRef"], backend_options=options).close()
        with pytest.raises(ann.UnknownNameError, match="is not loaded"):
            ann.Runtime(backends=["AcmeNpu", "CpuRef"], backend_options=options)
        with pytest.raises(ann.UnknownNameError, match="is not loaded"):
            ann.Runtime(backends=["Other?", "CpuRef"], backend_options=options)


# ---- Placement ----------------------------------------------------------------------------------


def placed(runtime: ann.Runtime, placement: object) -> tuple[dict[str, str], list[str]]:
    optimized = ann.optimize(mixed_network(), ["CpuRef"], placement=placement, runtime=runtime)  # type: ignore[arg-type]
    return places(optimized), list(optimized.assignment.skipped)


@pytest.mark.parametrize(
    "placement",
    [
        {"sum": ["AcmeNpu?", "Dozen"]},
        {"sum": "AcmeNpu?", "s*": "Dozen"},
        {"sum": ("AcmeNpu?", "Dozen:0?", "Dozen")},
        [PlacementRule("AcmeNpu:1?", "sum", strict=True), PlacementRule("Dozen", "sum")],
        ann.Placement((PlacementRule(["AcmeNpu?", "Dozen"], "sum"),), strict=True),
    ],
)
def test_rules(runtime: ann.Runtime, placement: object) -> None:
    found, skipped = placed(runtime, placement)
    assert found == {"sum": "Dozen", "relu": "CpuRef"}
    assert [one.partition(":")[0] for one in skipped] == ["AcmeNpu"]


def test_a_rule_of_absent_backends_is_skipped_also_if_it_is_strict(runtime: ann.Runtime) -> None:
    rules = ann.Placement((PlacementRule("AcmeNpu?", "sum"),), strict=True)
    assert placed(runtime, rules) == ({"sum": "CpuRef", "relu": "CpuRef"}, ["AcmeNpu"])


def test_a_file_of_rules(runtime: ann.Runtime, tmp_path: Path) -> None:
    file = tmp_path / "rules.toml"
    file.write_text('[[rule]]\nname = "sum"\nbackend = ["AcmeNpu?", "Dozen"]\n')
    assert placed(runtime, file) == ({"sum": "Dozen", "relu": "CpuRef"}, ["AcmeNpu"])
    file.write_text('[[rule]]\nname = "sum"\nbackend = "AcmeNpu"\n')
    with pytest.raises(ann.UnknownNameError, match=r"rule 1 .* asks for backend 'AcmeNpu'"):
        placed(runtime, file)


def test_rules_behind_a_skipped_one_keep_their_numbers(runtime: ann.Runtime) -> None:
    rules = [PlacementRule("AcmeNpu?", "*"), PlacementRule(["AcmeNpu?", "Dozen"], "relu")]
    present, absent = ann.Placement(rules, strict=True).of_present(runtime.backends)  # type: ignore[arg-type]
    assert (absent, present.strict) == (["AcmeNpu"], True)
    assert [rule.backend for rule in present.rules] == [["Dozen"]]
    assert present.describe(0) == "rule 2 (name 'relu')"
    with pytest.raises(ann.NoBackendForLayerError, match=r"rule 2 \(name 'relu'\)"):
        ann.optimize(
            mixed_network(), ["Dozen", "CpuRef"], runtime=runtime,
            placement=ann.Placement(rules, strict=True),  # type: ignore[arg-type]
        )  # fmt: skip


def test_a_report_stays_as_it_is(runtime: ann.Runtime) -> None:
    report = ann.optimize(mixed_network(), ["Dozen", "CpuRef"], runtime=runtime).assignment
    other = report.with_skipped({"AcmeNpu": NOT_FOUND})
    assert (dict(report.skipped), dict(other.skipped)) == ({}, {"AcmeNpu": NOT_FOUND})
    assert list(report) == list(other)
