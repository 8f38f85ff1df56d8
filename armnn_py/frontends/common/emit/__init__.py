# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Building blocks of conversion: each computes at once on known values, or adds a layer."""

from __future__ import annotations

from armnn_py.frontends.common.emit.emitter import Emitter

__all__ = ["Emitter"]
