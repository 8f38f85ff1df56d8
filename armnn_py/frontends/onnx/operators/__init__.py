# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Converters, one module per family of operators.

The definitions are those of the ONNX operator specification; where layers differ, a converter says
how it bridges the difference.
"""
