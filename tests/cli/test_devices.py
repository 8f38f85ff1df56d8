# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Devices on the command line: lists, ids, options, and the conformance kit on one of them."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from .conftest import DEMO, Command

FILE = "Test_Devices_backend.so"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory, build_backend: Callable[..., None]) -> Path:
    """A folder with the backend "Devices"."""
    folder = tmp_path_factory.mktemp("devices")
    build_backend("devices_backend.c", folder / FILE)
    return folder


def test_lists(command: Command, folder: Path) -> None:
    document = command("--backend-path", folder, "backends", "list", "--json").json
    lanes = {"vendor": "Test", "driver_version": "1.2", "memory_size": 4096}
    assert document["devices"] == [
        {"id": "Devices", "name": "Lane 0", **lanes},
        {"id": "Devices:1", "name": "Lane 1", **lanes},
    ]
    assert document["device_errors"] == {}
    text = command("--backend-path", folder, "backends", "list").out
    assert re.search(r"\nDevices:1 +Lane 1 +Test +1\.2 ", text)
    rows = command("--backend-path", folder, "doctor", "--json").json["checks"]
    (row,) = (row for row in rows if row["check"] == "devices")
    assert (row["result"], row["detail"]) == ("ok", "Devices (Lane 0), Devices:1 (Lane 1)")


def test_a_backend_that_does_not_list_them(
    command: Command, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DEVICES_ANSWERS", "fails")
    answer = command("--backend-path", folder, "backends", "list", "--json")
    assert answer.code == 0
    words = "backend 'Devices': list_devices failed: no driver answers"
    assert answer.json["device_errors"] == {"Devices": words}
    assert f"devices: {words}" in command("--backend-path", folder, "backends", "list").out
    rows = command("--backend-path", folder, "doctor", "--json").json["checks"]
    (row,) = (row for row in rows if row["check"] == "devices")
    assert (row["result"], row["detail"]) == ("warning", words)


def test_show(command: Command, folder: Path) -> None:
    arguments = ("--backend-path", folder, "backends", "show")
    document = command(*arguments, "Devices:1", "--json").json
    assert document["id"] == "Devices:1"
    assert [device["id"] for device in document["devices"]] == ["Devices", "Devices:1"]
    assert command(*arguments, "Devices:0", "--json").json["id"] == "Devices"
    answer = command(*arguments, "Devices:2")
    assert answer.code == 4
    assert "backend 'Devices' has no device 2, it has 2 devices" in answer.err


def test_options_of_one_device(command: Command, folder: Path) -> None:
    arguments = ("--backend-path", folder, "check", DEMO, "-b", "Devices:1", "-b", "CpuRef")
    options = ("--backend-option", "Devices.gain=2", "--backend-option", "Devices:1.gain=3.5")
    assert command(*arguments, *options, "--model-option", "Devices:1.effort=4").code == 0
    answer = command(*arguments, "--backend-option", "Devices:1.gian=2")
    assert answer.code == 2
    assert "backend_options['Devices:1']: option 'gian' is unknown" in answer.err
    answer = command(*arguments, "--model-option", "Devices:7.effort=4")
    assert answer.code == 4
    assert "has no device 7" in answer.err


def test_check_and_placement(command: Command, folder: Path, tmp_path: Path) -> None:
    rules = tmp_path / "rules.toml"
    rules.write_text('[[rule]]\nname = "*"\nbackend = "Devices:1"\n')
    given = ("--backend-path", folder, "check", DEMO, "-b", "CpuRef", "--placement", rules)
    answer = command(*given, "--json")
    assert answer.code == 0
    assert "Devices:1" in json.dumps(answer.json["layers"])
    assert "Devices:1" in command(*given).out


@pytest.mark.exhaustive
def test_the_conformance_kit(command: Command, folder: Path) -> None:
    """NEG of this backend adds what its device counts: the kit finds that, on the right one."""
    arguments = ("--backend-path", folder, "backends", "test")
    answer = command(*arguments, "Devices:1", "--layer", "ElementwiseUnary", "--json")
    assert answer.code == 5
    assert "backend 'Devices:1': " in answer.err or "Devices:1" in json.dumps(answer.json)
    reasons = json.dumps(answer.json)
    assert "device 1 has no square roots" in reasons
    answer = command(
        "backends", "test", f"{folder / FILE}:1", "--layer", "ElementwiseUnary", "--json"
    )
    assert "device 1 has no square roots" in json.dumps(answer.json)
    assert "device 1 has no square roots" not in json.dumps(
        command(*arguments, "Devices", "--layer", "ElementwiseUnary", "--json").json
    )


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        ("otherwise", "list_devices answers otherwise than before"),
        ("no-name", "list_devices: device 0 has no name"),
    ],
)
def test_the_conformance_kit_asks_for_devices(
    command: Command, folder: Path, monkeypatch: pytest.MonkeyPatch, answer: str, words: str
) -> None:
    monkeypatch.setenv("DEVICES_ANSWERS", answer)
    told = command("--backend-path", folder, "backends", "test", "Devices", "--layer", "Rank")
    assert told.code == 4
    assert f"backend 'Devices' cannot be tested: backend 'Devices': {words}\n" in told.err


def test_completion(command: Command, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from armnn_py.cli.app import Session
    from armnn_py.cli.completion import offer_backends

    class Context:
        obj = Session(backend_paths=[str(folder)])

    def offered(begun: str) -> list[str]:
        return [item.value for item in offer_backends(Context(), None, begun)]  # type: ignore[arg-type]

    assert offered("Dev") == ["Devices"]
    assert offered("Devices:") == ["Devices:1"]
