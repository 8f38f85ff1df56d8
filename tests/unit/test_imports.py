# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Modules that importing the package, and loading a model, may bring into a process."""

from __future__ import annotations

import enum
import json
import os
import pydoc
import subprocess
import sys
from pathlib import Path

import pytest

import armnn_py as ann
from armnn_py import descriptors, network, python_backend, types

onnx = pytest.importorskip("onnx")

# Optional packages, and what takes long to import.
HEAVY = {
    "PIL", "flatbuffers", "google.protobuf", "jsonschema", "ml_dtypes", "numpy.ma", "numpy.testing",
    "numpy.typing", "onnx", "re2", "rich",
}  # fmt: skip
# What describes networks and optimises them: neither the import nor a Runtime needs it.
DESCRIBING = {
    "armnn_py.descriptors",
    "armnn_py.frontends",
    "armnn_py.network",
    "armnn_py.optimizer",
    "armnn_py.runtime.load",
}


def brought(program: str, *arguments: str, environment: dict[str, str] | None = None) -> set[str]:
    """Modules that a program has in a fresh process, and ``import numpy`` alone does not have."""
    code = "\n".join(
        (
            "import sys, numpy",
            "before = set(sys.modules)",
            program,
            "found = sorted(set(sys.modules) - before)",
            "import json; print(json.dumps(found))",
        )
    )
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments],
        capture_output=True,
        check=True,
        env={**os.environ, **(environment or {})},
    )
    return set(json.loads(done.stdout))


def test_importing_the_package() -> None:
    modules = brought("import armnn_py")
    assert "armnn_py.errors" in modules
    assert modules & (HEAVY | DESCRIBING | {"armnn_py.backends", "ctypes"}) == set()


def test_a_runtime_alone_describes_no_network() -> None:
    modules = brought("import armnn_py; runtime = armnn_py.Runtime()")
    assert "armnn_py.runtime.runtime" in modules
    assert modules & (HEAVY | DESCRIBING) == set()


@pytest.mark.parametrize(
    "command",
    [["doctor"], ["backends", "list"], ["backends", "paths"], ["--version"]],
    ids=" ".join,
)
def test_listing_backends_needs_no_numpy(
    command: list[str], needs_folder: Path, tmp_path: Path
) -> None:
    """Numpy and rich take as long as all the rest of such a command, where its files are known."""
    (tmp_path / "Bad_Bad_backend.so").write_bytes(b"no library")
    program = (
        "import sys; from armnn_py_command import main; code = main()\n"
        "assert not {'rich.console', 'rich_click'} & set(sys.modules)\n"
        "sys.exit(code or ('numpy' in sys.modules) * 77)"
    )
    words = [sys.executable, "-c", program, *command]
    environment = {k: v for k, v in os.environ.items() if k not in ("COLUMNS", "FORCE_COLOR")} | {
        "DYNAMIC_BACKEND_PATHS": f"{needs_folder}:{tmp_path}",
        "XDG_CACHE_HOME": str(tmp_path / "cache"),
    }
    first = subprocess.run(words, env=environment, capture_output=True, check=False)
    assert first.returncode == 0, first.stderr
    second = subprocess.run(words, env=environment, capture_output=True, check=False)
    assert second.returncode == 0, second.stderr


def test_loading_a_model(tmp_path: Path, needs_folder: Path) -> None:
    tensor = onnx.TensorProto.FLOAT
    graph = onnx.helper.make_graph(
        [onnx.helper.make_node("Relu", ["x"], ["y"])],
        "relu",
        [onnx.helper.make_tensor_value_info("x", tensor, [1, 4])],
        [onnx.helper.make_tensor_value_info("y", tensor, [1, 4])],
    )
    onnx.save(onnx.helper.make_model(graph), tmp_path / "relu.onnx")
    modules = brought(
        "import armnn_py; net = armnn_py.load(sys.argv[1], ['CpuRef', 'Needs'])\n"
        "assert 'Needs' in net.runtime.backends",
        str(tmp_path / "relu.onnx"),
        environment={"DYNAMIC_BACKEND_PATHS": str(needs_folder)},
    )
    assert "google.protobuf.message" in modules
    assert modules & HEAVY <= {"google.protobuf"}


