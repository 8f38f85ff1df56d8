# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The headers compile alone, in both languages, with every warning an error."""

from __future__ import annotations

import re
import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from abi_headers import INCLUDE_DIR

from .abi_layout import measure_all

WARNINGS = ("-Wall", "-Wextra", "-Wpedantic", "-Werror")
ABI_HEADERS = ("types.h", "descriptors.h", "backend_api.h", "runtime.h")
KITS = ("backend_kit.h", "compile_kit.h", "compile_cache.h", "layer_rules.h")
KITS += tuple(f"kit_{part}.h" for part in ("base", "options", "rows", "hooks", "support"))
KITS += ("kit_workloads.h", "kit_entry.h", "lasting_constants.h", "loading_time.h")
CPP_KITS = ("guard.hpp",)
RULES_DIR = Path(__file__).parents[2] / "backends_c" / "common" / "include"
# Each with the name that it had before it was one.
STANDARDS = {
    "c": (("c11",), ("c17",), ("c23", "c2x"), ("c2y",)),
    "c++": (("c++17",), ("c++20",), ("c++23", "c++2b"), ("c++26", "c++2c")),
}


def test_the_header_of_backends_can_be_read_from_top_to_bottom():
    lines = (INCLUDE_DIR / "armnn" / "backend_api.h").read_text(encoding="utf-8").splitlines()
    assert len(lines) <= 1000


@pytest.fixture(params=["the default compiler", "clang"])
def each_compiler(request, toolchain):
    if request.param != "clang":
        return toolchain
    if shutil.which("clang") is None or shutil.which("clang++") is None:
        pytest.skip("clang is not installed")
    return replace(toolchain, c=("clang",), cxx=("clang++",))


@pytest.mark.parametrize(
    ("language", "names"),
    [(language, names) for language, standards in STANDARDS.items() for names in standards],
    ids=lambda value: value if isinstance(value, str) else value[0],
)
def test_headers_compile_alone(each_compiler, language, names):
    """One run for each header: what one leaves behind must not help the next."""
    include = (f"-I{INCLUDE_DIR}", f"-I{RULES_DIR}", "-fsyntax-only", "-x", language, "-")
    known = [
        name
        for name in names
        if each_compiler.run(f"-std={name}", *include, language=language, text="").returncode == 0
    ]
    if not known:
        assert names in (("c2y",), ("c++26", "c++2c")), "too old a compiler"
        pytest.skip(f"the compiler does not know {names[0]}")
    for header in [*ABI_HEADERS, *KITS, *(CPP_KITS if language == "c++" else ())]:
        padded = ("-Wpadded",) if header in ABI_HEADERS else ()  # the kits cross no border
        done = each_compiler.run(
            *(f"-std={known[0]}", *WARNINGS, *padded, *include),
            language=language,
            text=f'#include "armnn/{header}"\n',
        )
        assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("header", ABI_HEADERS)
def test_header_needs_no_c_library(toolchain, header):
    """A vendor's device compiler has stddef.h and stdint.h and perhaps nothing more."""
    text = (INCLUDE_DIR / "armnn" / header).read_text(encoding="utf-8")
    included = set(re.findall(r'#include [<"](.+)[>"]', text))
    assert included <= {"stddef.h", "stdint.h", *(f"armnn/{name}" for name in ABI_HEADERS)}
    done = toolchain.run(
        *("-std=c11", "-ffreestanding", *WARNINGS, f"-I{INCLUDE_DIR}", "-fsyntax-only"),
        *("-x", "c", "-"),
        text=f'#include "armnn/{header}"\n',
    )
    assert done.returncode == 0, done.stderr


def test_padding_warning_would_fire(toolchain):
    done = toolchain.run(
        *("-std=c11", "-Wpadded", "-Werror", f"-I{INCLUDE_DIR}", "-fsyntax-only", "-x", "c", "-"),
        text='#include "armnn/types.h"\n'
        "typedef struct { armnn_header_t header; uint32_t a; void* b; } hole;\n"
        "uint64_t size_of_hole = sizeof(hole);\n",
    )
    assert done.returncode != 0


def test_short_enums_change_nothing(toolchain, layout):
    assert measure_all(command=[*toolchain.c, "-fshort-enums"]) == layout


@pytest.mark.parametrize(
    "target", ["aarch64-linux-gnu", "riscv64-linux-gnu", "x86_64-linux-gnu", "x86_64-windows-gnu"]
)
def test_every_64_bit_machine_has_the_same_layout(layout, target):
    clang = shutil.which("clang")
    if clang is None:
        pytest.skip("clang compiles for other machines; it is not installed")
    assert measure_all(command=[clang, f"--target={target}"]) == layout


def test_an_older_cpp_is_refused_with_a_message(toolchain):
    done = toolchain.run(
        *("-std=c++14", f"-I{INCLUDE_DIR}", "-fsyntax-only", "-x", "c++", "-"),
        language="c++",
        text='#include "armnn/backend_api.h"\n',
    )
    assert done.returncode != 0
    assert "these headers need C++17 or later" in done.stderr


def test_a_throwing_function_is_not_a_table_member(toolchain):
    """noexcept is part of the type in C++17, so that an exception cannot leave a backend."""
    text = (
        '#include "armnn/backend_api.h"\n'
        "static void destroy(armnn_backend_t*) %s {}\n"
        "armnn_backend_api_t table() { armnn_backend_api_t t{}; t.destroy = destroy; return t; }\n"
    )
    arguments = ("-std=c++17", f"-I{INCLUDE_DIR}", "-fsyntax-only", "-x", "c++", "-")
    good = toolchain.run(*arguments, language="c++", text=text % "noexcept")
    assert good.returncode == 0, good.stderr
    bad = toolchain.run(*arguments, language="c++", text=text % "")
    assert bad.returncode != 0
    assert "noexcept" in bad.stderr or "different exception specifications" in bad.stderr


def test_static_backends_get_prefixed_entry_points(toolchain, tmp_path):
    target = tmp_path / "static.s"
    done = toolchain.run(
        *("-std=c11", *WARNINGS, f"-I{INCLUDE_DIR}", "-DARMNN_STATIC_BACKEND=Acme", "-S"),
        *("-x", "c", "-", "-o", target),
        text='#include "armnn/backend_kit.h"\n'
        "static const armnn_kernel_t kernels[1] = {{0}};\n"
        'ARMNN_DEFINE_BACKEND("Acme", kernels)\n',
    )
    assert done.returncode == 0, done.stderr
    labels = set(re.findall(r"\.globl\s+(\w+)", target.read_text(encoding="utf-8")))
    assert labels == {"Acme_GetBackendId", "Acme_GetVersion", "Acme_BackendFactory"}
