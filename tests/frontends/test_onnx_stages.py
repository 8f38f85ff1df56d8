# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Data that a network computes and that decide shapes: it runs in stages; by onnxruntime."""

from __future__ import annotations

import pickle
import threading
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

import armnn_py as ann
from tests.frontends.beside_onnxruntime import same, theirs

FLOAT, INT64, BOOL = TensorProto.FLOAT, TensorProto.INT64, TensorProto.BOOL
BACKENDS = [["CpuRef"], ["CpuAcc", "CpuRef"]]
SIZE = 320
n = helper.make_node


def model(
    nodes: list[Any],
    inputs: dict[str, Any],
    outputs: dict[str, Any],
    constants: dict[str, Any] | None = None,
    opset: int = 17,
) -> onnx.ModelProto:
    """A model of ``name: (type, shape)``; a shape may be None."""
    graph = helper.make_graph(
        nodes,
        "staged",
        [helper.make_tensor_value_info(name, *info) for name, info in inputs.items()],
        [helper.make_tensor_value_info(name, *info) for name, info in outputs.items()],
        [numpy_helper.from_array(np.asarray(v), name) for name, v in (constants or {}).items()],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=8)


def weights(*shape: int) -> np.ndarray:
    return (np.random.default_rng(0).standard_normal(shape) * 0.3).astype(np.float32)


def detector(shape: Any = (1, 3, SIZE, SIZE), classes: int = 3) -> onnx.ModelProto:
    """Convolutions, boxes and scores of 1600 places, suppression, and what is left of them."""
    nodes = [
        n("Conv", ["image", "w1"], ["c1"], strides=[4, 4], pads=[1] * 4),
        n("Relu", ["c1"], ["r1"]),
        n("Conv", ["r1", "w2"], ["c2"], strides=[2, 2], pads=[1] * 4),
        n("Reshape", ["c2", "flat"], ["f"]),
        n("Split", ["f", "parts"], ["b", "s"], axis=1),
        n("Sigmoid", ["s"], ["scores"]),
        n("Transpose", ["b"], ["boxes"], perm=[0, 2, 1]),
        n("NonMaxSuppression", ["boxes", "scores", "most", "iou", "least"], ["kept"], name="nms"),
        n("Gather", ["kept", "batch_and_box"], ["places"], axis=1),
        n("GatherND", ["boxes", "places"], ["box"]),
        n("GatherND", ["scores", "kept"], ["score"]),
        n("Gather", ["kept", "one"], ["class"], axis=1),
    ]
    constants = {
        "w1": weights(8, 3, 3, 3),
        "w2": weights(4 + classes, 8, 3, 3),
        "flat": np.int64([1, 4 + classes, -1]),
        "parts": np.int64([4, classes]),
        "most": np.int64([2000]),
        "iou": np.float32([0.5]),
        "least": np.float32([0.6]),
        "batch_and_box": np.int64([0, 2]),
        "one": np.int64(1),
    }
    outputs = {"box": (FLOAT, ["k", 4]), "score": (FLOAT, ["k"]), "class": (INT64, ["k"])}
    return model(nodes, {"image": (FLOAT, shape)}, outputs, constants)


def image(seed: int, size: int = SIZE, scale: float = 1.0) -> np.ndarray:
    made = np.random.default_rng(seed).standard_normal((1, 3, size, size)) * scale
    return made.astype(np.float32)


@pytest.mark.parametrize("backends", BACKENDS, ids="+".join)
def test_a_detector_with_suppression(backends: list[str]) -> None:
    made = detector()
    counts = set()
    with ann.load(made, backends) as network:
        for x in (image(1), image(2, scale=0.02), image(3), image(0, scale=0), image(1)):
            found = network.run({"image": x})
            same(found, theirs(made, {"image": x}))
            counts.add(len(found["score"]))
    assert len(counts) > 2
    assert 0 in counts


@pytest.mark.parametrize("backends", BACKENDS, ids="+".join)
def test_a_detector_of_pictures_of_any_size(backends: list[str]) -> None:
    made = detector((1, 3, "h", "w"))
    with ann.load(made, backends) as network:
        for x in (image(1), image(2, 256), image(1)):
            same(network(x), theirs(made, {"image": x}))


