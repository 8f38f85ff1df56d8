# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The checks: each docstring says what must hold, and the section that says so."""
