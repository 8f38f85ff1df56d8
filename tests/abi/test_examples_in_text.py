# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The C and C++ in comments of the headers, in README.md and in all pages of docs compiles.

A function that an example names and does not show (a kernel, a hook) is defined here. C compiles
as C++, too, in which a function without ARMNN_NOEXCEPT fits into no row and no hook.
"""

from __future__ import annotations

import re
from typing import NamedTuple

import pytest
from abi_headers import INCLUDE_DIR, REPOSITORY

WARNINGS = ("-Wall", "-Wextra", "-Wpedantic", "-Werror")
# Pieces of a page are not used by each other, and leave parameters alone.
LENIENT = ("-Wno-unused-function", "-Wno-unused-parameter", "-Wno-unused-variable")
LENIENT = (*LENIENT, "-Wno-unused-const-variable")
RULES_DIR = REPOSITORY / "backends_c" / "common" / "include"
PAGES = [REPOSITORY / "README.md", *sorted((REPOSITORY / "docs").glob("*.md"))]
PAGES += sorted((REPOSITORY / "examples").rglob("*.md"))

KIT = '#include "armnn/backend_kit.h"\n'


def kernels(*names: str) -> str:
    head = (
        "armnn_status_t NAME(const armnn_kernel_call_t* call,\n"
        "                    armnn_error_t* error) ARMNN_NOEXCEPT {\n"
        "  return ARMNN_STATUS_OK;\n}\n"
    )
    return "".join("static " + head.replace("NAME", name) for name in names)


def supports(*names: str) -> str:
    return kernels(*names).replace("armnn_kernel_call_t* call", "armnn_layer_query_t* query")


class Piece(NamedTuple):
    """What stands around a piece, and what uses it so that its types are checked."""

    before: str = ""
    after: str = ""


PREPARE = (
    "static armnn_status_t conv_prepare(const armnn_workload_info_t* info,\n"
    "    const armnn_host_t* host, armnn_backend_t* backend, void** out_prepared,\n"
    "    armnn_workload_requirements_t* needs, armnn_error_t* error) ARMNN_NOEXCEPT {"
    "  return ARMNN_STATUS_OK;\n}\n"
    "static void conv_release(void* prepared, const armnn_host_t* host) ARMNN_NOEXCEPT {}\n"
)
HOOKS = (
    "static armnn_status_t open_device(const armnn_create_args_t* args, void** out_user,\n"
    "                                  armnn_error_t* error) ARMNN_NOEXCEPT {"
    "  return ARMNN_STATUS_OK;\n}\n"
    "static armnn_status_t set_option(void* user, const armnn_option_t* option,\n"
    "                                 armnn_error_t* error) ARMNN_NOEXCEPT {"
    "  return ARMNN_STATUS_OK;\n}\n"
)
BODY = (
    "static void body(const armnn_workload_info_t* info, armnn_workload_requirements_t* needs) {\n"
)
SUPPORTS_USED = "static armnn_kernel_supports_fn_t used = %s;\n"
#: Each piece by words that it alone has.
PIECES = {
    "ARMNN_KERNEL_ACTIVATION(RELU": Piece(
        kernels("add_f32", "relu_f32", "conv_f32") + supports("conv_supports") + PREPARE
    ),
    "ARMNN_SET(takes_bounded": Piece(kernels("softmax_f32") + supports("softmax_supports")),
    "persistent_size": Piece(),
    "->readable_bytes": Piece(BODY, "}\n"),
    "infer_stand_in": Piece(kernels("swirl") + supports("swirl_supports")),
    "ARMNN_KERNEL_BOUNDED(SOFTMAX": Piece(kernels("softmax_f32") + supports("softmax_supports")),
    "ARMNN_KERNEL_RULED(SOFTMAX": Piece(
        kernels("softmax_f32", "concat_any", "pool_f32") + supports("pool_supports")
    ),
    "windows of 8 columns": Piece(
        '#include "armnn/layer_rules.h"\n', SUPPORTS_USED % "pool_supports"
    ),
    "(rows + threads - 1) / threads": Piece(
        "static armnn_status_t split(const armnn_host_t* host, armnn_range_fn_t body,\n"
        "                            void* argument, uint64_t rows) {\n",
        "}\n",
    ),
    "preferred_layout(const": Piece(),
    '{"cache_bytes", 11}': Piece(),
    "ARMNN_KIT_OPTIONS(options": Piece(HOOKS),
    "armnn_model_options_of_query": Piece("", SUPPORTS_USED % "conv_supports"),
    "shapes and types were checked": Piece(),
    "1000 elements at most": Piece(),
    "armnn::guarded<softmax_prepare>": Piece(
        '#include "armnn/guard.hpp"\n'
        + (
            kernels("softmax_f32")
            + supports("softmax_supports")
            + PREPARE.replace("conv_", "softmax_")
            + HOOKS
        ).replace(" ARMNN_NOEXCEPT", "")
    ),
}


def in_comments(header: str) -> list[str]:
    """Return the indented pieces of comments, each at least two lines of code."""
    text = (INCLUDE_DIR / "armnn" / header).read_text(encoding="utf-8")
    pieces = re.findall(r"(?:^ \*   .*\n(?: \*\n(?= \*   ))?)+", text, flags=re.MULTILINE)
    return ["".join(f"{line[5:]}\n" for line in piece.splitlines()) for piece in pieces]


def on_pages() -> list[tuple[str, str, str]]:
    """Return page, language and text of each piece."""
    found = []
    for page in PAGES:
        fences = re.findall(
            r"^ *```(c|cpp|c\+\+|C|h)\n(.*?)^ *```",
            page.read_text(encoding="utf-8"),
            flags=re.DOTALL | re.MULTILINE,
        )
        found += [(page.name, "c" if kind in "cCh" else "c++", text) for kind, text in fences]
    return found


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
def test_example_in_the_head_of_the_kit(toolchain, language) -> None:
    (rows,) = in_comments("backend_kit.h")
    body = "{ (void)call, (void)error; return ARMNN_STATUS_OK; }"
    rows = rows.replace("{ ... }", body)
    assert body in rows
    compiles(toolchain, KIT + rows, language)


@pytest.mark.parametrize("language", ["c", "c++"])
def test_examples_in_the_parts_of_the_kit(toolchain, language) -> None:
    (options,) = in_comments("kit_options.h")
    used = (
        "extern const armnn_kit_options_t used;\n"
        "const armnn_kit_options_t used = ARMNN_KIT_OPTIONS_OF(my_options);\n"
    )
    compiles(toolchain, KIT + options + used, language)
    (constant,) = in_comments("kit_base.h")
    close = "static void close_device(void* user) ARMNN_NOEXCEPT {}\n"
    compiles(
        toolchain, KIT + HOOKS + close + constant, language, *LENIENT, "-Wno-undefined-internal"
    )
    (row,) = in_comments("kit_rows.h")
    row = f"static const armnn_kernel_t kernels[] = {{{row}}};\n"
    before = kernels("softmax_f32") + PREPARE.replace("conv_", "softmax_")
    compiles(toolchain, KIT + before + row, language, *LENIENT)


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


def test_every_piece_is_known() -> None:
    pieces = on_pages()
    for page, _, text in pieces:
        assert sum(word in text for word in PIECES) == 1, f"{page}:\n{text}"
    for word in PIECES:
        assert sum(word in text for _, _, text in pieces) == 1, word


@pytest.mark.parametrize("tried", ["c", "c++"])
@pytest.mark.parametrize("word", PIECES)
def test_every_piece_compiles(toolchain, word, tried) -> None:
    ((_, language, text),) = (one for one in on_pages() if word in one[2])
    if language == "c++" and tried == "c":
        pytest.skip("the piece is C++")
    piece = PIECES[word]
    compiles(toolchain, KIT + piece.before + text + piece.after, tried, *LENIENT)
