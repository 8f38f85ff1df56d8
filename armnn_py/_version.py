# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Version of the package; a test compares it with pyproject.toml and the native library."""

__version__ = "0.1.0"
