# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The messages come from the package ``onnx``, and all who use it in a process get along."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import armnn_py as ann
from armnn_py.frontends import import_model
from armnn_py.frontends.onnx.file import reading

IMPORT = "from armnn_py.frontends import import_model; import_model(path)"
PACKAGE = (
    "import onnx; model = onnx.load(path); onnx.checker.check_model(model); "
    "assert onnx.onnx_ml_pb2.ModelProto is onnx.ModelProto"
)
SESSION = "import onnxruntime; session = onnxruntime.InferenceSession(path)"
SAME = (
    "from armnn_py.frontends.onnx.file.reading import model_class; "
    "assert model_class() is type(model) is onnx.ModelProto"
)
PICKLE = "import pickle; assert pickle.loads(pickle.dumps(model)) == model"


def run(path: Path, *steps: str) -> None:
    code = "\n".join(["import sys; path = sys.argv[1]", *steps])
    subprocess.run([sys.executable, "-c", code, str(path)], check=True, timeout=120)


@pytest.mark.parametrize(
    "steps",
    [
        (IMPORT, PACKAGE, SAME, PICKLE, IMPORT),
        (PACKAGE, IMPORT, SAME, PICKLE),
        (IMPORT, SESSION, PACKAGE, SAME),
        (SESSION, IMPORT, PACKAGE, SAME),
    ],
    ids=["ours first", "theirs first", "ours, then onnxruntime", "onnxruntime, then ours"],
)
def test_the_package_beside_ours(models: Any, relu_model: Any, steps: tuple[str, ...]) -> None:
    run(models.save(relu_model()), *steps)


def test_only_the_messages_are_loaded(models: Any, relu_model: Any) -> None:
    left = "assert not [name for name in sys.modules if name.split('.')[0] == 'onnx']"
    run(models.save(relu_model()), IMPORT, left)


def test_many_threads_at_once(models: Any, relu_model: Any) -> None:
    threads = (
        "import threading; from armnn_py.frontends import import_model",
        "begin = threading.Barrier(8); done = []",
        "def work(odd):",
        "    begin.wait()",
        "    if odd: import onnx",
        "    done.append(import_model(path))",
        "all = [threading.Thread(target=work, args=(k % 2,)) for k in range(8)]",
        "[one.start() for one in all]; [one.join() for one in all]",
        "assert len(done) == 8",
    )
    run(models.save(relu_model()), *threads)


@pytest.fixture
def not_imported(monkeypatch: pytest.MonkeyPatch) -> Iterator[pytest.MonkeyPatch]:
    """As in a process that has not met the package yet."""
    for name in [name for name in sys.modules if name.split(".")[0] == "onnx"]:
        monkeypatch.delitem(sys.modules, name)
    reading.model_class.cache_clear()
    yield monkeypatch
    reading.model_class.cache_clear()


def package(folder: Path, contents: str, generated: str | None = None) -> Path:
    (folder / "onnx").mkdir()
    (folder / "onnx" / "__init__.py").write_text(contents)
    if generated is not None:
        (folder / "onnx" / "onnx_ml_pb2.py").write_text(generated)
    return folder


def test_a_package_of_another_layout(not_imported: Any, tmp_path: Path) -> None:
    not_imported.syspath_prepend(package(tmp_path, "class ModelProto: pass\n"))
    assert reading.model_class().__module__ == "onnx"


BROKEN = {
    "raises": ("raise RuntimeError('too old')", "RuntimeError: too old"),
    "has no messages": ("", "AttributeError: module 'onnx' has no attribute 'ModelProto'"),
}


@pytest.mark.parametrize("what", BROKEN)
def test_a_broken_package(
    not_imported: Any, models: Any, relu_model: Any, tmp_path: Path, what: str
) -> None:
    path = models.save(relu_model())
    contents, detail = BROKEN[what]
    not_imported.syspath_prepend(package(tmp_path, contents))
    with pytest.raises(ann.ModelError, match="package 'onnx' cannot be imported") as caught:
        import_model(path)
    assert caught.value.details == (detail,)
    assert caught.value.hints == ("pip install --upgrade onnx protobuf",)


def test_versions_that_do_not_fit(
    not_imported: Any, models: Any, relu_model: Any, tmp_path: Path
) -> None:
    """The generated module itself refuses a protobuf that is older than what it was made with."""
    path = models.save(relu_model())
    not_imported.syspath_prepend(package(tmp_path, "", "raise TypeError('protobuf is too old')"))
    with pytest.raises(ann.ModelError, match="package 'onnx' cannot be imported") as caught:
        import_model(path)
    assert caught.value.details == ("TypeError: protobuf is too old",)


def test_protobuf_that_loses_the_error_of_an_allocation(
    not_imported: Any, models: Any, relu_model: Any, tmp_path: Path
) -> None:
    path = models.save(relu_model())
    not_imported.syspath_prepend(
        package(tmp_path, 'raise TypeError("Couldn\'t parse file content!")\n')
    )
    with pytest.raises(ann.ShortageError) as caught:
        import_model(path)
    assert caught.value.resource == "memory"
