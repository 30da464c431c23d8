#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# kasan
# not distro: the sanitizers find what the programs break
#
# Programs that are drivers describe devices and answer at random, and users read and change
# settings. ZIO_FUZZ_SECONDS sets the time, ZIO_SEED names a seed.
. "${0%/*}/lib.sh"

seconds=${ZIO_FUZZ_SECONDS:-20}
seed=${ZIO_SEED:-1}

has_no_device()
{
	! ls /sys/bus/zio/devices | grep -q ufuzz
}

check "modules are loaded" zio-load zio-uzio
check "$seconds s of random programs, seed $seed" \
	fuzz --scenario programs --seed $seed --seconds $seconds
[ $status -ne 0 ] || diag "$said"
check "no device is left" wait_until 60 has_no_device
check "the module is unloaded" wait_until 60 zio-unload zio-uzio
done_testing
