# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Does a backend compute the same in a worker as in the process, bit for bit?

    ARMNN_PY_MODELS=FOLDER python scripts/compare_isolated.py [--backend ID] [--seconds 600]

FOLDER is that of ``fetch_models.py``. Its networks and the cases of ONNX's suite run on the backend
and ``CpuRef``, in the process and isolated, twice each. Exit code 1 if an answer differs, or if a
model fails in one of the two only.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import sys
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path

import numpy as np
import onnx
from compare_networks import Inputs
from onnx import numpy_helper

import armnn_py as ann

Arrays = Mapping[str, np.ndarray]


def networks(models: Path) -> Iterator[Path]:
    """Give the files of networks."""
    for kind in ("onnx", "tflite"):
        for part in ("open", "more", "extra"):
            yield from sorted((models / part).glob(f"*.{kind}"))


def cases(models: Path) -> Iterator[Path]:
    """Give the models of ONNX's suite."""
    yield from sorted(models.glob("testdata/*/node/*/model.onnx"))


def inputs_of(path: Path, models: Path, network: ann.Network) -> Arrays:
    """Return what a model is fed: that of its case, pictures and sound, or noise."""
    data = path.parent / "test_data_set_0"
    if not data.is_dir():
        return Inputs(models, path.stem).of(network)[1]
    arrays = []
    for number in range(len(network.inputs)):
        tensor = onnx.TensorProto()
        tensor.ParseFromString((data / f"input_{number}.pb").read_bytes())
        arrays.append(numpy_helper.to_array(tensor))
    return dict(zip(network.inputs, arrays, strict=True))


def bytes_of(array: np.ndarray) -> bytes:
    """Return the bytes of an array; those of texts lie elsewhere."""
    return repr(array.tolist()).encode() if array.dtype.hasobject else array.tobytes()


def answers(
    network: ann.Network, given: Arrays, backend: str, runtime: ann.Runtime
) -> tuple[list[bytes], str]:
    """Return the bytes of the outputs of two runs; or the words of an error."""
    try:
        with ann.load(network, [backend, "CpuRef"], runtime=runtime) as loaded:
            made = [bytes_of(array) for _ in range(2) for array in loaded.run(given).values()]
            if loaded.last_run.degraded:
                return [], f"degraded: {loaded.last_run.reason}"
            return made, "" if backend in loaded.assignment.counts else "on CpuRef alone"
    except ann.ArmnnError as error:
        return [], f"{type(error).__name__}: {error.message}"


def main() -> int:
    """Print what differs, and how many did not."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--backend", default="CpuAcc")
    parser.add_argument("--backend-path", type=Path)
    parser.add_argument("--seconds", type=float, default=float("inf"))
    given = parser.parse_args()
    models = Path(os.environ["ARMNN_PY_MODELS"])
    end = time.monotonic() + given.seconds
    counts: Counter[str] = Counter()
    with (
        ann.Runtime(given.backend_path) as plain,
        ann.Runtime(given.backend_path, isolate=[given.backend]) as apart,
    ):
        for path in (*networks(models), *cases(models)):
            if time.monotonic() > end:
                counts["not tried"] += 1
                continue
            network = None
            with contextlib.suppress(ann.ArmnnError, KeyError, TypeError, OSError, ValueError):
                network = ann.import_model(path)
                fed = inputs_of(path, models, network)
            if network is None or not fed:
                counts["not read"] += 1
                continue
            here = answers(network, fed, given.backend, plain)
            away = answers(network, fed, given.backend, apart)
            result = "differs" if here != away else here[1] and not here[0] and "fails in both"
            counts[result or here[1] or "equal"] += 1
            if result == "differs":
                print(f"{path}: {here[1] or 'answers'} here, {away[1] or 'others'} isolated")
    print(", ".join(f"{count} {what}" for what, count in sorted(counts.items())))
    return 1 if counts["differs"] else 0


if __name__ == "__main__":
    sys.exit(main())
