# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Converters of operators on strings and texts, which numpy computes or an input layer splits."""
