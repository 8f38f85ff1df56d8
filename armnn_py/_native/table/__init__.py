# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""A backend's table of functions: one module for each group, called with checked arguments."""
