# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Names of other runtimes get a hint at the name here."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import armnn_py as ann
from armnn_py.habits import _HABITS

DEMO = Path(ann.__file__).parent / "demo" / "digits.onnx"


@pytest.fixture(scope="module")
def network() -> Iterator[ann.LoadedNetwork]:
    with ann.load(DEMO, ["CpuRef"]) as loaded:
        yield loaded


@pytest.mark.parametrize("name", _HABITS["armnn_py"])
def test_names_of_the_package(name: str) -> None:
    with pytest.raises(AttributeError, match=f"module 'armnn_py' has no attribute '{name}'\nhint:"):
        getattr(ann, name)


@pytest.mark.parametrize("name", _HABITS["LoadedNetwork"])
def test_names_of_a_network(network: ann.LoadedNetwork, name: str) -> None:
    with pytest.raises(AttributeError, match=f"'LoadedNetwork' object .* '{name}'\nhint:"):
        getattr(network, name)


@pytest.mark.parametrize("name", _HABITS["load()"])
def test_arguments_of_load(name: str) -> None:
    assert name not in inspect.signature(ann.load).parameters
    with pytest.raises(TypeError, match=f"unexpected keyword argument '{name}'\nhint: "):
        ann.load(DEMO, **{name: 1})


def test_run_with_names_first(network: ann.LoadedNetwork) -> None:
    feed = {"image": np.zeros((1, 1, 8, 8), np.float32)}
    with pytest.raises(TypeError) as caught:
        network.run(None, feed)
    assert str(caught.value).splitlines() == [
        "run() takes 1 positional argument, 2 given",
        "hint: ONNX Runtime's run(names, feed) is here run(feed, outputs=names)",
    ]


@pytest.mark.parametrize("name", ["output_names", "input_feed", "run_options"])
def test_run_with_the_names_of_arguments(network: ann.LoadedNetwork, name: str) -> None:
    given = {name: None, "output_names": None, "input_feed": {}}  # the first one is told
    with pytest.raises(TypeError) as caught:
        network.run(**given)
    assert str(caught.value).splitlines() == [
        f"run() got an unexpected keyword argument '{name}'",
        "hint: ONNX Runtime's run(names, feed) is here run(feed, outputs=names)",
    ]
    with pytest.raises(TypeError, match=r"unexpected keyword argument 'nonsense'$"):
        network.run({}, nonsense=1)


def test_run_without_inputs(network: ann.LoadedNetwork) -> None:
    with pytest.raises(ann.InvalidArgumentError, match="input 'image': None given"):
        network.run()


def test_other_names_have_plain_errors(network: ann.LoadedNetwork) -> None:
    for subject in (ann, network):
        assert not hasattr(subject, "nonsense")
        with pytest.raises(AttributeError) as caught:
            _ = subject.nonsense
        assert "hint" not in str(caught.value)
        assert caught.value.name == "nonsense"
    with pytest.raises(TypeError, match=r"unexpected keyword argument 'nonsense'$"):
        ann.load(DEMO, nonsense=1)
