# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Libraries that open but may not be used: AN 2.5, 2.9, cases 13 to 19 of AN 2.11, and more."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from armnn_py._native.table import dynamic_library
from armnn_py.backends.loader import identity

from .harness import Load, Workshop, mapped_files, only, outcome, run_child
from .refusals import HOST, MANDATORY_SIZE, REFUSED, with_id


@pytest.fixture
def verdict_on(
    load: Load, tmp_path: Path, workshop: Workshop
) -> Callable[..., tuple[tuple[str, str, str], str]]:
    def examine(*defines: str) -> tuple[tuple[str, str, str], str]:
        path = workshop.put(tmp_path / "place", "Invalid", *with_id(defines))
        workshop.put_id(tmp_path / "place", "Valid", name="Valid")
        registry = load(tmp_path / "place")
        # Whatever the file is, its neighbour loads.
        assert list(registry) == ["Valid"]
        first = registry.load_report[0]
        assert first.path == str(path)
        return outcome(first), first.reason

    return examine


@pytest.mark.parametrize(("defines", "stage", "code", "words"), REFUSED)
def test_refused(
    verdict_on: Callable[..., tuple[tuple[str, str, str], str]],
    defines: list[str],
    stage: str,
    code: str,
    words: str,
) -> None:
    result, reason = verdict_on(*defines)
    assert result == ("refused", stage, code)
    assert words in reason
    assert reason.isprintable()


@pytest.mark.parametrize(("defines", "stage", "code", "words"), REFUSED)
def test_refused_again_and_again(
    load: Load,
    tmp_path: Path,
    workshop: Workshop,
    defines: list[str],
    stage: str,
    code: str,
    words: str,
) -> None:
    workshop.put(tmp_path, "Invalid", *with_id(defines))
    assert [only(load(tmp_path)).code for _ in range(3)] == [code] * 3


CLOSED_AGAIN = [param for param in REFUSED if param.values[2] not in ("table-tag", "table-object")]


@pytest.mark.parametrize(
    "defines",
    [
        pytest.param(param.values[0], id=param.id)
        for param in CLOSED_AGAIN
        if param.id != "wild table"
    ],
)
def test_a_refused_library_leaves_nothing_mapped(
    load: Load, tmp_path: Path, workshop: Workshop, defines: list[str]
) -> None:
    path = workshop.put(tmp_path, "Invalid", *with_id(defines))
    load(tmp_path)
    assert str(path) not in mapped_files()


def test_a_foreign_library_that_was_called_stays(
    load: Load, tmp_path: Path, workshop: Workshop
) -> None:
    path = workshop.put(tmp_path, "Invalid", "FACTORY_OBJECT")
    load(tmp_path)
    assert str(path) in mapped_files()


def test_a_refused_library_that_asks_to_stay_stays(
    load: Load, tmp_path: Path, workshop: Workshop
) -> None:
    path = workshop.put(tmp_path, "Invalid", "FLAGS=0", "CREATE_NULL")
    load(tmp_path)
    assert str(path) in mapped_files()


def test_unavailable_is_quiet(
    load: Load, tmp_path: Path, workshop: Workshop, caplog: pytest.LogCaptureFixture
) -> None:
    workshop.put(
        tmp_path, "Npu", "CREATE_STATUS=ARMNN_STATUS_UNAVAILABLE", 'CREATE_TEXT="no /dev/npu0"'
    )
    with caplog.at_level("INFO", "armnn_py.backends"):
        verdict = only(load(tmp_path))
    assert outcome(verdict) == ("unavailable", "create", "unavailable")
    assert verdict.reason == "no /dev/npu0"
    assert [record.levelname for record in caplog.records] == ["INFO"]


def test_unavailable_without_a_message_has_a_reason(
    load: Load, tmp_path: Path, workshop: Workshop
) -> None:
    workshop.put(tmp_path, "Npu", "CREATE_STATUS=ARMNN_STATUS_UNAVAILABLE")
    assert "not available" in only(load(tmp_path)).reason


# ---- Opening ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "define", ["UNDEFINED_FUNCTION", "UNDEFINED_DATA"], ids=["function", "data"]
)
def test_undefined_symbol(load: Load, tmp_path: Path, workshop: Workshop, define: str) -> None:
    workshop.put(tmp_path, "Invalid", define)
    verdict = only(load(tmp_path))
    name = {"UNDEFINED_FUNCTION": "a_function", "UNDEFINED_DATA": "data"}[define]
    assert outcome(verdict) == ("refused", "open", "symbol-undefined")
    assert f"undefined symbol: {name}_that_nobody_has" in verdict.reason
    assert verdict.hint == f"link the backend with the library that defines {name}_that_nobody_has"


def test_missing_needed_library(load: Load, tmp_path: Path, workshop: Workshop) -> None:
    library = tmp_path / "libdriver.so.3"
    workshop.compile(workshop.fixture("plain_library.c"), library, "-Wl,-soname,libdriver.so.3")
    place = tmp_path / "place"
    workshop.put(place, "Invalid", "NEEDS_LIBRARY", f"-Wl,{library}")
    library.rename(tmp_path / "gone")
    verdict = only(load(place))
    assert outcome(verdict) == ("refused", "open", "needed-library-missing")
    assert "libdriver.so.3: cannot open shared object file" in verdict.reason
    assert "install the package that has libdriver.so.3" in verdict.hint


