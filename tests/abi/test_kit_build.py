# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""A backend of a dozen lines is one in C and in C++, without a warning, with three exports."""

from __future__ import annotations

import ctypes
import re

import pytest
from abi_headers import REPOSITORY

from armnn_py._native import abi

from .kit_driver import Backend

elffile = pytest.importorskip("elftools.elf.elffile")

EXAMPLE = REPOSITORY / "examples" / "out_of_tree_backend" / "backend.c"
KIT_BACKEND = REPOSITORY / "tests" / "abi" / "kit_backend.c"
EXPORTS = {"GetBackendId", "GetVersion", "BackendFactory"}


def exported(path):
    with path.open("rb") as stream:
        symbols = elffile.ELFFile(stream).get_section_by_name(".dynsym")
        return {
            symbol.name
            for symbol in symbols.iter_symbols()
            if symbol["st_shndx"] != "SHN_UNDEF" and symbol["st_info"]["bind"] != "STB_LOCAL"
        }


@pytest.mark.parametrize("language", ["c", "c++"])
@pytest.mark.parametrize("source", [EXAMPLE, KIT_BACKEND], ids=["example", "whole kit"])
def test_backend_builds_with_exactly_three_exports(toolchain, tmp_path, source, language):
    path = toolchain.build_backend(source, tmp_path / "Acme_Kit_backend.so", language=language)
    assert exported(path) == EXPORTS


def test_three_exports_need_no_version_script(toolchain, tmp_path):
    """Hidden visibility alone is enough for C, so that any build system will do."""
    target = tmp_path / "plain.so"
    done = toolchain.run(
        *("-std=c11", "-shared", "-fPIC", "-fvisibility=hidden"),
        *(f"-I{REPOSITORY / 'native' / 'include'}", EXAMPLE, "-o", target),
    )
    assert done.returncode == 0, done.stderr
    assert exported(target) == EXPORTS


def test_cpp_backend_works_and_needs_no_cpp_runtime(toolchain, tmp_path):
    """Compiled as C++, linked as C: whoever uses the kit alone brings no second C++ library."""
    part, path = tmp_path / "backend.o", tmp_path / "Acme_Kit_backend.so"
    include = f"-I{REPOSITORY / 'native' / 'include'}"
    options = ("-std=c++17", "-fPIC", "-fvisibility=hidden", include, "-c", "-x", "c++")
    done = toolchain.run(*options, EXAMPLE, "-o", part, language="c++")
    assert done.returncode == 0, done.stderr
    done = toolchain.run("-shared", "-Wl,--no-undefined", part, "-o", path)
    assert done.returncode == 0, done.stderr
    backend = Backend(path)
    assert backend.id == b"AcmeNpu"
    backend.close()


def test_the_example_is_a_dozen_lines():
    lines = EXAMPLE.read_text(encoding="utf-8").splitlines()
    assert len([line for line in lines if line.strip()]) <= 13


def test_a_throwing_kernel_does_not_compile_as_cpp(toolchain):
    text = EXAMPLE.read_text(encoding="utf-8")
    arguments = ("-std=c++17", f"-I{REPOSITORY / 'native' / 'include'}", "-fsyntax-only")
    good = toolchain.run(*arguments, "-x", "c++", "-", language="c++", text=text)
    assert good.returncode == 0, good.stderr
    throwing = text.replace("ARMNN_NOEXCEPT {", "{", 1)
    assert throwing != text
    bad = toolchain.run(*arguments, "-x", "c++", "-", language="c++", text=throwing)
    assert bad.returncode != 0


OPTIONS = """
#include "armnn/backend_kit.h"

static const armnn_string_t modes[] = {ARMNN_TEXT("fast"), ARMNN_TEXT("exact")};
#define LIST(X)                                                                                \\
  X(ARMNN_DEFAULT_BOOL("a", 1), ARMNN_SAY("help", 0))                                          \\
  X(ARMNN_DEFAULT_INT("b", -1), ARMNN_SAY_RANGE("help", "ms", -2, 2, 0))                       \\
  X(ARMNN_DEFAULT_UINT("c", 1), ARMNN_SAY_RANGE("help", "", 1, 2, ARMNN_OPTION_CHANGEABLE))    \\
  X(ARMNN_DEFAULT_FLOAT("d", 0.5), ARMNN_SAY_REAL_RANGE("help", "", 0.0, 1.0, 0))              \\
  X(ARMNN_DEFAULT_STRING("e", "fast"), ARMNN_SAY_CHOICES("help", modes, ARMNN_OPTION_SECRET))
ARMNN_KIT_OPTIONS(all_options, LIST)
extern const armnn_kit_options_t options;
const armnn_kit_options_t options = ARMNN_KIT_OPTIONS_OF(all_options);
"""