def test_the_stages_are_shown_and_share_no_work() -> None:
    network = ann.import_model(detector())
    assert network.is_dynamic
    assert [stage.network is None for stage in network.stages] == [False, True, False]
    assert network.stages[0].inputs == ("image",)
    assert set(network.stages[0].outputs) == {"boxes", "scores", "kept/rows", "kept/valid"}
    assert network.stages[1].inputs == ("kept/rows", "kept/valid")
    assert set(network.stages[2].inputs) == {"boxes", "scores", "kept"}
    assert network.outputs["class"].data_type is ann.DataType.SIGNED64
    assert network.outputs["box"].shape == (None, 4)


def test_a_network_with_stages_has_no_layers_of_its_own() -> None:
    network = ann.import_model(detector())
    with pytest.raises(ann.InvalidArgumentError, match="runs in 3 stages") as caught:
        network.specialize({})
    assert "hint: load(model).run(inputs)" in str(caught.value)
    refused = pytest.raises(ann.InvalidArgumentError, match="runs in 3 stages")
    with ann.load(network, ["CpuRef"]) as loaded, refused:
        loaded.bind()
    with ann.Runtime() as runtime, pytest.raises(ann.InvalidArgumentError, match="3 stages"):
        ann.optimize(network, ["CpuRef"], runtime=runtime).save("x.armnnpy")


def test_outputs_that_no_stage_makes_are_refused() -> None:
    network = ann.import_model(detector())
    more = dict(network.outputs) | {"more": network.outputs["box"]}
    wrong = ann.Network.from_builder(
        "wrong", network.inputs, network.specialize, more, stages=network.stages
    )
    with pytest.raises(ann.InvalidArgumentError, match="output 'more'"):
        ann.load(wrong, ["CpuRef"])


@pytest.mark.parametrize("shape", [(1, 3, SIZE, SIZE), (1, 3, "h", "w")], ids=["known", "free"])
def test_tensors_of_any_stage_as_further_outputs(shape: Any) -> None:
    made = detector(shape)
    wanted = onnx.ModelProto.FromString(made.SerializeToString())
    names = ["r1", "scores", "kept", "places"]
    for name in names:
        wanted.graph.output.append(onnx.ValueInfoProto(name=name))
    with ann.load(made, ["CpuRef"], extra_outputs=names) as network:
        for x in (image(1), image(0, scale=0), image(3)):
            same(network.run({"image": x}), theirs(wanted, {"image": x}))
    with pytest.raises(ann.UnknownNameError, match="did you mean 'scores'"):
        ann.load(made, ["CpuRef"], extra_outputs=["scoress"])
    with pytest.raises(ann.InvalidArgumentError, match="output of the network already"):
        ann.load(made, ["CpuRef"], extra_outputs=["score"])


def places_of_rows() -> onnx.ModelProto:
    """All of it is known where rows are few: small inputs whose values decide shapes are read."""
    nodes = [
        n("Relu", ["x"], ["r"]),
        n("Neg", ["r"], ["q"]),
        n("NonZero", ["q"], ["z"]),
        n("Add", ["z", "z"], ["y"]),
    ]
    return model(nodes, {"x": (FLOAT, ["rows", 640])}, {"y": (INT64, [2, "k"])})


def test_further_outputs_where_all_is_known_on_trial() -> None:
    made = places_of_rows()
    wanted = onnx.ModelProto.FromString(made.SerializeToString())
    for name in ("q", "z"):
        wanted.graph.output.append(onnx.ValueInfoProto(name=name))
    x = image(1).reshape(-1, 640)
    with ann.load(made, ["CpuRef"], extra_outputs=["q", "z"]) as network:
        same(network.run({"x": x}), theirs(wanted, {"x": x}))


def test_shapes_of_a_network_that_was_imported_without() -> None:
    made = places_of_rows()
    x = image(1).reshape(-1, 640)
    network = ann.import_model(made)
    with ann.load(network, ["CpuRef"], shapes={"x": x.shape}) as loaded:
        assert loaded.inputs["x"].shape == x.shape
        same(loaded.run({"x": x}), theirs(made, {"x": x}))


def test_facts_of_a_loaded_network() -> None:
    made = detector()
    with ann.load(made, ["CpuRef"]) as network:
        assert list(network.inputs) == ["image"]
        network.run({"image": image(1)})
        assert network.assignment.counts["CpuRef"] > 5
        assert network.arena_size > 0
        assert "3 stages" in repr(network)
        runtime = network.runtime
        assert runtime.networks == (network,)
    assert network.closed
    with pytest.raises(ann.InvalidArgumentError, match="closed"):
        network.run({"image": image(1)})


