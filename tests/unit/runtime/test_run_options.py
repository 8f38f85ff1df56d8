# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Options of one run, and what a backend hears of its begin and end."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import armnn_py as ann
from armnn_py.backends.options.run_options import RunOptions

X = np.array([1, -2, 3, -4], np.float32)
INTERNAL, CANCELLED, TIMEOUT = -8, -3, -4


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory, build_backend: Callable[..., None]) -> Path:
    folder = tmp_path_factory.mktemp("options")
    build_backend("options_backend.c", folder / "Test_Options_backend.so")
    return folder


@pytest.fixture
def runtime(folder: Path) -> Iterator[ann.Runtime]:
    with ann.Runtime(folder) as runtime:
        yield runtime


def loaded(
    runtime: ann.Runtime, operation: str = "ABS", options: ann.OptimizerOptions | None = None
) -> ann.LoadedNetwork:
    network = ann.Network()
    x = network.add_input("x", ann.TensorInfo((4,)))
    y = network.add_elementwise_unary(x, ann.UnaryOperation[operation], name="layer")
    network.add_output("y", y)
    return ann.load(network, ["Options"], runtime=runtime, options=options)


def test_an_option_holds_for_its_run_alone(runtime: ann.Runtime) -> None:
    with loaded(runtime) as network:
        for gain in (3.0, None, -1, None):
            options = None if gain is None else {"Options": {"gain": gain}}
            expected = 2 * X * (1 if gain is None else gain)
            np.testing.assert_array_equal(network.run(X, options=options)["y"], expected)


def test_options_of_bound_arrays(runtime: ann.Runtime) -> None:
    three: dict[str, Any] = {"Options": {"gain": 3.0}}
    four: dict[str, Any] = {"Options": {"gain": 4.0}}
    with loaded(runtime) as network, network.bind([X], options=three) as bound:
        for options, gain in ((None, 3), (four, 4), ({}, 1), (None, 3)):
            np.testing.assert_array_equal(bound.run(options=options)["y"], 2 * gain * X)
        np.testing.assert_array_equal(network.run(X)["y"], 2 * X)


def test_threads_have_options_of_their_own(runtime: ann.Runtime) -> None:
    with loaded(runtime) as network:

        def run(number: int) -> bool:
            gain = number % 8 / 2 - 2
            options = {"Options": {"gain": gain}}
            return bool((network.run(X, options=options)["y"] == 2 * gain * X).all())

        with ThreadPoolExecutor(4) as executor:
            assert all(executor.map(run, range(200)))


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"Options": {"gain": 5}}, ann.InvalidArgumentError,
         "options['Options']: option 'gain' is 5, a value of type float from -4.0 to 4.0 expected\n"
         "  default: 1.0"),
        ({"Options": {"gain": "much"}}, ann.InvalidArgumentError, "'gain' is 'much', a value of"),
        ({"Options": {"gian": 1}}, ann.UnknownNameError, "did you mean 'gain'?"),
        ({"CpuRef": {"gain": 1}}, ann.UnknownNameError, "this backend has no options"),
        ({"Optins": {}}, ann.BackendNotFoundError, "did you mean 'Options'?"),
        ({"Options": 3}, ann.InvalidArgumentError, "int given, a mapping of names to values"),
        ([3], ann.InvalidArgumentError, "options: list given, a mapping of ids to options"),
    ],
    ids=["range", "type", "name", "no options", "backend", "values", "mapping"],
)  # fmt: skip
def test_refused_before_the_backend_is_asked(
    runtime: ann.Runtime,
    journal: Callable[[], list[str]],
    options: Any,
    error: type[Exception],
    words: str,
) -> None:
    with loaded(runtime) as network:
        for call in (network.run, network.bind):
            with pytest.raises(error) as caught:
                call([X], options=options)
            assert words in str(caught.value)
        assert journal() == []


def test_facts_of_a_run(runtime: ann.Runtime, journal: Callable[[], list[str]]) -> None:
    with loaded(runtime) as network:
        number = network.id
        network.run(X, options={"Options": {"gain": 1.0, "token": "x"}})
        assert journal() == [
            f"before_run of {number} with 2 options, status 0",
            f"after_run of {number} with 2 options, status 0",
        ]


def test_a_run_that_fails(runtime: ann.Runtime, journal: Callable[[], list[str]]) -> None:
    with loaded(runtime, "LOG") as network:
        for _ in range(2):
            with pytest.raises(ann.ExecutionError, match="layer 'layer'"):
                network.run(X)
            begin, end = journal()
            assert begin.startswith("before_run")
            assert end.endswith(f"status {INTERNAL}")


