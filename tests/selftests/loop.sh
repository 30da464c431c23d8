#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# zio-loop: boards made in configfs, and parameters of the module.
. "${0%/*}/lib.sh"

zloop=/sys/bus/zio/devices/zloop-0000
config=/sys/kernel/config/zio/devices/zloop

test_config()
{
	zio-load zio-loop ndev=0
	check "a directory makes a board" mkdir $config/wire
	write_file $config/wire/channels 2 >/dev/null
	write_file $config/wire/ssize 2 >/dev/null
	write_file $config/wire/nsamples 100 >/dev/null
	expect_write_errno "0 channels" ERANGE $config/wire/channels 0
	expect_write_errno "too many channels" ERANGE $config/wire/channels 1025
	expect_write_errno "0 samples" ERANGE $config/wire/nsamples 0
	expect_write_errno "an empty line" EINVAL $config/wire/ssize ''
	check "the board becomes live" write_file $config/wire/live 1
	is "the name of the board" "$(cat $config/wire/name)" zloop-0000
	is "each set has two channels" "$(ls -d $zloop/cset[01]/chan* | wc -l)" 4
	is "both sets have this ssize and nsamples" \
		"$(cat $zloop/cset0/ssize $zloop/cset1/ssize \
		$zloop/cset0/trigger/nsamples $zloop/cset1/trigger/nsamples |
		xargs)" "2 2 100 100"
	check "a directory makes a second board" mkdir $config/wire2
	check "the second board becomes live" write_file $config/wire2/live 1
	check_fails "the module is not unloaded while boards exist" rmmod zio-loop
	check "both boards are removed" rmdir $config/wire $config/wire2
	is "no board is left" "$(find /sys/bus/zio/devices -name 'zloop*')" ""
	check "the module is unloaded" zio-unload zio-loop
	check_fails "the module refuses 0 channels" modprobe zio-loop nchan=0
	check_fails "the module refuses ssize 1025" modprobe zio-loop ssize=1025
}

test_config
done_testing
