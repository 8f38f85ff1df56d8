# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""armnn_py and every installed peer on the same networks, side by side in one run.

    python benchmarks/peers/compare.py --work FOLDER [--output build/benchmarks/peers.json]

Makes the networks of `catalogue` in FOLDER (the real ones, and what is derived from them, only with
``--open MODELS``, the folder of ``scripts/fetch_models.py``), converts them for engines that read
other formats, checks that all engines give the same outputs, and only then lets them take turns.
``--threads 1 2`` are separate runs. With ``--busy 1`` another process computes all the while; these
figures are kept apart. ``--cpu-time`` counts the processor time of each process, for one thread on
a machine that is not quiet; then only ratios say something.
"""

from __future__ import annotations

import argparse
import compileall
import importlib.metadata
import importlib.util
import json
import os
import sys
import tempfile
import traceback
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from blame import faults_of
from catalogue import CATALOGUE, GROUPS, TOLERANCE, Network
from common import REPOSITORY, machine
from convert import NotConvertibleError, convert
from engines import ENGINES
from turns import (
    BusyNeighbours,
    Gauge,
    NoGauge,
    Worker,
    WorkerError,
    build_gauge,
    take_turns,
)


def difference(expected: list[np.ndarray], actual: list[np.ndarray]) -> float:
    """Return the largest difference relative to the largest expected value; inf if shapes differ.

    Engines order outputs differently: they are paired by shape, in the order of equal ones.
    """
    if shape_keys(expected) != shape_keys(actual):
        return float("inf")
    pairs = zip(sorted(expected, key=_shape_key), sorted(actual, key=_shape_key), strict=True)
    worst = 0.0
    for a, b in pairs:
        distance = np.abs(a.ravel().astype(np.float64) - b.ravel())
        worst = max(worst, float(np.nan_to_num(distance, nan=np.inf).max() / np.abs(a).max()))
    return worst


def _shape_key(array: np.ndarray) -> tuple[int, ...]:
    """Return a shape without its dimensions of size 1, which engines add and leave out."""
    return tuple(size for size in array.shape if size != 1)


def shape_keys(arrays: list[np.ndarray]) -> list[tuple[int, ...]]:
    """Return the shapes of outputs in the order in which they are compared."""
    return sorted(map(_shape_key, arrays))


def start(
    engine: str, model: Path, scratch: Path, threads: int, *, exact: bool = False
) -> tuple[Worker, list[np.ndarray]]:
    """Return an engine at work on scratch/inputs.npz, and its outputs.

    Raises
    ------
    NotConvertibleError, WorkerError
        The engine does not run this model.
    """
    suffixes = ENGINES[engine].suffixes
    file = model if model.suffix in suffixes else convert(model, suffixes[0])
    worker = Worker.start(engine, file, scratch / "inputs.npz", threads, exact=exact)
    try:
        worker.save(scratch / "outputs.npz")
    except WorkerError:
        worker.close()
        raise
    with np.load(scratch / "outputs.npz") as arrays:
        return worker, [arrays[key] for key in arrays.files]


def start_equal(
    engine: str,
    model: Path,
    scratch: Path,
    threads: int,
    reference: list[np.ndarray],
    tolerance: float,
) -> tuple[Worker, dict[str, Any]]:
    """Return an engine at work, at the fastest settings whose outputs are the reference's.

    Raises
    ------
    NotConvertibleError, WorkerError
        The engine does not run this model, or its outputs differ at all settings.
    """
    for exact in (False, True) if ENGINES[engine].exact else (False,):
        worker, outputs = start(engine, model, scratch, threads, exact=exact)
        distance = difference(reference, outputs)
        if distance <= tolerance:
            facts = {**worker.facts, "difference": distance}
            return worker, {**facts, "exact_settings": True} if exact else facts
        worker.close()
    shapes = [[list(array.shape) for array in arrays] for arrays in (outputs, reference)]
    if shape_keys(outputs) != shape_keys(reference):
        raise WorkerError(f"outputs have the shapes {shapes[0]} instead of {shapes[1]}")
    raise WorkerError(f"outputs differ by {distance:.0e} of the largest")


def compare_network(
    network: Network,
    threads: int,
    engines: list[str],
    arguments: argparse.Namespace,
    gauge: Gauge | NoGauge,
) -> dict[str, Any]:
    """Return the figures of every engine on one network."""
    model = network.make(arguments.work, arguments.open)
    inputs = network.inputs(model)
    result: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as folder:
        scratch = Path(folder)
        np.savez(scratch / "inputs.npz", **inputs)
        try:
            worker, reference = start(network.reference, model, scratch, threads)
        except WorkerError as error:
            raise SystemExit(f"{network.name}: nothing to compare with: {error}") from error
        workers = [worker]
        result[network.reference] = {**worker.facts, "difference": 0.0}
        try:
            for engine in (e for e in engines if e != network.reference):
                try:
                    worker, result[engine] = start_equal(
                        engine, model, scratch, threads, reference, TOLERANCE[network.group]
                    )
                    workers.append(worker)
                except NotConvertibleError as error:
                    result[engine] = {"error": str(error), "ours": False}
                except WorkerError as error:
                    ours = error.ours or engine == "armnn_py"
                    result[engine] = {"error": str(error), "ours": ours}
                except Exception as error:  # the other engines are measured all the same
                    traceback.print_exc()
                    result[engine] = {"error": f"{type(error).__name__}: {error}", "ours": True}
            for worker in workers:
                worker.clock = "cpu" if arguments.cpu_time else "wall"
            take_turns(
                workers,
                gauge,
                turns=arguments.turns,
                turn_ms=arguments.turn_ms,
                patience=arguments.patience,
            )
            for worker in workers:
                result[worker.engine].update(worker.figures())
        except WorkerError as error:
            raise SystemExit(
                f"{network.name}: an engine ended while it was timed: {error}"
            ) from error
        finally:
            for worker in workers:
                worker.close()
    return result


def report(name: str, threads: int, result: dict[str, Any]) -> None:
    """Print one network's figures, the fastest first."""
    fastest_peer = min(
        (r["median_ms"] for e, r in result.items() if e != "armnn_py" and "median_ms" in r),
        default=float("nan"),
    )
    print(f"\n{name}, {threads} thread{'s' if threads > 1 else ''}")
    for engine, r in sorted(result.items(), key=lambda item: item[1].get("median_ms", 1e9)):
        if "median_ms" not in r:
            print(f"  {ENGINES[engine].title:14} {r['error'][:90]}")
            continue
        spread = f"{r['lower_quartile_ms']:.3f} to {r['upper_quartile_ms']:.3f}"
        print(
            f"  {ENGINES[engine].title:14} {r['median_ms']:9.3f} ms  ({spread}; "
            f"{r['quiet_turns']} of {r['turns']} turns quiet)  "
            f"x{r['median_ms'] / fastest_peer:.3f}  "
            f"load {r['load_ms']:.0f} ms, {r['peak_mib']:.0f} MiB, off by {r['difference']:.0e}"
        )
    sys.stdout.flush()


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="armnn_py beside other engines.")
    parser.add_argument("--work", type=Path, required=True, help="folder for models")
    parser.add_argument("--open", type=Path, help="folder with the real networks")
    parser.add_argument(
        "--output",
        type=Path,
        default=REPOSITORY / "build" / "benchmarks" / "peers.json",
        help="file of results; added to",
    )
    parser.add_argument("--network", nargs="+", choices=sorted(CATALOGUE), metavar="NAME")
    parser.add_argument("--group", nargs="+", choices=sorted(GROUPS), help="default: all")
    parser.add_argument("--engine", nargs="+", choices=sorted(ENGINES), help="default: installed")
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--turns", type=int, default=12, help="quiet turns of each engine")
    parser.add_argument("--turn-ms", type=float, default=80)
    parser.add_argument("--patience", type=float, default=60, help="seconds of waiting a network")
    parser.add_argument("--peak", type=float, help="GFLOP/s of one processor; default: measured")
    parser.add_argument("--longest-trip", type=float, default=0, help="ns between processors")
    parser.add_argument("--cpu-time", action="store_true", help="instead of latency")
    parser.add_argument("--busy", type=int, default=0, help="processes that compute beside")
    return parser.parse_args()


