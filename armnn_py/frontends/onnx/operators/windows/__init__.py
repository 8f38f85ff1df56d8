# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Converters of operators on windows and images: convolution, pooling, resizing, sampling."""
