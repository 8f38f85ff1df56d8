# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Converters of the standard domain; those of windows and recurrence have packages of their own."""
