# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Contexts: what one run at a time uses. Their pool, and the cache of plans."""
