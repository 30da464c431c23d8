#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# check
# host-root
# kernel-module: zio-trig-timer
# not kasan: the interpreter of the host takes minutes there
#
# The Python package on real channels. The tests are in tests/unit/python/guest.
package=$ZIO_TREE/tools/python tests=$ZIO_TREE/tests/unit/python
exec zio-host timeout 1500 env PYTHONPATH="$package/build/lib:$tests" \
	PYTHONDONTWRITEBYTECODE=1 /usr/bin/python3 -m pytest -p no:terminal -p tap_plugin \
	-p no:cacheprovider -o faulthandler_timeout=120 --confcutdir "$tests/guest" --rootdir /tmp -c /dev/null "$tests/guest"
