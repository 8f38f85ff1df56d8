# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""What C++ throws in a backend reaches the user as an error of that backend."""

from __future__ import annotations

import shutil
from dataclasses import replace

import numpy as np
import pytest
from abi_headers import INCLUDE_DIR

import armnn_py as ann

WARNINGS = ("-Wall", "-Wextra", "-Wpedantic", "-Werror")

# Sub's kernel throws by the first element; Mul's body throws in the host's pool; Div takes no
# tensor of five elements, in words that are thrown.
BACKEND = """
#include "armnn/guard.hpp"

#include <stdexcept>

static armnn_status_t throwing(const armnn_kernel_call_t* call, armnn_error_t* error) {
  switch (static_cast<int>(ARMNN_IN(call, 0, float)[0])) {
    case 1: throw std::runtime_error("tile 7 is full");
    case 2: throw std::bad_alloc();
    case 3: throw 3;
    case 4: return armnn_fail(error, ARMNN_STATUS_INVALID_ARGUMENT, "told, not thrown");
    default: ARMNN_OUT(call, 0, float)[0] = 42.0f; return ARMNN_STATUS_OK;
  }
}

static armnn_status_t range(void* argument, uint64_t begin, uint64_t, uint32_t) {
  if (begin == 0) throw std::bad_alloc();
  *static_cast<float*>(argument) = 1.0f;
  return ARMNN_STATUS_OK;
}

static armnn_status_t in_pool(const armnn_kernel_call_t* call, armnn_error_t*) {
  return armnn_parallel_for(call->host, armnn::guarded<range>, call->outputs[0], 1, 1, 0);
}

static armnn_status_t unsupported(const armnn_layer_query_t* query, armnn_error_t* reason) {
  return armnn::guard(reason, [&]() -> armnn_status_t {
    try {
      if (query->input_infos[0]->element_count == 5) throw std::domain_error("not of five");
    } catch (const std::domain_error& refusal) {
      return armnn_fail(reason, ARMNN_STATUS_UNSUPPORTED, "%s", refusal.what());
    }
    return ARMNN_STATUS_OK;
  });
}

static const armnn_kernel_t kernels[] = {
    ARMNN_KERNEL_BINARY(SUB, FLOAT32, armnn::guarded<throwing>),
    ARMNN_KERNEL_BINARY(MUL, FLOAT32, armnn::guarded<in_pool>),
    ARMNN_KERNEL_FULL(ELEMENTWISE_BINARY, ARMNN_BINARY_DIV, FLOAT32, armnn::guarded<throwing>,
                      armnn::guarded<unsupported>, nullptr, nullptr),
};
ARMNN_DEFINE_BACKEND("Thrower", kernels)
"""


def network(function: str, count: int = 1) -> ann.Network:
    made = ann.Network()
    x = made.add_input("x", ann.TensorInfo((count,)))
    made.add_output("y", getattr(made, f"add_{function}")(x, x, name="odd"))
    return made


@pytest.fixture(scope="module")
def runtime(toolchain, tmp_path_factory):
    folder = tmp_path_factory.mktemp("thrower")
    source = folder / "backend.cpp"
    source.write_text(BACKEND, encoding="utf-8")
    toolchain.build_backend(source, folder / "Test_Thrower_backend.so", language="c++")
    with ann.Runtime(folder) as made:
        assert "Thrower" in made.backends
        yield made


@pytest.mark.parametrize(
    ("value", "status", "text"),
    [
        pytest.param(1, "internal", "tile 7 is full", id="std::exception"),
        pytest.param(2, "out of memory", "out of memory", id="std::bad_alloc"),
        pytest.param(3, "internal", "an exception that is not a std::exception", id="int"),
        pytest.param(4, "invalid argument", "told, not thrown", id="a status"),
    ],
)
def test_kernel_exception_reaches_the_user(runtime, value, status, text) -> None:
    with ann.load(network("subtraction"), ["Thrower"], runtime=runtime) as loaded:
        with pytest.raises(ann.ExecutionError) as caught:
            loaded.run({"x": np.array([value], np.float32)})
        assert "Thrower" in str(caught.value)
        assert "odd" in str(caught.value)
        assert text in str(caught.value)
        assert status in str(caught.value)
        assert loaded.run({"x": np.zeros(1, np.float32)})["y"] == [42]  # it lives on


def test_profiles_name_the_kernel_and_not_its_guard(runtime) -> None:
    with ann.load(network("subtraction"), ["Thrower"], runtime=runtime) as loaded:
        with loaded.profile() as profile:
            loaded.run({"x": np.zeros(1, np.float32)})
        assert [layer.kernel for layer in profile.layers] == ["throwing"]


def test_exception_in_a_pool_body_becomes_a_status(runtime) -> None:
    with (
        ann.load(network("multiplication"), ["Thrower"], runtime=runtime) as loaded,
        pytest.raises(ann.ExecutionError, match="OUT_OF_MEMORY"),
    ):
        loaded.run({"x": np.ones(1, np.float32)})


def test_exception_in_a_support_query_is_a_refusal(runtime) -> None:
    with pytest.raises(ann.NoBackendForLayerError, match="not of five"):
        ann.load(network("division", 5), ["Thrower"], runtime=runtime)
    ann.load(network("division", 4), ["Thrower"], runtime=runtime).close()


@pytest.mark.parametrize("compiler", ["g++", "clang++"])
@pytest.mark.parametrize("standard", ["c++17", "c++20", "c++2b"])
def test_the_guard_compiles_without_a_warning(toolchain, tmp_path, compiler, standard) -> None:
    if shutil.which(compiler) is None:
        pytest.skip(f"{compiler} is not installed")
    done = replace(toolchain, cxx=(compiler,)).run(
        *(f"-std={standard}", *WARNINGS, "-Wshadow", f"-I{INCLUDE_DIR}", "-O2", "-c"),
        *("-x", "c++", "-", "-o", tmp_path / "backend.o"),
        language="c++",
        text=BACKEND,
    )
    assert done.returncode == 0, done.stderr


def test_only_functions_of_the_interface_fit(toolchain) -> None:
    """A kernel that returns no status, or has another list of arguments, is not a row."""
    for wrong in (
        "static void f(const armnn_kernel_call_t*, armnn_error_t*) {}",
        "static armnn_status_t f(armnn_error_t*) { return 0; }",
    ):
        done = toolchain.run(
            *("-std=c++17", f"-I{INCLUDE_DIR}", "-fsyntax-only", "-x", "c++", "-"),
            language="c++",
            text=f'#include "armnn/guard.hpp"\n{wrong}\n'
            "armnn_kernel_execute_fn_t row = armnn::guarded<f>;\n",
        )
        assert done.returncode != 0
