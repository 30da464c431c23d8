#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# host-root
# bridge: comedi
# kernel-module: comedi_test
# not kasan: that kernel does not have the driver
#
# zio-comedi makes a device of the card that comedi_test simulates. The tests are in
# tests/unit/comedi/guest.
tests=$ZIO_TREE/tests/unit
exec zio-host timeout 900 env PYTHONPATH="$ZIO_TREE/tools/python/build/lib:$tests/python" \
	ZIO_TREE="$ZIO_TREE" PYTHONDONTWRITEBYTECODE=1 /usr/bin/python3 -m pytest \
	-p no:terminal -p tap_plugin -p no:cacheprovider \
	--confcutdir "$tests/comedi/guest" --rootdir /tmp -c /dev/null "$tests/comedi/guest"
