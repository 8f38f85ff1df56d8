# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Backends that get the libraries they need for themselves: ``dlmopen``."""

from __future__ import annotations

import ctypes
import platform
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import armnn_py as ann
from armnn_py._native.table import dynamic_library
from armnn_py.backends import load_backends
from armnn_py.backends.loader import shared_library
from armnn_py.errors import InvalidArgumentError

from .harness import FIXTURES, INCLUDE, Workshop

SCRIPTS = Path(__file__).resolve().parents[2] / "scripts"

pytestmark = pytest.mark.skipif(
    not hasattr(ctypes.CDLL(None), "dlmopen"), reason="this system's loader has no namespaces"
)


def vendor(workshop: Workshop, folder: Path, name: str, number: int) -> Path:
    """A backend whose ``vend`` returns what its vendor's ``libvend.so.1`` does."""
    folder.mkdir()
    library, backend = folder / "libvend.so.1", folder / f"Test_{name}_backend.so"
    shown = '__attribute__((visibility("default"))) '
    (folder / "vend.c").write_text(f"{shown}int vendor(void) {{ return {number}; }}\n")
    workshop.compile(folder / "vend.c", library, "-Wl,-soname,libvend.so.1")
    (folder / "both.c").write_text(
        f'#include "{FIXTURES / "bad_backend.c"}"\nint vendor(void);\n'
        f"{shown}int vend(void) {{ return vendor(); }}\n"
    )
    flags = [f'-DBACKEND_ID="{name}"', f"-I{INCLUDE}", f"-I{FIXTURES}", "-Wl,-rpath,$ORIGIN"]
    workshop.compile(folder / "both.c", backend, *flags, str(library))
    return folder


def vend(name: str) -> int:
    """The verdict of the loaded file of that backend."""
    (library,) = (
        one
        for one in shared_library._libraries.values()
        if one.path.endswith(f"_{name}_backend.so")
    )
    address = dynamic_library.symbol(library.handle, "vend")
    assert address is not None
    answer: int = ctypes.CFUNCTYPE(ctypes.c_int)(address)()
    return answer


@pytest.mark.parametrize("private", [[], ["Two"], ["Test_Two"], ["One", "Two"]])
def test_two_vendors_with_a_library_of_one_name(
    tmp_path: Path, workshop: Workshop, private: list[str]
) -> None:
    folders = [vendor(workshop, tmp_path / name, name, i) for i, name in ((1, "One"), (2, "Two"))]
    with load_backends(
        dynamic_backends_path=folders, bundled_backends=False, private_libraries=private
    ) as registry:
        assert list(registry) == ["One", "Two"]
        assert vend("One") == 1
        assert vend("Two") == (2 if private else 1)
        hint = registry.load_report.loaded[1].hint
        assert ("private_libraries" in hint) is not bool(private)
        assert not private or hint == ""


def test_networks_run_as_ever(
    dozen_folder: Path, monkeypatch: pytest.MonkeyPatch, build_backend: Any, tmp_path: Path
) -> None:
    x = np.linspace(-1, 1, 6, dtype=np.float32).reshape(2, 3)
    network = ann.Network()
    y = network.add_addition(network.add_input("x", ann.TensorInfo((2, 3))), x)
    network.add_output("y", network.add_softmax(y))
    monkeypatch.setenv("ARMNN_PY_PRIVATE_LIBRARIES", "Dozen, CpuAcc")
    with (
        ann.Runtime(dozen_folder) as runtime,
        ann.load(network, ["Dozen", "CpuAcc"], runtime=runtime) as loaded,
    ):
        found = loaded.run(x)["y"]
        keys = [key for key in shared_library._libraries if key[2]]
        assert len(keys) >= 2
    expected = np.exp(2 * x) / np.exp(2 * x).sum(axis=1, keepdims=True)
    np.testing.assert_allclose(found, expected, rtol=1e-5)


@pytest.mark.exhaustive(kept=2)
@pytest.mark.skipif(platform.machine() != "x86_64", reason="the words have this machine's signals")
@pytest.mark.parametrize(
    ("deed", "words"),
    [
        ("abort", "signal 6, reported"),
        ("stack", "signal 11, reported"),
        ("exit", "ends with 0"),
        ("round", "restored"),
        ("locale", "restored"),  # that of its own C library
    ],
)
def test_faults_end_as_elsewhere(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, deed: str, words: str
) -> None:
    monkeypatch.syspath_prepend(SCRIPTS)
    from generate_fault_table import PLACES, FaultTable

    (place,) = (place for place in PLACES if place.site == "execute")
    private = {"private_libraries": ["Deed"]}
    assert FaultTable(tmp_path).cell(place, deed, private) == words


def test_ids_of_no_sense() -> None:
    with pytest.raises(InvalidArgumentError, match="private_libraries: int given"):
        load_backends(private_libraries=7)  # type: ignore[arg-type]
