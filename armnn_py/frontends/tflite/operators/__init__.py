# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Converters of TensorFlow Lite operators, a family to a module.

Definitions: the kernels of LiteRT, and the schema of the format.
"""
