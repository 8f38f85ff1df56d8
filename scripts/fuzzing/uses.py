# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""What is done with a damaged file of each format, and the seeds that there are without any given.

Each use returns what came of the file, without names and numbers, and lets errors of the package
through: those are also answers.
"""

from __future__ import annotations

import functools
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["SEEDS", "USES"]


def _import(path: Path) -> str:
    from armnn_py.frontends import import_model

    network = import_model(path)
    kinds = sorted({layer.type.label for layer in network.layers}) if not network.is_dynamic else []
    return "network " + " ".join(kinds)


def _inspect(path: Path) -> str:
    """As the loader does before it opens a file."""
    from armnn_py.backends.loader.discovery import Candidate
    from armnn_py.backends.loader.inspection import inspect_file

    file = inspect_file(Candidate("argument", str(path), str(path)))
    if file.refusal is not None:
        return f"{file.refusal.code} {file.refusal.reason}"
    return f"whole {len(file.warnings)} {file.private}"


@functools.cache
def _runtime() -> Any:
    import armnn_py as ann

    return ann.Runtime()


def _run_saved(path: Path) -> str:
    """Load a saved network, and run it if its inputs are small."""
    import armnn_py as ann
    from armnn_py.comparing.random_inputs import random_inputs

    with ann.load(path, runtime=_runtime()) as network:
        str(network.assignment)  # reports are read when somebody asks
        infos = network.inputs.values()
        if all(info.is_static and info.byte_size < 1 << 20 for info in infos):
            network.run(random_inputs(network.inputs, 0))
            return f"ran {len(network.inputs)} {len(network.outputs)}"
    return "loaded"


USES: dict[str, Callable[[Path], str]] = {
    "onnx": _import,
    "tflite": _import,
    "so": _inspect,
    "armnn": _run_saved,
}


# ---- Seeds ---------------------------------------------------------------------------------------


def _onnx_cases() -> list[bytes]:
    """The models of the package's own tests."""
    from onnx.backend.test.case.node import collect_testcases

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return [case.model.SerializeToString() for case in collect_testcases(None)]


def _libraries() -> list[bytes]:
    """The files of the backends in the package."""
    files = [Path(backend.file) for backend in _runtime().backends.values() if backend.file]
    return [file.read_bytes() for file in files]


def _saved() -> list[bytes]:
    """Small networks as layers, and as programs that a backend compiled."""
    import tempfile

    import armnn_py as ann

    from .seed_networks import NETWORKS

    found = []
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "seed.armnnpy"
        for name, make in NETWORKS.items():
            for backends in (["CpuAcc", "CpuRef"], ["CpuRef"]):
                network = ann.Network(name)
                for number, output in enumerate(make(network)):
                    network.add_output(f"y{number}", output)
                optimized = ann.optimize(network, backends, runtime=_runtime())
                optimized.save(path, keep_subgraphs=backends == ["CpuRef"])
                found.append(path.read_bytes())
    return found


SEEDS: dict[str, Callable[[], list[bytes]]] = {
    "onnx": _onnx_cases,
    "so": _libraries,
    "armnn": _saved,
}
