# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Placement by measured time; what is slow is made up here, so that no test depends on a clock."""

from __future__ import annotations

import dataclasses
import functools
import json
import math
import os
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

import armnn_py as ann
from armnn_py.cache_files import locked
from armnn_py.descriptors import ActivationDescriptor, SoftmaxDescriptor
from armnn_py.optimizer.host import UnsteadySeconds
from armnn_py.optimizer.measuring import assign_by_time, measured_times
from armnn_py.optimizer.measuring.least_time import least_time
from armnn_py.optimizer.options import OptimizerOptions
from armnn_py.runtime.plan import evaluate

RUN = 1e-6
"""Seconds of any run, however little there is to do."""

X = np.arange(6, dtype=np.float32).reshape(2, 3)


class Stopwatch:
    """Stands for `Runtime.measure`: seconds of a layer by (type, backend); None: it fails."""

    def __init__(self, seconds: dict[tuple[str, str], float | None]) -> None:
        self.seconds = seconds
        self.asked: list[tuple[str, ...]] = []

    def __call__(
        self, network: ann.Network, backends: Sequence[str], options: OptimizerOptions
    ) -> float | None:
        layers = [n for n in network.layers if n.type.label not in ("Input", "Output", "Constant")]
        if not layers:
            return RUN
        assert options.strategy == "preference"
        assert options.placement is not None
        places = [
            (layer.type.label, rule.backends[0])
            for layer in layers
            for rule in options.placement.rules
            if rule.matches(layer.name, layer.type)
        ]
        assert {backend for _, backend in places} == set(backends)
        # Neither backend has memory of its own: no pairs, but layers alone and all of them.
        assert len(places) in (1, 3)
        self.asked += places if len(places) == 1 else []
        taken = [self.seconds.get(place, 0.0) for place in places]
        return None if None in taken else RUN + sum(taken)  # type: ignore[arg-type]


def network(*, hint: str | None = None) -> ann.Network:
    """Both backends run the additions, only CpuRef the activation."""
    made = ann.Network("mixed")
    x = made.add_input("x", ann.TensorInfo((2, 3)))
    total = made.add_addition(x, x, name="sum", backend=hint)
    relu = made.add_activation(total, ann.ActivationFunction.RELU, name="relu")
    made.add_output("y", made.add_addition(relu, x, name="last"))
    return made


@pytest.fixture
def runtime(dozen_folder: Path) -> ann.Runtime:
    return ann.Runtime(dozen_folder)


def watch(
    monkeypatch: pytest.MonkeyPatch, runtime: ann.Runtime, ref: float | None, dozen: float | None
) -> Stopwatch:
    stopwatch = Stopwatch(
        {("ElementwiseBinary", "CpuRef"): ref, ("ElementwiseBinary", "Dozen"): dozen}
    )
    monkeypatch.setattr(runtime, "measure", stopwatch)
    return stopwatch


def places(optimized: ann.OptimizedNetwork) -> dict[str, str]:
    return {record.layer: record.backend for record in optimized.assignment}


def measured(
    runtime: ann.Runtime,
    net: ann.Network,
    cache: Path | None = None,
    placement: ann.Placement | None = None,
) -> ann.OptimizedNetwork:
    return ann.optimize(
        net,
        ["CpuRef", "Dozen"],
        runtime=runtime,
        strategy="measure",
        measure_cache=cache,
        placement=placement,
    )


def test_layers_go_where_they_are_fastest(
    runtime: ann.Runtime, monkeypatch: pytest.MonkeyPatch
) -> None:
    stopwatch = watch(monkeypatch, runtime, 30.2e-6, 12.1e-6)
    optimized = measured(runtime, network())
    assert places(optimized) == {"sum": "Dozen", "relu": "CpuRef", "last": "Dozen"}
    assert optimized.assignment.of("sum").note == "measured: 12.1 us here, 30.2 us on CpuRef"
    assert optimized.assignment.of("relu").note == ""
    # A layer without a choice is not timed; the activation has none.
    assert set(stopwatch.asked) == {("ElementwiseBinary", "CpuRef"), ("ElementwiseBinary", "Dozen")}


