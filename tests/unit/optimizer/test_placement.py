# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Rules for who runs what: order, patterns, files, strictness; rescue; warnings; the report."""

from __future__ import annotations

import html
import json
import logging
from pathlib import Path

import numpy as np
import pytest

import armnn_py as ann
from armnn_py import Placement, PlacementRule
from armnn_py.optimizer.assignment.assign import assign_nodes
from armnn_py.optimizer.graph import Graph
from armnn_py.types import LayerType

X = np.arange(6, dtype=np.float32).reshape(2, 3)


@pytest.fixture
def runtime(dozen_folder: Path) -> ann.Runtime:
    return ann.Runtime(dozen_folder)


def chain(*, hint: str | None = None) -> ann.Network:
    """Two additions, which Dozen takes, and an activation, which it does not."""
    network = ann.Network("chain")
    x = network.add_input("x", ann.TensorInfo((2, 3)))
    a = network.add_addition(x, x, name="sum_1", backend=hint)
    b = network.add_activation(a, ann.ActivationFunction.RELU, name="relu")
    network.add_output("y", network.add_addition(b, x, name="sum_2"))
    return network


def places(
    runtime: ann.Runtime, placement: object, *, hint: str | None = None, listed: str = "CpuRef"
) -> dict[str, str]:
    optimized = ann.optimize(
        chain(hint=hint),
        [listed, "CpuRef"],
        placement=placement,  # type: ignore[arg-type]
        runtime=runtime,
    )
    return {record.layer: record.backend for record in optimized.assignment.layers}


def test_rule_goes_before_hint_and_preference(runtime: ann.Runtime) -> None:
    placement = Placement((PlacementRule("CpuRef", "sum_1"), PlacementRule("Dozen", "sum_*")))
    found = places(runtime, placement, hint="Dozen")
    assert found == {"sum_1": "CpuRef", "relu": "CpuRef", "sum_2": "Dozen"}


def test_first_matching_rule_wins(runtime: ann.Runtime) -> None:
    placement = {"sum_2": "CpuRef", "sum*": "Dozen"}
    assert places(runtime, placement)["sum_2"] == "CpuRef"
    assert places(runtime, dict(reversed(placement.items())))["sum_2"] == "Dozen"


def test_rules_by_type_and_by_list_of_backends(runtime: ann.Runtime) -> None:
    rules = [PlacementRule(["Dozen", "CpuRef"], type="ElementwiseBinary", strict=True)]
    assert places(runtime, rules) == {"sum_1": "Dozen", "relu": "CpuRef", "sum_2": "Dozen"}


def test_name_that_looks_like_a_pattern_matches_itself() -> None:
    rule = PlacementRule("CpuRef", "a[0]*")
    assert rule.matches("a[0]*", LayerType.FLOOR)
    assert rule.matches("a0b", LayerType.FLOOR)
    assert not rule.matches("A0b", LayerType.FLOOR)


def test_rule_that_cannot_be_met_falls_back_with_the_reason(runtime: ann.Runtime) -> None:
    optimized = ann.optimize(chain(), ["CpuRef"], placement={"relu": "Dozen"}, runtime=runtime)
    record = optimized.assignment.of("relu")
    assert (record.backend, record.rule) == ("CpuRef", None)
    assert record.refusals == (("Dozen", "no kernel for this layer type"),)


def test_strict_lists_every_layer_and_every_rule_without_one(runtime: ann.Runtime) -> None:
    rules = (PlacementRule("Dozen", "relu"), PlacementRule("Dozen", "nothing*"))
    with pytest.raises(ann.NoBackendForLayerError, match="2 strict placement rules") as caught:
        places(runtime, Placement(rules, strict=True))
    assert caught.value.details == (
        "rule 2 (name 'nothing*') matches no layer",
        "layer 'relu' (Activation), rule 1 (name 'relu')",
        "  Dozen: no kernel for this layer type",
    )
    assert [layer.layer for layer in caught.value.layers] == ["relu"]


def test_strict_of_a_rule_beats_that_of_the_list(runtime: ann.Runtime) -> None:
    lenient = PlacementRule("Dozen", "relu", strict=False)
    assert places(runtime, Placement((lenient,), strict=True))["relu"] == "CpuRef"
    with pytest.raises(ann.NoBackendForLayerError, match="1 strict placement rule cannot"):
        places(runtime, [PlacementRule("Dozen", "relu", strict=True)])


def test_backend_that_is_not_loaded(runtime: ann.Runtime) -> None:
    with pytest.raises(ann.UnknownNameError, match=r"rule 1 \(name 'relu'\)") as caught:
        places(runtime, {"relu": "Dosen"})
    assert "did you mean 'Dozen'?" in str(caught.value)