def test_arguments_of_run() -> None:
    made, x = detector(), image(1)
    wanted = theirs(made, {"image": x})
    count = len(wanted["score"])
    with ann.load(made, ["CpuRef"]) as network:
        same(network.run(x, outputs=["class"]), {"class": wanted["class"]})
        shared = network.run(x, share_outputs=True, share_inputs=True)
        network.run(image(2))
        same(shared, wanted)
        out = {"score": np.zeros(count, np.float32)}
        assert network.run(x, out=out)["score"] is out["score"]
        np.testing.assert_allclose(out["score"], wanted["score"], rtol=1e-4)
        with pytest.raises(ann.InvalidArgumentError, match="'score'"):
            network.run(x, out={"score": np.zeros(count + 1, np.float32)})
        same(network.run(x, timeout=100), wanted)
        with pytest.raises(ann.ExecutionTimeoutError):
            network.run(x, timeout=0)
        token = ann.CancelToken()
        token.cancel()
        with pytest.raises(ann.ExecutionCancelledError):
            network.run(x, cancel=token)
        with pytest.raises(ann.InvalidArgumentError, match="float64"):
            network.run(x.astype(np.float64))


def test_assignment_before_the_first_run() -> None:
    with ann.Runtime() as runtime:
        optimized = ann.optimize(ann.import_model(detector()), ["CpuRef"], runtime=runtime)
        told = "known after the first run: 3 stages, because data decide shapes"
        assert optimized.assignment.summary() == told


def test_several_threads() -> None:
    made = detector((1, 3, "h", "w"))
    wrong: list[Any] = []
    with ann.load(made, ["CpuRef"]) as network:

        def work(seed: int) -> None:
            x = image(seed)
            try:
                same(network.run(x), theirs(made, {"image": x}))
            except Exception as error:
                wrong.append(error)

        threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert not wrong


def test_a_pickled_network() -> None:
    made, x = detector(), image(1)
    network = pickle.loads(pickle.dumps(ann.import_model(made)))
    with ann.load(network, ["CpuRef"]) as loaded:
        same(loaded.run(x), theirs(made, {"image": x}))


LARGE = (200, 100)
BY_DATA: dict[str, tuple[list[Any], dict[str, Any], dict[str, Any]]] = {
    "NonZero": (
        [n("NonZero", ["b"], ["where"]), n("Cast", ["where"], ["y"], to=FLOAT)],
        {"y": (FLOAT, [2, "n"])},
        {},
    ),
    "NonZero as an output": ([n("NonZero", ["b"], ["y"])], {"y": (INT64, [2, "n"])}, {}),
    "Compress along rows": (
        [n("ReduceMax", ["x"], ["largest"], axes=[1], keepdims=0),
         n("Greater", ["largest", "bound"], ["c"]), n("Compress", ["x", "c"], ["some"], axis=0),
         n("Mul", ["some", "two"], ["y"])],
        {"y": (FLOAT, ["n", 100])},
        {"bound": np.float32(2.6)},
    ),
    "Compress of all": (
        [n("Reshape", ["b", "flat"], ["c"]), n("Compress", ["x", "c"], ["y"])],
        {"y": (FLOAT, ["n"])},
        {"flat": np.int64([-1])},
    ),
    "Unique": (
        [n("Round", ["x"], ["whole"]), n("Unique", ["whole"], ["y", "", "inverse", "counts"])],
        {"y": (FLOAT, ["n"]), "inverse": (INT64, ["m"]), "counts": (INT64, ["n"])},
        {},
    ),
    "Unique rows": (
        [n("Sign", ["x"], ["sign"]), n("Slice", ["sign", "a", "e", "axes"], ["few"]),
         n("Unique", ["few"], ["rows"], axis=0, sorted=0), n("Neg", ["rows"], ["y"])],
        {"y": (FLOAT, ["n", 2])},
        {"a": np.int64([0]), "e": np.int64([2]), "axes": np.int64([1])},
    ),
    "Reshape": (
        [n("ReduceSum", ["i"], ["sum"], keepdims=0), n("Mod", ["sum", "three"], ["third"]),
         n("Add", ["third", "two_i"], ["power"]), n("Pow", ["two_i", "power"], ["rows"]),
         n("Unsqueeze", ["rows", "nil"], ["row"]), n("Concat", ["row", "rest"], ["s"], axis=0),
         n("Reshape", ["x", "s"], ["y"])],
        {"y": (FLOAT, ["n", "m"])},
        {"three": np.int64(3), "two_i": np.int64(2), "nil": np.int64([0]), "rest": np.int64([-1])},
    ),
    "two cuts in a row": (
        [n("NonZero", ["b"], ["where"]), n("Transpose", ["where"], ["at"]),
         n("GatherND", ["x", "at"], ["some"]), n("Greater", ["some", "one"], ["more"]),
         n("NonZero", ["more"], ["again"]), n("Squeeze", ["again", "nil"], ["places"]),
         n("Gather", ["some", "places"], ["y"]), n("Relu", ["x"], ["all"])],
        {"y": (FLOAT, ["n"]), "all": (FLOAT, LARGE)},
        {"one": np.float32(1), "nil": np.int64([0])},
    ),
    "a rank that no file states": (
        [n("NonZero", ["b"], ["where"]), n("Cast", ["where"], ["y"], to=FLOAT)],
        {"y": (FLOAT, None)},
        {},
    ),
}  # fmt: skip


