# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Types of the fixtures."""

from __future__ import annotations

from collections.abc import Callable

import armnn_py as ann

#: ``build_backend(source, target, "-DNAME=1")``
Build = Callable[..., None]
#: Lines that backends wrote since the question before.
Journal = Callable[[], list[str]]
#: ``make_runtime(source, "-DNAME=1")``
MakeRuntime = Callable[..., ann.Runtime]
Load = Callable[..., ann.LoadedNetwork]
