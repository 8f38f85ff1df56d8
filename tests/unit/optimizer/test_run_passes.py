# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The passes in a row: records, switching off, and the check that names the culprit."""

from __future__ import annotations

import pytest

import armnn_py as ann
from armnn_py.errors import InternalError
from armnn_py.optimizer import pipeline
from armnn_py.optimizer.graph import Graph
from armnn_py.optimizer.passes import SIMPLIFYING, Pass, PassLog
from armnn_py.optimizer.run_passes import PassRecord, check_pass_names, run_passes


def chain() -> Graph:
    network = ann.Network("chain")
    x = network.add_input("x", ann.TensorInfo((2, 3)))
    x = network.add_reshape(network.add_reshape(x, (6,), name="a"), (3, 2), name="b")
    network.add_output("y", x)
    return Graph.from_network(network)


def test_names_are_unique_and_in_arm_nns_order() -> None:
    names = [one.name for one in SIMPLIFYING]
    assert len(set(names)) == len(names)
    known = [
        "insert-broadcast-reshapes",
        "squash-equal-transpose-siblings",
        "cancel-inverse-transposes",
        "move-transpose-up",
        "transpose-as-reshape",
        "merge-consecutive-reshapes",
    ]
    assert [name for name in names if name in known] == known
    assert all(one.summary for one in SIMPLIFYING)


def test_records_say_what_changed() -> None:
    records = run_passes(chain(), SIMPLIFYING, validate=True)
    assert [record.name for record in records] == [one.name for one in SIMPLIFYING]
    changed = [record for record in records if record.changes]
    assert changed == [PassRecord("merge-consecutive-reshapes", ("'a' merged into 'b'",))]
    assert changed[0].to_json() == {
        "name": "merge-consecutive-reshapes",
        "enabled": True,
        "changes": ["'a' merged into 'b'"],
    }


def test_disabled_pass_does_not_run() -> None:
    graph = chain()
    records = run_passes(graph, SIMPLIFYING, disabled={"merge-consecutive-reshapes"})
    assert [record.name for record in records if not record.enabled] == [
        "merge-consecutive-reshapes"
    ]
    assert not any(record.changes for record in records)
    assert len(graph) == 4


@pytest.mark.parametrize("one", [one.name for one in SIMPLIFYING])
def test_every_pass_can_be_switched_off(one: str) -> None:
    assert check_pass_names([one]) == {one}
    records = run_passes(chain(), SIMPLIFYING, disabled=check_pass_names(one))
    assert [record.name for record in records if not record.enabled] == [one]


def test_unknown_names_are_errors_with_near_ones() -> None:
    with pytest.raises(ann.UnknownNameError, match="pass 'remove-identity' is unknown") as caught:
        check_pass_names(["remove-dead-layers", "remove-identity"])
    assert "remove-identities" in caught.value.near
    extra = Pass("measure", "", lambda graph, log: None)
    assert check_pass_names(("measure",), [extra]) == {"measure"}
    assert check_pass_names([]) == frozenset()


@pytest.mark.parametrize("given", [3, [3], None])
def test_names_are_strings(given: object) -> None:
    with pytest.raises(ann.InvalidArgumentError, match="names of passes expected"):
        check_pass_names(given)  # type: ignore[arg-type]


def test_evaluate_reaches_the_pass_and_stage_is_its_name() -> None:
    seen = []

    def look(graph: Graph, log: PassLog) -> None:
        seen.append((graph.stage, log.evaluate))

    def evaluate(network: ann.Network) -> None:
        return None

    run_passes(chain(), [Pass("look", "", look)], evaluate=evaluate)
    assert seen == [("look", evaluate)]


def test_check_names_the_pass_that_broke_the_graph() -> None:
    def break_it(graph: Graph, log: PassLog) -> None:
        node = next(node for node in graph if node.name == "b")
        node.output.info = ann.TensorInfo((7,))

    passes = [*SIMPLIFYING[:2], Pass("vandal", "", break_it), *SIMPLIFYING]
    run_passes(chain(), passes[:3])  # nobody looks
    with pytest.raises(ann.ArmnnError, match="after pass 'vandal'") as caught:
        run_passes(chain(), passes, validate=True)
    assert "7" in str(caught.value)


def test_check_blames_no_pass_for_a_graph_that_was_wrong_before() -> None:
    graph = chain()
    graph.nodes[0].output.info = ann.TensorInfo((7,))
    with pytest.raises(ann.ArmnnError, match="before any pass"):
        run_passes(graph, SIMPLIFYING, validate=True)


def test_check_behind_the_placement_asks_for_backends(monkeypatch: pytest.MonkeyPatch) -> None:
    def lose_it(graph: Graph, log: PassLog) -> None:
        for node in graph:
            node.backend = None

    network = ann.Network()
    x = network.add_input("x", ann.TensorInfo((2,)))
    network.add_output("y", network.add_floor(x, name="floor"))
    monkeypatch.setattr(pipeline, "CANCEL_INVERSE_CONVERSIONS", Pass("vandal", "", lose_it))
    with pytest.raises(InternalError, match="after pass 'vandal'") as caught:
        ann.optimize(network, ["CpuRef"], runtime=ann.Runtime(), validate=True)
    assert caught.value.details == ("layer 'floor' (Floor) has no backend",)
