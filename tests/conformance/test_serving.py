# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The process that forks one for each order is kept, and is as good as a new one."""

from __future__ import annotations

import os
import threading
from pathlib import Path
from typing import Any

import pytest

from armnn_py.errors import InternalError
from armnn_py.testing.serving import served

MODULE = """
import os

def prepare(order):
    global prepared
    prepared = os.getpid()

def serve(order, say):
    say(server=prepared, parent=os.getppid(), value=os.environ.get("ORDER"), given=order["number"])
    if order["number"] < 0:
        os._exit(3)
"""


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    (tmp_path / "kept_server.py").write_text(MODULE)
    monkeypatch.syspath_prepend(tmp_path)
    return "kept_server"


def ask(module: str, number: int) -> dict[str, Any]:
    (message,) = served(module, {"number": number})
    assert message["given"] == number
    assert message["parent"] == message["server"]
    return message


def is_there(pid: int) -> bool:
    return os.path.exists(f"/proc/{pid}")  # noqa: PTH110


def test_an_order_takes_the_process_of_the_one_before(module: str) -> None:
    assert ask(module, 1)["server"] == ask(module, 2)["server"]


def test_commands_see_the_starting_environment(
    module: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = ask(module, 1)
    monkeypatch.setenv("ORDER", "changed")
    second = ask(module, 2)
    assert (first["value"], second["value"]) == (None, "changed")
    assert not is_there(first["server"])


def test_an_end_is_an_error_and_the_next_order_is_done(module: str) -> None:
    with pytest.raises(InternalError, match="ended with exit code 3"):
        list(served(module, {"number": -1}))
    assert ask(module, 1)["given"] == 1


def test_an_abandoned_order_ends_with_its_process(module: str) -> None:
    answers = served(module, {"number": 1})
    server = next(answers)["server"]
    answers.close()
    assert not is_there(server)


def test_a_process_ends_with_the_thread_that_started_it(module: str) -> None:
    found: list[int] = []
    thread = threading.Thread(target=lambda: found.append(ask(module, 1)["server"]))
    thread.start()
    thread.join()
    assert ask(module, 2)["server"] != found[0]
    assert not is_there(found[0])
