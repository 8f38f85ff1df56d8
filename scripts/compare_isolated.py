# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Does a backend compute the same in a worker as in the process, bit for bit?

    ARMNN_PY_MODELS=FOLDER python scripts/compare_isolated.py [--backend ID] [--part 1/4]
    python scripts/compare_isolated.py --cases quick [--backend ID] [--backend-path FILE]

FOLDER is that of ``fetch_models.py``. Its networks and the cases of ONNX's suite run on the backend
and ``CpuRef``, in the process and isolated, twice each. With ``--cases``, each layer of the
conformance kit runs so instead, with ordinary and special values. Exit code 1 if an answer differs,
or if a network fails in one of the two only.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

import numpy as np
import onnx
from compare_networks import Inputs
from onnx import numpy_helper

import armnn_py as ann
from armnn_py.testing.cases import Case, all_cases
from armnn_py.testing.checks.numbers import kinds_of
from armnn_py.testing.subject import network_of

Arrays = Mapping[str, np.ndarray]
Pair = tuple[ann.Network, Arrays]
Runtimes = tuple[ann.Runtime, ann.Runtime]


def files(models: Path) -> Iterator[Path]:
    """Give the files of networks, then the models of ONNX's suite."""
    for kind in ("onnx", "tflite"):
        for part in ("open", "more", "extra"):
            yield from sorted((models / part).glob(f"*.{kind}"))
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


def read(path: Path, models: Path) -> Iterator[Pair]:
    """Give a model and its inputs; nothing if it cannot be read."""
    with contextlib.suppress(ann.ArmnnError, KeyError, TypeError, OSError, ValueError):
        network = ann.import_model(path)
        if fed := inputs_of(path, models, network):
            yield network, fed


def networks_of(case: Case) -> Iterator[Pair]:
    """Give a layer of the kit with each kind of values that it is tried with."""
    for kind in kinds_of(case):
        values = case.values(kind)
        network = network_of(case, values)
        yield network, {name: values[int(name[1:])] for name in network.inputs}


def sources(given: argparse.Namespace) -> Iterator[tuple[str, Iterator[Pair]]]:
    """Give the names of models or cases, and the networks of each."""
    number, count = given.part
    if given.cases:
        for case in all_cases(given.cases)[number - 1 :: count]:
            yield case.name, networks_of(case)
        return
    models = Path(os.environ["ARMNN_PY_MODELS"])
    for path in list(files(models))[number - 1 :: count]:
        yield str(path), read(path, models)


def bytes_of(array: np.ndarray) -> bytes:
    """Return the bytes of an array; those of texts lie elsewhere."""
    return repr(array.tolist()).encode() if array.dtype.hasobject else array.tobytes()


def answers(
    network: ann.Network, given: Arrays, backend: str, runtime: ann.Runtime
) -> list[bytes] | str:
    """Return the bytes of the outputs of two runs; or the words of an error."""
    try:
        with ann.load(network, [backend, "CpuRef"], runtime=runtime) as loaded:
            if backend not in loaded.assignment.counts:
                return f"not on {backend}"
            made = [bytes_of(array) for _ in range(2) for array in loaded.run(given).values()]
            return f"degraded: {loaded.last_run.reason}" if loaded.last_run.degraded else made
    except ann.ArmnnError as error:
        return f"{type(error).__name__}: {error.message}"


def compare(name: str, pairs: Iterable[Pair], backend: str, runtimes: Runtimes) -> Iterator[str]:
    """Give the result of each network: ``equal``, ``differs``, or the reason why none was made."""
    for network, fed in pairs:
        here, away = (answers(network, fed, backend, runtime) for runtime in runtimes)
        if here != away:
            said = (one if isinstance(one, str) else "answers" for one in (here, away))
            print("{}: {} here, {} isolated".format(name, *said))
            yield "differs"
        elif here == f"not on {backend}":
            yield here
        else:
            yield "fails in both" if isinstance(here, str) else "equal"


def a_part(text: str) -> tuple[int, int]:
    """Read ``2/5``: the second of five parts."""
    number, count = map(int, text.split("/"))
    if not 1 <= number <= count:
        raise ValueError(text)
    return number, count


def main() -> int:
    """Print what differs, and how many did not."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--backend", default="CpuAcc")
    parser.add_argument("--backend-path", type=Path)
    parser.add_argument("--cases", choices=["quick", "full"])
    parser.add_argument("--part", type=a_part, default=(1, 1))
    given = parser.parse_args()
    counts: Counter[str] = Counter()
    with (
        ann.Runtime(given.backend_path) as plain,
        ann.Runtime(given.backend_path, isolate=[given.backend]) as apart,
    ):
        for name, pairs in sources(given):
            results = Counter(compare(name, pairs, given.backend, (plain, apart)))
            counts += results or Counter(["not read"])
    print(", ".join(f"{count} {what}" for what, count in sorted(counts.items())))
    return 1 if counts["differs"] else 0


if __name__ == "__main__":
    sys.exit(main())
