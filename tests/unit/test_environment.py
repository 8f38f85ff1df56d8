# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The environment variables: what each value means, and which values are refused."""

from __future__ import annotations

import os
from collections.abc import Callable

import pytest

from armnn_py import environment
from armnn_py._native.table import dynamic_library
from armnn_py.backends import load_backends
from armnn_py.errors import InvalidArgumentError

PATHS, CORE = "DYNAMIC_BACKEND_PATHS", "ARMNN_PY_CORE_LIBRARY"
THREADS, LOG, DEBUG = "ARMNN_PY_NUM_THREADS", "ARMNN_PY_LOG", "ARMNN_PY_DEBUG"
BUNDLED, NO_ENTRY_POINTS = "ARMNN_PY_BUNDLED_BACKENDS", "ARMNN_PY_NO_ENTRY_POINTS"
NO_DYNAMIC, PROBE = "ARMNN_PY_NO_DYNAMIC", "ARMNN_PY_PROBE_SECONDS"
BUDGET = "ARMNN_PY_MEMORY_BUDGET"
ALLOW, DENY = "ARMNN_PY_ALLOW_BACKENDS", "ARMNN_PY_DENY_BACKENDS"


@pytest.mark.parametrize(
    ("read", "name", "value", "expected"),
    [
        (environment.dynamic_backend_paths, PATHS, None, None),
        (environment.dynamic_backend_paths, PATHS, "", None),
        (environment.dynamic_backend_paths, PATHS, "/a:/b", "/a:/b"),
        (environment.bundled_backends, BUNDLED, None, True),
        (environment.bundled_backends, BUNDLED, "", True),
        (environment.bundled_backends, BUNDLED, "1", True),
        (environment.bundled_backends, BUNDLED, "0", False),
        (environment.entry_points, NO_ENTRY_POINTS, None, True),
        (environment.entry_points, NO_ENTRY_POINTS, "0", True),
        (environment.entry_points, NO_ENTRY_POINTS, "1", False),
        (environment.dynamic_backends, NO_DYNAMIC, None, True),
        (environment.dynamic_backends, NO_DYNAMIC, "1", False),
        (environment.allowed_backends, ALLOW, None, None),
        (environment.allowed_backends, ALLOW, "CpuRef, AcmeNpu,", ("CpuRef", "AcmeNpu")),
        (environment.allowed_backends, ALLOW, ",", ()),
        (environment.denied_backends, DENY, None, None),
        (environment.denied_backends, DENY, "AcmeNpu", ("AcmeNpu",)),
        (environment.probe_seconds, PROBE, None, None),
        (environment.probe_seconds, PROBE, "0", 0.0),
        (environment.probe_seconds, PROBE, "2.5", 2.5),
        (environment.memory_budget, BUDGET, None, None),
        (environment.memory_budget, BUDGET, "1", 1),
        (environment.memory_budget, BUDGET, "7k", 7 << 10),
        (environment.memory_budget, BUDGET, "512M", 512 << 20),
        (environment.memory_budget, BUDGET, "2G", 2 << 30),
        (environment.thread_count, THREADS, None, None),
        (environment.thread_count, THREADS, "1", 1),
        (environment.thread_count, THREADS, "1024", 1024),
        (environment.log_levels, LOG, None, {}),
        (environment.log_levels, LOG, "info", {"": 20}),
        (environment.log_levels, LOG, "WARNING", {"": 30}),
        (
            environment.log_levels,
            LOG,
            "error, backends=debug,runtime=trace,",
            {"": 40, "backends": 10, "runtime": 5},
        ),
        (environment.core_library, CORE, None, None),
        (environment.core_library, CORE, "/x/core.so", "/x/core.so"),
        (environment.debug, DEBUG, None, False),
        (environment.debug, DEBUG, "1", True),
    ],
)
def test_value(
    monkeypatch: pytest.MonkeyPatch,
    read: Callable[[], object],
    name: str,
    value: str | None,
    expected: object,
) -> None:
    if value is None:
        monkeypatch.delenv(name, raising=False)
    else:
        monkeypatch.setenv(name, value)
    assert read() == expected


@pytest.mark.parametrize(
    ("read", "name", "value"),
    [
        (environment.bundled_backends, BUNDLED, "no"),
        (environment.entry_points, NO_ENTRY_POINTS, "true"),
        (environment.debug, DEBUG, "2"),
        (environment.dynamic_backends, NO_DYNAMIC, "yes"),
        (environment.probe_seconds, PROBE, "soon"),
        (environment.probe_seconds, PROBE, "-1"),
        (environment.probe_seconds, PROBE, "3601"),
        (environment.probe_seconds, PROBE, "nan"),
        *(
            (environment.memory_budget, BUDGET, value)
            for value in ("0", "0G", "-1", "1.5G", "M", "12X", "all")
        ),
        (environment.thread_count, THREADS, "0"),
        (environment.thread_count, THREADS, "-1"),
        (environment.thread_count, THREADS, "1025"),
        (environment.thread_count, THREADS, "four"),
        (environment.thread_count, THREADS, "1.5"),
        (environment.thread_count, THREADS, "\N{SUPERSCRIPT TWO}"),
        (environment.log_levels, LOG, "loud"),
        (environment.log_levels, LOG, "backends="),
        (environment.core_library, CORE, "core.so"),
    ],
)
def test_invalid_value_names_variable_value_and_hint(
    monkeypatch: pytest.MonkeyPatch, read: Callable[[], object], name: str, value: str
) -> None:
    monkeypatch.setenv(name, value)
    with pytest.raises(InvalidArgumentError) as caught:
        read()
    assert name in caught.value.message
    assert f"'{value.rpartition('=')[2]}'" in caught.value.message
    assert caught.value.hints


@pytest.mark.parametrize("function", ["geteuid", "getegid"])
def test_raised_privileges_read_nothing(monkeypatch: pytest.MonkeyPatch, function: str) -> None:
    monkeypatch.setenv(PATHS, "/a")
    monkeypatch.setenv(BUNDLED, "0")
    monkeypatch.setattr(os, function, lambda: 4711)
    assert environment.dynamic_backend_paths() is None
    assert environment.bundled_backends() is True


def test_invalid_options_raise_before_a_file_is_opened(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ARMNN_PY_CRASH_REPORT", "perhaps")
    monkeypatch.setattr(dynamic_library, "open_library", lambda _, **__: pytest.fail("opened"))
    with pytest.raises(InvalidArgumentError, match="ARMNN_PY_CRASH_REPORT"):
        load_backends(dynamic_backends_path=[])


def test_a_lock_file_of_the_working_folder_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ARMNN_PY_LOCK_FILE", "some.lock")
    words = r"'some\.lock' given, an absolute path expected"
    with pytest.raises(InvalidArgumentError, match=words):
        environment.lock_file()
    monkeypatch.setenv("ARMNN_PY_LOCK_FILE", "/etc/some.lock")
    assert environment.lock_file() == "/etc/some.lock"