def test_equal_times_go_to_the_preferred(
    runtime: ann.Runtime, monkeypatch: pytest.MonkeyPatch
) -> None:
    watch(monkeypatch, runtime, 2e-6, 2e-6)
    assert set(places(measured(runtime, network())).values()) == {"CpuRef"}


@pytest.mark.parametrize(("ref", "dozen"), [(2e-6, None), (None, 2e-6), (None, None)])
def test_untimed_layers_keep_their_backend(
    runtime: ann.Runtime,
    monkeypatch: pytest.MonkeyPatch,
    ref: float | None,
    dozen: float | None,
) -> None:
    watch(monkeypatch, runtime, ref, dozen)
    assert set(places(measured(runtime, network())).values()) == {"CpuRef"}


def test_hints_and_rules_stand_above_times(
    runtime: ann.Runtime, monkeypatch: pytest.MonkeyPatch
) -> None:
    watch(monkeypatch, runtime, 9e-6, 2e-6)
    hinted = measured(runtime, network(hint="CpuRef"))
    assert places(hinted) == {"sum": "CpuRef", "relu": "CpuRef", "last": "Dozen"}
    rules = ann.Placement((ann.PlacementRule("CpuRef", name="last"),), strict=True)
    ruled = measured(runtime, network(), placement=rules)
    assert places(ruled) == {"sum": "Dozen", "relu": "CpuRef", "last": "CpuRef"}


def test_measured_times_are_kept_by_layer(
    runtime: ann.Runtime, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    stopwatch = watch(monkeypatch, runtime, 9e-6, 2e-6)
    first = measured(runtime, network(), tmp_path)
    assert stopwatch.asked
    stopwatch.asked.clear()
    again = measured(runtime, network(), tmp_path)
    assert stopwatch.asked == []
    assert [r.note for r in again.assignment] == [r.note for r in first.assignment]
    bigger = ann.Network("bigger")
    x = bigger.add_input("x", ann.TensorInfo((2, 4)))
    bigger.add_output("y", bigger.add_addition(x, x))
    measured(runtime, bigger, tmp_path)
    assert set(stopwatch.asked) == {("ElementwiseBinary", "CpuRef"), ("ElementwiseBinary", "Dozen")}
    assert [file.suffix for file in tmp_path.iterdir()] == [".json"]


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\xff\x00",
        b"[]",
        b'{"format": 1, "seconds": 3}',
        b'{"seconds": {}',
        b"[" * 100_000,
    ],
)
def test_a_damaged_cache_is_reported_once_and_rewritten(
    runtime: ann.Runtime,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
    content: bytes,
) -> None:
    stopwatch = watch(monkeypatch, runtime, 9e-6, 2e-6)
    measured(runtime, network(), tmp_path)
    (file,) = tmp_path.iterdir()
    whole = file.read_bytes()
    file.write_bytes(content)
    stopwatch.asked.clear()
    with caplog.at_level("WARNING", logger="armnn_py.optimizer"):
        measured(runtime, network(), tmp_path)
    (told,) = [r for r in caplog.records if r.name == "armnn_py.optimizer"]
    assert told.levelname == "WARNING"
    assert str(file) in told.getMessage()
    assert stopwatch.asked
    assert json.loads(file.read_bytes()) == json.loads(whole)


def test_a_cache_of_another_version_is_written_anew_without_a_word(
    runtime: ann.Runtime,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
) -> None:
    stopwatch = watch(monkeypatch, runtime, 9e-6, 2e-6)
    measured(runtime, network(), tmp_path)
    (file,) = tmp_path.iterdir()
    file.write_text(json.dumps({**json.loads(file.read_bytes()), "format": 0}))
    stopwatch.asked.clear()
    with caplog.at_level("WARNING", logger="armnn_py.optimizer"):
        measured(runtime, network(), tmp_path)
    assert stopwatch.asked
    assert not [r for r in caplog.records if r.name == "armnn_py.optimizer"]


