# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Examples in docstrings and on pages run, and give what they show."""

from __future__ import annotations

import doctest
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import armnn_py
from armnn_py import backends, python_backend

DEMO = Path(armnn_py.__file__).parent / "demo"


def examples() -> list[doctest.DocTest]:
    """Find the docstrings with examples, of public names and of their methods."""
    finder = doctest.DocTestFinder(exclude_empty=True)
    found = {}
    for module in (armnn_py, backends, python_backend):
        for name in module.__all__:
            public = getattr(module, name)
            if callable(public):
                # module=False: methods are looked at wherever they were written.
                tests = finder.find(public, name, module=False, globs={})
                found |= {test.name: test for test in tests if test.examples}
    return [test for name, test in found.items() if "._member_type_" not in name]  # that is int


def test_the_most_important_ones_have_examples() -> None:
    named = {example.name for example in examples()}
    assert {"load", "import_model", "optimize", "Network", "LoadedNetwork.bind"} <= named


@pytest.fixture
def model_folder(tmp_path: Path) -> Path:
    """A folder with a model, `model.onnx`, and an input of it, `image.npy`: a picture of a 4."""
    shutil.copy(DEMO / "digits.onnx", tmp_path / "model.onnx")
    picture = np.load(DEMO / "digits_held_out.npz")["images"][0]
    np.save(tmp_path / "image.npy", picture[None, None].astype(np.float32))
    return tmp_path


@pytest.mark.parametrize("example", examples(), ids=lambda example: example.name)
def test_example_gives_what_it_shows(
    example: doctest.DocTest, model_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(model_folder)
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
    report: list[str] = []
    runner.run(example, out=report.append)
    assert not runner.failures, "".join(report)


@pytest.mark.parametrize("page", ["python_api", "coming_from_onnxruntime", "python_backend"])
def test_programs_of_a_page_run_one_after_the_other(page: str, model_folder: Path) -> None:
    text = (Path(__file__).resolve().parents[2] / "docs" / f"{page}.md").read_text("utf-8")
    program = "\n".join(re.findall(r"```python\n(.*?)```", text, flags=re.DOTALL))
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", program],
        cwd=model_folder,
        env={**os.environ, "XDG_CACHE_HOME": str(model_folder / "cache")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "4\n" in done.stdout  # what the picture shows
    if page == "python_backend":  # it says beside each print what that prints
        assert done.stdout.splitlines() == re.findall(r"print\(.*\)  # (.*)", text)
