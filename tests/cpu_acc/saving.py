# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Networks that went through a file, where CpuAcc has written its programs as bytes."""

from __future__ import annotations

import hashlib
import json
import tempfile
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

import armnn_py as ann
from armnn_py.optimizer import OptimizedNetwork
from armnn_py.optimizer.saved.archive import write_archive

if TYPE_CHECKING:
    from numpy.typing import NDArray


def members_of(path: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist() if name != "mimetype"}


def write(path: Path, members: dict[str, bytes]) -> None:
    """Write a file whose sums agree, as anybody can."""
    document = json.loads(members["network.json"])
    for layer in document["layers"]:
        compiled = layer.get("compiled", {})
        if "bytes" in compiled:
            blob = members[f"blobs/{compiled['bytes']}.bin"]
            compiled["sha256"] = hashlib.sha256(blob).hexdigest()
    members = {**members, "network.json": json.dumps(document).encode()}
    write_archive(str(path), {name: (data,) for name, data in members.items()})


def check_saved(
    runtime: ann.Runtime,
    optimized: OptimizedNetwork,
    inputs: dict[str, Any],
    outputs: dict[str, NDArray[Any]],
) -> None:
    """What comes back from a file without layers, so from bytes alone, has the same bits."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "x.armnnpy"
        optimized.save(path, keep_subgraphs=False)
        again = OptimizedNetwork.load(path, runtime=runtime)
        with runtime.load_network(again) as network:
            found = {name: np.array(array) for name, array in network.run(inputs).items()}
    assert {name: value.tobytes() for name, value in found.items()} == {
        name: value.tobytes() for name, value in outputs.items()
    }
