# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Every change that would hurt an old backend is caught; growth is let through."""

from __future__ import annotations

import copy

import pytest
from abi_layout import compare

BASE = {
    "pointer_size": 8,
    "structs": {
        "table_t": {
            "size": 24,
            "align": 8,
            "growable": True,
            "members": {
                "header": [0, 8, "armnn_header_t"],
                "run": [8, 8, "int32_t(*)(void*)"],
                "flags": [16, 4, "uint32_t"],
                "reserved": [20, 4, "uint32_t"],
            },
        },
        "text_t": {
            "size": 16,
            "align": 8,
            "growable": False,
            "members": {"data": [0, 8, "const char*"], "size": [8, 8, "uint64_t"]},
        },
    },
    "enums": {"kind_e": {"KIND_A": 0, "KIND_B": 1, "KIND_COUNT": 2, "KIND_MAX_ENUM": 2**31 - 1}},
    "macros": {"ARMNN_BACKEND_API_MAJOR": 1, "ARMNN_BACKEND_API_MINOR": 0, "MAX_DIMS": 8},
    "function_types": {"body_fn_t": "void(*)(void*)"},
    "functions": {"Entry": "void*(void)"},
}


def changed(*edits):
    layout = copy.deepcopy(BASE)
    for edit in edits:
        edit(layout)
    return compare(BASE, layout)


def set_in(*path, value):
    def edit(layout):
        for key in path[:-1]:
            layout = layout[key]
        layout[path[-1]] = value

    return edit


def remove_in(*path):
    def edit(layout):
        for key in path[:-1]:
            layout = layout[key]
        del layout[path[-1]]

    return edit


TABLE = ("structs", "table_t")
MINOR_UP = set_in("macros", "ARMNN_BACKEND_API_MINOR", value=1)
APPEND = (
    set_in(*TABLE, "members", "more", value=[24, 8, "void(*)(void)"]),
    set_in(*TABLE, "size", value=32),
)


def test_no_change_is_no_change():
    assert changed() == []


@pytest.mark.parametrize(
    ("edits", "subject", "words"),
    [
        pytest.param(
            [remove_in(*TABLE, "members", "flags")],
            "table_t.flags",
            "member removed",
            id="member removed",
        ),
        pytest.param(
            [set_in(*TABLE, "members", "run", value=[16, 8, "int32_t(*)(void*)"])],
            "table_t.run",
            "moved from offset 8 to 16",
            id="member moved",
        ),
        pytest.param(
            [set_in(*TABLE, "members", "flags", value=[16, 4, "int32_t"])],
            "table_t.flags",
            "retyped from uint32_t to int32_t",
            id="member retyped with the same size",
        ),
        pytest.param(
            [set_in(*TABLE, "members", "run", value=[8, 8, "int32_t(*)(void*, uint64_t)"])],
            "table_t.run",
            "retyped",
            id="function gets a parameter",
        ),
        pytest.param(
            [
                remove_in(*TABLE, "members", "reserved"),
                set_in(*TABLE, "members", "fresh", value=[20, 4, "uint32_t"]),
            ],
            "table_t.fresh",
            "inside the first 24 bytes",
            id="member added in the middle",
        ),
        pytest.param(
            [
                set_in("structs", "text_t", "members", "tail", value=[16, 8, "uint64_t"]),
                set_in("structs", "text_t", "size", value=24),
            ],
            "text_t.tail",
            "without a header",
            id="frozen structure grown",
        ),
        pytest.param(
            [set_in(*TABLE, "size", value=20)],
            "table_t",
            "shrank from 24 to 20",
            id="structure shrunk",
        ),
        pytest.param(
            [set_in(*TABLE, "align", value=16)], "table_t", "alignment", id="alignment changed"
        ),
        pytest.param(
            [remove_in("structs", "text_t")], "text_t", "structure removed", id="structure removed"
        ),
        pytest.param(
            [set_in("enums", "kind_e", "KIND_B", value=7)],
            "KIND_B",
            "1 became 7",
            id="enumerator renumbered",
        ),
        pytest.param(
            [remove_in("enums", "kind_e", "KIND_A")],
            "KIND_A",
            "removed from kind_e",
            id="enumerator removed",
        ),
        pytest.param(
            [set_in("enums", "kind_e", "KIND_C", value=1)],
            "KIND_C",
            "reuses number 1",
            id="number reused",
        ),
        pytest.param(
            [set_in("enums", "kind_e", "KIND_COUNT", value=1)],
            "KIND_COUNT",
            "2 became 1",
            id="count went down",
        ),
        pytest.param(
            [remove_in("enums", "kind_e")], "kind_e", "enumeration removed", id="enum removed"
        ),
        pytest.param(
            [set_in("macros", "MAX_DIMS", value=6)], "MAX_DIMS", "8 became 6", id="macro changed"
        ),
        pytest.param([remove_in("macros", "MAX_DIMS")], "MAX_DIMS", "removed", id="macro removed"),
        pytest.param(
            [set_in("function_types", "body_fn_t", value="int32_t(*)(void*)")],
            "body_fn_t",
            "became",
            id="callback retyped",
        ),
        pytest.param(
            [set_in("functions", "Entry", value="void*(uint32_t)")],
            "Entry",
            "became",
            id="entry point retyped",
        ),
        pytest.param(
            [set_in("pointer_size", value=4)], "pointer_size", "machines", id="other machine"
        ),
    ],
)
def test_forbidden_change_is_caught(edits, subject, words):
    """Also when the minor version was raised."""
    found = changed(*edits, MINOR_UP)
    assert [change for change in found if change.breaks and change.subject == subject]
    assert any(words in change.what for change in found if change.subject == subject), found


@pytest.mark.parametrize(
    "edits",
    [
        pytest.param(APPEND, id="member appended"),
        pytest.param(
            [set_in("structs", "new_t", value=BASE["structs"]["text_t"])], id="structure added"
        ),
        pytest.param(
            [
                set_in("enums", "kind_e", "KIND_C", value=2),
                set_in("enums", "kind_e", "KIND_COUNT", value=3),
            ],
            id="enumerator appended and counted",
        ),
        pytest.param([set_in("enums", "new_e", value={"NEW": 0})], id="enumeration added"),
        pytest.param([set_in("macros", "MORE", value=1)], id="macro added"),
    ],
)
def test_growth_is_allowed_with_a_minor_bump_only(edits):
    with_bump = changed(*edits, MINOR_UP)
    assert with_bump
    assert not [change for change in with_bump if change.breaks]
    without = [change for change in changed(*edits) if change.breaks]
    assert [change.subject for change in without] == ["ARMNN_BACKEND_API_MINOR"]


def test_minor_never_goes_back():
    layout = copy.deepcopy(BASE)
    layout["macros"]["ARMNN_BACKEND_API_MINOR"] = 3
    assert compare(layout, BASE)[0].breaks


def test_a_new_major_allows_everything():
    layout = copy.deepcopy(BASE)
    layout["macros"]["ARMNN_BACKEND_API_MAJOR"] = 2
    del layout["structs"]["table_t"]
    assert [change.breaks for change in compare(BASE, layout)] == [False]


def test_change_reads_as_a_sentence():
    (change,) = [item for item in changed(*APPEND, MINOR_UP) if "append" in item.what]
    assert str(change) == "allowed: table_t.more: member appended"
