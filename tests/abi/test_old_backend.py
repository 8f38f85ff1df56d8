# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Backends built from the frozen first headers keep loading and computing.

The host may have grown since; these files have not. One is written by hand, with tables as small
as tables can be, and one uses the kit of that time.
"""

from __future__ import annotations

import numpy as np
import pytest
from abi_headers import REPOSITORY
from freeze_abi import FROZEN_DIR

import armnn_py
from armnn_py._native import abi

from .kit_driver import Backend, Info, binary

HAND_WRITTEN = REPOSITORY / "tests" / "abi" / "old_backend.c"
# The author's file of that time: the frozen kit is used as its own documentation shows it.
KIT_SOURCE = """
#include "armnn/backend_kit.h"
static armnn_status_t add_f32(const armnn_kernel_call_t* call, armnn_error_t* error) {
  (void)error;
  const float *a = ARMNN_IN(call, 0, float), *b = ARMNN_IN(call, 1, float);
  for (uint64_t i = 0; i < ARMNN_COUNT(call); ++i) ARMNN_OUT(call, 0, float)[i] = a[i] + b[i];
  return ARMNN_STATUS_OK;
}
static const armnn_kernel_t kernels[] = {ARMNN_KERNEL_BINARY(ADD, FLOAT32, add_f32)};
ARMNN_DEFINE_BACKEND("OldAdd", kernels)
"""


@pytest.fixture(scope="module", params=["whole tables", "short tables", "kit"])
def old_backend(request, toolchain, tmp_path_factory):
    folder = tmp_path_factory.mktemp("old")
    source, arguments = HAND_WRITTEN, []
    if request.param == "kit":
        source = folder / "old.c"
        source.write_text(KIT_SOURCE, encoding="utf-8")
    elif request.param == "short tables":
        arguments = ["-DOLD_SHORT_TABLES"]
    path = folder / "Old_Add_backend.so"
    return toolchain.build_backend(source, path, *arguments, include_dir=FROZEN_DIR)


def test_tables_are_read_by_the_present_mirror(old_backend):
    """No loader between: the bytes of the old header in the structures of today."""
    backend = Backend(old_backend)
    assert backend.id == b"OldAdd"
    assert backend.version[0] == abi.ARMNN_BACKEND_API_MAJOR
    assert backend.version[1] <= abi.ARMNN_BACKEND_API_MINOR
    info = Info((2, 3))
    work = backend.make(
        abi.ARMNN_LAYER_ELEMENTWISE_BINARY, binary(abi.ARMNN_BINARY_ADD), [info, info], [info]
    )
    a, b = np.arange(6, dtype=np.float32), np.full(6, 0.5, np.float32)
    y = np.empty(6, np.float32)
    assert work.run([a, b], [y]).status == abi.ARMNN_STATUS_OK
    np.testing.assert_array_equal(y, a + b)
    work.close()
    backend.close()


def test_loader_takes_it(old_backend):
    with armnn_py.Runtime(dynamic_backends_path=str(old_backend.parent)) as runtime:
        (verdict,) = [item for item in runtime.load_report if item.path == str(old_backend)]
        assert (verdict.status, verdict.id) == ("loaded", "OldAdd"), verdict
        assert "OldAdd" in runtime.device_spec.supported_backends


def test_network_runs_on_it(old_backend):
    network = armnn_py.Network("sum")
    a = network.add_input("a", armnn_py.TensorInfo((2, 3)))
    b = network.add_input("b", armnn_py.TensorInfo((2, 3)))
    network.add_output("y", network.add_addition(a, b))
    rng = np.random.default_rng(1)
    values = {name: rng.standard_normal((2, 3)).astype(np.float32) for name in "ab"}
    with (
        armnn_py.Runtime(dynamic_backends_path=str(old_backend.parent)) as runtime,
        armnn_py.load(network, backends=["OldAdd"], runtime=runtime) as loaded,
    ):
        assert {entry.backend for entry in loaded.assignment} == {"OldAdd"}
        result = loaded.run(values)
    np.testing.assert_array_equal(result["y"], values["a"] + values["b"])


def test_it_says_why_it_refuses_a_layer(old_backend):
    network = armnn_py.Network("product")
    a = network.add_input("a", armnn_py.TensorInfo((2, 3)))
    network.add_output("y", network.add_multiplication(a, a))
    with (
        armnn_py.Runtime(dynamic_backends_path=str(old_backend.parent)) as runtime,
        pytest.raises(armnn_py.errors.ArmnnError) as caught,
    ):
        armnn_py.load(network, backends=["OldAdd"], runtime=runtime)
    assert "OldAdd" in str(caught.value)
    assert "float32 Add" in str(caught.value) or "no kernel for Mul" in str(caught.value)