@pytest.mark.parametrize("what", ["version", "file", "options", "processor", "threads"])
def test_another_backend_or_machine_measures_again(
    runtime: ann.Runtime,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    request: pytest.FixtureRequest,
    what: str,
) -> None:
    stopwatch = watch(monkeypatch, runtime, 9e-6, 2e-6)
    measured(runtime, network(), tmp_path)
    dozen = runtime.backends["Dozen"]
    if what == "version":
        monkeypatch.setattr(type(dozen), "vendor_version", property(lambda self: f"{self.id} 2"))
    elif what == "file":
        assert dozen.file is not None
        os.utime(dozen.file, ns=(0, time.time_ns()))
    elif what == "options":
        monkeypatch.setattr(type(dozen), "options", property(lambda self: {"level": 2}))
    elif what == "processor":
        monkeypatch.setattr(measured_times, "processor_name", lambda: "another")
    else:
        before = ann.get_num_threads()
        request.addfinalizer(lambda: ann.set_num_threads(before))
        ann.set_num_threads(before + 1)
    stopwatch.asked.clear()
    measured(runtime, network(), tmp_path)
    both = {("ElementwiseBinary", "CpuRef"), ("ElementwiseBinary", "Dozen")}
    assert set(stopwatch.asked) == ({("ElementwiseBinary", "Dozen")} if what == "file" else both)
    stopwatch.asked.clear()
    measured(runtime, network(), tmp_path)
    assert not stopwatch.asked


@pytest.mark.parametrize(
    "wrong",
    [-1.0, "fast", None, math.nan, math.inf, 1e308, 0.0, 0, True, 10**400, [1.0], {}],
    ids=lambda value: repr(value)[:8],
)
def test_damaged_cache_entries_are_ignored(
    runtime: ann.Runtime, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, wrong: object
) -> None:
    stopwatch = watch(monkeypatch, runtime, 9e-6, 2e-6)
    measured(runtime, network(), tmp_path)
    (file,) = tmp_path.iterdir()
    document = json.loads(file.read_bytes())
    document["seconds"] = dict.fromkeys(document["seconds"], wrong)
    file.write_text(json.dumps(document))
    stopwatch.asked.clear()
    assert places(measured(runtime, network(), tmp_path))["sum"] == "Dozen"
    assert stopwatch.asked
    stopwatch.asked.clear()
    measured(runtime, network(), tmp_path)
    assert not stopwatch.asked  # the file is mended


@pytest.mark.parametrize("what", ["file", "folder"])
def test_times_that_other_users_may_have_written_are_not_believed(
    runtime: ann.Runtime,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
    what: str,
) -> None:
    stopwatch = watch(monkeypatch, runtime, 9e-6, 2e-6)
    measured(runtime, network(), tmp_path)
    (file,) = tmp_path.iterdir()
    (file if what == "file" else tmp_path).chmod(0o777)
    stopwatch.asked.clear()
    assert places(measured(runtime, network(), tmp_path))["sum"] == "Dozen"
    assert stopwatch.asked
    assert "are not used: " in caplog.text
    assert "may write to it" in caplog.text


def test_a_folder_that_another_process_keeps_locked(tmp_path: Path) -> None:
    """Any reader of the folder may lock it, for ever."""
    kept = measured_times.MeasureCache(tmp_path)
    kept.put("a", 1.0)
    with locked(tmp_path):
        kept.save()
    assert not list(tmp_path.iterdir())


