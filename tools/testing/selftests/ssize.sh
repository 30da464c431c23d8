#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Sets without samples (ssize 0) and sets with samples, in each pair: sharing, routes,
# splice(). zio-fake-dtc has both an input and an output without samples.
. "${0%/*}/lib.sh"

devices=/sys/bus/zio/devices
none_in=zdtc-0000-2-0
none_out=zdtc-0000-1-0
some_in=zzero-0000-2-0
some_out=zloop-0000-0-0
pulse=/dev/zio/zdtc-0000-0-0

# file_of CHANNEL FILE: a sysfs file of a channel, by the name of its nodes
file_of()
{
	echo "$1" | (IFS=-; read -r name id cset chan
		echo "$devices/$name-$id/cset$cset/chan$chan/$2")
}

count()
{
	cat "$(file_of "$1" "statistics/$2")"
}

route()
{
	write_file "$(file_of "$1" buffer/source)" "$2"
}

zio-load zio-fake-dtc outputs=2
zio-load zio-loop ssize=4

# Output 0 makes a pulse, which input 2 hears; output 1 takes what input 2 has.
check "a pulse" node-time order $pulse now
check "share: both without samples" node-ssize share /dev/zio/$none_in /dev/zio/$none_out
is "shared, copied" "$(count $none_out shared) $(count $none_out copied)" "2 0"
is "each is an order for the past" "$(count $none_out lost_blocks)" 2
check "a pulse" node-time order $pulse now
check "share: the input without samples" \
	node-ssize differ /dev/zio/$none_in /dev/zio/$some_out
check "share: the output without samples" \
	node-ssize differ /dev/zio/$some_in /dev/zio/$none_out
is "nothing was shared" "$(count $some_out shared) $(count $none_out shared)" "0 2"

expect_write_errno "route: the input without samples" EPROTOTYPE \
	"$(file_of $some_out buffer/source)" $none_in
expect_write_errno "route: the output without samples" EPROTOTYPE \
	"$(file_of $none_out buffer/source)" $some_in
check "route: both without samples" route $none_out $none_in
check "a pulse" node-time order $pulse now
is "goes on as an order" "$(count $none_out shared) $(count $none_out lost_blocks)" "3 3"
check "the route ends" route $none_out none

check "a pulse" node-time order $pulse now
check "splice: both without samples" \
	node-ssize splice /dev/zio/$none_in /dev/zio/$none_out
check "rmmod" zio-unload zio-fake-dtc
done_testing
