# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Backends written in Python: options with descriptions, options of a run, notices of runs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import armnn_py as ann
from armnn_py.python_backend import KernelCall, Option, PythonBackend, Run, kernel

X = np.float32([1, -2, 3])


class Scaling(PythonBackend):
    """Multiplies."""

    id = "Scaling"
    option_defaults = {  # noqa: RUF012
        "factor": Option(2, help="multiplies", unit="times", minimum=1, changeable=True),
        "mode": Option("fast", choices=("fast", "exact")),
        "ratio": Option(0.5, maximum=1),
        "key": Option("hunter1", secret=True),
        "plain": True,
    }
    run_option_defaults = {"gain": Option(1.0, minimum=-4, maximum=4.0), "veto": False}  # noqa: RUF012

    def __init__(self) -> None:
        self.told: list[tuple[str, Run]] = []

    def before_run(self, run: Run) -> None:
        self.told.append(("before", run))
        if run.options.get("veto"):
            raise RuntimeError("not today")

    def after_run(self, run: Run) -> None:
        self.told.append(("after", run))

    @kernel(ann.LayerType.ELEMENTWISE_UNARY, ann.DataType.FLOAT32)
    def multiply(self, call: KernelCall) -> Any:
        if call.layer.descriptor.operation == ann.UnaryOperation.LOG:
            raise ValueError("no logarithms here")
        by = self.options["factor"] * call.run_options.get("gain", 1.0)
        return (call.inputs[0] * by).astype(np.float32)


@pytest.fixture
def backend() -> Scaling:
    return Scaling()


@pytest.fixture
def runtime(backend: Scaling) -> Iterator[ann.Runtime]:
    with ann.Runtime(python_backends=[backend]) as runtime:
        yield runtime


def load(runtime: ann.Runtime, operation: str = "ABS") -> ann.LoadedNetwork:
    network = ann.Network()
    x = network.add_input("x", ann.TensorInfo((3,)))
    y = network.add_elementwise_unary(x, ann.UnaryOperation[operation], name="layer")
    network.add_output("y", y)
    return ann.load(network, ["Scaling"], runtime=runtime)


def test_descriptions(runtime: ann.Runtime) -> None:
    options = {one.name: one for one in runtime.backends["Scaling"].describe_options()}
    assert list(options) == ["factor", "mode", "ratio", "key", "plain", "gain", "veto"]
    factor = options["factor"]
    assert (factor.help, factor.unit, factor.changeable) == ("multiplies", "times", True)
    assert (factor.minimum, factor.maximum) == (1, 2**63 - 1)
    assert (options["ratio"].minimum, options["ratio"].maximum) == (float("-inf"), 1)
    assert options["mode"].choices == ("fast", "exact")
    assert options["plain"].help == ""
    assert "hunter" not in repr(options)


def test_options_of_a_run(runtime: ann.Runtime) -> None:
    with load(runtime) as network:
        gained = network.run(X, options={"Scaling": {"gain": -3}})["y"]
        np.testing.assert_array_equal(gained, -6 * X)
        np.testing.assert_array_equal(network.run(X)["y"], 2 * X)
        with pytest.raises(ann.InvalidArgumentError, match="'gain' is 5, a value of type float fr"):
            network.run(X, options={"Scaling": {"gain": 5}})


def test_notices(runtime: ann.Runtime, backend: Scaling) -> None:
    with load(runtime) as network, load(runtime, "LOG") as failing:
        network.run(X, options={"Scaling": {"gain": 2.0}})
        with pytest.raises(ann.ExecutionError, match="layer 'layer'"):
            failing.run(X)
        numbers = [network.id, failing.id]
    assert [name for name, _ in backend.told] == ["before", "after", "before", "after"]
    runs = [run for _, run in backend.told]
    assert [run.status for run in runs] == ["ok", "ok", "ok", "internal"]
    assert [run.network_id for run in runs[::2]] == numbers
    assert runs[0].run_id == runs[1].run_id != runs[2].run_id
    assert runs[0].options == runs[1].options == {"gain": 2.0}


def test_a_run_that_is_refused(runtime: ann.Runtime, backend: Scaling) -> None:
    with load(runtime) as network:
        with pytest.raises(ann.ExecutionError, match="did not let the run begin") as caught:
            network.run(X, options={"Scaling": {"veto": True}})
        assert isinstance(caught.value.__cause__, RuntimeError)
        assert [name for name, _ in backend.told] == ["before"]
        np.testing.assert_array_equal(network.run(X)["y"], 2 * X)


def test_an_option_that_changes(runtime: ann.Runtime) -> None:
    with load(runtime) as network:
        runtime.backends["Scaling"].set_option("factor", 5)
        np.testing.assert_array_equal(network.run(X)["y"], 5 * X)


def test_a_change_that_the_backend_refuses() -> None:
    class Stubborn(Scaling):
        id = "Stubborn"

        def set_option(self, name: str, value: object) -> None:
            raise ValueError(f"{name} stays")

    with ann.Runtime(python_backends=[Stubborn()]) as runtime:
        backend = runtime.backends["Stubborn"]
        with pytest.raises(ann.BackendError, match="set_option of 'factor' failed") as caught:
            backend.set_option("factor", 3)
        assert "factor stays" in str(caught.value)
        assert backend.options["factor"] == 2


@pytest.mark.parametrize(
    ("option", "words"),
    [
        (Option(2, minimum=1.5), r"option_defaults\['n'\]: minimum is 1.5"),
        (Option(2, help=3), r"option_defaults\['n'\]: help is 3"),  # type: ignore[arg-type]
        (Option([]), r"option_defaults\['n'\] is \[\], a bool"),  # type: ignore[arg-type]
    ],
)
def test_descriptions_of_wrong_types(option: Option, words: str) -> None:
    class Wrong(PythonBackend):
        id = "Wrong"
        option_defaults = {"n": option}  # noqa: RUF012

    with pytest.raises(ann.InvalidArgumentError, match=words):
        ann.Runtime(python_backends=[Wrong()])


@pytest.mark.filterwarnings("ignore::armnn_py.BackendSkippedWarning")
def test_descriptions_that_make_no_sense() -> None:
    class Wrong(PythonBackend):
        id = "Wrong"
        option_defaults = {"n": Option(9, maximum=5)}  # noqa: RUF012

    with ann.Runtime(python_backends=[Wrong()]) as runtime:
        (verdict,) = (one for one in runtime.load_report if one.id == "Wrong")
        assert "backend option 'n' does not allow its default 9" in verdict.reason


def test_a_backend_that_does_not_listen_costs_nothing() -> None:
    class Quiet(PythonBackend):
        id = "Quiet"

    with ann.Runtime(python_backends=[Quiet()]) as runtime:
        assert runtime.backends["Quiet"].context is None
