# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Models cut into stages, where values that the network computes decide shapes."""
