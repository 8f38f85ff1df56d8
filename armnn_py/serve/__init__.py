# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""A server of the Open Inference Protocol v2: ``armnn-py serve``, or an ASGI application.

It needs the extra ``serve``, and nothing else of the package imports it. `Repository` has the
models, `Batcher` the queue of each. The front ends turn messages into arrays and back.
"""

from __future__ import annotations

from armnn_py.serve.app import application
from armnn_py.serve.settings import ModelSettings, Settings, read_settings

__all__ = ["ModelSettings", "Settings", "application", "read_settings"]
