# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Side-by-side latency of armnn_py and other inference engines."""
