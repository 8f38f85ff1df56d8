# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""armnn_py: neural networks from Python on backends that are plain C shared objects."""