def test_a_cache_that_cannot_be_written_is_done_without(
    runtime: ann.Runtime, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    watch(monkeypatch, runtime, 9e-6, 2e-6)
    (tmp_path / "file").write_text("")
    assert places(measured(runtime, network(), tmp_path / "file" / "folder"))["sum"] == "Dozen"


def test_the_default_is_the_users_cache_folder(
    runtime: ann.Runtime, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    watch(monkeypatch, runtime, 9e-6, 2e-6)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    options = OptimizerOptions(strategy="measure")
    ann.optimize(network(), ["CpuRef", "Dozen"], runtime=runtime, options=options)
    (file,) = (tmp_path / "xdg" / "armnn_py").iterdir()
    assert file.name.startswith("measurements-")
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")
    ann.optimize(network(), ["CpuRef", "Dozen"], runtime=runtime, options=options)
    assert (tmp_path / "home" / ".cache" / "armnn_py" / file.name).exists()
    off = dataclasses.replace(options, measure_cache=None)
    (tmp_path / "home" / ".cache" / "armnn_py" / file.name).unlink()
    ann.optimize(network(), ["CpuRef", "Dozen"], runtime=runtime, options=off)
    assert not list((tmp_path / "home" / ".cache" / "armnn_py").iterdir())


def test_an_unknown_strategy_is_refused(runtime: ann.Runtime) -> None:
    with pytest.raises(ann.InvalidArgumentError, match="'preference' or 'measure' expected"):
        ann.optimize(network(), runtime=runtime, strategy="fastest")  # type: ignore[arg-type]


def test_end_to_end_outputs_stay_and_a_second_time_measures_nothing(
    runtime: ann.Runtime, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    ids = ["CpuRef", "Dozen"]
    with runtime.load_network(ann.optimize(network(), ids, runtime=runtime)) as net:
        expected = net.run(X)["y"]
    np.testing.assert_array_equal(expected, 3 * X)
    optimized = measured(runtime, network(), tmp_path)
    for name in ("sum", "last"):
        assert optimized.assignment.of(name).note.startswith("measured: ")
    with runtime.load_network(optimized) as net:
        np.testing.assert_array_equal(net.run(X)["y"], expected)

    def refuse(*_: object) -> float:
        raise AssertionError("measured again")

    monkeypatch.setattr(runtime, "measure", refuse)
    assert places(measured(runtime, network(), tmp_path)) == places(optimized)


def test_unsteady_times_decide_but_are_not_kept(
    runtime: ann.Runtime,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
) -> None:
    stopwatch = watch(monkeypatch, runtime, 30e-6, 12e-6)
    is_busy = True

    def measure(
        network: ann.Network, backends: Sequence[str], options: OptimizerOptions
    ) -> float | None:
        seconds = stopwatch(network, backends, options)
        return UnsteadySeconds(seconds) if is_busy and seconds is not None else seconds

    monkeypatch.setattr(runtime, "measure", measure)
    for _ in range(2):
        stopwatch.asked.clear()
        optimized = measured(runtime, network(), tmp_path)
        assert places(optimized) == {"sum": "Dozen", "relu": "CpuRef", "last": "Dozen"}
        assert stopwatch.asked
        assert "not kept: measure again while nothing else runs" in caplog.text
        record = next(one for one in optimized.passes if one.name == "measure")
        assert any(change.startswith("unsteady times") for change in record.changes)
    is_busy = False
    for asks in (True, False):
        stopwatch.asked.clear()
        optimized = measured(runtime, network(), tmp_path)
        record = next(one for one in optimized.passes if one.name == "measure")
        assert not any(change.startswith("unsteady times") for change in record.changes)
        assert bool(stopwatch.asked) is asks


@pytest.mark.parametrize(
    ("seconds", "runs", "is_steady"),
    [
        ([1e-3] * 500, 20, True),  # 20 ms are enough if they agree
        ([1e-6] * 500, 100, True),
        ([0.05] * 3, 3, True),
        ([0.02, 0.05, 0.04, 0.0201, 0.0202], 5, True),  # goes on until three agree
        ([1e-3] + [1.5e-3] * 500, 135, False),  # after 0.2 s it gives up
        ([0.05, 0.09, 0.07, 0.08], 3, False),
    ],
)
def test_when_a_time_is_steady(
    monkeypatch: pytest.MonkeyPatch, seconds: list[float], runs: int, is_steady: bool
) -> None:
    now, made = 0.0, 0

    def run() -> None:
        nonlocal now, made
        now += seconds[made]
        made += 1

    monkeypatch.setattr(evaluate.time, "perf_counter", lambda: now)
    found = evaluate.least_time_of(run)
    assert found == pytest.approx(min(seconds[:made]))
    assert isinstance(found, UnsteadySeconds) is not is_steady
    assert made == pytest.approx(runs, abs=1)


def test_a_run_without_layers_is_timed_and_an_impossible_one_is_not(runtime: ann.Runtime) -> None:
    nothing = ann.Network("nothing")
    nothing.add_output("y", nothing.add_input("x", ann.TensorInfo((1,))))
    assert runtime.measure(nothing, ["CpuRef"], OptimizerOptions()) is not None
    assert runtime.measure(network(), ["Dozen"], OptimizerOptions()) is None


def test_total_time_decides(runtime: ann.Runtime, monkeypatch: pytest.MonkeyPatch) -> None:
    """Alone both additions are faster on Dozen; all together they are not."""

    def seconds(net: ann.Network, ids: Sequence[str], options: OptimizerOptions) -> float:
        layers = [n for n in net.layers if n.type.label not in ("Input", "Output", "Constant")]
        if len(layers) < 2:
            return 2e-6 * len(layers) if "Dozen" in ids else 5e-6 * len(layers)
        return 3e-3 if "Dozen" in ids else 1e-3

    monkeypatch.setattr(runtime, "measure", seconds)
    optimized = measured(runtime, network())
    assert set(places(optimized).values()) == {"CpuRef"}
    assert optimized.assignment.of("sum").note == "measured: 5.0 us here, 2.0 us on Dozen"
    (record,) = (record for record in optimized.passes if record.name == "measure")
    assert record.changes == (
        "the whole network, by the least sum of times: 3.0 ms",
        "the whole network, by preference: 1.0 ms",
    )


def test_hopeless_moves_are_not_tried(
    runtime: ann.Runtime, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole: list[list[str]] = []

    def seconds(net: ann.Network, ids: Sequence[str], options: OptimizerOptions) -> float:
        layers = [n for n in net.layers if n.type.label not in ("Input", "Output", "Constant")]
        if len(layers) > 1:
            whole.append(list(ids))
        return len(layers) * (1.0 if "Dozen" in ids else 1e-6)

    monkeypatch.setattr(runtime, "measure", seconds)
    optimized = measured(runtime, network())
    assert set(places(optimized).values()) == {"CpuRef"}
    assert optimized.assignment.of("last").note == "measured: 1.0 us here, 1.00 s on Dozen"
    assert whole == []  # there is one way left
    options = OptimizerOptions(strategy="measure", measure_cache=None)
    turned = ann.optimize(network(), ["Dozen", "CpuRef"], runtime=runtime, options=options)
    assert set(places(turned).values()) == {"CpuRef"}
    # Each turn also times the assignment without measuring.
    assert whole == 3 * [["CpuRef"], ["Dozen", "CpuRef"]]


def test_a_search_that_may_miss_the_best_says_so(
    runtime: ann.Runtime, monkeypatch: pytest.MonkeyPatch
) -> None:
    watch(monkeypatch, runtime, 9e-6, 2e-6)
    (exact,) = (r for r in measured(runtime, network()).passes if r.name == "measure")
    within = functools.partial(least_time, largest_table=1)
    monkeypatch.setattr(assign_by_time, "least_time", within)
    (near,) = (r for r in measured(runtime, network()).passes if r.name == "measure")
    said = "too densely linked to try all choices: the least sum may be missed"
    assert near.changes == (said, *exact.changes)


_SAVE_MANY = """
import sys
from armnn_py.optimizer.measuring.measured_times import MeasureCache
from pathlib import Path
for number in range(40):
    cache = MeasureCache(Path(sys.argv[1]))
    cache.put(f"{sys.argv[2]}{number}", 1.0)
    cache.save()
"""


def test_two_processes_lose_no_times(tmp_path: Path) -> None:
    savers = [
        subprocess.Popen([sys.executable, "-c", _SAVE_MANY, str(tmp_path), name]) for name in "ab"
    ]
    assert [saver.wait() for saver in savers] == [0, 0]
    (file,) = tmp_path.iterdir()
    kept = json.loads(file.read_bytes())["seconds"]
    assert kept.keys() == {f"{name}{number}" for name in "ab" for number in range(40)}


def test_saving_waits_for_the_owner_of_the_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Reading and replacing are atomic."""
    first, second = (measured_times.MeasureCache(tmp_path) for _ in range(2))
    first.put("a", 1.0)
    second.put("b", 2.0)
    replace = measured_times.MeasureCache._replace
    threads = []

    def slow(file: Path, times: dict[str, float]) -> None:
        if not threads:  # the first saver; the second begins while it is at work
            threads.append(threading.Thread(target=second.save))
            threads[0].start()
        replace(file, times)

    monkeypatch.setattr(measured_times.MeasureCache, "_replace", staticmethod(slow))
    first.save()
    threads[0].join()
    assert measured_times.MeasureCache(tmp_path).get("a") == 1.0
    assert measured_times.MeasureCache(tmp_path).get("b") == 2.0


INFOS = [
    ann.TensorInfo((2, 3)),
    ann.TensorInfo((3, 2)),
    ann.TensorInfo((2, 3), "float16"),
    ann.TensorInfo((2, 3), ann.DataType.QASYMM_U8, ann.QuantizationInfo(0.5)),
    ann.TensorInfo((2, 3), ann.DataType.QASYMM_U8, ann.QuantizationInfo(0.5 + 1e-9)),
    ann.TensorInfo((2, 3), ann.DataType.QASYMM_U8, ann.QuantizationInfo(0.5, 1)),
    ann.TensorInfo((2, 3), ann.DataType.QSYMM_S8, ann.QuantizationInfo((1.0, 2.0), axis=0)),
    ann.TensorInfo((2, 3), ann.DataType.QSYMM_S8, ann.QuantizationInfo((1.0, 3.0), axis=0)),
    ann.TensorInfo((2, 2), ann.DataType.QSYMM_S8, ann.QuantizationInfo((1.0, 3.0), axis=0)),
    ann.TensorInfo((2, 2), ann.DataType.QSYMM_S8, ann.QuantizationInfo((1.0, 3.0), axis=1)),
]


def test_unequal_tensors_have_unequal_keys() -> None:
    keys = {measured_times.digest(["input", info]) for info in INFOS}
    assert len(keys) == len(INFOS)
    again = dataclasses.replace(INFOS[6].quantization)  # type: ignore[type-var]
    same = ann.TensorInfo((2, 3), ann.DataType.QSYMM_S8, again)
    assert measured_times.digest(["input", same]) == measured_times.digest(["input", INFOS[6]])


def test_unequal_parameters_have_unequal_keys() -> None:
    function = ann.ActivationFunction.LINEAR
    descriptors = [
        ActivationDescriptor(function, 1.0, 2.0),
        ActivationDescriptor(function, 2.0, 1.0),
        ActivationDescriptor(ann.ActivationFunction.TANH, 1.0, 2.0),
        SoftmaxDescriptor(1.0),
        None,
    ]
    assert len({measured_times.digest((one,)) for one in descriptors}) == len(descriptors)
