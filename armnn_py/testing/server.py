# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""A process that has everything imported and no backend loaded, and forks those that have one.

It is started as a program of its own, so that it has one thread alone when it forks, whatever the
program has that wants the tests.
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import json
import os
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from armnn_py._native.library import core
from armnn_py._native.process.parent_process import end_with_parent
from armnn_py.testing.cases import all_cases
from armnn_py.testing.child import Tell, answer_all, needed_modules, writer
from armnn_py.testing.forked import ForkedProcess, Job
from armnn_py.testing.outcome import GROUPS, Group, Result
from armnn_py.testing.target import Target
from armnn_py.testing.trials import Trials, result_of, under_way
from armnn_py.types import DataType, LayerType

if TYPE_CHECKING:
    from armnn_py.testing.cases import Case

__all__ = ["serve"]

_START_SECONDS = 60.0  # the least for what is not the backend's time


class _Server:
    def __init__(self, order: dict[str, Any], say: Tell) -> None:
        self.say = say
        self.target = Target(**order["target"])
        self.timeout: float = order["timeout"]
        self.jobs: int = order["jobs"]
        self.folder: str = order["folder"]
        self.networks: list[int] = order["networks"]
        self.features: list[str] = order["features"]
        self.seed: int = order["seed"]
        self.groups: tuple[Group, ...] = tuple(
            group for group in GROUPS if group in order["groups"]
        )
        layers = [LayerType(number) for number in order["layers"]]
        types = [DataType(number) for number in order["types"]]
        number, count = order["part"]
        cases = all_cases(order["level"], seed=order["seed"], layers=layers, types=types)
        self.cases = cases[number - 1 :: count]

    def warm_up(self) -> None:
        """Import here what every process would import for itself."""
        (case, *_) = all_cases("quick", layers=[LayerType.SOFTMAX], types=[DataType.FLOAT32])
        process = ForkedProcess(
            Job("warm", lambda tell: needed_modules(case, tell)), _START_SECONDS
        )
        for message in process.all_messages():
            for name in message.get("modules", ()):
                with contextlib.suppress(ImportError):
                    importlib.import_module(name)
        process.ending()
        gc.freeze()

    def run(self) -> None:
        """Ask about all cases, then try those that are taken."""
        self.warm_up()
        taken = self._ask()
        if taken is None:
            return
        trials = Trials(self.target, self.folder, self.timeout, self.say)
        if self.groups:
            trials.add_cases(taken, self.groups)
        trials.add_networks(self.networks)
        trials.add_features(self.features, self.seed)
        trials.run(self.jobs)

    # ---- Support -------------------------------------------------------------------------------

    def _ask(self) -> list[Case] | None:
        """Return the cases that are taken; None if the backend cannot be loaded."""
        found: dict[int, Case] = {}
        first = 0
        while first < len(self.cases) or not self.cases:
            work = _answering(self.target, self.cases, first)
            process = ForkedProcess(Job("support", work), self.timeout)
            is_loaded = is_asked = False
            for message in process.all_messages():
                is_loaded = is_loaded or "loaded" in message
                is_asked = is_asked or "asked" in message
                if "done" in message:
                    number = message["done"]
                    case = self.cases[number]
                    if message["outcome"] == "taken":
                        found[number] = case
                    else:
                        result = result_of(case, "truth", message["outcome"], message["message"])
                        self.say(result=result.as_dict())
            words, outcome = process.ending()
            if not is_loaded:
                result = Result("load", "", "", "load", outcome, words, "create")
                self.say(result=result.as_dict())
                return None
            if process.is_over:
                break
            last = process.bulletin.read().start
            if is_asked or not isinstance(last, int) or last < 0:
                step = "destroying the instance" if is_asked else "making the instance"
                result = Result("load", "", "", "load", outcome, words, step)
                self.say(result=result.as_dict())
                break
            case = self.cases[last]
            words += under_way("is_layer_supported", case)
            result = result_of(case, "truth", outcome, words, "is_layer_supported")
            self.say(result=result.as_dict())
            first = last + 1
        return list(found.values())


def _answering(target: Target, cases: list[Case], first: int) -> Callable[[Tell], None]:
    return lambda tell: answer_all(target, cases, first, tell)


def serve(parent: int, sender: int) -> None:
    """Do what the order on standard input says; results are lines of JSON."""
    end_with_parent(parent)
    os.set_inheritable(sender, False)
    order = json.load(sys.stdin)
    core()  # every process needs it
    _Server(order, writer(sender)).run()