@pytest.mark.parametrize(("language", "standard"), [("c", "c11"), ("c++", "c++17")])
def test_one_list_makes_options_in_both_languages(toolchain, language, standard):
    flags = ("-Wall", "-Wextra", "-Wpedantic", "-Werror", "-fsyntax-only")
    include = f"-I{REPOSITORY / 'native' / 'include'}"
    done = toolchain.run(
        f"-std={standard}", *flags, include, "-x", language, "-", language=language, text=OPTIONS
    )
    assert done.returncode == 0, done.stderr


def test_misspelt_layer_or_operation_does_not_compile(toolchain):
    text = EXAMPLE.read_text(encoding="utf-8").replace("BINARY(ADD,", "BINARY(ADDD,")
    done = toolchain.run(
        *("-std=c11", f"-I{REPOSITORY / 'native' / 'include'}", "-fsyntax-only", "-x", "c", "-"),
        text=text,
    )
    assert done.returncode != 0
    assert "ARMNN_BINARY_ADDD" in done.stderr


def test_table_says_what_the_macros_were_given(toolchain, tmp_path):
    backend = Backend(toolchain.build_backend(KIT_BACKEND, tmp_path / "Acme_Kit_backend.so"))
    assert backend.id == b"KitTest"
    assert ctypes.string_at(backend.api.get_id(backend.backend)) == b"KitTest"
    assert backend.version == (abi.ARMNN_BACKEND_API_MAJOR, abi.ARMNN_BACKEND_API_MINOR)
    assert backend.api.header.struct_type == abi.ARMNN_STRUCT_BACKEND
    assert backend.api.built_minor == abi.ARMNN_BACKEND_API_MINOR
    assert backend.api.flags == 0  # the author has to say that it may be unloaded
    assert (backend.api.score, backend.api.vendor_version) == (42, b"2.5-beta")
    assert backend.api.description == b"A backend for the tests of the kit"
    backend.close()


def test_defaults_of_the_short_macro(toolchain, tmp_path):
    backend = Backend(toolchain.build_backend(EXAMPLE, tmp_path / "Acme_Kit_backend.so"))
    assert (backend.api.score, backend.api.vendor_version, backend.api.description) == (
        1,
        None,
        None,
    )
    optional = [
        name for name, kind in abi.armnn_backend_api_t._fields_ if not getattr(backend.api, name)
    ]
    assert "optimize_subgraph_view" in optional
    assert not {"create", "destroy", "get_id", "get_layer_support"} & set(optional)
    backend.close()


def test_target_minor_is_what_get_version_reports(toolchain, tmp_path):
    """An author with a new header builds a file that an older host takes."""
    path = toolchain.build_backend(
        EXAMPLE, tmp_path / "Acme_Kit_backend.so", "-DARMNN_TARGET_MINOR=0u"
    )
    backend = Backend(path)
    assert backend.version == (abi.ARMNN_BACKEND_API_MAJOR, 0)
    assert backend.api.built_minor == abi.ARMNN_BACKEND_API_MINOR
    backend.close()


def test_target_minor_above_the_headers_is_refused(toolchain):
    done = toolchain.run(
        *("-std=c11", f"-I{REPOSITORY / 'native' / 'include'}", "-DARMNN_TARGET_MINOR=7u"),
        *("-fsyntax-only", "-x", "c", "-"),
        text='#include "armnn/backend_api.h"\n',
    )
    assert done.returncode != 0
    assert "ARMNN_TARGET_MINOR is above ARMNN_BACKEND_API_MINOR" in done.stderr


@pytest.mark.parametrize("kind", ["address", "thread"])
def test_sanitizer_builds_say_so(toolchain, kind):
    done = toolchain.run(
        *("-std=c11", f"-I{REPOSITORY / 'native' / 'include'}", f"-fsanitize={kind}", "-E"),
        *("-P", "-x", "c", "-"),
        text='#include "armnn/backend_api.h"\nanswer = ARMNN_BUILD_FEATURES;\n',
    )
    if done.returncode != 0:
        pytest.skip(f"this compiler has no -fsanitize={kind}")
    bit = {"address": 0, "thread": 1}[kind]
    assert re.search(rf"answer = \(.*1.* << {bit}\);", done.stdout), done.stdout[-200:]
