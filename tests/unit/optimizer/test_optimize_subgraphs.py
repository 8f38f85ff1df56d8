# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Sub-graphs through a real backend: what it may answer, and what becomes of wrong answers.

The shapes are those of Arm NN's OptimizeSubgraphViewTests, with a backend that answers as its mock.
"""

from __future__ import annotations

import gc
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

import armnn_py as ann
from armnn_py._native.table.blob import check_blob
from armnn_py.network import Layer
from armnn_py.optimizer.graph import Graph, Node
from armnn_py.optimizer.subgraphs.optimize_subgraphs import optimize_subgraphs
from armnn_py.types import LayerType

IMAGE = ann.TensorInfo((1, 4, 4, 2))


@pytest.fixture(scope="session")
def views_folder(
    tmp_path_factory: pytest.TempPathFactory, build_backend: Callable[..., None]
) -> Path:
    """A folder with the backend "Views"."""
    folder = tmp_path_factory.mktemp("views")
    build_backend("views_backend.c", folder / "Test_Views_backend.so")
    return folder


@pytest.fixture
def journal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[], list[str]]:
    """The events of the blobs of "Views" so far."""
    gc.collect()  # graphs are rings: blobs of earlier tests go now, not into this journal
    path = tmp_path / "journal.txt"
    path.touch()
    monkeypatch.setenv("ARMNN_TEST_JOURNAL", str(path))
    return lambda: path.read_text().splitlines()


@pytest.fixture
def runtime(views_folder: Path, journal: Callable[[], list[str]]) -> Iterator[ann.Runtime]:
    with ann.Runtime(views_folder) as runtime:
        yield runtime


class Net:
    """A network in the making: convolutions, poolings and additions of one shape."""

    def __init__(self) -> None:
        self.network = ann.Network("net")

    def input(self, name: str) -> Layer:
        return self.network.add_input(name, IMAGE)

    def convolution(self, x: Layer, name: str) -> Layer:
        weights = np.ones((2, 1, 1, 2), np.float32)
        return self.network.add_convolution2d(x, weights, name=name)

    def pooling(self, x: Layer, name: str) -> Layer:
        return self.network.add_pooling2d(x, ann.PoolingAlgorithm.MAX, 1, name=name)

    def addition(self, x: Layer, y: Layer, name: str) -> Layer:
        return self.network.add_addition(x, y, name=name)

    def chain(self, *names: str) -> Net:
        """Layers in a row: "pool" in the name makes a pooling, anything else a convolution."""
        x = self.input("x")
        for name in names:
            x = (self.pooling if "pool" in name else self.convolution)(x, name)
        return self.finish(x)

    def finish(self, *outputs: Layer) -> Net:
        for index, output in enumerate(outputs):
            self.network.add_output(f"y{index}", output)
        return self


@dataclass
class Result:
    """What became of a network."""

    graph: Graph
    given_back: list[tuple[list[str], str]]
    changes: tuple[str, ...]

    def kinds(self) -> list[str]:
        """Types of the layers that "Views" has at the end, in order."""
        return [node.type.label for node in self.graph if node.backend == "Views"]

    def counts(self) -> tuple[int, int, int]:
        """Numbers of substitutions, failed parts, and layers left as they are."""
        kinds = Counter(self.kinds())
        compiled = kinds.pop("PreCompiled", 0)
        return compiled, len(self.given_back), sum(kinds.values())


def optimize(net: Net, runtime: ann.Runtime) -> Result:
    graph = Graph.from_network(net.network)
    for node in graph:
        if not node.is_host:
            node.backend = "Views"
    given_back: list[tuple[list[str], str]] = []

    def replace(nodes: list[Node], backend_id: str, reason: str) -> None:
        assert backend_id == "Views"
        given_back.append(([node.name for node in nodes], reason))
        for node in nodes:
            node.backend = "CpuRef"

    backends = [runtime.backends[name] for name in ("Views", "CpuRef")]
    (record,) = optimize_subgraphs(graph, backends, replace=replace)
    assert record.name == "sub-graphs of Views"
    graph.to_network()[0].validate()
    stood_for = [origin for node in graph for origin in node.origins]
    stood_for += graph.removed
    assert sorted(origin.guid for origin in stood_for if origin.type is not LayerType.CONSTANT) == [
        layer.guid for layer in net.network.layers if layer.type is not LayerType.CONSTANT
    ]
    return Result(graph, given_back, record.changes)


# ---- Arm NN's OptimizeSubgraphViewTests ----------------------------------------------------------


def test_single_unsupported_layer_fails_whole(runtime: ann.Runtime) -> None:
    result = optimize(Net().chain("pool"), runtime)
    assert result.counts() == (0, 1, 0)
    assert result.given_back[0][0] == ["pool"]
    assert "pools are not for us" in result.given_back[0][1]


def test_unsupported_layers_in_a_row_fail_as_one(runtime: ann.Runtime) -> None:
    result = optimize(Net().chain("pool1", "pool2", "pool3"), runtime)
    assert result.counts() == (0, 1, 0)
    assert result.given_back[0][0] == ["pool1", "pool2", "pool3"]


def test_single_convolution_is_substituted(runtime: ann.Runtime) -> None:
    result = optimize(Net().chain("conv"), runtime)
    assert result.counts() == (1, 0, 0)
    (node,) = [node for node in result.graph if node.type is LayerType.PRE_COMPILED]
    assert node.backend == "Views"
    assert node.blob is not None
    assert node.blob.compatibility == b"v1"
    assert [origin.name for origin in node.origins] == ["conv"]
    assert result.changes == ("'conv' became 'compiled'",)
    assert LayerType.CONSTANT not in {node.type for node in result.graph}, "weights are in the blob"


def test_five_convolutions_are_one_substitution(runtime: ann.Runtime) -> None:
    result = optimize(Net().chain("c1", "c2", "c3", "c4", "c5"), runtime)
    assert result.counts() == (1, 0, 0)
    assert result.changes == ("'c1', 'c2', 'c3' and 2 more became 'compiled'",)


def test_supported_runs_between_unsupported_layers(runtime: ann.Runtime) -> None:
    result = optimize(Net().chain("c1", "pool1", "c2", "c3", "pool2"), runtime)
    assert result.counts() == (2, 2, 0)
    assert [names for names, _ in result.given_back] == [["pool1"], ["pool2"]]
    assert [node.part for node in result.graph if not node.is_host] == [0, 1, 2, 3]


def test_layers_that_it_leaves_alone_stay_as_they_are(runtime: ann.Runtime) -> None:
    net = Net().chain("unoptimizable 1", "unoptimizable 2")
    result = optimize(net, runtime)
    assert result.counts() == (0, 0, 2)
    assert result.changes == ()


def test_convolutions_alternate_with_untouched_ones(runtime: ann.Runtime) -> None:
    result = optimize(Net().chain("c1", "unoptimizable 1", "c2", "unoptimizable 2", "c3"), runtime)
    assert result.counts() == (3, 0, 2)
    assert {node.part for node in result.graph if not node.is_host} == {0}


def test_two_inputs_one_of_them_through_an_untouched_layer(runtime: ann.Runtime) -> None:
    net = Net()
    left = net.convolution(net.input("a"), "unoptimizable")
    right = net.convolution(net.input("b"), "conv")
    result = optimize(net.finish(net.addition(left, right, "sum")), runtime)
    assert result.counts() == (1, 0, 1)
    (node,) = [node for node in result.graph if node.type is LayerType.PRE_COMPILED]
    assert [origin.name for origin in node.origins] == ["conv", "sum"]
    assert sorted(value.node.name for value in node.inputs if value is not None) == [
        "b",
        "unoptimizable",
    ]


# ---- Answers of other kinds ----------------------------------------------------------------------


def test_no_report_changes_no_layer(runtime: ann.Runtime, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VIEWS_FAULT", "nothing")
    assert optimize(Net().chain("c1", "pool"), runtime).counts() == (0, 0, 2)


def test_deleted_layers_are_bridged(runtime: ann.Runtime, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VIEWS_FAULT", "delete")
    result = optimize(Net().chain("unoptimizable", "c1", "c2"), runtime)
    assert result.kinds() == ["Convolution2d"]
    assert result.changes == ("'c1' and 'c2' deleted",)
    assert {origin.name for origin in result.graph.removed} == {"c1", "c2"}
    assert set(result.graph.removed.values()) == {"backend Views"}
    (output,) = [node for node in result.graph if node.type is LayerType.OUTPUT]
    assert output.inputs[0] is not None
    assert output.inputs[0].node.name == "unoptimizable"


def test_garbage_is_refused_and_loses_nothing(
    runtime: ann.Runtime, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("VIEWS_FAULT", "garbage")
    assert optimize(Net().chain("c1", "pool"), runtime).counts() == (1, 1, 0)


def test_a_blob_is_taken_once(
    runtime: ann.Runtime, monkeypatch: pytest.MonkeyPatch, journal: Callable[[], list[str]]
) -> None:
    monkeypatch.setenv("VIEWS_FAULT", "blob twice")
    result = optimize(Net().chain("c1"), runtime)
    assert result.counts() == (1, 0, 0)
    del result
    gc.collect()
    assert journal() == ["blob made", "blob released"]


def test_a_sink_is_not_used_after_its_call(
    runtime: ann.Runtime, monkeypatch: pytest.MonkeyPatch, journal: Callable[[], list[str]]
) -> None:
    monkeypatch.setenv("VIEWS_FAULT", "late")
    for _ in range(2):
        assert optimize(Net().chain("c1"), runtime).counts() == (1, 0, 0)
    assert journal().count("refused late") == 1
    assert "taken late" not in journal()


@pytest.mark.parametrize(
    ("names", "fault", "notes"),
    [
        (["c1"], "same", ["runs as Convolution2d 'c1'"]),
        (["c1"], "", ["compiled into 'compiled'"]),
        (["c1", "c2"], "", ["compiled with 1 other layer into 'compiled'"] * 2),
        (["c1", "c2", "c3"], "", ["compiled with 2 other layers into 'compiled'"] * 3),
    ],
)
def test_the_report_says_what_became_of_layers(
    runtime: ann.Runtime,
    monkeypatch: pytest.MonkeyPatch,
    names: list[str],
    fault: str,
    notes: list[str],
) -> None:
    monkeypatch.setenv("VIEWS_FAULT", fault)
    net = Net().chain(*names)
    optimized = ann.optimize(net.network, ["Views"], runtime=runtime)
    assert [row.note for row in optimized.assignment] == notes


def test_unsupported_leaves_all_as_it_is(
    runtime: ann.Runtime,
    monkeypatch: pytest.MonkeyPatch,
    journal: Callable[[], list[str]],
    caplog: pytest.LogCaptureFixture,
) -> None:
    monkeypatch.setenv("VIEWS_FAULT", "unsupported")
    with caplog.at_level("INFO", "armnn_py.optimizer"):
        result = optimize(Net().chain("c1", "unoptimizable", "c2"), runtime)
    assert result.kinds() == ["Convolution2d"] * 3
    assert result.given_back == []
    assert result.changes == ()
    assert "'c1', 'unoptimizable' and 'c2' as they are: not worth it" in caplog.text
    assert journal().count("blob released") == journal().count("blob made") == 2


FAULTS = {
    "twice": "layer 0 'c1' is reported 2 times",
    "uncounted": "layer 0 'c1' is in none of the four lists",
    "slot": "a substitution was begun and not ended (refused before: end_substitution: a replacing "
    "slot: output 7 of a layer with 1)",
    "shape": "output 0 of layer 0 'c1' is TensorInfo(float32, 1x4x4x2), its replacement is "
    "TensorInfo(float32, 2x4x4x2)",
    "type": "output 0 of layer 0 'c1' is TensorInfo(float32, 1x4x4x2), its replacement is "
    "TensorInfo(int32, 1x4x4x2)",
    "empty": "not ended (refused before: end_substitution: a replacing slot: layer 0 of 0)",
    "token": "refused before: add_layer: 12345 is not a token of a substitution",
    "unfinished": "a substitution was begun and not ended",
    "lost output": "nothing replaces output 0 of layer 0 'c1'",
    "cycle": "a replacement would read its own result",
    "error": "optimize_subgraph_view failed with internal: the compiler fell over",
    "silent": "optimize_subgraph_view failed with invalid argument: no reason given "
    "(refused before: add_untouched: 0 layers of a sub-graph of 3)",
    "layers": "a substitution was begun and not ended (refused before: begin_substitution: ",
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_faulty_answer_fails_the_whole(
    fault: str,
    runtime: ann.Runtime,
    journal: Callable[[], list[str]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("VIEWS_FAULT", fault)
    result = optimize(Net().chain("c1", "unoptimizable", "c2"), runtime)
    assert result.kinds() == []
    ((names, reason),) = result.given_back
    assert names == ["c1", "unoptimizable", "c2"]
    assert reason.startswith("optimize_subgraph_view of 'Views': ")
    assert FAULTS[fault] in reason
    assert journal().count("blob released") == journal().count("blob made")


# ---- Blobs ---------------------------------------------------------------------------------------


def test_a_blob_is_released_once_with_its_last_holder(
    runtime: ann.Runtime, journal: Callable[[], list[str]]
) -> None:
    result = optimize(Net().chain("c1", "pool", "c2"), runtime)
    blobs = [node.blob for node in result.graph if node.blob is not None]
    assert journal() == ["blob made"] * 2
    del result
    gc.collect()
    assert journal() == ["blob made"] * 2, "they are held"
    blobs.pop()
    assert journal() == ["blob made"] * 2 + ["blob released"]
    blobs.pop()
    assert journal() == ["blob made"] * 2 + ["blob released"] * 2


def test_a_blob_keeps_its_backend_open(
    views_folder: Path, journal: Callable[[], list[str]]
) -> None:
    with ann.Runtime(views_folder) as runtime:
        result = optimize(Net().chain("c1"), runtime)
    assert "backend gone" not in journal()
    del result
    gc.collect()
    assert journal() == ["blob made", "blob released", "backend gone"]


def test_a_blob_cannot_be_copied(runtime: ann.Runtime) -> None:
    result = optimize(Net().chain("c1"), runtime)
    (blob,) = [node.blob for node in result.graph if node.blob is not None]
    with pytest.raises(ann.InvalidArgumentError, match="a NativeBlob cannot be pickled"):
        blob.__reduce_ex__(2)


def test_a_backend_may_refuse_a_blob(runtime: ann.Runtime, monkeypatch: pytest.MonkeyPatch) -> None:
    result = optimize(Net().chain("c1"), runtime)
    (blob,) = [node.blob for node in result.graph if node.blob is not None]
    backend = runtime.backends["Views"]
    check_blob("Views", backend.api, backend.instance, blob, "compiled")
    monkeypatch.setenv("VIEWS_REFUSES_BLOBS", "1")
    with pytest.raises(ann.BackendError) as caught:
        check_blob("Views", backend.api, backend.instance, blob, "compiled")
    assert caught.value.message == (
        "backend 'Views' does not take the compiled sub-graph 'compiled': "
        "the driver is newer than 'v1'"
    )
    assert "made for: v1" in caught.value.details


# ---- Run -----------------------------------------------------------------------------------------


def additions() -> ann.Network:
    net = Net()
    a, b = net.input("a"), net.input("b")
    total = net.addition(a, b, "total")
    left = net.addition(total, a, "unoptimizable")
    return net.finish(net.addition(left, b, "y"), total).network


def test_compiled_parts_run_and_release_their_blobs(
    runtime: ann.Runtime, journal: Callable[[], list[str]]
) -> None:
    optimized = ann.optimize(additions(), ["Views", "CpuRef"], runtime=runtime)
    assert journal() == ["blob made"] * 2
    a, b = np.arange(32, dtype=np.float32).reshape(1, 4, 4, 2), np.full((1, 4, 4, 2), 5, np.float32)
    with runtime.load_network(optimized) as net:
        del optimized
        result = net.run({"a": a, "b": b})
        np.testing.assert_array_equal(result["y1"], a + b)
        np.testing.assert_array_equal(result["y0"], a + b + a + b)
        assert "blob released" not in journal()
    del net
    gc.collect()
    events = journal()
    assert events.count("blob released") == 2
    assert events.index("blob released") > events.index("workload gone")


def test_a_refused_blob_stops_the_load(
    runtime: ann.Runtime, monkeypatch: pytest.MonkeyPatch
) -> None:
    optimized = ann.optimize(additions(), ["Views", "CpuRef"], runtime=runtime)
    monkeypatch.setenv("VIEWS_REFUSES_BLOBS", "1")
    with pytest.raises(ann.BackendError, match="the driver is newer than 'v1'"):
        runtime.load_network(optimized)


# ---- Blobs as bytes ------------------------------------------------------------------------------


def save_additions(runtime: ann.Runtime, path: Path, *, keep: bool = False) -> None:
    optimized = ann.optimize(additions(), ["Views", "CpuRef"], runtime=runtime)
    optimized.save(path, keep_subgraphs=keep)


def check_additions(runtime: ann.Runtime, path: Path) -> None:
    a, b = np.arange(32, dtype=np.float32).reshape(1, 4, 4, 2), np.full((1, 4, 4, 2), 5, np.float32)
    with ann.load(path, runtime=runtime) as net:
        result = net.run({"a": a, "b": b})
        np.testing.assert_array_equal(result["y0"], a + b + a + b)
    gc.collect()


def test_a_blob_that_writes_no_bytes_is_compiled_again(
    runtime: ann.Runtime, journal: Callable[[], list[str]], tmp_path: Path
) -> None:
    save_additions(runtime, tmp_path / "x.armnnpy")
    gc.collect()
    before = len(journal())
    check_additions(runtime, tmp_path / "x.armnnpy")
    events = journal()[before:]
    assert events[:2] == ["blob made"] * 2
    assert events.count("blob released") == 2


def test_a_blob_is_saved_and_read_as_bytes(
    runtime: ann.Runtime,
    journal: Callable[[], list[str]],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("VIEWS_SERIALIZES", "1")
    save_additions(runtime, tmp_path / "x.armnnpy")
    assert journal().count("blob serialized") == 2
    gc.collect()
    before = len(journal())
    check_additions(runtime, tmp_path / "x.armnnpy")
    events = journal()[before:]
    assert events[:2] == ["blob deserialized"] * 2
    assert "blob made" not in events
    assert events.count("blob released") == 2


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        ("no size", "get_size answers 0 bytes"),
        ("serialize fails", "serialize failed: internal\n  the compiler has gone home"),
        ("serialize overruns", "wrote behind the 784 bytes of its buffer"),
    ],
)
def test_a_blob_that_cannot_be_written(
    runtime: ann.Runtime, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fault: str, words: str
) -> None:
    monkeypatch.setenv("VIEWS_SERIALIZES", "1")
    monkeypatch.setenv("VIEWS_FAULT", fault)
    with pytest.raises(ann.BackendError, match="'Views': the blob of layer 'compiled'") as raised:
        save_additions(runtime, tmp_path / "x.armnnpy")
    assert words in str(raised.value)
    assert not list(tmp_path.glob("*.armnnpy"))


def test_half_of_the_functions_is_refused(
    runtime: ann.Runtime, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("VIEWS_SERIALIZES", "1")
    monkeypatch.setenv("VIEWS_FAULT", "only get_size")
    with pytest.raises(ann.NoBackendForLayerError) as raised:
        ann.optimize(additions(), ["Views"], runtime=runtime)
    assert "has no serialize: get_size and serialize belong together" in str(raised.value)


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        ("deserialize fails", "'compiled': 784 bytes are no program"),
        ("deserialize refuses", "'compiled': 'v1' was another age"),
        ("deserialize nonsense", "its release does not point to code"),
    ],
)
def test_a_blob_that_cannot_be_read(
    runtime: ann.Runtime, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fault: str, words: str
) -> None:
    monkeypatch.setenv("VIEWS_SERIALIZES", "1")
    save_additions(runtime, tmp_path / "x.armnnpy")
    monkeypatch.setenv("VIEWS_FAULT", fault)
    with pytest.raises(ann.BackendError, match="'Views'") as raised:
        ann.load(tmp_path / "x.armnnpy", runtime=runtime)
    assert words in str(raised.value)


@pytest.mark.parametrize("refuses", ["check_blob", "deserialize_blob"])
def test_layers_of_a_refused_blob_are_compiled_again(
    runtime: ann.Runtime,
    journal: Callable[[], list[str]],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    refuses: str,
) -> None:
    monkeypatch.setenv("VIEWS_SERIALIZES", "1")
    path = tmp_path / "x.armnnpy"
    save_additions(runtime, path, keep=True)
    if refuses == "deserialize_blob":
        monkeypatch.setenv("VIEWS_FAULT", "deserialize refuses")
        check_additions(runtime, path)
    else:  # it refuses blobs for good, the new ones, too
        monkeypatch.setenv("VIEWS_REFUSES_BLOBS", "1")
        ann.OptimizedNetwork.load(path, runtime=runtime)
    assert journal().count("blob made") == 4
    assert "compiled again: 'compiled'" in caplog.text


def test_a_refused_blob_says_what_to_do(
    runtime: ann.Runtime, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("VIEWS_SERIALIZES", "1")
    save_additions(runtime, tmp_path / "x.armnnpy")
    monkeypatch.setenv("VIEWS_REFUSES_BLOBS", "1")
    with pytest.raises(ann.BackendError, match="the driver is newer than 'v1'") as raised:
        ann.load(tmp_path / "x.armnnpy", runtime=runtime)
    assert "made for: v1" in str(raised.value)
    assert "keep_subgraphs=True" in str(raised.value)


@pytest.mark.parametrize("fault", ["nothing", "error", "delete", "lost output"])
def test_a_sub_graph_that_compiles_to_something_else(
    runtime: ann.Runtime,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    fault: str,
) -> None:
    """The layers inside are optimised anew, as `optimize` does with the backend as it is now."""
    save_additions(runtime, tmp_path / "x.armnnpy")
    monkeypatch.setenv("VIEWS_FAULT", fault)
    check_additions(runtime, tmp_path / "x.armnnpy")
    assert "optimised anew: 'compiled'" in caplog.text
    assert "sub-graph of layer 'compiled'" in caplog.text
