#!/bin/sh
# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
#
# Tests CpuAcc's operators on NEON on a machine of any kind: compiled for 64-bit Arm, run by a Python for
# 64-bit Arm under qemu's user emulation, against the same expected values as the other sets.
#
#   sh scripts/test_neon.sh WORK_FOLDER [pytest arguments]
#
# Wants Debian or Ubuntu with gcc-aarch64-linux-gnu, libc6-dev-arm64-cross and qemu-user, arm64 as a
# foreign architecture (dpkg --add-architecture arm64; apt-get update), CMake and Ninja. The Arm
# Python and its packages are put into WORK_FOLDER, not installed. Comparisons with onnxruntime are
# left out: its library does not start under the emulator.
set -eu
here=$(cd "$(dirname "$0")/.." && pwd)
mkdir -p "$1"
work=$(cd "$1" && pwd)
shift

for tool in aarch64-linux-gnu-gcc qemu-aarch64 apt-get dpkg-deb cmake ninja; do
  command -v "$tool" >/dev/null || { echo "test_neon.sh: $tool is not there" >&2; exit 2; }
done

cmake -S "$here" -B "$work/build" -G Ninja -DCMAKE_SYSTEM_NAME=Linux \
  -DCMAKE_SYSTEM_PROCESSOR=aarch64 -DCMAKE_C_COMPILER=aarch64-linux-gnu-gcc \
  -DCMAKE_BUILD_TYPE=Release -DARMNN_WERROR=ON -DARMNN_BUILD_TESTS=ON >"$work/cmake.log"
ninja -C "$work/build" armnn_acc_operators

root=$work/root
if [ ! -x "$root/usr/bin/python3" ]; then
  mkdir -p "$work/debs" "$root"
  version=$(apt-cache depends python3-minimal | sed -n 's/.*Depends: \(python3\.[0-9]*\)-minimal/\1/p' | head -n 1)
  (
    cd "$work/debs"
    apt-get download -qq "$version-minimal:arm64" "lib$version-minimal:arm64" \
      "lib$version-stdlib:arm64" libc6:arm64 libexpat1:arm64 zlib1g:arm64 libssl3:arm64 \
      libffi8:arm64 libgcc-s1:arm64 libstdc++6:arm64 libbz2-1.0:arm64 liblzma5:arm64 \
      libsqlite3-0:arm64 libuuid1:arm64 libcrypt1:arm64
    for package in *.deb; do dpkg-deb -x "$package" "$root"; done
  )
  ln -sf "$version" "$root/usr/bin/python3"
fi
emulated() { qemu-aarch64 -L "$root" -E PYTHONPATH="$work/site:$here" "$@"; }
if [ ! -d "$work/site/numpy" ]; then
  minor=$(emulated "$root/usr/bin/python3" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
  python3 -m pip install --quiet --target "$work/site" --only-binary=:all: --implementation cp \
    --python-version "$minor" --platform manylinux_2_28_aarch64 \
    --platform manylinux2014_aarch64 --platform any numpy pytest
fi
cd "$here"
tests=
for family in convolution depthwise elementwise folds functions matmul moves pooling \
  transpose_convolution; do
  tests="$tests tests/cpu_acc/test_$family.py"
done
# shellcheck disable=SC2086 # a list of files without spaces
emulated -E CPU_ACC_OPERATORS="$work/build/tests/cpu_acc/armnn_acc_operators.so" \
  "$root/usr/bin/python3" -m pytest -q -p no:cacheprovider -c /dev/null --rootdir="$here" \
  --confcutdir=tests/cpu_acc $tests "$@"
