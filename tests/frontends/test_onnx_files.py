# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Files that are damaged, absurd or hostile: a clear error each, soon, and without much memory."""

from __future__ import annotations

import os
import resource
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

import armnn_py as ann
from armnn_py.frontends import import_model
from armnn_py.frontends.onnx.file import tensors
from armnn_py.network import ConstantLayer

FLOAT = TensorProto.FLOAT
GIB = 2**30


@pytest.fixture(autouse=True)
def little_memory() -> Iterator[None]:
    """Fail instead of swapping: an importer that believes a file gets no memory for it."""
    import onnxruntime  # noqa: F401 - loaded before the limit

    used = int(Path("/proc/self/statm").read_text().split()[0]) * os.sysconf("SC_PAGE_SIZE")
    old = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (used + 6 * GIB, old[1]))
    yield
    resource.setrlimit(resource.RLIMIT_AS, old)


def relu(shape: Any = (1, 4)) -> onnx.ModelProto:
    graph = helper.make_graph(
        [helper.make_node("Relu", ["x"], ["y"], name="relu")],
        "graph",
        [helper.make_tensor_value_info("x", FLOAT, shape)],
        [helper.make_tensor_value_info("y", FLOAT, shape)],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


def adding(tensor: TensorProto) -> onnx.ModelProto:
    """x + tensor."""
    model = relu()
    model.graph.node[0].CopyFrom(helper.make_node("Add", ["x", tensor.name], ["y"], name="add"))
    model.graph.initializer.append(tensor)
    return model


def changed(change: Callable[[Any], Any]) -> onnx.ModelProto:
    model = relu()
    change(model)
    return model


def computing(op: str, operand: list[int], **attributes: Any) -> onnx.ModelProto:
    """x + op(constant): a small file that asks for a large constant."""
    model = relu()
    constant = numpy_helper.from_array(np.array(operand, np.int64), "operand")
    inputs = ["one", "operand"] if op in ("Expand", "Tile") else ["operand"]
    model.graph.initializer.extend([constant, numpy_helper.from_array(np.float32([[1]]), "one")])
    del model.graph.node[:]
    model.graph.node.extend(
        [
            helper.make_node(op, inputs, ["huge"], name="maker", **attributes),
            helper.make_node("Add", ["x", "huge"], ["y"], name="add"),
        ]
    )
    return model


# ---- What the file is ---------------------------------------------------------------------------

CONTENTS = {
    "empty": (b"", "model 'model.onnx' is empty"),
    "text": (b"hello world, this is text\n" * 9, "not an ONNX model"),
    "zeros": (bytes(1000), "not an ONNX model"),
    "html": (b"<!DOCTYPE html><html>not found</html>", "is an HTML or XML text"),
    "git lfs": (b"version https://git-lfs.github.com/spec/v1\n", "is a Git LFS pointer"),
    "zip": (b"PK\x03\x04" + bytes(60), "is a zip archive"),
    "ort": (b"\x18\0\0\0ORTM" + bytes(60), "is an ONNX Runtime .ort file"),
    "arm nn": (b"\x18\0\0\0ARMN" + bytes(60), "is a network that Arm NN serialised"),
    "torch": (b"PK\x03\x04" + bytes(26) + b"model/data.pklFB", "is a PyTorch file"),
    "old torch": (b"\x80\x02\x8a\nl\xfc\x9cF\xf9 j\xa8P\x19.", "is a PyTorch file"),
    "pickle": (b"\x80\x04\x95" + bytes(60), "is a Python pickle"),
    "keras": (b"PK\x03\x04" + bytes(26) + b"metadata.json{", "is a Keras file"),
    "npz": (b"PK\x03\x04" + bytes(26) + b"arr_0.npy", "is an archive of numpy arrays"),
    "npy": (b"\x93NUMPY\x01\x00v\0{", "is a numpy array"),
    "hdf5": (b"\x89HDF\r\n\x1a\n" + bytes(60), "is an HDF5 file"),
    "graph def": (b"\x0a\x2d\x0a\x05input\x12\x0bPlaceholder", "is a TensorFlow graph"),
    "saved model": (b"\x08\x01\x12\xa0\x8d\x06\x0a\x40\x12\x06", "is a TensorFlow SavedModel"),
    "openvino": (b'<?xml version="1.0"?>\n<net name="m" version="11">', "is an OpenVINO model"),
    "safetensors": (b'\x40\0\0\0\0\0\0\0{"a":{"dtype":"F32"', "is a safetensors file"),
    "gguf": (b"GGUF\x03\0\0\0" + bytes(60), "is a GGUF file"),
    "png": (b"\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR", "is a PNG picture"),
    "jpeg": (b"\xff\xd8\xff\xe0\0\x10JFIF", "is a JPEG picture"),
    "only a version": (onnx.ModelProto(ir_version=8).SerializeToString(), "it has no graph"),
    "nested": (b"\x3a\x7f" * 3000, "not an ONNX model"),
    "empty graph": (onnx.ModelProto(ir_version=8, graph=onnx.GraphProto()), "has no outputs"),
}


@pytest.mark.parametrize("what", CONTENTS)
def test_contents(models: Any, what: str) -> None:
    data, message = CONTENTS[what]
    with pytest.raises(ann.ParseError, match=message) as caught:
        import_model(models.save(data))
    assert caught.value.path == str(models.folder / "model.onnx")


def test_a_producer_that_is_called_as_a_mark() -> None:
    """The bytes 4 to 8 of a model are free: they are text of its producer."""
    model = helper.make_model(
        helper.make_graph(
            [helper.make_node("Relu", ["x"], ["y"])],
            "g",
            [helper.make_tensor_value_info("x", onnx.TensorProto.FLOAT, [2])],
            [helper.make_tensor_value_info("y", onnx.TensorProto.FLOAT, [2])],
        ),
        producer_name="ARMN",
        opset_imports=[helper.make_opsetid("", 17)],
        ir_version=8,
    )
    data = model.SerializeToString()
    assert data[4:8] == b"ARMN"
    assert list(import_model(data).outputs) == ["y"]


# Each behind a version, by which the file is one of ONNX.
DAMAGED = {
    "field number 0": b"\x00\x01",
    "wire type 6": b"\x4e",
    "the end of no group": b"\x4c",
    "the end of another group": b"\x4b\x44",
    "a group without end": b"\x4b\x08\x01",
    "a number of 11 bytes": b"\x48" + b"\xff" * 10 + b"\x01",
    "a number without end": b"\x48\xff",
    "a length behind the end": b"\x3a\x05abc",
    "a length that is negative": b"\x3a" + b"\xff" * 9 + b"\x01",
    "a message behind its parent": b"\x3a\x02\x0a\x05" + bytes(20),
    "half a packed float": b"\x3a\x07\x2a\x05\x22\x03abc",
    "half a packed number": b"\x3a\x06\x2a\x04\x0a\x02\x05\x85",
}


@pytest.mark.parametrize("what", DAMAGED)
def test_damaged_files(models: Any, what: str) -> None:
    data = b"\x08\x08" + DAMAGED[what]
    with pytest.raises(ann.ParseError) as caught:
        import_model(models.save(data))
    assert caught.value.message == "'model.onnx' is not an ONNX model, or is damaged"
    assert caught.value.details[0] == f"file: {len(data)} bytes"
    assert "cut short" in caught.value.hints[0]


def test_every_truncation_is_an_error(models: Any) -> None:
    model = adding(numpy_helper.from_array(np.float32([[1, 2, 3, 4]]), "w"))
    data = model.SerializeToString()
    for size in range(len(data) - 1):
        path = models.save(data[:size])
        try:
            import_model(path)
        except ann.ModelError:
            continue
        # Protobuf has no end mark: what is lost behind the graph may be the operator set alone.
        assert size > len(data) - 12


def test_paths(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.onnx")
    (tmp_path / "loop.onnx").symlink_to("loop.onnx")
    cases = {
        "absent.onnx": "cannot read model 'absent.onnx': No such file or directory",
        "pipe.onnx": "model 'pipe.onnx' is not a regular file",
        "loop.onnx": "cannot read model 'loop.onnx': Too many levels of symbolic links",
        ".": "is a folder",
        "a\0b.onnx": "cannot read model",
    }
    for name, message in cases.items():
        with pytest.raises(ann.ParseError, match=message):
            import_model(tmp_path / name)
    (tmp_path / "models").mkdir()
    with pytest.raises(ann.ParseError, match="model 'models' is a folder"):
        import_model(f"{tmp_path}/models/")
    with pytest.raises(ann.InvalidArgumentError, match="a path, bytes, a binary file or an onnx"):
        import_model(3)  # type: ignore[arg-type]


def test_no_such_file(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"cannot read model 'nope\.onnx'") as caught:
        ann.load(tmp_path / "nope.onnx")
    assert isinstance(caught.value, ann.ParseError)
    assert isinstance(caught.value, ann.ModelFileNotFoundError)
    (tmp_path / "net.bin").write_bytes(bytes(range(100, 200)))
    with pytest.raises(ann.ParseError, match="is in no format that can be imported"):
        import_model(tmp_path / "net.bin")


def test_the_suffix_does_not_matter(tmp_path: Path) -> None:
    (tmp_path / "net.model").write_bytes(relu().SerializeToString())
    assert import_model(tmp_path / "net.model").outputs["y"].shape == (1, 4)


# ---- The graph ----------------------------------------------------------------------------------


def _cycle(model: Any) -> None:
    model.graph.node[0].input[0] = "b"
    model.graph.node[0].output[0] = "a"
    model.graph.node.append(helper.make_node("Neg", ["a"], ["b"], name="neg"))
    model.graph.node.append(helper.make_node("Abs", ["b"], ["y"], name="abs"))


GRAPHS = {
    "cycle": (_cycle, "the graph has a cycle: a value depends on itself"),
    "value made twice": (
        lambda m: m.graph.node.append(helper.make_node("Neg", ["x"], ["y"])),
        "two nodes compute value 'y'",
    ),
    "undefined value": (
        lambda m: m.graph.node[0].input.__setitem__(0, "nowhere"),
        "node 'relu' (Relu) reads 'nowhere', but no node computes it",
    ),
    "undefined output": (
        lambda m: m.graph.output.append(helper.make_tensor_value_info("z", FLOAT, [1])),
        "no node computes output 'z'",
    ),
    "output that is an input": (
        lambda m: m.graph.node[0].output.__setitem__(0, "x"),
        "value 'x' of node 'relu' (Relu) is a graph input or initializer already",
    ),
    "input twice": (
        lambda m: m.graph.input.append(m.graph.input[0]),
        "input 'x' is defined twice",
    ),
    "output twice": (
        lambda m: m.graph.output.append(m.graph.output[0]),
        "output 'y' is defined twice",
    ),
    "initializer twice": (
        lambda m: m.graph.initializer.extend([numpy_helper.from_array(np.float32(1), "w")] * 2),
        "initializer 'w' is defined twice",
    ),
    "no operator": (
        lambda m: m.graph.node[0].ClearField("op_type"),
        "node 'relu' names no operator",
    ),
    "missing operand": (
        lambda m: m.graph.node[0].ClearField("input"),
        "node 'relu' (Relu): input 0 is missing",
    ),
    "no operator set": (
        lambda m: m.ClearField("opset_import"),
        "'model.onnx' does not say which operator set it uses",
    ),
    "complex input": (
        lambda m: m.graph.input[0].CopyFrom(helper.make_tensor_value_info("x", 14, [1])),
        "'x' holds complex64 values, which no tensor can",
    ),
    "sequence input": (
        lambda m: m.graph.input[0].CopyFrom(
            helper.make_tensor_sequence_value_info("x", FLOAT, [1])
        ),
        "'x' holds sequence type values, which no tensor can",
    ),
    "attribute of another kind": (
        lambda m: m.graph.node[0].CopyFrom(
            helper.make_node("LeakyRelu", ["x"], ["y"], name="leaky", alpha="steep")
        ),
        "node 'leaky' (LeakyRelu): attribute 'alpha' is text, a float expected",
    ),
}


@pytest.mark.parametrize("what", GRAPHS)
def test_graphs(models: Any, what: str) -> None:
    change, message = GRAPHS[what]
    with pytest.raises(ann.ParseError) as caught:
        import_model(models.save(changed(change)))
    assert caught.value.message == message


def test_names_that_are_not_text(models: Any) -> None:
    data = relu().SerializeToString().replace(b"relu", b"\xff\xfe\xfd\xfc")
    with pytest.raises(ann.ParseError, match="is not UTF-8 text"):
        import_model(models.save(data))


def test_long_and_odd_names_do_not_flood_the_message(models: Any) -> None:
    name = "line\nbreak" + "a" * 10_000
    model = changed(lambda m: m.graph.node[0].input.__setitem__(0, name))
    with pytest.raises(ann.ParseError) as caught:
        import_model(models.save(model))
    assert len(str(caught.value)) < 300
    assert "\n" not in caught.value.message


# ---- Weights ------------------------------------------------------------------------------------


def tensor(dims: list[int], data: bytes = b"", element_type: int = FLOAT) -> TensorProto:
    return TensorProto(name="w", dims=dims, data_type=element_type, raw_data=data)


def external(location: str, **entries: int | str) -> TensorProto:
    found = TensorProto(name="w", dims=[4], data_type=FLOAT, data_location=1)
    for key, value in {"location": location, **entries}.items():
        found.external_data.add(key=key, value=str(value))
    return found


WEIGHTS = {
    "too little data": (tensor([4], bytes(12)), "initializer 'w' has the wrong amount of data"),
    "too much data": (tensor([4], bytes(20)), "initializer 'w' has the wrong amount of data"),
    "a million million elements": (
        tensor([10**6, 10**6], bytes(16)),
        "initializer 'w' has the wrong amount of data",
    ),
    "dimensions whose product overflows": (
        tensor([2**32, 2**32], bytes(16)),
        "initializer 'w' has the wrong amount of data",
    ),
    "huge and no data at all": (
        TensorProto(name="w", dims=[10**12], data_type=FLOAT),
        "initializer 'w' has the wrong amount of data",
    ),
    "negative dimension": (tensor([-4], bytes(16)), "initializer 'w' has a negative dimension"),
    "no type": (tensor([4], bytes(16), 0), "initializer 'w' has no element type"),
    "missing file": (external("gone.bin"), "external data file 'gone.bin' is missing"),
    "no file named": (external(""), "is stored in another file that is not named"),
    "absolute path": (external("/etc/passwd"), "lies outside the model's folder"),
    "path upwards": (external("../secret.bin"), "lies outside the model's folder"),
    "link upwards": (external("link.bin"), "lies outside the model's folder"),
    "short file": (external("short.bin"), "has the wrong amount of data"),
    "offset behind the end": (external("data.bin", offset=10**15), "the wrong amount of data"),
    "wrong length": (external("data.bin", length=8), "the wrong amount of data"),
    "length that is not a number": (external("data.bin", length="x"), "is not a number"),
    **{
        f"{key} of {value}": (
            external("data.bin", **{key: value}),
            f"the {key} of its external data is",
        )
        for key in ("offset", "length")
        for value in ("-1", "-4", "+4", " 4", "4_0", "1.5", "0x4", "\u0664", "9" * 5000)
    },
    "file as a folder": (external("data.bin/"), "external data file 'data.bin/"),
    "file as a folder of itself": (external("data.bin/."), "external data file 'data.bin/"),
    "zero byte": (external("a\0b"), "external data"),
}


@pytest.mark.parametrize("what", WEIGHTS)
def test_weights(models: Any, what: str) -> None:
    (models.folder / "short.bin").write_bytes(bytes(8))
    (models.folder / "data.bin").write_bytes(bytes(16))
    secret = models.folder.parent / "secret.bin"
    secret.write_bytes(bytes(16))
    (models.folder / "link.bin").symlink_to(secret)
    weights, message = WEIGHTS[what]
    with pytest.raises(ann.ParseError, match=message):
        import_model(models.save(adding(weights)))


def test_weights_in_a_file_of_several_names(models: Any) -> None:
    secret = models.folder.parent / "secret.bin"
    secret.write_bytes(bytes(16))
    os.link(secret, models.folder / "data.bin")
    with pytest.raises(ann.ParseError, match=r"'data\.bin' is a file of 2 names \(hard links\)"):
        import_model(models.save(adding(external("data.bin"))))


def descriptors() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


def to_link(file: Path, secret: Path) -> None:
    file.unlink()
    file.symlink_to(secret)


def to_hard_link(file: Path, secret: Path) -> None:
    file.unlink()
    os.link(secret, file)


def to_pipe(file: Path, secret: Path) -> None:
    file.unlink()
    os.mkfifo(file)


def to_linked_folder(file: Path, secret: Path) -> None:
    file.parent.rename(file.parent.with_name("away"))
    file.parent.symlink_to(secret.parent)


@pytest.mark.parametrize("change", [to_link, to_hard_link, to_pipe, to_linked_folder])
def test_weights_in_a_file_that_is_exchanged_meanwhile(
    models: Any, monkeypatch: pytest.MonkeyPatch, change: Callable[[Path, Path], None]
) -> None:
    """Whoever owns the folder may do that after its name was judged."""
    secret = models.folder.parent / "secrets" / "data.bin"
    file = models.folder / "weights" / "data.bin"
    for one in (secret, file):
        one.parent.mkdir(exist_ok=True)
        one.write_bytes(bytes(16))
    open_below = tensors._open_below

    def change_first(base: Path, names: Sequence[str]) -> int:
        change(file, secret)
        return open_below(base, names)

    monkeypatch.setattr(tensors, "_open_below", change_first)
    before = descriptors()
    with pytest.raises(ann.ParseError, match="external data"):
        import_model(models.save(adding(external("weights/data.bin"))))
    assert descriptors() == before


@pytest.mark.parametrize("location", [".", "weights", "weights/.", "short.bin/x"])
def test_external_data_that_is_not_a_file(models: Any, location: str) -> None:
    (models.folder / "weights").mkdir()
    (models.folder / "short.bin").write_bytes(bytes(8))
    before = descriptors()
    with pytest.raises(ann.ParseError, match=r"external data file .* is missing"):
        import_model(models.save(adding(external(location))))
    assert descriptors() == before


def test_weights_in_a_model_cache(tmp_path: Path) -> None:
    """Snapshots of links into ``blobs``, as download caches of models keep them."""
    snapshot = tmp_path / "models--acme--net" / "snapshots" / "0a1b"
    blobs = tmp_path / "models--acme--net" / "blobs"
    for folder in (snapshot / "onnx", blobs):
        folder.mkdir(parents=True)
    (blobs / "f00d").write_bytes(adding(external("net.bin")).SerializeToString())
    (blobs / "beef").write_bytes(np.arange(4, dtype=np.float32).tobytes())
    (snapshot / "onnx" / "net.onnx").symlink_to("../../../blobs/f00d")
    (snapshot / "onnx" / "net.bin").symlink_to("../../../blobs/beef")
    network = import_model(snapshot / "onnx" / "net.onnx")
    values = [layer.value for layer in network.layers if isinstance(layer, ConstantLayer)]
    assert [0, 1, 2, 3] in [value.tolist() for value in values]
    (snapshot / "onnx" / "net.bin").unlink()
    (tmp_path / "models--acme--net" / "secret").write_bytes(bytes(16))
    (snapshot / "onnx" / "net.bin").symlink_to("../../../secret")
    with pytest.raises(ann.ParseError, match="lies outside the model's folder"):
        import_model(snapshot / "onnx" / "net.onnx")


# ---- Sizes --------------------------------------------------------------------------------------

HUGE = {
    "ConstantOfShape": computing("ConstantOfShape", [10**6, 10**6]),
    "Expand": computing("Expand", [10**6, 10**6]),
    "Tile": computing("Tile", [10**6, 10**6]),
    "input": relu((10**6, 10**6)),
    "input of 2**62 elements": relu((2**31, 2**31)),
    "too many dimensions": relu((1,) * 9),
}


@pytest.mark.parametrize("what", HUGE)
def test_huge_tensors(models: Any, what: str) -> None:
    with pytest.raises(ann.ModelError):
        import_model(models.save(HUGE[what]))


def test_a_doubling_chain_stops(models: Any) -> None:
    """Sixty concatenations of a constant with itself would make 2**60 elements."""
    model = relu()
    del model.graph.node[:]
    model.graph.initializer.append(numpy_helper.from_array(np.ones(8, np.float32), "v0"))
    for k in range(60):
        model.graph.node.append(
            helper.make_node("Concat", [f"v{k}"] * 2, [f"v{k + 1}"], axis=0, name=f"n{k}")
        )
    model.graph.node.append(helper.make_node("ReduceSum", ["v60"], ["total"]))
    model.graph.node.append(helper.make_node("Add", ["x", "total"], ["y"]))
    with pytest.raises(ann.ParseError, match="a tensor would take"):
        import_model(models.save(model))


def test_many_views_of_a_large_constant_cost_nothing(models: Any) -> None:
    """A chain of reshapes over a broadcast constant is neither computed nor copied."""
    model = computing("ConstantOfShape", [2**13, 2**13])
    del model.graph.node[1:]
    for k in range(200):
        source = "huge" if k == 0 else f"v{k - 1}"
        model.graph.node.append(helper.make_node("Identity", [source], [f"v{k}"]))
    model.graph.node.append(helper.make_node("ReduceMax", ["v199"], ["top"], keepdims=0))
    model.graph.node.append(helper.make_node("Add", ["x", "top"], ["y"]))
    assert import_model(models.save(model)).outputs["y"].shape == (1, 4)
