# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Saved networks that run in stages: loops, branches and functions; numbers by onnxruntime."""

from __future__ import annotations

import json
import random
import re
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto

import armnn_py as ann
from armnn_py.optimizer.saved.archive import write_archive
from tests.frontends.beside_onnxruntime import same, theirs
from tests.frontends.test_onnx_apart import (
    BACKENDS,
    CONSTANTS,
    LARGE,
    TURN,
    data,
    graph,
    looped,
    model,
    n,
)
from tests.unit.optimizer.saved import members_of
from tests.unit.optimizer.test_damaged_networks import _ODD, _places

FLOAT, BOOL = TensorProto.FLOAT, TensorProto.BOOL


def scanned() -> onnx.ModelProto:
    """A Scan between layers, of more rows than are written out."""
    body = graph(
        [n("Mul", ["state", "half"], ["less"]), n("Add", ["less", "row"], ["next"]),
         n("Tanh", ["next"], ["seen"])],
        {"state": (FLOAT, [3]), "row": (FLOAT, [3])}, {"next": (FLOAT, [3]), "seen": (FLOAT, [3])},
    )  # fmt: skip
    nodes = [
        n("Neg", ["input"], ["x"]),
        n("Scan", ["zeros", "x"], ["last", "all"], body=body, num_scan_inputs=1),
        n("ReduceMean", ["all"], ["y"], axes=[0]),
    ]
    constants = {"half": np.float32(0.5), "zeros": np.zeros(3, np.float32)}
    outputs = {"y": (FLOAT, [1, 3]), "last": (FLOAT, [3])}
    return model(nodes, {"input": (FLOAT, (2100, 3))}, outputs, constants)


GROWN = graph(
    [n("Mul", ["a", "grow"], ["next"]), n("ReduceMax", ["next"], ["top"], keepdims=0),
     n("Less", ["top", "limit"], ["on"])],
    TURN | {"a": (FLOAT, LARGE)}, {"on": (BOOL, []), "next": (FLOAT, LARGE)},
)  # fmt: skip
USED = {name: CONSTANTS[name] for name in ("grow", "limit", "yes")}


def branched() -> onnx.ModelProto:
    """An If of which one branch has a loop, whose end data decide."""
    low = graph([n("Loop", ["", "yes", "x"], ["b"], body=GROWN)], {}, {"b": (FLOAT, LARGE)})
    high = graph([n("Neg", ["x"], ["c"])], {}, {"c": (FLOAT, LARGE)})
    nodes = [
        n("Exp", ["input"], ["x"]),
        n("ReduceMax", ["input"], ["largest"], keepdims=0),
        n("Less", ["largest", "one"], ["is_low"]),
        n("If", ["is_low"], ["y"], then_branch=low, else_branch=high),
    ]
    constants = USED | {"one": np.float32(1)}
    return model(nodes, {"input": (FLOAT, LARGE)}, {"y": (FLOAT, LARGE)}, constants)


def called() -> onnx.ModelProto:
    """A function with such a loop."""
    function = onnx.helper.make_function(
        "own", "Grow", ["a0", "grow", "limit", "yes"], ["b"],
        [n("Loop", ["", "yes", "a0"], ["b"], body=GROWN)], [onnx.helper.make_opsetid("", 17)],
    )  # fmt: skip
    nodes = [n("Grow", ["input", "grow", "limit", "yes"], ["y"], domain="own")]
    return model(
        nodes, {"input": (FLOAT, LARGE)}, {"y": (FLOAT, LARGE)}, USED, functions=[function]
    )


def chosen() -> onnx.ModelProto:
    """Elements that data decide: places, rows, and different elements in two orders."""
    nodes = [
        n("Mul", ["input", "four"], ["scaled"]),
        n("Floor", ["scaled"], ["floored"]),
        n("Gather", ["floored", "order"], ["x"], axis=1),
        n("NonZero", ["x"], ["places"]),
        n("ReduceMin", ["x"], ["least"], axes=[1], keepdims=0),
        n("Cast", ["least"], ["flags"], to=BOOL),
        n("Compress", ["x", "flags"], ["rows"], axis=0),
        n("Compress", ["seven", "flags"], ["some"]),
        n("Unique", ["x"], ["elements", "", "", "counts"]),
        n("Unique", ["x"], ["columns", "first"], axis=1, sorted=0),
    ]
    count, rows = (TensorProto.INT64, ["n"]), (FLOAT, ["n", 5])
    outputs = {
        "places": (TensorProto.INT64, [2, "n"]), "rows": rows, "some": (FLOAT, ["n"]),
        "elements": (FLOAT, ["n"]), "counts": count, "columns": (FLOAT, [9, "n"]), "first": count,
    }  # fmt: skip
    constants = {
        "seven": np.arange(12, dtype=np.float32), "four": np.float32(4),
        "order": np.array([3, 1, 2, 1, 3]),  # columns that come twice
    }  # fmt: skip
    return model(nodes, {"input": (FLOAT, (9, 5))}, outputs, constants)


