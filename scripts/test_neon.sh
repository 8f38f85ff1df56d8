#!/bin/sh
# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
#
# Tests CpuAcc's operators on NEON on a machine of any kind: compiled for 64-bit Arm, run by a Python
# for 64-bit Arm under qemu's user emulation, against the same expected values as the other sets.
# Quantised numbers with products of bytes (i8mm, dotprod), and on a processor that has neither.
#
#   sh scripts/test_neon.sh WORK_FOLDER [pytest arguments]
#
# Each set with each value of each parameter; with --exhaustive all combinations, and the bits of
# CpuAcc.reproducible: the layers of the conformance kit and random networks on NEON, compared with
# those that the armnn_py of this machine's Python makes here.
#
# Wants Debian or Ubuntu with gcc-aarch64-linux-gnu, libc6-dev-arm64-cross and qemu-user, CMake and
# Ninja; ends with 3 where one of them, or what it brings, cannot be had. The Arm Python and its
# packages are put into WORK_FOLDER, with package lists of their own: nothing is installed, and apt's
# settings stay as they are. Comparisons with onnxruntime are left out: its library does not start
# under the emulator.
set -eu
here=$(cd "$(dirname "$0")/.." && pwd)
. "$here/scripts/jobs.sh" # they end with this script
mkdir -p "$1"
work=$(cd "$1" && pwd)
shift

lacking() {
  echo "test_neon.sh: $*" >&2
  exit 3
}
for tool in aarch64-linux-gnu-gcc qemu-aarch64 apt-get dpkg-deb cmake ninja; do
  command -v "$tool" >/dev/null || lacking "$tool is not there"
done
echo '#include <stdio.h>' | aarch64-linux-gnu-gcc -E - >/dev/null 2>&1 \
  || lacking "aarch64-linux-gnu-gcc has no C library: install libc6-dev-arm64-cross"

# Downloads packages for Arm, with all that they need, as for a machine that has nothing yet.
arm_packages() {
  rm -rf "$work/apt" "$work/root.new"
  mkdir -p "$work/apt/state/lists/partial" "$work/apt/cache/archives/partial" "$work/root.new"
  : >"$work/apt/state/status"
  cat >"$work/apt/apt.conf" <<END
APT::Architecture "arm64";
APT::Architectures { "arm64"; };
APT::Sandbox::User "";
Acquire::Languages "none";
Debug::NoLocking "true";
Dir::Cache "$work/apt/cache";
Dir::State "$work/apt/state";
Dir::State::status "$work/apt/state/status";
END
  APT_CONFIG=$work/apt/apt.conf apt-get update -qq &&
    APT_CONFIG=$work/apt/apt.conf apt-get install -qq --yes --download-only \
      --no-install-recommends "$@" &&
    for package in "$work"/apt/cache/archives/*.deb; do
      dpkg-deb -x "$package" "$work/root.new" || return 1
    done
}
root=$work/root
if [ ! -x "$root/usr/bin/python3" ]; then
  arm_packages python3-minimal libpython3-stdlib libstdc++6 || lacking "no Python for 64-bit Arm"
  [ -e "$work/root.new/lib" ] || ln -s usr/lib "$work/root.new/lib"
  rm -rf "$root"
  mv "$work/root.new" "$root"
fi
cpu=max
emulated() { qemu-aarch64 -cpu "$cpu" -L "$root" -E PYTHONPATH="$work/site:$here" "$@"; }
if [ ! -d "$work/site/msgspec" ]; then
  minor=$(emulated "$root/usr/bin/python3" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
  python3 -m pip install --quiet --target "$work/site" --only-binary=:all: --implementation cp \
    --python-version "$minor" --platform manylinux_2_28_aarch64 \
    --platform manylinux2014_aarch64 --platform any --upgrade msgspec numpy pytest pycparser \
    || lacking "no msgspec, numpy, pytest and pycparser for 64-bit Arm and Python $minor"
fi

cmake -S "$here" -B "$work/build" -G Ninja -DCMAKE_SYSTEM_NAME=Linux \
  -DCMAKE_SYSTEM_PROCESSOR=aarch64 -DCMAKE_C_COMPILER=aarch64-linux-gnu-gcc \
  -DCMAKE_BUILD_TYPE=Release -DARMNN_WERROR=ON -DARMNN_BUILD_TESTS=ON \
  -DARMNN_CPU_ACC_MATRICES_IN_C=ON >"$work/cmake.log"
ninja -C "$work/build" armnn_acc_operators
case " $* " in *" --exhaustive "*) ninja -C "$work/build" armnn_core Arm_CpuAcc_backend ;; esac

cd "$here"
rm -f "$work"/tests-*.log
# As many processes at once as there are processors, each with its part of the tests.
operator_tests() {
  count=$(nproc)
  number=1
  running=
  while [ "$number" -le "$count" ]; do
    emulated -E CPU_ACC_OPERATORS="$work/build/tests/cpu_acc/armnn_acc_operators.so" \
      "$root/usr/bin/python3" -m pytest -q -p no:cacheprovider -c /dev/null --rootdir="$here" \
      --confcutdir=tests/cpu_acc -p tests.parts --part "$number/$count" "$@" \
      >"$work/tests-$cpu-$number.log" 2>&1 &
    running="$running $!"
    number=$((number + 1))
  done
  failed=0
  for process in $running; do wait "$process" || [ $? = 5 ] || failed=1; done # 5: no test
  cat "$work/tests-$cpu"-*.log
  [ $failed = 0 ] || exit 1
}
same_bits() {
  python3 scripts/hash_outputs.py --layers --random 10 --threads 1 >"$work/bits-here.txt"
  emulated -E ARMNN_PY_CORE_LIBRARY="$work/build/native/libarmnn_core.so" \
    -E DYNAMIC_BACKEND_PATHS="$work/build/backends_c/cpu_acc/Arm_CpuAcc_backend.so" \
    "$root/usr/bin/python3" scripts/hash_outputs.py --layers --random 10 \
    --isa neon --isa i8mm --isa dotprod >"$work/bits-neon.txt"
  diff "$work/bits-here.txt" "$work/bits-neon.txt"
  echo "$(wc -l <"$work/bits-neon.txt") layers and networks have the same bits"
}
tests=
for family in convolution depthwise elementwise folds functions lstm_operator matmul moves pooling \
  quantized_operators transpose_convolution winograd; do
  tests="$tests tests/cpu_acc/test_$family.py"
done
# A processor without products of bytes: its sets are not there.
cpu=cortex-a53
operator_tests tests/cpu_acc/test_quantized_operators.py "$@"
cpu=max
# shellcheck disable=SC2086 # a list of files without spaces
operator_tests $tests "$@"
case " $* " in *" --exhaustive "*) same_bits ;; esac
cat "$work"/tests-*.log | awk '{ for (i = 2; i <= NF; ++i) count[$i] += $(i - 1) }
  END { passed = count["passed,"] + count["passed"]
        print passed " passed, " count["skipped"] + 0 " skipped"; exit passed == 0 }'
