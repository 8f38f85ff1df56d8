# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Layers in the form that backends take: layouts, precision, control flow, debug layers."""
