# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""What the border around a library costs: OneDnn beside a plain program that calls oneDNN.

    python benchmarks/onednn/border.py --backend-path FOLDER [--open MODELS] [--output FILE.json]

Layers of ResNet-50, by turns: a C++ program that executes the one primitive, and a network of that
convolution and a ReLU, bound, through ``LoadedNetwork.run``; one thread, because OpenMP's waiting
is not what is measured. Then whole networks: the time of a run that lies in no primitive, by the
profile; and their times beside CpuAcc's, with OpenMP's threads waiting passively and as they do
by default.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from border_shares import border_shares
from common import REPOSITORY, publish

import armnn_py as ann

#: Input channels, output channels, side, kernel, stride.
CONVOLUTIONS = {
    "conv2 3x3": (64, 64, 56, 3, 1),
    "conv3 1x1": (512, 128, 28, 1, 1),
    "conv4 3x3": (256, 256, 14, 3, 1),
    "conv5 1x1": (512, 2048, 7, 1, 1),
}
NETWORKS = {
    "resnet50_thin": (1, 224, 224, 3),
    "yolox_tiny": (1, 3, 416, 416),
    "ocr_det": (1, 3, 320, 320),
    "ocr_rec": (1, 3, 48, 320),
}
PASSIVE = {"OMP_WAIT_POLICY": "passive"}


def seconds() -> float:
    """Return a clock on the wall, or with --cpu-time what this process used."""
    return time.process_time() if "CPU_TIME" in os.environ else time.perf_counter()


def compiled(folder: Path) -> Path:
    """Compile the plain program."""
    target = folder / "plain"
    include = f"-I{REPOSITORY / 'examples' / 'backends' / 'onednn'}"
    source = Path(__file__).with_name("plain.cpp")
    command = ["c++", "-std=c++17", "-O2", include, str(source), "-o", str(target), "-ldnnl"]
    subprocess.run(command, check=True)
    return target


