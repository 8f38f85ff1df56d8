# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""A backend without the kit, whose tables may end early, loads and computes."""

from __future__ import annotations

import numpy as np
import pytest
from abi_headers import REPOSITORY

import armnn_py
from armnn_py._native import abi

from .kit_driver import Backend, Info, binary

SOURCE = REPOSITORY / "tests" / "abi" / "short_tables.c"


@pytest.fixture(scope="module", params=["whole tables", "short tables"])
def backend(request, toolchain, tmp_path_factory):
    arguments = ["-DSHORT_TABLES"] if request.param == "short tables" else []
    path = tmp_path_factory.mktemp("short") / "Short_Add_backend.so"
    return toolchain.build_backend(SOURCE, path, *arguments)


def test_tables_are_read_by_the_present_mirror(backend):
    """Without the loader: what the compiler wrote, in the structures of the mirror."""
    opened = Backend(backend)
    assert opened.id == b"ShortAdd"
    assert opened.version[0] == abi.ARMNN_BACKEND_API_MAJOR
    assert opened.version[1] <= abi.ARMNN_BACKEND_API_MINOR
    info = Info((2, 3))
    work = opened.make(
        abi.ARMNN_LAYER_ELEMENTWISE_BINARY, binary(abi.ARMNN_BINARY_ADD), [info, info], [info]
    )
    a, b = np.arange(6, dtype=np.float32), np.full(6, 0.5, np.float32)
    y = np.empty(6, np.float32)
    assert work.run([a, b], [y]).status == abi.ARMNN_STATUS_OK
    np.testing.assert_array_equal(y, a + b)
    work.close()
    opened.close()


def test_loader_takes_it(backend):
    with armnn_py.Runtime(dynamic_backends_path=str(backend.parent)) as runtime:
        (verdict,) = [item for item in runtime.load_report if item.path == str(backend)]
        assert (verdict.status, verdict.id) == ("loaded", "ShortAdd"), verdict
        assert "ShortAdd" in runtime.device_spec.supported_backends


def test_network_runs_on_it(backend):
    network = armnn_py.Network("sum")
    a = network.add_input("a", armnn_py.TensorInfo((2, 3)))
    b = network.add_input("b", armnn_py.TensorInfo((2, 3)))
    network.add_output("y", network.add_addition(a, b))
    rng = np.random.default_rng(1)
    values = {name: rng.standard_normal((2, 3)).astype(np.float32) for name in "ab"}
    with (
        armnn_py.Runtime(dynamic_backends_path=str(backend.parent)) as runtime,
        armnn_py.load(network, backends=["ShortAdd"], runtime=runtime) as loaded,
    ):
        assert {entry.backend for entry in loaded.assignment} == {"ShortAdd"}
        result = loaded.run(values)
    np.testing.assert_array_equal(result["y"], values["a"] + values["b"])


def test_reason_for_a_refused_layer(backend):
    network = armnn_py.Network("product")
    a = network.add_input("a", armnn_py.TensorInfo((2, 3)))
    network.add_output("y", network.add_multiplication(a, a))
    with (
        armnn_py.Runtime(dynamic_backends_path=str(backend.parent)) as runtime,
        pytest.raises(armnn_py.errors.ArmnnError) as caught,
    ):
        armnn_py.load(network, backends=["ShortAdd"], runtime=runtime)
    assert "ShortAdd" in str(caught.value)
    assert "float32 Add" in str(caught.value)
