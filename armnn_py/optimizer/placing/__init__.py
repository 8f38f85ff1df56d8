# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Placing a network: rules, placed networks, and families of shapes that share a placement."""