def multiplied() -> onnx.ModelProto:
    nodes = [n("Neg", ["input"], ["x"]), n("CumProd", ["x", "axis"], ["y"])]
    made = model(nodes, {"input": (FLOAT, (9,))}, {"y": (FLOAT, (9,))}, {"axis": np.int64(0)})
    made.opset_import[0].version = 26
    return made


MODELS: dict[str, Any] = {
    "a loop that ends by its states": lambda: looped("ends by its states", LARGE),
    "a value around it": lambda: looped("a value around it that data decide", LARGE),
    "a loop in a loop": lambda: looped("a loop inside of it", LARGE),
    "what a turn is given": lambda: looped("what a turn is given comes back", LARGE),
    "values of all turns": lambda: looped("collects a value of each turn", LARGE),
    "a long scan between layers": scanned,
    "branches": branched,
    "a function": called,
    "elements that data choose": chosen,
}


def given_for(made: onnx.ModelProto, seed: int) -> dict[str, np.ndarray]:
    shape = [dim.dim_value for dim in made.graph.input[0].type.tensor_type.shape.dim]
    return {"input": data(seed, shape) + np.float32(seed)}


@pytest.fixture(scope="module")
def runtime() -> Iterator[ann.Runtime]:
    with ann.Runtime() as runtime:
        yield runtime


def saved(made: onnx.ModelProto, backends: list[str], folder: Path, runtime: ann.Runtime) -> Path:
    path = folder / "stages.armnnpy"
    ann.optimize(ann.import_model(made), backends, runtime=runtime).save(path)
    return path


@pytest.mark.parametrize("backends", BACKENDS, ids="+".join)
@pytest.mark.parametrize("case", MODELS)
def test_numbers(case: str, backends: list[str], tmp_path: Path, runtime: ann.Runtime) -> None:
    """Those of onnxruntime, and bit for bit those of the network that was not saved."""
    made = MODELS[case]()
    path = saved(made, backends, tmp_path, runtime)
    with (
        ann.load(made, backends, runtime=runtime) as fresh,
        ann.load(path, runtime=runtime) as network,
    ):
        assert network.assignment.stages == fresh.assignment.stages > 0
        for seed in range(2):
            given = given_for(made, seed)
            found, wanted = network.run(given), fresh.run(given)
            same(found, theirs(made, given))
            for name, array in wanted.items():
                np.testing.assert_array_equal(found[name], array)


def test_data_that_choose_some_elements(runtime: ann.Runtime, tmp_path: Path) -> None:
    """The results that the tests compare are neither empty nor whole."""
    made = chosen()
    with ann.load(saved(made, ["CpuRef"], tmp_path, runtime), runtime=runtime) as network:
        found = network.run(given_for(made, 0))
    sizes = {name: array.shape[-1 if name == "places" else 0] for name, array in found.items()}
    assert 0 < sizes["places"] < 45
    assert 0 < sizes["rows"] < 9
    assert found["columns"].shape == (9, 3)
    assert sizes["elements"] == 4


@pytest.mark.parametrize(
    ("number", "change"),
    [(1, {"function": "unique"}), (2, {"function": "places_of"}), (4, {"index": "int8"})],
    ids=["rank", "type", "type of counts"],
)
def test_elements_of_another_type(
    number: int, change: dict[str, str], tmp_path: Path, runtime: ann.Runtime
) -> None:
    """A function that makes other types or ranks than its stage states is refused."""
    members = members_of(saved(chosen(), ["CpuRef"], tmp_path, runtime))
    document = json.loads(members["network.json"][0])
    document["networks"][0]["stages"][number]["control"].update(change)
    target = tmp_path / "changed.armnnpy"
    write_archive(str(target), members | {"network.json": (json.dumps(document).encode(),)})
    with pytest.raises(ann.ParseError, match="but its stage states"):
        ann.load(target, runtime=runtime)


def test_a_process_without_the_importer(tmp_path: Path, runtime: ann.Runtime) -> None:
    made = MODELS["a loop in a loop"]()
    path, given = saved(made, ["CpuRef"], tmp_path, runtime), given_for(made, 1)
    np.savez(tmp_path / "given.npz", **given)
    code = (
        "import sys, numpy as np, armnn_py as ann\n"
        "with ann.load(sys.argv[1]) as network:\n"
        "    np.savez(sys.argv[3], **network.run(dict(np.load(sys.argv[2]))))\n"
        "found = [name for name in sys.modules if name.startswith('armnn_py.frontends.onnx')]\n"
        "assert not found and 'onnx' not in sys.modules, found\n"
    )
    files = [str(tmp_path / name) for name in ("given.npz", "made.npz")]
    subprocess.run([sys.executable, "-c", code, str(path), *files], check=True)
    same(dict(np.load(files[1])), theirs(made, given))


