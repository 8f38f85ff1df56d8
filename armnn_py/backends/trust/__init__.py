# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Whose code is opened: who may write to a file, what it links to, and the lock file."""
