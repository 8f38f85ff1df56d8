# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Arrays of strings, and where operators on strings are cut off from those on numbers."""
