# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Descriptions of options that make no sense: the backend does not load, and says why."""

from __future__ import annotations

from pathlib import Path

import pytest

from .harness import Load, Workshop, only

#: Numbers of the test backend's options.
ECHO, THREADS, CACHE_SIZE, RATIO, DEVICE = range(5)


def describe(workshop: Workshop, folder: Path, option: int, says: str, *more: str) -> None:
    defines = [f"DESCRIPTION_OF={option}", f"DESCRIPTION_SAYS={says}", *more]
    workshop.put_id(folder, "Npu", "OPTIONS", *defines)


@pytest.mark.parametrize(
    ("option", "says", "reason"),
    [
        (THREADS, ".flags = 1 << 5", "has flags 0x20 with bits that mean nothing: 5"),
        (THREADS, ".flags = ARMNN_OPTION_CHANGEABLE", "changeable, but there is no set_option"),
        (THREADS, ".minimum = 5, .maximum = 4", "has the range 5 to 4"),
        (THREADS, ".minimum = 4, .maximum = 9",
         "does not allow its default 3: a value of type int from 4 to 9 expected"),
        (THREADS, ".real_maximum = 2.0",
         "has real_minimum 0.0 and real_maximum 2.0, which an int has not"),
        (THREADS, ".choices = letters, .choice_count = 2",
         "the choice 'first', which is not of type int"),
        (THREADS, ".choices = numbers, .choice_count = 3", "has the choice '1', twice"),
        (THREADS, ".maximum = 9, .choices = numbers, .choice_count = 2", "a range and choices"),
        (THREADS, ".choice_count = 2", "has 2 unreadable choices"),
        (THREADS, ".choices = letters, .choice_count = 1ull << 60", "unreadable choices"),
        (CACHE_SIZE, ".minimum = -1, .maximum = 99", "has minimum -1, which no uint is"),
        (RATIO, ".real_minimum = 0.0 / 0.0, .real_maximum = 1.0", "has the range nan to 1.0"),
        (RATIO, ".real_minimum = 0.75, .real_maximum = 1.0", "does not allow its default 0.5"),
        (RATIO, ".maximum = 3", "has minimum 0 and maximum 3, which a float has not"),
        (RATIO, ".choices = letters, .choice_count = 2", "has choices, which a float has not"),
        (ECHO, ".maximum = 1", "has minimum 0 and maximum 1, which a bool has not"),
        (ECHO, ".choices = letters, .choice_count = 2", "has choices, which a bool has not"),
        (DEVICE, ".choices = letters + 1, .choice_count = 1",
         "does not allow its default 'first': one of 'second' expected"),
        (DEVICE, ".flags = 1, .choices = letters + 1, .choice_count = 1",
         "does not allow its default (secret)"),
        (DEVICE, '.help = TEXT("a\\xff")', "the help of the description of backend option 'device'"
         " is not a line of UTF-8"),
        (DEVICE, '.help = TEXT("a\\nb")', "is not a line of UTF-8"),
        (DEVICE, ".unit = {(const char*)64, 9}", "the unit of the description of backend option "
         "'device' cannot be read"),
    ],
)  # fmt: skip
def test_file_is_refused(
    load: Load, tmp_path: Path, workshop: Workshop, option: int, says: str, reason: str
) -> None:
    describe(workshop, tmp_path, option, says)
    verdict = only(load(tmp_path))
    assert (verdict.status, verdict.stage, verdict.code) == ("refused", "table", "table-options")
    assert reason in verdict.reason
    assert "the description of backend option '" in verdict.reason


@pytest.mark.parametrize(
    ("define", "reason"),
    [
        ("DESCRIPTION_POINTER=64", "cannot be read"),
        ("DESCRIPTION_HEADER=96, 7", "has tag 0x00000007 where 0x414e0013 belongs"),
        ("DESCRIPTION_HEADER=8, ARMNN_STRUCT_OPTION_DESCRIPTION", "says it has 8 bytes, 96 read"),
    ],
)
def test_invalid_descriptions(
    load: Load, tmp_path: Path, workshop: Workshop, define: str, reason: str
) -> None:
    describe(workshop, tmp_path, THREADS, ".flags = 0", define)
    verdict = only(load(tmp_path))
    assert (verdict.stage, verdict.code) == ("table", "table-options")
    assert f"the description of backend option 'threads' {reason}" in verdict.reason


@pytest.mark.parametrize(
    ("scope", "defines", "reason"),
    [
        ("MODEL", ["MODEL_OPTIONS"], "the description of model option 'threads' has the range"),
        ("RUN", ["RUN_OPTIONS"], "the description of run option 'threads' has the range"),
    ],
)
def test_other_scopes(
    load: Load, tmp_path: Path, workshop: Workshop, scope: str, defines: list[str], reason: str
) -> None:
    more = [f"SCOPE=ARMNN_OPTION_SCOPE_{scope}", *defines]
    describe(workshop, tmp_path, THREADS, ".minimum = 5, .maximum = 4", *more)
    verdict = only(load(tmp_path))
    assert (verdict.status, verdict.stage, verdict.code) == ("refused", "create", "table-options")
    assert reason in verdict.reason


def test_only_options_of_the_backend_change(load: Load, tmp_path: Path, workshop: Workshop) -> None:
    describe(workshop, tmp_path, THREADS, ".flags = 2", "SCOPE=1", "MODEL_OPTIONS")
    assert "which only an option of the backend can be" in only(load(tmp_path)).reason


def test_run_options_without_a_receiver(load: Load, tmp_path: Path, workshop: Workshop) -> None:
    workshop.put_id(tmp_path, "Npu", "OPTIONS", "RUN_OPTIONS")
    verdict = only(load(tmp_path))
    assert (verdict.stage, verdict.code) == ("create", "table-options")
    assert "but there is no backend context with before_run" in verdict.reason


def test_flags_of_a_default_mean_nothing_yet(
    load: Load, tmp_path: Path, workshop: Workshop
) -> None:
    option = '{{"fast", 4}, ARMNN_OPTION_BOOL, 4, 0, 0.0, {"", 0}}'
    workshop.put_id(tmp_path, "Npu", "OPTIONS", f"ONE_MORE_OPTION={option}")
    assert "gives option 'fast' flags 0x4, zero expected" in only(load(tmp_path)).reason


def test_valid_values_are_taken(load: Load, tmp_path: Path, workshop: Workshop) -> None:
    describe(workshop, tmp_path, DEVICE, ".choices = letters, .choice_count = 2")
    (option,) = (one for one in load(tmp_path)["Npu"].describe_options() if one.name == "device")
    assert option.choices == ("first", "second")
