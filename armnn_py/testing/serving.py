# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Starts the process that forks one for each job, and reads what it tells."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator, Mapping
from typing import Any

from armnn_py._native.process.parent_process import child_command
from armnn_py.errors import InternalError

__all__ = ["served"]


def served(module: str, order: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Start ``serve`` of a module in a process of its own and give its messages as they come.

    Raises
    ------
    InternalError
        It did not come to its end.
    """
    receiver, sender = os.pipe()
    # One thread when it forks; what a backend has of its own is not touched.
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1"}
    with open(receiver, "rb") as pipe:  # noqa: PTH123
        try:
            child = subprocess.Popen(
                child_command(module, "serve", os.getpid(), sender),
                stdin=subprocess.PIPE,
                stdout=2,
                pass_fds=[sender],
                env=environment,
                process_group=0,  # Ctrl-C is for the parent, which ends the child
            )
        finally:
            os.close(sender)
        with child:
            try:
                assert child.stdin is not None
                child.stdin.write(json.dumps(order).encode())
                child.stdin.close()
                yield from map(json.loads, pipe)
                code = child.wait()
            finally:
                child.kill()
    if code != 0:
        raise InternalError(f"the process that runs the cases ended with exit code {code}")