def test_runs_that_are_stopped(runtime: ann.Runtime, journal: Callable[[], list[str]]) -> None:
    token = ann.CancelToken()
    with loaded(runtime, "SQRT") as network:
        timer = threading.Timer(0.2, token.cancel)
        timer.start()
        with pytest.raises(ann.ExecutionCancelledError):
            network.run(X, cancel=token)
        timer.join()
        begin, _, end = journal()
        assert begin.startswith("before_run")
        assert end.endswith(f"status {CANCELLED}")
        with pytest.raises(ann.ExecutionTimeoutError):
            network.run(X, timeout=0.2)
        assert journal()[-1].endswith(f"status {TIMEOUT}")
        with pytest.raises(ann.ExecutionTimeoutError):
            network.run(X, timeout=0.0)
        assert journal() == []  # it never began


def test_a_backend_that_does_not_let_a_run_begin(
    runtime: ann.Runtime, journal: Callable[[], list[str]]
) -> None:
    with loaded(runtime) as network:
        with pytest.raises(ann.ExecutionError) as caught:
            network.run(X, options={"Options": {"veto": True}})
        assert str(caught.value).splitlines() == [
            f"network '{network.name}': backend 'Options' did not let the run begin (before_run): "
            "internal",
            "  not today",
        ]
        assert caught.value.backend == "Options"
        assert len(journal()) == 1  # no after_run
        np.testing.assert_array_equal(network.run(X)["y"], 2 * X)


def test_each_begin_has_its_end_in_many_threads(
    runtime: ann.Runtime, journal: Callable[[], list[str]]
) -> None:
    with loaded(runtime) as network, loaded(runtime, "LOG") as failing:

        def run(number: int) -> None:
            if number % 3:
                network.run(X)
            else:
                with pytest.raises(ann.ExecutionError):
                    failing.run(X)

        with ThreadPoolExecutor(4) as executor:
            list(executor.map(run, range(60)))
        told = Counter(line.partition(",")[0].partition(" with")[0] for line in journal())
    good, bad = network.id, failing.id
    assert told == {
        f"before_run of {good}": 40, f"after_run of {good}": 40,
        f"before_run of {bad}": 20, f"after_run of {bad}": 20,
    }  # fmt: skip


def test_a_network_without_layers_there_tells_it_nothing(
    runtime: ann.Runtime, journal: Callable[[], list[str]]
) -> None:
    network = ann.Network()
    x = network.add_input("x", ann.TensorInfo((4,)))
    network.add_output("y", network.add_elementwise_unary(x, ann.UnaryOperation.NEG))
    with ann.load(network, ["Options", "CpuRef"], runtime=runtime) as elsewhere:
        elsewhere.run(X, options={"Options": {"gain": 2.0}})
    assert journal() == []


# ---- Options that change -------------------------------------------------------------------------


def test_an_option_changes_under_a_loaded_network(runtime: ann.Runtime) -> None:
    backend = runtime.backends["Options"]
    with loaded(runtime) as network:
        backend.set_option("factor", 5)
        np.testing.assert_array_equal(network.run(X)["y"], 5 * X)
    assert backend.options["factor"] == 5


@pytest.mark.parametrize(
    ("name", "value", "error", "words"),
    [
        ("factor", 11, ann.InvalidArgumentError,
         "backend 'Options': option 'factor' is 11, a value of type uint from 1 to 10 times"),
        ("facter", 3, ann.UnknownNameError, "did you mean 'factor'?"),
        ("mode", "exact", ann.InvalidArgumentError,
         "option 'mode' cannot be changed once the backend is loaded\n  changeable: factor, key"),
        ("factor", 7, ann.BackendError, "no device multiplies by 7"),
    ],
    ids=["range", "name", "fixed", "backend"],
)  # fmt: skip
def test_changes_that_are_refused(
    runtime: ann.Runtime, name: str, value: Any, error: type[Exception], words: str
) -> None:
    backend = runtime.backends["Options"]
    before = dict(backend.options)
    with pytest.raises(error) as caught:
        backend.set_option(name, value)
    assert words in str(caught.value)
    assert backend.options == before


def test_a_closed_runtime_changes_nothing(folder: Path) -> None:
    with ann.Runtime(folder) as runtime:
        backend = runtime.backends["Options"]
    with pytest.raises(ann.InvalidArgumentError, match="closed"):
        backend.set_option("factor", 3)


# ---- Descriptions --------------------------------------------------------------------------------


