# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Sub-graphs that backends get whole: selection, answers and their checks, compiled layers."""
