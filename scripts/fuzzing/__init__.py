# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""What ``scripts/fuzz.py`` is made of."""
