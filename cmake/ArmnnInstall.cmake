# What goes into the wheel, relative to site-packages.
set(ARMNN_PACKAGE_DIR armnn_py)