def test_loading_a_saved_network(tmp_path: Path) -> None:
    """It needs no importer and no optional package."""
    path = str(tmp_path / "relu.armnnpy")
    with ann.Runtime() as runtime:
        network = ann.Network("relu")
        x = network.add_input("x", ann.TensorInfo((1, 4)))
        network.add_output("y", network.add_activation(x, ann.ActivationFunction.RELU))
        ann.optimize(network, ["CpuRef"], runtime=runtime).save(path)
    modules = brought("import armnn_py; net = armnn_py.load(sys.argv[1])", path)
    assert "armnn_py.optimizer.saved.restore" in modules
    assert modules & (HEAVY | {"armnn_py.frontends.onnx", "armnn_py.frontends.tflite"}) == set()


def test_names_that_are_imported_when_they_are_asked_for() -> None:
    modules = brought("import armnn_py; assert armnn_py.Profile.__module__ == 'armnn_py'")
    assert "armnn_py.runtime.profile.profiling" in modules
    assert set(ann.__all__) <= set(dir(ann))
    for name in ("BoundNetwork", "Network", "Profile", "TimelineEvent", "load", "optimize"):
        assert getattr(ann, name).__module__ == "armnn_py"
    modules = brought("import armnn_py; armnn_py.descriptors.PadDescriptor; armnn_py.optimizer")
    assert {"armnn_py.descriptors", "armnn_py.optimizer"} <= modules
    with pytest.raises(AttributeError, match="module 'armnn_py' has no attribute 'profile'"):
        _ = ann.profile


def test_classes_are_of_the_package_before_anybody_asks_for_them_there() -> None:
    """Pickles would name files, else, and so would what is shown of a network's parts."""
    program = """
import pathlib, pickle, armnn_py
network = armnn_py.load(pathlib.Path(armnn_py.__file__).parent / "demo" / "digits.onnx")
info = network.inputs["image"]
for one in (network, network.runtime, network.assignment, info, info.data_type):
    assert type(one).__module__ == "armnn_py", type(one)
assert b"armnn_py." not in pickle.dumps(info)
"""
    words = [sys.executable, "-c", program]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_every_public_class_is_of_the_package() -> None:
    program = """
import importlib, inspect, armnn_py
late = inspect.getclosurevars(armnn_py.__getattr__).nonlocals["module_of"]
found = [getattr(importlib.import_module(module), name) for name, module in late.items()]
print([one for one in found if inspect.isclass(one) and one.__module__ != "armnn_py"])
"""
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout == "[]\n"


def test_enumerations_are_where_they_say() -> None:
    for name in types.__all__:
        found = getattr(types, name)
        assert getattr(sys.modules[found.__module__], name) is found
    assert types.RowRounding.__module__ == "armnn_py.types"


def test_dir_lists_the_public_names_and_nothing_that_was_imported() -> None:
    public = {name for name in dir(ann) if not name.startswith("_")}
    assert public == {name for name in ann.__all__ if not name.startswith("_")}
    assert {"BoundNetwork", "Profile", "load"} <= public
    assert {"__all__", "__doc__", "__version__"} <= set(dir(ann))


_PUBLIC = [
    (module.__name__, name)
    for module in (ann, descriptors, network, python_backend, types)
    for name in module.__all__
    if isinstance(getattr(module, name), type)
    and not issubclass(getattr(module, name), (enum.Enum, BaseException))
]


@pytest.mark.parametrize(("module", "name"), _PUBLIC)
def test_help_knows_the_arguments_of_public_classes(module: str, name: str) -> None:
    """A msgspec struct evaluates its annotations for this: a missing import would break help()."""
    cls = getattr(sys.modules[module], name)
    assert name in pydoc.plain(pydoc.render_doc(cls))
