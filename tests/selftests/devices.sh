#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# check
# host-root
# not kasan: the interpreter of the host takes minutes there
#
# zio-replay and zio-generate as their users call them. The tests are in
# tests/unit/devices/guest.
tests=$ZIO_TREE/tests/unit
exec zio-host timeout 1500 env PYTHONPATH="$ZIO_TREE/tools/python/build/lib:$tests/python" \
	PYTHONDONTWRITEBYTECODE=1 /usr/bin/python3 -m pytest -p no:terminal -p tap_plugin \
	-p no:cacheprovider -o faulthandler_timeout=120 --confcutdir "$tests/devices/guest" \
	--rootdir /tmp -c /dev/null "$tests/devices/guest"