def test_descriptions(runtime: ann.Runtime) -> None:
    options = {
        (option.scope, option.name): option
        for option in runtime.backends["Options"].describe_options()
    }
    assert [name for _, name in options] == [
        "factor", "mode", "level", "ratio", "key", "effort", "seal", "gain", "veto", "token",
    ]  # fmt: skip
    factor = options["backend", "factor"]
    assert factor.as_dict() == {
        "scope": "backend", "name": "factor", "type": "uint", "default": 2, "value": 2,
        "help": "multiplies", "unit": "times", "minimum": 1, "maximum": 10, "choices": [],
        "secret": False, "changeable": True,
    }  # fmt: skip
    assert factor.allowed == "1 to 10 times"
    assert options["backend", "level"].choices == (-1, 0, 2)
    assert options["model", "effort"].maximum == 9
    assert options["run", "gain"].minimum == -4.0
    assert options["run", "gain"].value is None


@pytest.mark.parametrize(
    ("values", "words"),
    [
        (
            {"mode": "exactly"},
            "one of 'fast', 'exact' expected\n  default: 'fast'\nhint: did you m",
        ),
        ({"level": 1}, "option 'level' is 1, one of -1, 0, 2 expected"),
        ({"ratio": float("nan")}, "option 'ratio' is nan, a value of type float from 0.0 to 1.0"),
        ({"factor": 0}, "a value of type uint from 1 to 10 times expected"),
    ],
)
def test_values_of_the_backend_that_are_refused(
    folder: Path, values: dict[str, Any], words: str
) -> None:
    with pytest.raises(ann.InvalidArgumentError) as caught:
        ann.Runtime(folder, backend_options={"Options": values})
    assert words in str(caught.value)


def test_a_secret_is_never_shown(
    folder: Path, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    """Neither the value, nor the default, nor a value that is refused."""
    caplog.set_level(0)
    told = []
    with ann.Runtime(folder, backend_options={"Options": {"key": "hunter2"}}) as runtime:
        backend = runtime.backends["Options"]
        backend.set_option("key", "hunter3")
        told += [repr(backend.options), repr(backend.describe_options()), repr(backend)]
        told.append(str(runtime.load_report.as_dicts()))
        sealed = ann.OptimizerOptions(model_options={"Options": {"seal": "hunter1"}})
        told.append(repr(sealed))
        with loaded(runtime, options=sealed) as network:
            told += [repr(network), repr(network.assignment), network.assignment.summary()]
            network.run(X, options={"Options": {"token": "hunter4"}})
            for options in ({"veto": True, "token": "hunter5"}, {"token": "hunter6\0"}):
                with pytest.raises(ann.ArmnnError) as caught:
                    network.run(X, options={"Options": options})
                told += [str(caught.value), repr(caught.value.__dict__)]
        for wrong in (b"hunter7", "hunter8\0"):
            with pytest.raises(ann.InvalidArgumentError) as refused:
                backend.set_option("key", wrong)  # type: ignore[arg-type]
            told += [str(refused.value)]
            assert "(secret)" in told[-1]
    output = capfd.readouterr()
    assert "hunter" not in "\n".join([*told, caplog.text, output.out, output.err])


# ---- Devices -------------------------------------------------------------------------------------


class Described:
    """A device, as far as run options need it."""

    def __init__(self, defaults: Any) -> None:
        self.run_option_defaults = defaults


def test_options_of_a_backend_hold_for_all_its_devices(runtime: ann.Runtime) -> None:
    device: Any = Described(runtime.backends["Options"].run_option_defaults)
    devices = dict.fromkeys(("X", "X:0", "X:1", "X:2"), device)
    given: dict[str, Any] = {
        "X": {"gain": 2.0, "token": "all"}, "X:1": {"gain": 3.0}, "X:0": {"token": "first"}
    }  # fmt: skip
    options = RunOptions(given, devices)
    assert options._of("X")[0] == {"gain": 2.0, "token": "first"}
    assert options._of("X:1")[0] == {"gain": 3.0, "token": "all"}
    assert options._of("X:2")[0] == {"gain": 2.0, "token": "all"}


def test_options_for_a_backend_without_layers_are_a_warning(runtime: ann.Runtime) -> None:
    network = ann.Network()
    x = network.add_input("x", ann.TensorInfo((4,)))
    network.add_output("y", network.add_floor(x))
    with ann.load(network, ["CpuRef"], runtime=runtime) as loaded:
        with pytest.warns(ann.ArmnnWarning, match="Options, which this network") as caught:
            loaded.run(X, options={"Options": {"gain": 2.0}})
        assert caught[0].filename == __file__


def test_model_options_for_a_backend_that_is_not_asked(runtime: ann.Runtime) -> None:
    network = ann.Network()
    x = network.add_input("x", ann.TensorInfo((4,)))
    network.add_output("y", network.add_floor(x))
    options: dict[str, Any] = {"Options": {"effort": 2}}
    with pytest.warns(ann.ArmnnWarning, match="model_options for Options") as caught:
        ann.optimize(network, ["CpuRef"], runtime=runtime, model_options=options)
    assert caught[0].filename == __file__