def test_needed_library_beside_the_backend(load: Load, tmp_path: Path, workshop: Workshop) -> None:
    library = tmp_path / "libbeside.so"
    workshop.compile(workshop.fixture("plain_library.c"), library, "-Wl,-soname,libbeside.so")
    workshop.put(tmp_path, "Valid", "NEEDS_LIBRARY", f"-Wl,{library},-rpath,$ORIGIN")
    assert list(load(tmp_path)) == ["Test"]


@pytest.mark.parametrize(
    ("flag", "name"), [("address", "address"), ("thread", "thread")], ids=["address", "thread"]
)
def test_sanitizer_library_would_end_the_process(
    tmp_path: Path, workshop: Workshop, flag: str, name: str
) -> None:
    """Its runtime library, loaded late, prints a line and exits: so it must not be opened."""
    stub = tmp_path / f"lib{flag[0]}san.so.1"
    soname = {"address": "libasan.so.8", "thread": "libtsan.so.2"}[flag]
    workshop.compile(workshop.fixture("plain_library.c"), stub, f"-Wl,-soname,{soname}")
    place = tmp_path / "place"
    workshop.put(place, "Invalid", "NEEDS_LIBRARY", f"-Wl,{stub}")
    code = """
import json, sys
from armnn_py.backends import load_backends
with load_backends(dynamic_backends_path=sys.argv[1], bundled_backends=False) as registry:
    print(json.dumps([[v.stage, v.code, v.reason] for v in registry.load_report]))
"""
    assert run_child(code, place) == [
        ["inspect", "sanitizer", f"built with the {name} sanitizer, this process is not"]
    ]


# ---- What is accepted ---------------------------------------------------------------------------


def test_case_11_valid_backend(load: Load, tmp_path: Path, workshop: Workshop) -> None:
    path = workshop.put_id(
        tmp_path,
        "ValidTestDynamicBackend",
        "SCORE=40",
        'VENDOR_VERSION="2.1-beta"',
        'DESCRIPTION="for tests"',
    )
    registry = load(tmp_path)
    backend = registry["ValidTestDynamicBackend"]
    assert (backend.id, backend.version) == ("ValidTestDynamicBackend", HOST)
    assert (backend.score, backend.vendor_version, backend.description) == (
        40,
        "2.1-beta",
        "for tests",
    )
    assert (backend.file, backend.place, backend.is_static) == (str(path), "argument", False)
    assert backend.instance != 0
    verdict = only(registry)
    assert outcome(verdict) == ("loaded", "create", "ok")
    assert (verdict.id, verdict.version) == ("ValidTestDynamicBackend", str(HOST))


@pytest.mark.parametrize(
    "size",
    [
        pytest.param(MANDATORY_SIZE, id="only what is mandatory"),
        pytest.param("sizeof(armnn_backend_api_t)+64", id="of a later host"),
    ],
)
def test_sizes_of_tables(load: Load, tmp_path: Path, workshop: Workshop, size: object) -> None:
    workshop.put(tmp_path, "Valid", f"STRUCT_SIZE={size}", "OPTIONS")
    backend = load(tmp_path)["Test"]
    # The tail that an older backend lacks is null, whatever lies there.
    assert bool(backend.api.get_option_defaults) is (size != MANDATORY_SIZE)


def test_text_for_people_need_not_be_utf8(load: Load, tmp_path: Path, workshop: Workshop) -> None:
    workshop.put(tmp_path, "Valid", r'DESCRIPTION="caf\351"')
    assert load(tmp_path)["Test"].description == "caf�"


def test_longest_id(load: Load, tmp_path: Path, workshop: Workshop) -> None:
    workshop.put_id(tmp_path, "x" * 64, name="Long")
    assert list(load(tmp_path)) == ["x" * 64]


def test_id_in_any_script(load: Load, tmp_path: Path, workshop: Workshop) -> None:
    workshop.put_id(tmp_path, "Prozessor für Bäume", name="Tree")
    assert list(load(tmp_path)) == ["Prozessor für Bäume"]


def test_only_id_and_version_run_before_the_version_is_settled(
    load: Load, tmp_path: Path, workshop: Workshop, monkeypatch: pytest.MonkeyPatch
) -> None:
    workshop.put(tmp_path, "Invalid", "MAJOR=9")
    monkeypatch.setattr(dynamic_library, "call_factory", lambda address: pytest.fail("called"))
    assert only(load(tmp_path)).stage == "version"


def test_table_older_than_the_reported_version(
    load: Load, tmp_path: Path, workshop: Workshop, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(identity, "HOST_VERSION", type(HOST)(HOST.major, 9))
    workshop.put(tmp_path, "Invalid", "MINOR=8", "BUILT_MINOR=7")
    verdict = only(load(tmp_path))
    assert outcome(verdict) == ("refused", "table", "table-version")
    assert "GetVersion says minor 8, but the table was built with minor 7" in verdict.reason