def test_rules_from_a_file(runtime: ann.Runtime, tmp_path: Path) -> None:
    file = tmp_path / "rules.toml"
    file.write_text(
        'strict = true\n[[rule]]\nname = "sum_1"\nbackend = "Dozen"\n'
        '[[rule]]\ntype = "Activation"\nbackend = ["Dozen", "CpuRef"]\nstrict = false\n'
    )
    assert places(runtime, file) == {"sum_1": "Dozen", "relu": "CpuRef", "sum_2": "CpuRef"}
    placement = Placement.of(str(file))
    assert placement.strict
    assert [placement.is_strict(n) for n in range(2)] == [True, False]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("rule = 3", "rule is not a list of tables"),
        ("strikt = true", "unknown key 'strikt'"),
        ("strict = 1", "strict is 1"),
        ('[[rule]]\nnam = "a"\nbackend = "B"', "rule 1: unknown key 'nam'"),
        ('[[rule]]\nname = "a"', "rule 1: no backend is named"),
        ('[[rule]]\nname = "a"\nbackend = 7', "rule 1: backend is 7"),
        ('[[rule]]\nname = "a"\nbackend = []', "rule 1: backend is []"),
        ('[[rule]]\nname = ["a"]\nbackend = "B"', "rule 1: name is ['a']"),
        ('[[rule]]\nbackend = "B"', "rule 1: a placement rule has neither name nor type"),
        ('[[rule]]\ntype = "Convolution"\nbackend = "B"', "is of type 'Convolution'"),
        ('[[rule]]\ntype = "Input"\nbackend = "B"', "is of type 'Input'"),
        ("a = ", "is not TOML"),
        ("strict = " + "9" * 5000, "is not TOML"),
        ("strict = 0x" + "f" * 5000, "strict is a huge number"),
        ("[[rule]]\nname = 0x" + "f" * 5000, "rule 1: no backend is named"),
        ("[[rule]]\nbackend = 0x" + "f" * 5000, "rule 1: backend is a huge number"),
        ("strict = 2020-02-31", "is not TOML"),
    ],
    ids=lambda text: text[:40],
)
def test_errors_in_a_file(tmp_path: Path, text: str, told: str) -> None:
    file = tmp_path / "rules.toml"
    file.write_text(text)
    with pytest.raises(ann.InvalidArgumentError) as caught:
        Placement.from_toml(file)
    assert str(file) in str(caught.value)
    assert told in str(caught.value)


def test_similar_names_are_suggested(tmp_path: Path) -> None:
    file = tmp_path / "rules.toml"
    file.write_text('[[rule]]\ntype = "Convolution2D"\nbackend = "B"')
    with pytest.raises(ann.UnknownNameError) as caught:
        Placement.from_toml(file)
    assert "Convolution2d" in caught.value.near


def test_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(ann.InvalidArgumentError, match="cannot be read: no such file"):
        Placement.from_toml(tmp_path / "none.toml")


@pytest.mark.parametrize("path", ["a\0b", "a\ud800b"], ids=["NUL", "surrogate"])
def test_no_name_of_a_file(path: str) -> None:
    with pytest.raises(ann.InvalidArgumentError, match="no file can be called so"):
        Placement.of(path)


@pytest.mark.parametrize("value", [7, [7], {"a": 7}, {7: "a"}, {"": "a"}])
def test_values_that_are_no_rules(value: object) -> None:
    with pytest.raises(ann.InvalidArgumentError, match="placement"):
        Placement.of(value)  # type: ignore[arg-type]


# ---- Placing nodes -----------------------------------------------------------------------------


def test_only_some_nodes_are_placed_anew(runtime: ann.Runtime) -> None:
    graph = Graph.from_network(chain())
    known = runtime.backends
    backends = [known["Dozen"], known["CpuRef"]]
    draft = assign_nodes(graph, backends, known)
    first, last = (next(n for n in graph if n.name == name) for name in ("sum_1", "sum_2"))
    assign_nodes(
        graph, backends, known, only={last}, excluded={last: {"Dozen": "failed"}}, draft=draft
    )
    assert (first.backend, last.backend) == ("Dozen", "CpuRef")
    assert draft.nodes[last].refusals == (("Dozen", "failed"),)
    assert draft.origins[last.origins[0]].backend == "CpuRef"


def test_layers_that_became_one_keep_their_strict_rules(runtime: ann.Runtime) -> None:
    graph = Graph.from_network(chain())
    relu = next(n for n in graph if n.name == "relu")
    last = next(n for n in graph if n.name == "sum_2")
    graph.bypass(relu, relu.inputs[0])  # type: ignore[arg-type]
    last.origins += tuple(graph.removed)
    graph.removed.clear()
    rules = Placement((PlacementRule("CpuRef", "relu"), PlacementRule("Dozen", "sum_2")), True)
    with pytest.raises(ann.NoBackendForLayerError) as caught:
        assign_nodes(graph, [runtime.backends["CpuRef"]], runtime.backends, rules=rules)
    assert caught.value.details == (
        "layer 'relu' (Activation), rule 1 (name 'relu')",
        "  CpuRef: the layer is merged with 'sum_2', which runs on Dozen",
    )


