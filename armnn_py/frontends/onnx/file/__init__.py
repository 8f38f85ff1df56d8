# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""ONNX files as plain Python objects: messages, weights, nodes, inputs and their checks."""