def one_convolution(
    plain: Path, runtime: ann.Runtime, sizes: tuple[int, ...], rounds: int
) -> dict[str, Any]:
    """Return microseconds of a plain execution and of a run, and how much the latter is more."""
    channels, outputs, side, kernel, stride = sizes
    values = np.random.default_rng(0)
    network = ann.Network()
    x = network.add_input("x", ann.TensorInfo((1, side, side, channels)))
    weights = values.normal(size=(outputs, kernel, kernel, channels)).astype(np.float32)
    bias = np.zeros(outputs, np.float32)
    y = network.add_convolution2d(x, weights, bias, stride=stride, padding=kernel // 2)
    network.add_output("y", network.add_activation(y, ann.ActivationFunction.RELU))
    image = values.random((1, side, side, channels), dtype=np.float32)
    program = subprocess.Popen(
        [plain, *map(str, sizes)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
    )
    assert program.stdin is not None
    assert program.stdout is not None
    times: dict[str, list[float]] = {"plain": [], "run": []}
    with program, ann.load(network, ["OneDnn"], runtime=runtime) as loaded:
        bound = loaded.bind()  # arrays as aligned as the backend asks, or runs would copy
        bound.inputs["x"][...] = image
        bound.run()
        for turn in range(rounds + 1):
            batch = 10  # short turns: what else the machine does meets both
            program.stdin.write(f"{batch}\n")
            program.stdin.flush()
            alone = float(program.stdout.readline())
            start = seconds()
            for _ in range(batch):
                bound.run()
            if turn:  # the first warms up
                times["plain"].append(alone)
                times["run"].append((seconds() - start) / batch)
        program.stdin.close()
        parts = shares(loaded, {"x": image})
    least = {name: min(samples) for name, samples in times.items()}
    middle = {name: statistics.median(samples) for name, samples in times.items()}
    ratios = [run / alone for alone, run in zip(times["plain"], times["run"], strict=True)]
    return {
        "plain_us": round(middle["plain"] * 1e6, 1),
        "run_us": round(middle["run"] * 1e6, 1),
        "ratio_of_medians": round(middle["run"] / middle["plain"], 4),
        "ratio_of_least": round(least["run"] / least["plain"], 4),
        "median_ratio_of_turns": round(statistics.median(ratios), 4),
        **parts,
    }


def whole_networks(folder: Path, models: Path, runs: int) -> dict[str, Any]:
    """Return milliseconds of a run with OneDnn and with CpuAcc, by turns, one and two threads."""
    result: dict[str, Any] = {}
    for name, shape in NETWORKS.items():
        model = models / f"{name}.onnx"
        image = np.random.default_rng(1).random(shape, dtype=np.float32)
        for threads in (1, 2):
            ann.set_num_threads(threads)
            with ann.Runtime(folder, backend_options={"OneDnn": {"threads": threads}}) as runtime:
                (source,) = ann.import_model(model).inputs
                loaded = {
                    first: ann.load(
                        model, [first, "CpuRef"], runtime=runtime, shapes={source: shape}
                    )
                    for first in ("OneDnn", "CpuAcc")
                }
                times: dict[str, list[float]] = {first: [] for first in loaded}
                for turn in range(runs + 2):
                    for first, network in loaded.items():
                        start = time.perf_counter()
                        network.run({source: image})
                        if turn > 1:
                            times[first].append(time.perf_counter() - start)
                entry = {
                    first: {
                        "median_ms": round(statistics.median(samples) * 1e3, 2),
                        "least_ms": round(min(samples) * 1e3, 2),
                    }
                    for first, samples in times.items()
                }
                result[f"{name}, {threads} threads"] = {
                    **entry,
                    **shares(loaded["OneDnn"], {source: image}),
                }
                for network in loaded.values():
                    network.close()
    return result


def shares(network: ann.LoadedNetwork, inputs: dict[str, Any]) -> dict[str, float]:
    """Return how much of a profiled run is in no primitive, and how much in changes of layout.

    oneDNN computes in the layout that it likes best on this processor, not always the host's.
    """
    parts = border_shares(network, inputs, 40)
    return {
        "share_outside_primitives": round(parts.border, 4),
        "share_of_layout_changes": round(parts.changes_of_layout, 4),
    }


def in_a_process(arguments: argparse.Namespace, environment: dict[str, str]) -> dict[str, Any]:
    """Run the whole networks where OpenMP reads another environment."""
    command = [sys.executable, __file__, "--backend-path", str(arguments.backend_path)]
    command += ["--open", str(arguments.open), "--networks-only", "--runs", str(arguments.runs)]
    done = subprocess.run(
        command, env={**os.environ, **environment}, stdout=subprocess.PIPE, text=True, check=True
    )
    result: dict[str, Any] = json.loads(done.stdout)
    return result


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="The cost of the border around oneDNN.")
    parser.add_argument("--backend-path", type=Path, required=True)
    parser.add_argument("--open", type=Path, help="folder of the open networks")
    parser.add_argument("--rounds", type=int, default=150)
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--output", type=Path)
    parser.add_argument("--cpu-time", action="store_true", help="for a machine that is not quiet")
    parser.add_argument("--networks-only", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.networks_only:
        print(json.dumps(whole_networks(arguments.backend_path, arguments.open, arguments.runs)))
        return
    if arguments.cpu_time:
        os.environ["CPU_TIME"] = "1"  # the program in C++ reads it, too
    result: dict[str, Any] = {
        "clock": "CPU time" if arguments.cpu_time else "wall",
        "convolutions": {},
    }
    ann.set_num_threads(1)
    with tempfile.TemporaryDirectory() as folder, ann.Runtime(arguments.backend_path) as runtime:
        plain = compiled(Path(folder))
        for name, sizes in CONVOLUTIONS.items():
            result["convolutions"][name] = one_convolution(plain, runtime, sizes, arguments.rounds)
    if arguments.open is not None:
        result["networks, OMP_WAIT_POLICY=passive"] = in_a_process(arguments, PASSIVE)
        result["networks, OpenMP's default"] = in_a_process(arguments, {})
    publish("onednn", result, arguments.output)


if __name__ == "__main__":
    main()
