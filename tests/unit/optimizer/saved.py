# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""What the tests of saved networks share: the demo model, its file, and changes of that."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import armnn_py as ann
from armnn_py.optimizer.saved.archive import write_archive

DEMO = Path(ann.__file__).parent / "demo" / "digits.onnx"


def need(runtime: ann.Runtime, *backends: str) -> None:
    if not set(backends) <= set(runtime.backends):
        pytest.skip("CpuAcc is not here: an installed package has it, or DYNAMIC_BACKEND_PATHS")


def image(seed: int = 0) -> dict[str, Any]:
    return {"image": np.random.default_rng(seed).random((1, 1, 8, 8), np.float32)}


def save_demo(path: Path, runtime: ann.Runtime) -> Path:
    """Save the demo model on CpuRef, where all layers stay as they are."""
    ann.optimize(ann.import_model(DEMO), ["CpuRef"], runtime=runtime).save(path)
    return path


def members_of(path: Path) -> dict[str, tuple[bytes, ...]]:
    with zipfile.ZipFile(path) as archive:
        return {name: (archive.read(name),) for name in archive.namelist() if name != "mimetype"}


def changed(path: Path, change: Callable[[Any], Any]) -> Path:
    """Another file, whose document was changed, and whose sums agree."""
    members = members_of(path)
    document = json.loads(members["network.json"][0])
    document = change(document) or document
    members["network.json"] = (json.dumps(document).encode(),)
    other = path.with_name("changed.armnn")
    write_archive(str(other), members)
    return other


def same(a: dict[str, Any], b: dict[str, Any]) -> bool:
    return list(a) == list(b) and all(a[name].tobytes() == b[name].tobytes() for name in a)
