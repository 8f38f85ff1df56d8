# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Plans and contexts of the C executor: built, run, and interrupted by signals."""
