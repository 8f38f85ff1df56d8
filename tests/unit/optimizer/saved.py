# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Shared by the tests of saved networks: the demo model, its file, and changes of that."""

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


def document_of(members: dict[str, tuple[bytes, ...]]) -> Any:
    """All that the members of a file say as JSON, in one document."""
    document = json.loads(members["network.json"][0]) | json.loads(members["reports.json"][0])
    for layer in document["layers"]:
        if "source" in layer.get("compiled", {}):
            text = members[f"sources/{layer['compiled']['source']}.json"][0]
            layer["compiled"]["source"] = json.loads(text)
    return document


def with_document(
    members: dict[str, tuple[bytes, ...]], document: Any
) -> dict[str, tuple[bytes, ...]]:
    """The members with another document; each part of it goes where a reader looks for it."""
    made = {name: data for name, data in members.items() if not name.startswith("sources/")}
    reports, rest, sources = {}, document, []
    if isinstance(document, dict):
        reports = {key: document[key] for key in ("assignment", "passes") if key in document}
        rest = {key: value for key, value in document.items() if key not in reports}
        layers = rest.get("layers")
        rest["layers"] = layers = list(layers) if isinstance(layers, list) else layers
        for index, layer in enumerate(layers if isinstance(layers, list) else []):
            compiled = layer.get("compiled") if isinstance(layer, dict) else None
            if isinstance(compiled, dict) and "source" in compiled:
                layers[index] = layer | {"compiled": compiled | {"source": len(sources)}}
                sources.append(compiled["source"])
        if layers is None:
            del rest["layers"]
    texts = {"network.json": rest, "reports.json": reports}
    texts |= {f"sources/{index}.json": source for index, source in enumerate(sources)}
    return made | {name: (json.dumps(value).encode(),) for name, value in texts.items()}


def changed(path: Path, change: Callable[[Any], Any]) -> Path:
    """Another file, whose document was changed, and whose sums agree."""
    return rewritten(path, change(document := document_of(members_of(path))) or document)


def rewritten(path: Path, document: Any) -> Path:
    """Another file, with this document, and whose sums agree."""
    members = with_document(members_of(path), document)
    other = path.with_name("changed.armnnpy")
    write_archive(str(other), members)
    return other


def same(a: dict[str, Any], b: dict[str, Any]) -> bool:
    return list(a) == list(b) and all(a[name].tobytes() == b[name].tobytes() for name in a)
