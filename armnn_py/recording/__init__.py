# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Recordings: files with sub-graphs of a backend, and tensors of its calls."""
