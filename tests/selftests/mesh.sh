#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Blocks of three boards go to four others, by sharing and by routes. One of the four
# cannot reach their memory. Both sides change, are unplugged, and are killed.
# ZIO_STORM_SECONDS sets the time, ZIO_SEED names a seed.
. "${0%/*}/lib.sh"

config=/sys/kernel/config/zio
seconds=${ZIO_STORM_SECONDS:-8}
seed=${ZIO_SEED:-1}
inputs=3 outputs=4

# make_boards DRIVER N ATTRIBUTE=VALUE...
make_boards()
{
	driver=$1 n=$2
	shift 2
	i=0
	while [ $i -lt $n ]; do
		board=$config/devices/$driver/m$i
		mkdir $board && echo $((100 + i)) >$board/id || return
		for pair in "$@"; do
			echo ${pair#*=} >$board/${pair%=*} || return
		done
		echo 1 >$board/live || return
		i=$((i + 1))
	done
}

set_up()
{
	for module in zio-buf-vmalloc zio-trig-hrt zio-zero; do
		zio-load $module || return
	done
	zio-load zio-loop ndev=0 || return
	mkdir $config/triggers/hrt/clock0 || return
	echo 1000000 >$config/triggers/hrt/clock0/period-ns
	make_boards zzero $inputs && make_boards zloop $outputs ssize=4 &&
		echo 0 >$board/live && echo 12 >$board/dma-bits && echo 1 >$board/live
}

# count FILE: the sum of this statistic over all outputs
count()
{
	cat /sys/bus/zio/devices/zloop-*/cset0/chan0/statistics/$1 |
		awk '{ n += $1 } END { print n }'
}

check "boards are made" set_up
check "storm of $seconds s, seed $seed" fuzz --scenario mesh \
	--seconds $seconds --seed $seed
diag "$said; since they were last plugged $(count shared) shared, $(count copied) copied"
check "inputs are removed" rmdir $config/devices/zzero/m*
check "outputs are removed" rmdir $config/devices/zloop/m*
check "the clock is removed" rmdir $config/triggers/hrt/clock0
for module in zio-zero zio-loop; do
	check "$module is unloaded" zio-unload $module
done
check "the buffer is unloaded" wait_until 10 rmmod zio-buf-vmalloc
done_testing
