# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Options and memory that a program gives to backends, and their descriptions."""
