# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Layers, tensors and sub-graphs as C structures, and read back from them."""
