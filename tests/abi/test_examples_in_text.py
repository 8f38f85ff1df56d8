# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The code in comments of the headers, and in the page for authors, compiles.

What a fragment leaves out (kernels, a hook that is named and not shown) is declared here.
"""

from __future__ import annotations

import re

import pytest
from abi_headers import INCLUDE_DIR, REPOSITORY

WARNINGS = ("-Wall", "-Wextra", "-Wpedantic", "-Werror")
# Pieces of a page are not used by each other, and leave parameters alone.
LENIENT = ("-Wno-unused-function", "-Wno-unused-parameter", "-Wno-unused-variable")
LENIENT = (*LENIENT, "-Wno-unused-const-variable")
RULES_DIR = REPOSITORY / "backends_c" / "common" / "include"

KERNEL = (
    "static armnn_status_t {name}(const armnn_kernel_call_t* call,\n"
    "                             armnn_error_t* error) ARMNN_NOEXCEPT {{\n"
    "  (void)call, (void)error;\n  return ARMNN_STATUS_OK;\n}}\n"
)
SUPPORTS = KERNEL.replace("armnn_kernel_call_t* call", "armnn_layer_query_t* call")
PREPARE = (
    "static armnn_status_t conv_prepare(const armnn_workload_info_t* info,\n"
    "    const armnn_host_t* host, armnn_backend_t* backend, void** out_prepared,\n"
    "    armnn_workload_requirements_t* needs, armnn_error_t* error) ARMNN_NOEXCEPT {\n"
    "  return ARMNN_STATUS_OK;\n}\n"
    "static void conv_release(void* prepared, const armnn_host_t* host) ARMNN_NOEXCEPT {}\n"
)


def in_comments(header: str) -> list[str]:
    """Return the indented pieces of comments, each at least two lines of code."""
    text = (INCLUDE_DIR / "armnn" / header).read_text(encoding="utf-8")
    pieces = re.findall(r"(?:^ \*   .*\n(?: \*\n(?= \*   ))?)+", text, flags=re.MULTILINE)
    return ["".join(f"{line[5:]}\n" for line in piece.splitlines()) for piece in pieces]


def on_page(page: str) -> list[str]:
    text = (REPOSITORY / "docs" / f"{page}.md").read_text(encoding="utf-8")
    return re.findall(r"^```c\n(.*?)^```", text, flags=re.DOTALL | re.MULTILINE)


def compiles(toolchain, text: str, language: str, *flags: str) -> None:
    standard = "-std=c11" if language == "c" else "-std=c++17"
    done = toolchain.run(
        *(standard, *WARNINGS, *flags, f"-I{INCLUDE_DIR}", f"-I{RULES_DIR}"),
        *("-fsyntax-only", "-x", language, "-"),
        language=language,
        text=text,
    )
    assert done.returncode == 0, f"{text}\n{done.stderr}"


@pytest.mark.parametrize("language", ["c", "c++"])
def test_examples_in_the_head_of_the_kit(toolchain, language) -> None:
    rows, options = in_comments("backend_kit.h")
    body = "{ (void)call, (void)error; return ARMNN_STATUS_OK; }"
    rows = rows.replace("{ ... }", body)
    assert body in rows
    compiles(toolchain, f'#include "armnn/backend_kit.h"\n{rows}', language)
    used = (
        "extern const armnn_kit_options_t used;\n"
        "const armnn_kit_options_t used = ARMNN_KIT_OPTIONS_OF(my_options);\n"
    )
    compiles(toolchain, f'#include "armnn/backend_kit.h"\n{options}{used}', language)


def test_examples_in_the_head_of_the_guard(toolchain) -> None:
    (function, rows) = in_comments("guard.hpp")
    prelude = (
        '#include "armnn/guard.hpp"\n#include <stdexcept>\n'
        "static armnn_backend_t* make_backend(const armnn_host_t*) { return nullptr; }\n"
    )
    used = "armnn_status_t (*used)(const armnn_create_args_t*, armnn_backend_t**,\n"
    used += "                       armnn_error_t*) noexcept = create;\n"
    compiles(toolchain, prelude + function + used, "c++")
    rows += 'ARMNN_DEFINE_BACKEND("AcmeNpu", kernels)\n'
    compiles(toolchain, '#include "armnn/guard.hpp"\n#include <stdexcept>\n' + rows, "c++")


#: A piece of the page by a word of it, what it needs before it, and the languages it is meant for.
BOTH = ("c", "c++")
PIECES = {
    "conv_release": (
        "".join(KERNEL.format(name=name) for name in ("add_f32", "relu_f32", "conv_f32"))
        + SUPPORTS.format(name="conv_supports")
        + PREPARE,
        BOTH,
    ),
    "sum_prepare": ("", BOTH),
    "armnn_status_t infer(": (
        KERNEL.format(name="swirl") + SUPPORTS.format(name="swirl_supports"),
        BOTH,
    ),
    "preferred_layout(const": ("", ("c",)),  # designated initialisers are C, and C++20
    '{"cache_bytes", 11}': ("", BOTH),
}
#: These show lines of a function, or leave out a body by "...".
FRAGMENTS = (
    "->readable_bytes",
    "pool_supports",
    "ARMNN_KIT_OPTIONS(options",
    "ARMNN_KERNEL_LATE(SOFTMAX",
)


def test_every_piece_of_the_page_is_tried_or_a_fragment() -> None:
    for piece in on_page("write_a_backend"):
        assert sum(word in piece for word in (*PIECES, *FRAGMENTS)) == 1, piece


@pytest.mark.parametrize(
    ("word", "language"),
    [(word, language) for word, (_, languages) in PIECES.items() for language in languages],
)
def test_pieces_of_the_page_compile(toolchain, word, language) -> None:
    (piece,) = (piece for piece in on_page("write_a_backend") if word in piece)
    prelude = '#include "armnn/backend_kit.h"\n' + PIECES[word][0]
    compiles(toolchain, prelude + piece, language, *LENIENT)
