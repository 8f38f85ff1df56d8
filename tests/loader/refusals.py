# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The table of backends that open but may not be used: how to build each, and what is said."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from armnn_py._native import abi
from armnn_py.backends.loader import identity

HOST = identity.HOST_VERSION
MANDATORY_SIZE = (
    abi.armnn_backend_api_t.get_layer_support.offset
    + abi.armnn_backend_api_t.get_layer_support.size
)
ID = "Invalid"

# Defines, then the stage and code of the verdict, then words of the reason.
REFUSED = [
    pytest.param(["MANGLED"], "symbols", "symbol-missing", "'GetBackendId'", id="case 13 mangled"),
    pytest.param(["NO_ID"], "symbols", "symbol-missing", "'GetBackendId'", id="case 14 no id"),
    pytest.param(
        ["NO_VERSION"], "symbols", "symbol-missing", "'GetVersion'", id="case 15 no version"
    ),
    pytest.param(
        ["NO_FACTORY"], "symbols", "symbol-missing", "'BackendFactory'", id="case 16 no factory"
    ),
    pytest.param(["ID_NULL"], "id", "id-null", "returned null", id="case 17 null id"),
    pytest.param(["FACTORY_NULL"], "table", "table-null", "null", id="case 18 null factory"),
    pytest.param(
        ["MAJOR=0", "MINOR=7"], "version", "version-major", "API 0.7", id="case 19 version 0.7"
    ),
    # Symbols
    pytest.param(["HIDDEN"], "symbols", "symbol-missing", "'GetBackendId'", id="hidden symbols"),
    pytest.param(["ID_MISSPELT"], "symbols", "symbol-missing", "'GetBackendId'", id="misspelt"),
    pytest.param(
        ["ID_IS_DATA"],
        "symbols",
        "symbol-not-function",
        "which is not a function",
        id="data as symbol",
    ),
    pytest.param(
        ["NO_ID", "NO_VERSION", "NO_FACTORY"],
        "symbols",
        "symbol-missing",
        "'GetBackendId'",
        id="none",
    ),
    pytest.param(
        ["NO_VERSION", "NO_FACTORY"], "symbols", "symbol-missing", "'GetVersion'", id="first named"
    ),
    # Id
    pytest.param(['BACKEND_ID=""'], "id", "id-empty", "the empty text", id="empty id"),
    pytest.param(['BACKEND_ID="Unknown"'], "id", "id-reserved", "'Unknown'", id="reserved id"),
    pytest.param(
        [f'BACKEND_ID="{"x" * 65}"'], "id", "id-unreadable", "longer than 64", id="long id"
    ),
    pytest.param([r'BACKEND_ID="a\377b"'], "id", "id-not-text", "not UTF-8", id="id not UTF-8"),
    pytest.param(
        [r'BACKEND_ID="a\nb"'], "id", "id-not-text", "cannot be printed", id="newline in id"
    ),
    pytest.param([r'BACKEND_ID="\033[31mred"'], "id", "id-not-text", "printed", id="escapes in id"),
    pytest.param(['BACKEND_ID=" "'], "id", "id-not-text", "printed", id="blank id"),
    pytest.param(['BACKEND_ID="Acme.Npu"'], "id", "id-mark", "has a '.'", id="dot in id"),
    pytest.param(['BACKEND_ID="a=b"'], "id", "id-mark", "has a '='", id="equals sign in id"),
    pytest.param(['BACKEND_ID="a,b"'], "id", "id-mark", "has a ','", id="comma in id"),
    pytest.param(['BACKEND_ID="Npu?"'], "id", "id-mark", "has a '?'", id="question mark in id"),
    pytest.param(["ID_POINTER=64"], "id", "id-unreadable", "cannot be read", id="wild id"),
    # Version
    pytest.param(
        [f"MINOR={HOST.minor + 1}"],
        "version",
        "version-minor",
        f"'Invalid' speaks backend API {HOST.major}.{HOST.minor + 1}, this host speaks {HOST}",
        id="minor above ours",
    ),
    pytest.param(
        [f"MAJOR={HOST.major + 1}"], "version", "version-major", "API 3.0", id="major above ours"
    ),
    pytest.param(
        ["MAJOR=1"],
        "version",
        "version-major",
        "1.0 of the backend API, which is Arm NN's C++",
        id="major of Arm NN",
    ),
    pytest.param(["VERSION_SILENT"], "version", "version-major", "API 0.0", id="nothing written"),
    pytest.param(
        ["MAJOR=4294967295u", "MINOR=4294967295u"],
        "version",
        "version-major",
        "API 4294967295.4294967295",
        id="absurd version",
    ),
    # Table
    pytest.param(["FACTORY_POINTER=64"], "table", "table-unreadable", "0x40", id="wild table"),
    pytest.param(["TAG=0x414e0001"], "table", "table-tag", "tag 0x414e0001", id="wrong tag"),
    pytest.param(["TAG=0"], "table", "table-tag", "tag 0x00000000", id="no tag"),
    pytest.param(["FACTORY_OBJECT"], "table", "table-object", "a C++ object", id="C++ object"),
    pytest.param(
        ["FLAGS=0x80000011"], "table", "table-flags", "bits that mean nothing: 4, 31", id="flags"
    ),
    pytest.param(["STRUCT_SIZE=0"], "table", "table-size", "has 0 bytes", id="size 0"),
    pytest.param(["STRUCT_SIZE=8"], "table", "table-size", "has 8 bytes", id="only a header"),
    pytest.param(
        [f"STRUCT_SIZE={MANDATORY_SIZE - 8}"],
        "table",
        "table-size",
        f"at least {MANDATORY_SIZE} are needed",
        id="one mandatory function short",
    ),
    pytest.param(
        ["STRUCT_SIZE=0xffffffff"], "table", "table-size", "which no table has", id="absurd size"
    ),
    *(
        pytest.param(
            [f"LACKS_{name.upper()}"],
            "table",
            "table-function-missing",
            f"'{name}'",
            id=f"no {name}",
        )
        for name in ("create", "destroy", "get_id", "create_workload_factory", "get_layer_support")
    ),
    pytest.param(
        ["LACKS_CREATE", "LACKS_DESTROY"],
        "table",
        "table-function-missing",
        "functions 'create', 'destroy'",
        id="all missing functions named",
    ),
    pytest.param(
        ["SUPPORT_IS_DATA"],
        "table",
        "table-function-invalid",
        "'get_layer_support'",
        id="data as code",
    ),
    pytest.param(
        ["QUIESCE_IS_DATA"],
        "table",
        "table-function-invalid",
        "'quiesce'",
        id="optional data as code",
    ),
    pytest.param(["FEATURES=1"], "table", "table-sanitizer", "address sanitizer", id="asan bit"),
    pytest.param(["FEATURES=2"], "table", "table-sanitizer", "thread sanitizer", id="tsan bit"),
    pytest.param(
        ["DESCRIPTION=(const char*)64"], "table", "table-text", "description", id="wild description"
    ),
    pytest.param(
        ["OPTIONS", "OPTIONS_UNREADABLE"], "table", "table-options", "unreadable", id="wild options"
    ),
    # Create
    pytest.param(
        ["CREATE_STATUS=ARMNN_STATUS_INTERNAL", 'CREATE_TEXT="the fan is broken"'],
        "create",
        "create-failed",
        "create failed with internal: the fan is broken",
        id="create fails with words",
    ),
    pytest.param(
        ["CREATE_STATUS=ARMNN_STATUS_OUT_OF_MEMORY"],
        "create",
        "create-failed",
        "create failed with out of memory",
        id="create fails without words",
    ),
    pytest.param(
        ["CREATE_STATUS=ARMNN_STATUS_UNSUPPORTED"],
        "create",
        "create-failed",
        "unsupported",
        id="create answers unsupported",
    ),
    pytest.param(
        ["CREATE_STATUS=-77"], "create", "create-failed", "status -77", id="create answers nonsense"
    ),
    pytest.param(
        ["CREATE_STATUS=-8", r'CREATE_TEXT="caf\351"'],
        "create",
        "create-failed",
        "caf",
        id="words not UTF-8",
    ),
    pytest.param(["CREATE_NULL"], "create", "create-null", "no backend", id="create gives null"),
    pytest.param(
        ["CREATE_POINTER=64"],
        "create",
        "create-unreadable",
        "0x40",
        id="create gives a wild pointer",
    ),
    pytest.param(
        ['INSTANCE_ID="Other"'],
        "create",
        "create-id",
        "calls itself 'Other', GetBackendId says 'Invalid'",
        id="instance has another id",
    ),
    pytest.param(
        ["INSTANCE_ID=NULL"], "create", "create-id", "itself null", id="instance has no id"
    ),
]


def with_id(defines: Iterable[str]) -> list[str]:
    """The defines, and an id unless they give one."""
    own = any(text.startswith("BACKEND_ID") for text in defines)
    return [*defines] if own else [f'BACKEND_ID="{ID}"', *defines]
