# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Short programs that show a failure, with a command line for gdb."""

from __future__ import annotations

import sys

_HEAD = '''\
"""{title}

{message}
gdb -ex run -ex 'backtrace 8' --args {python} {script}
"""
'''


def write_script(path: str, title: str, message: str, body: str) -> None:
    """Write a program that shows a failure; its docstring has the command line for gdb."""
    safe = [text.replace("\\", "/").replace('"""', "'") for text in (title, message)]
    head = _HEAD.format(title=safe[0], message=safe[1], python=sys.executable, script=path)
    with open(path, "w", encoding="utf-8") as file:  # noqa: PTH123
        file.write(head + body)
