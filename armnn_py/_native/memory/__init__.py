# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Memory and addresses: read without trust, mapped from files, guarded, and measured."""