def _chosen(arguments: argparse.Namespace) -> list[Network]:
    """Return the networks that were asked for: by name, by group, or all that can be had."""
    if arguments.network:
        return [CATALOGUE[name] for name in arguments.network]
    return [
        network
        for network in CATALOGUE.values()
        if network.group in (arguments.group or GROUPS)
        and (arguments.open is not None or not network.needs_models)
    ]


def main() -> None:
    """Compare, print, and write after each network."""
    arguments = _arguments()
    installed = [name for name, e in ENGINES.items() if importlib.util.find_spec(e.module)]
    engines = arguments.engine or installed
    networks = _chosen(arguments)
    for missing in {network.reference for network in networks} - set(engines):
        raise SystemExit(f"{missing} is what outputs are compared with: install and list it")
    program = build_gauge(arguments.work)
    for network in networks:  # before hours of measuring: a file may be missing
        network.make(arguments.work, arguments.open)
    peak = arguments.peak
    if peak is None:
        gauge = Gauge(program, 1, 0, 0)
        peak = max(gauge.read()[0] for _ in range(200))
        gauge.close()
    document: dict[str, Any] = {"networks": {}}
    if arguments.output.exists():
        document = json.loads(arguments.output.read_text(encoding="utf-8"))
    document["machine"] = machine()
    if arguments.cpu_time:
        document["clock"] = "processor time"
    document["peak_gflops_of_one_processor"] = peak
    document.setdefault("versions", {}).update({e: _version(ENGINES[e].module) for e in engines})
    if "armnn_py" in engines:
        document["backends"] = _backends()
        _compile_package()
        print(f"armnn_py {document['versions']['armnn_py']} with {', '.join(document['backends'])}")
    section = document.setdefault(f"beside_{arguments.busy}_busy", {}) if arguments.busy else None
    figures = document["networks"] if section is None else section
    faults: list[str] = []
    neighbours = BusyNeighbours(arguments.busy)
    for threads in arguments.threads:
        gauge: Gauge | NoGauge = NoGauge()
        if not (arguments.busy or arguments.cpu_time):
            gauge = Gauge(program, threads, peak, arguments.longest_trip)
        for network in networks:
            result = compare_network(network, threads, engines, arguments, gauge)
            figures.setdefault(network.name, {}).setdefault(str(threads), {}).update(result)
            report(network.name, threads, result)
            faults += faults_of({network.name: {str(threads): result}})
            arguments.output.parent.mkdir(parents=True, exist_ok=True)
            text = json.dumps(document, indent=1)
            arguments.output.write_text(text + "\n", encoding="utf-8")
        gauge.close()
    neighbours.close()
    if faults:
        raise SystemExit("\n".join(["Not timed by a fault of the benchmark:", *faults]))


def _backends() -> list[str]:
    """Return the backends that armnn_py has here.

    In a source tree it has no fast backend unless DYNAMIC_BACKEND_PATHS names one.
    """
    import armnn_py

    named = [b for b in os.environ.get("ARMNN_PY_BENCH_BACKENDS", "").split(",") if b]
    return named or list(armnn_py.Runtime().device_spec.supported_backends)


def _compile_package() -> None:
    """Compile the package's Python files, as those of an installed package are.

    Otherwise the first load from a source tree is mostly that, where Python keeps no bytecode.
    """
    import armnn_py

    compileall.compile_dir(Path(armnn_py.__file__).parent, quiet=2)


def _version(module: str) -> str:
    names = {"ai_edge_litert": "ai-edge-litert"}
    try:
        return importlib.metadata.version(names.get(module, module))
    except importlib.metadata.PackageNotFoundError:
        return "from its source"


if __name__ == "__main__":
    main()
