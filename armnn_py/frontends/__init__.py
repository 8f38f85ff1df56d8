# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Importers: from a model file to a `Network`."""

from __future__ import annotations

from armnn_py.frontends.registry import import_model, import_network

__all__ = ["import_model", "import_network"]