@pytest.mark.parametrize("backends", BACKENDS, ids="+".join)
@pytest.mark.parametrize("shape", [LARGE, ("h", "w")], ids=["all sizes known", "free"])
@pytest.mark.parametrize("case", BY_DATA)
def test_data_decide_shapes(case: str, shape: Any, backends: list[str]) -> None:
    """`b` says where `x`, which a layer computes of the input, is above 0; `i` is `x` cut off."""
    nodes, outputs, constants = BY_DATA[case]
    first = [
        n("Mul", ["input", "two"], ["x"]),
        n("Greater", ["x", "zero"], ["b"]),
        n("Cast", ["x"], ["i"], to=INT64),
    ]
    constants = constants | {"two": np.float32(2), "zero": np.float32(0)}
    if any(dims is None for _, dims in outputs.values()) and shape != LARGE:
        pytest.skip("the rank is unknown before the input's sizes are")
    made = model(first + nodes, {"input": (FLOAT, shape)}, outputs, constants)
    with ann.load(made, backends) as network:
        for seed in range(4):
            x = np.random.default_rng(seed).standard_normal(LARGE).astype(np.float32) / 2
            if seed == 2:
                x = -np.abs(x)
            same(network.run(x), theirs(made, {"input": x}))


def body(nodes: list[Any], inputs: dict[str, Any], outputs: dict[str, Any]) -> onnx.GraphProto:
    return model(nodes, inputs, outputs).graph


def test_a_condition_of_data_chooses_between_shapes() -> None:
    one = body([n("Identity", ["x"], ["whole"])], {}, {"whole": (FLOAT, None)})
    other = body([n("ReduceMax", ["x"], ["top"], axes=[0])], {}, {"top": (FLOAT, None)})
    nodes = [
        n("Abs", ["input"], ["x"]),
        n("ReduceMean", ["x"], ["mean"], keepdims=0),
        n("Greater", ["mean", "one"], ["c"]),
        n("If", ["c"], ["y"], then_branch=one, else_branch=other),
    ]
    made = model(
        nodes, {"input": (FLOAT, LARGE)}, {"y": (FLOAT, ["n", 100])}, {"one": np.float32(1)}
    )
    with ann.load(made, ["CpuRef"]) as network:
        for factor in (0.5, 4, 0.5):
            x = image(0)[0, 0, :200, :100] * np.float32(factor)
            same(network.run(x), theirs(made, {"input": x}))


