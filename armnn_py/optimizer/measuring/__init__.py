# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Assignment by measured time: times of layers, their cache, and the choice of least time."""
