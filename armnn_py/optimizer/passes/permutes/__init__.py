# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Passes that move, merge and remove Permute and Transpose layers."""