def test_a_file_that_is_saved_again(tmp_path: Path, runtime: ann.Runtime) -> None:
    path = saved(scanned(), ["CpuAcc", "CpuRef"], tmp_path, runtime)
    again = tmp_path / "again.armnnpy"
    ann.OptimizedNetwork.load(path, runtime=runtime).save(again)
    assert again.read_bytes() == path.read_bytes()


def test_a_cache_of_networks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = scanned()
    for _ in range(2):
        with ann.load(made.SerializeToString(), ["CpuRef"], cache=tmp_path) as network:
            same(network.run(given_for(made, 0)), theirs(made, given_for(made, 0)))
        monkeypatch.setattr("armnn_py.runtime.load.import_network", None)  # the second time
    assert len(list(tmp_path.iterdir())) == 1


def test_turns_stop(tmp_path: Path, runtime: ann.Runtime) -> None:
    made = looped("ends by its states", LARGE)
    made.graph.initializer[1].CopyFrom(onnx.numpy_helper.from_array(np.float32(np.inf), "limit"))
    made.graph.initializer[0].CopyFrom(onnx.numpy_helper.from_array(np.float32(1), "grow"))
    with ann.load(saved(made, ["CpuRef"], tmp_path, runtime), runtime=runtime) as network:
        with pytest.raises(ann.ExecutionTimeoutError):
            network.run(given_for(made, 0), timeout=0.05)
        token = ann.CancelToken()
        threading.Timer(0.05, token.cancel).start()
        with pytest.raises(ann.ExecutionCancelledError):
            network.run(given_for(made, 0), cancel=token)


@pytest.mark.parametrize(
    ("made", "words"),
    [
        (
            looped("a state that grows", LARGE),
            "stage 2, Loop Loop_1, turn by turn; body with free dimensions",
        ),
        (looped("elements that data decide in each turn", LARGE), "network with free dimensions"),
        (multiplied(), "CumProd_1, between stages: only the importer"),
    ],
    ids=["a state that grows", "elements that data decide in each turn", "products"],
)
def test_unsavable_networks(made: Any, words: str, tmp_path: Path, runtime: ann.Runtime) -> None:
    with pytest.raises(ann.StagesNeededError) as caught:
        saved(made, ["CpuRef"], tmp_path, runtime)
    assert words in caught.value.details[0]
    assert not list(tmp_path.iterdir())


def test_networks_that_lie_deep_in_each_other(tmp_path: Path, runtime: ann.Runtime) -> None:
    made = MODELS["a loop that ends by its states"]()
    members = members_of(saved(made, ["CpuRef"], tmp_path, runtime))
    document = json.loads(members["network.json"][0])
    whole = document["networks"][0]
    stage = {key: whole[key] for key in ("outputs", "name")} | {
        "inputs": list(whole["inputs"]), "control": None, "bodies": {}, "operator": "",
    }  # fmt: skip
    outer = [whole | {"stages": [stage | {"network": index + 1}]} for index in range(5000)]
    for one in whole["stages"]:
        one["network"] = one["network"] and one["network"] + 5000
        one["bodies"] = {name: number + 5000 for name, number in one["bodies"].items()}
    document["networks"] = [*outer, *document["networks"]]
    members = {
        re.sub(r"^\d+", lambda one: str(int(one[0]) + 5000), n): m for n, m in members.items()
    }
    target = tmp_path / "deep.armnnpy"
    write_archive(str(target), members | {"network.json": (json.dumps(document).encode(),)})
    with pytest.raises(ann.ParseError, match="more than 64 deep"):
        ann.load(target, runtime=runtime)


@pytest.mark.parametrize(
    "case",
    ["what a turn is given", "branches", "a long scan between layers", "elements that data choose"],
)
def test_no_document_does_harm(case: str, tmp_path: Path, runtime: ann.Runtime) -> None:
    """Values of other types, sizes and places: the file is refused, or is a network."""
    made = MODELS[case]()
    members = members_of(saved(made, ["CpuRef"], tmp_path, runtime))
    document = json.loads(members["network.json"][0])
    noise, target = random.Random(3), tmp_path / "changed.armnnpy"
    places = [place for place in _places(document) if place and place[0] == "networks"]
    refused = 0
    for place in noise.sample(places, 60):
        other = json.loads(json.dumps(document))
        inner = other
        for key in place[:-1]:
            inner = inner[key]
        if noise.random() < 0.3:
            del inner[place[-1]]
        else:
            inner[place[-1]] = noise.choice(_ODD)
        write_archive(str(target), members | {"network.json": (json.dumps(other).encode(),)})
        try:
            with ann.load(target, runtime=runtime) as network:
                network.run(given_for(made, 0), timeout=0.2)
        except ann.ArmnnError:
            refused += 1
    assert refused > 30