def test_float16_layer_runs_in_float32_where_that_is_taken(runtime: ann.Runtime) -> None:
    network = ann.Network("half")
    x = network.add_input("x", ann.TensorInfo((2, 3), "float16"))
    network.add_output("y", network.add_addition(x, x, name="sum"))
    optimized = ann.optimize(network, ["Dozen", "CpuRef"], runtime=runtime)
    record = optimized.assignment.of("sum")
    assert record.backend == "Dozen"
    assert record.note.startswith("in float32 between conversions: Dozen: ")
    inserted = [(r.type, r.backend) for r in optimized.assignment if r.inserted]
    assert inserted == [("ConvertFp16ToFp32", "CpuRef"), ("ConvertFp32ToFp16", "CpuRef")]
    (placed,) = (record for record in optimized.passes if record.name == "assign-backends")
    assert placed.changes == ("'sum' runs in float32 on Dozen, between conversions",)
    with runtime.load_network(optimized) as net:
        result = net.run(X.astype(np.float16))["y"]
    assert result.dtype == np.float16
    np.testing.assert_array_equal(result, (2 * X).astype(np.float16))


def test_float16_layer_without_supported_conversions_is_refused(runtime: ann.Runtime) -> None:
    network = ann.Network("half")
    x = network.add_input("x", ann.TensorInfo((2, 3), "float16"))
    network.add_output("y", network.add_addition(x, x, name="sum"))
    with pytest.raises(ann.NoBackendForLayerError):
        ann.optimize(network, ["Dozen"], runtime=runtime)


def test_quantised_outputs_without_scale_are_listed_together(runtime: ann.Runtime) -> None:
    network = ann.Network("quantised")
    bare = ann.TensorInfo((2, 3), ann.DataType.QASYMM_U8)
    relu = ann.ActivationFunction.RELU
    x = network.add_input("x", bare)
    a = network.add_activation(x, relu, name="first", output_info=bare)
    b = network.add_activation(a, relu, name="second", output_info=bare)
    network.add_output("y", network.add_reshape(b, (6,), name="moves"))
    with pytest.raises(ann.GraphValidationError, match="2 quantised outputs") as caught:
        ann.optimize(network, ["CpuRef"], runtime=runtime)
    assert caught.value.problems == (
        "output 0 of layer 'first' (Activation) is of type quantised uint8, but has no scale",
        "output 0 of layer 'second' (Activation) is of type quantised uint8, but has no scale",
    )


def test_one_warning_for_all_that_was_refused(
    runtime: ann.Runtime, caplog: pytest.LogCaptureFixture
) -> None:
    network = ann.Network("relus")
    x = y = network.add_input("x", ann.TensorInfo((2, 3)))
    for _ in range(5):
        y = network.add_addition(network.add_activation(y, ann.ActivationFunction.TANH), x)
    network.add_output("y", y)
    with caplog.at_level(logging.WARNING, "armnn_py.optimizer"):
        ann.optimize(network, ["Dozen", "CpuRef"], runtime=runtime)
    (record,) = caplog.records
    assert record.getMessage().splitlines() == [
        "5 layers refused by an earlier choice of backend:",
        "  Dozen: 5x Activation: no kernel for this layer type",
    ]


# ---- The report --------------------------------------------------------------------------------


def test_removed_layers_are_listed(runtime: ann.Runtime) -> None:
    network = ann.Network("folds")
    x = network.add_input("x", ann.TensorInfo((2, 3)))
    a = network.add_reshape(x, (3, 2), name="there")
    b = network.add_reshape(a, (6,), name="on")
    network.add_output("y", network.add_floor(b, name="floor"))
    assignment = ann.optimize(network, ["CpuRef"], runtime=runtime).assignment
    assert [record.layer for record in assignment.layers] == ["there", "on", "floor"]
    there = assignment.of("there")
    assert there.note
    assert len(assignment.layers) == sum(assignment.counts.values()) + assignment.removed


def test_rule_is_the_reason(runtime: ann.Runtime) -> None:
    assignment = ann.optimize(
        chain(), ["CpuRef"], placement={"sum_1": "Dozen"}, runtime=runtime
    ).assignment
    assert assignment.of("sum_1").reason == "asked for by rule 1 (name 'sum_1')"
    assert assignment.summary().startswith(
        "3 of 3 layers assigned: CpuRef 2, Dozen 1; 2 sub-graphs"
    )
    assert json.loads(json.dumps(assignment.to_json()))[0]["rule"] == "rule 1 (name 'sum_1')"


def test_page_is_whole_and_escaped() -> None:
    records = [
        ann.LayerAssignment(0, "<script>", "Floor", "A&B", part=0),
        ann.LayerAssignment(1, "gone", "Reshape", "", note="removed by 'x'"),
        ann.LayerAssignment(None, "copy", "MemCopy", "A&B", part=1, inserted=True),
    ]
    assignment = ann.Assignment(records)
    page = assignment.to_html("a <title>")
    assert page.startswith("<!DOCTYPE html>")
    assert "<title>a &lt;title&gt;</title>" in page
    assert "<script" not in page
    assert html.escape("removed by 'x'") in page
    assert (assignment.counts, assignment.copies, assignment.removed) == ({"A&B": 1}, 1, 1)
    assert (
        assignment.summary()
        == "1 of 1 layers assigned: A&B 1; 2 sub-graphs, 1 copy between backends; 1 layer taken out"
    )
