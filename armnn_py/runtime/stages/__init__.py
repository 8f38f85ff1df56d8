# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Networks in stages: parts that wait for values of the part before, and runs through them."""
