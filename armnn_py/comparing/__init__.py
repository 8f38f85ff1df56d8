# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Compares backends, other engines and kept results: to the output, the layer and the cause."""
