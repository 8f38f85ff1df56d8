# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""A failure is the peer's if its traceback ends in the peer's package, else the benchmark's."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

Peers = Callable[[str], ModuleType]
PACKAGES = frozenset({"some_peer"})


@pytest.fixture
def some_peer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """A peer in Python, which refuses by itself or inside of numpy."""
    (tmp_path / "some_peer.py").write_text(
        "import numpy as np\n"
        "def refuse(): raise ValueError('no such layer')\n"
        "def reshape(): return np.zeros(3).reshape(2, 2)\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, "some_peer", raising=False)
    return importlib.import_module("some_peer")


def caught(call: Callable[[], object]) -> Exception:
    try:
        call()
    except Exception as error:
        return error
    raise AssertionError("nothing was raised")


@pytest.mark.parametrize("name", ["refuse", "reshape"])
def test_an_error_inside_of_the_peer_is_the_peer_s(
    name: str, peers: Peers, some_peer: ModuleType
) -> None:
    error = caught(getattr(some_peer, name))
    told = peers("blame").describe(error, PACKAGES)
    assert told["ours"] is False
    assert str(told["error"]).startswith("some_peer: ValueError: ")


def test_an_error_of_the_benchmark_s_own_code_is_ours(peers: Peers, some_peer: ModuleType) -> None:
    """In numpy too, where the benchmark called it."""
    error = caught(lambda: peers("engines").by_name(["args_7"], {"x": np.zeros(3)}))
    assert peers("blame").describe(error, PACKAGES)["ours"] is True
    error = caught(lambda: np.zeros(3).reshape(2, 2))
    assert peers("blame").describe(error, PACKAGES)["ours"] is True


def test_a_status_code_is_the_peer_s(peers: Peers) -> None:
    error = caught(lambda: peers("engines")._succeeded(-1, "extract"))
    told = peers("blame").describe(error, PACKAGES)
    assert told == {"error": "extract answers -1", "ours": False}


@pytest.mark.parametrize("code", [0, None, True])
def test_codes_of_success(code: object, peers: Peers) -> None:
    peers("engines")._succeeded(code, "input")


@pytest.mark.parametrize("fault", ["some_peer.refuse()", "np.zeros(3).reshape(2, 2)"])
def test_a_run_fails_by_a_fault_of_the_benchmark_alone(
    fault: str, peers: Peers, some_peer: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What the worker says of an engine decides about the exit status of compare.py."""
    blame = peers("blame")
    told = blame.describe(caught(lambda: eval(fault, {"np": np, "some_peer": some_peer})), PACKAGES)
    networks = {"n": {"1": {"torch": told, "openvino": {"median_ms": 1.0}}}}
    faults = blame.faults_of(networks)
    assert faults == ([f"torch, n: {told['error']}"] if "np" in fault else [])