def test_a_number_of_turns_of_data() -> None:
    turn = body(
        [n("Add", ["state", "state"], ["next"]), n("Identity", ["goes"], ["on"])],
        {"turn": (INT64, []), "goes": (BOOL, []), "state": (FLOAT, LARGE)},
        {"on": (BOOL, []), "next": (FLOAT, LARGE)},
    )
    nodes = [
        n("ReduceMax", ["input"], ["most"], keepdims=0),
        n("Cast", ["most"], ["turns"], to=INT64),
        n("Relu", ["input"], ["first"]),
        n("Loop", ["turns", "", "first"], ["y"], body=turn),
    ]
    made = model(nodes, {"input": (FLOAT, LARGE)}, {"y": (FLOAT, LARGE)})
    with ann.load(made, ["CpuRef"]) as network:
        for most in (2, 5):
            x = np.random.default_rng(most).random(LARGE).astype(np.float32) * (most + 0.5)
            same(network.run(x), theirs(made, {"input": x}))


def test_inside_a_body() -> None:
    inner = body(
        [n("NonZero", ["x"], ["where"]), n("Cast", ["where"], ["a"], to=FLOAT)],
        {},
        {"a": (FLOAT, [2, "n"])},
    )
    other = body([n("Identity", ["x"], ["b"])], {}, {"b": (FLOAT, None)})
    nodes = [
        n("Relu", ["input"], ["x"]),
        n("If", ["c"], ["y"], then_branch=inner, else_branch=other),
    ]
    made = model(
        nodes, {"input": (FLOAT, LARGE)}, {"y": (FLOAT, ["m", "n"])}, {"c": np.array(True)}
    )
    with ann.load(made, ["CpuRef"]) as network:
        x = np.random.default_rng(0).standard_normal(LARGE).astype(np.float32)
        same(network.run(x), theirs(made, {"input": x}))


def test_a_large_input_that_is_itself_a_shape_is_refused() -> None:
    made = model(
        [n("Expand", ["x", "s"], ["y"])],
        {"x": (FLOAT, [1]), "s": (INT64, [9000])},
        {"y": (FLOAT, None)},
    )
    with pytest.raises(ann.UnsupportedOperatorError, match="computed at run time"):
        ann.import_model(made)


def test_operators_behind_a_cut_are_checked_at_import() -> None:
    made = detector()
    made.graph.node.append(n("NoSuchOperator", ["score"], ["z"], name="behind"))
    made.graph.output.append(helper.make_tensor_value_info("z", FLOAT, ["k"]))
    with pytest.raises(ann.UnsupportedOperatorError, match="NoSuchOperator"):
        ann.import_model(made)


@pytest.mark.parametrize(
    "words",
    [
        "run -b CpuRef --random 0",
        "run -b CpuRef --random 0 --iterations 3",
        "bench -b CpuRef --seconds 0.01",
        "profile -b CpuRef --iterations 2",
        "inspect --layers",
        "check -b CpuRef",
    ],
)
@pytest.mark.parametrize("shape", [(1, 3, SIZE, SIZE), ("n", 3, SIZE, SIZE)], ids=["known", "free"])
def test_commands(words: str, shape: Any, tmp_path: Path, capsys: Any) -> None:
    from armnn_py.cli.main import main

    path = tmp_path / "detector.onnx"
    path.write_bytes(detector(shape).SerializeToString())
    command, *options = words.split()
    code = main([command, str(path), *options])
    seen = capsys.readouterr()
    assert code == 0, seen
    assert "values of inputs" not in seen.out


@pytest.mark.parametrize("command", ["save", "graph"])
def test_commands_that_need_one_plan(command: str, tmp_path: Path, capsys: Any) -> None:
    from armnn_py.cli.main import main

    path = tmp_path / "detector.onnx"
    path.write_bytes(detector().SerializeToString())
    more = ["-o", str(tmp_path / "x.armnnpy")] if command == "save" else []
    assert main([command, str(path), *more]) != 0
    assert "runs in 3 stages" in capsys.readouterr().err


def test_more_conditions_than_rows() -> None:
    nodes = [n("Not", ["b"], ["c"]), n("Compress", ["x", "c"], ["y"], axis=0)]
    inputs = {"x": (FLOAT, [3, 2]), "b": (BOOL, ["n"])}
    made = model(nodes, inputs, {"y": (FLOAT, ["m", 2])})
    with ann.load(made, ["CpuRef"]) as network:
        given = {"x": np.ones((3, 2), np.float32), "b": np.ones(4, bool)}
        with pytest.raises(ann.InvalidArgumentError, match=r"'Compress_1'.*: a condition of 4"):
            network.run(given)
        given["b"] = np.zeros(2, bool)  # of fewer rows than there are
        assert network.run(given)["y"].shape == (2, 2)
