# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Arrays of callers as inputs and outputs: checks, conversions, shared and external memory."""
