# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Sources of expected values: numpy, the reference backend, and files."""
