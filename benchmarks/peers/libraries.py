# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The example over XNNPACK on the open networks, by processor time.

    python benchmarks/peers/libraries.py --open MODELS --work FOLDER --backend-path XNNPACK
        --backend-path CPU_ACC [--network NAME ...] [--turns 8] [--turn-ms 400]
        [--output FILE.json]

Each network runs whole, on Xnnpack with CpuRef for the rest: beside CpuAcc, and beside LiteRT,
which has a newer XNNPACK inside. FOLDER keeps converted models: those of another run, or of
compare.py, are taken as they are.

One thread each, in turns in one process for each network; a figure is the least processor time of
a run. ``border_percent`` is what of a run lies in no operator of the library or of CpuRef, by the
profile: in nothing that the library does alike without us, but for changes of layout, which are
told apart, for some of them are the library's own.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from catalogue import CATALOGUE, Network
from convert import NotConvertibleError, convert
from engines import ENGINES
from processor_time import least_time

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from border_shares import border_shares
from common import publish

import armnn_py as ann

if TYPE_CHECKING:
    from collections.abc import Callable

LIBRARIES = {"Xnnpack": ("litert",)}
OPEN = (
    "resnet50_thin",
    "ocr_det",
    "ocr_rec",
    "yolox_tiny",
    "minilm_l3",
    "vad_lstm",
    "resnet50_thin_int8_qdq",
    "efficientnet_lite0_int8",
    "deeplabv3_mnv2",
    "hand_landmark_full",
)


def network_of(name: str) -> Network:
    """Return a network of the folder "open": of the catalogue, or as its file is."""
    if name in CATALOGUE:
        return CATALOGUE[name]

    def make(work: Path, models: Path | None) -> Path:
        assert models is not None
        return models / "open" / f"{name}.tflite"

    return Network(name, "float32", make, needs_models=True)


def of_library(
    name: str, model: ann.Network, runtime: ann.Runtime, inputs: dict[str, np.ndarray]
) -> tuple[dict[str, Any], ann.LoadedNetwork]:
    """Return what is known of a network on one library but for its time, and the network."""
    loaded = ann.load(model, [name, "CpuRef"], runtime=runtime)
    with ann.load(model, ["CpuRef"], runtime=runtime) as reference:
        expected = reference.run(inputs)
    outputs = loaded.run(inputs)
    placed = [row.backend for row in loaded.assignment.layers if row.backend]
    shares = border_shares(loaded, inputs, 15)
    return {
        "layers": len(placed),
        "layers_on_CpuRef": placed.count("CpuRef"),
        "difference": max(relative(outputs[key], value) for key, value in expected.items()),
        "border_percent": round(100 * shares.border, 2),
        "changes_of_layout_percent": round(100 * shares.changes_of_layout, 2),
        "CpuRef_percent": round(100 * shares.reference, 2),
    }, loaded


def relative(output: np.ndarray, expected: np.ndarray) -> float:
    """Return the largest difference as a share of the largest value."""
    wanted = expected.astype(np.float64)
    return float(f"{np.abs(output - wanted).max() / max(np.abs(wanted).max(), 1e-30):.1e}")


def with_peer(
    engine: str, model: Path, inputs: dict[str, np.ndarray]
) -> Callable[[], object] | str:
    """Return what runs a network in another engine, or why nothing does."""
    peer = ENGINES[engine]
    try:
        if engine != "openvino" and model.suffix not in peer.suffixes:
            model = convert(model, peer.suffixes[0])
        run = peer.load(model, inputs, 1)
        run()
    except (NotConvertibleError, ImportError, RuntimeError, ValueError) as error:
        return (str(error).splitlines() or [type(error).__name__])[0]
    return run


def measure(name: str, arguments: argparse.Namespace) -> dict[str, Any]:
    """Return everything about one network."""
    network = network_of(name)
    path = network.make(arguments.work, arguments.open)
    inputs = network.inputs(path)
    ways: dict[str, Callable[[], object]] = {}
    result: dict[str, Any] = {}
    ann.set_num_threads(1)
    folders = [folder.resolve() for folder in arguments.backend_path]
    with ann.Runtime(folders) as runtime:
        model = ann.import_model(path)
        for library in LIBRARIES:
            result[library], loaded = of_library(library, model, runtime, inputs)
            ways[library] = lambda loaded=loaded: loaded.run(inputs)
        accelerated = ann.load(model, ["CpuAcc", "CpuRef"], runtime=runtime)
        ways["CpuAcc"] = lambda: accelerated.run(inputs)
        for engine in (engine for engines in LIBRARIES.values() for engine in engines):
            run = with_peer(engine, path, inputs)
            if isinstance(run, str):
                result[engine] = run
            else:
                ways[engine] = run
        best = dict.fromkeys(ways, float("inf"))
        for _ in range(arguments.turns):
            for way, run in ways.items():
                best[way] = min(best[way], least_time(run, arguments.turn_ms / 1e3))
    result["ms"] = {way: round(value, 3) for way, value in best.items()}
    for library, engines in LIBRARIES.items():
        for other in ("CpuAcc", *engines):
            if other in best:
                result[library][f"/ {other}"] = round(best[library] / best[other], 3)
    return result


def in_a_process(name: str) -> Any:
    """Measure one network in a process of its own, as torch and OpenMP want it."""
    command = [sys.executable, *sys.argv, "--only", name]
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "OMP_WAIT_POLICY": "passive"}
    done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True, check=True)
    return json.loads(done.stdout.splitlines()[-1])


def main() -> None:
    """Measure the networks, print and write."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--open", type=Path, required=True, help="folder of fetch_models.py")
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--backend-path", type=Path, action="append", required=True)
    parser.add_argument("--network", nargs="+", choices=OPEN, default=OPEN)
    parser.add_argument("--turns", type=int, default=8)
    parser.add_argument("--turn-ms", type=float, default=400)
    parser.add_argument("--output", type=Path)
    parser.add_argument("--only", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.only:
        print(json.dumps(measure(arguments.only, arguments)))
        return
    figures = {}
    for name in arguments.network:
        figures[name] = in_a_process(name)
        print(name, json.dumps(figures[name]), file=sys.stderr, flush=True)
    document = {"unit": "ms of processor time, one thread", "networks": figures}
    publish("libraries", document, arguments.output)


if __name__ == "__main__":
    main()
