# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Hints of the Python API in the words of the command line."""

from __future__ import annotations

import re

_SHAPE = "--shape NAME=1x3x224x224"
_FORMS: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(pattern), words)
    for pattern, words in (
        (r"(?:import_model|load)\(\.\.\., shapes=.*?\)+$", _SHAPE),
        (r"shapes=\{.*\}$", _SHAPE),
        (r"specialize\(shapes\) gives .*", f"{_SHAPE} binds the free dimensions of an input"),
        (
            r"specialize\((?:\{\}, values|shapes, values=.*)\).*",
            "'armnn-py run' takes the values: -i NAME=FILE",
        ),
        (r"backends=\[['\"](\w+)['\"]\]", r"-b \1"),
        (
            r"make a new Runtime\(backend_options=\{'(.+?)': \{'(.+?)': \.\.\.\}\}\)",
            r"--backend-option \1.\2=VALUE",
        ),
        (
            r"optimize\(\) the (?:model anew and save it again|network again on this machine)",
            "'armnn-py save MODEL -o FILE' writes it anew",
        ),
        (r"data_folder=\.\.\. names the folder of (.*)", r"put \1 into the folder of the model"),
    )
)


def for_commands(hint: str) -> str:
    """Return a hint with options of commands where it has arguments of functions."""
    for pattern, words in _FORMS:
        hint = pattern.sub(words, hint)
    return hint
