#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# host-root
# bridge: visa
# not kasan: the interpreter of the host takes minutes there
#
# zio-visa makes devices of simulated instruments. The tests are in tests/unit/visa/guest.
ip link set lo up 2>/dev/null || ifconfig lo 127.0.0.1
tests=$ZIO_TREE/tests/unit
path=$ZIO_TREE/tools/python/build/lib:$tests/python:$tests/visa
path=$path:$ZIO_TREE/tools/programs/nexus
exec zio-host timeout 900 env PYTHONPATH="$path" ZIO_TREE="$ZIO_TREE" \
	PYTHONDONTWRITEBYTECODE=1 /usr/bin/python3 -m pytest -p no:terminal -p tap_plugin \
	-p no:cacheprovider --confcutdir "$tests/visa/guest" --rootdir /tmp -c /dev/null \
	"$tests/visa/guest"
