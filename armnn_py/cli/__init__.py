"""The command line ``armnn-py``; also ``python -m armnn_py``."""
