# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Files are tried in another process before this one opens them.

`findings` says what a probe found and which findings refuse a file, `process` starts the `program`
``armnn_probe`` for many files at once, `cache` remembers what was found, and `Examiner` (in
`gate`) puts these together for the loader.
"""
