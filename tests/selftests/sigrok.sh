#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# host-root
# bridge: sigrok
# not kasan: the interpreter of the host takes minutes there
#
# zio-sigrok makes a device of the simulated instrument of libsigrok. The tests are in
# tests/unit/sigrok/guest.
tests=$ZIO_TREE/tests/unit
exec zio-host timeout 900 env PYTHONPATH="$ZIO_TREE/tools/python/build/lib:$tests/python" \
	ZIO_TREE="$ZIO_TREE" PYTHONDONTWRITEBYTECODE=1 /usr/bin/python3 -m pytest \
	-p no:terminal -p tap_plugin -p no:cacheprovider \
	--confcutdir "$tests/sigrok/guest" --rootdir /tmp -c /dev/null "$tests/sigrok/guest"
