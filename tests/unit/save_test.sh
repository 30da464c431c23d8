#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# zio save and zio restore with a tree of files that stands for sysfs and configfs.
set -eu

# shellcheck source-path=SCRIPTDIR disable=SC1091
. "$(dirname "$0")/fake-tree.sh"
begin_tests "$@"
zio= # make_fake_zio() sets it
export LC_ALL=C

# A modprobe that notes what it is asked for, and fails for zio-bad
make_modprobe()
{
	mkdir path
	cat >path/modprobe <<-'END'
		#!/bin/sh
		echo "$@" >>modprobed
		[ "$2" != zio-bad ]
	END
	chmod 755 path/modprobe
	PATH=$PWD/path:$PATH
}

# make_rich_tree: has also what save treats in its own way
make_rich_tree()
{
	local set0
	make_tree
	set0=$devices/zzero-0000/cset0
	mkdir -p sysfs/module/zio/parameters sysfs/module/zio_trig_hrt sysfs/module/loop
	put_file sysfs/module/zio/parameters/tap_copy 16 444
	put_file sysfs/module/zio/parameters/user_sessions 1024
	put_file sysfs/module/zio/parameters/given '(null)' 444
	cp -R configfs/zio/triggers/hrt/.new configfs/zio/triggers/hrt/clock0
	cp -R configfs/zio/devices/zzero/.new configfs/zio/devices/zzero/rack1
	put_file configfs/zio/devices/zzero/rack1/id auto
	echo 1 >configfs/zio/devices/zzero/rack1/live
	echo 1 >configfs/zio/triggers/hrt/clock0/enable
	put_file "$set0/trigger/fire" '' 200
	put_file "$set0/trigger/pre-samples" 4
	put_file "$set0/trigger/post-samples" 12
	put_file "$set0/trigger/line" ''
	put_file "$set0/chan0/sequence" 77
	put_file "$set0/chan0/buffer/max-buffer-kb" 128
	put_file "$set0/chan0/buffer/watermark" 1
	put_file "$devices/zzero-0000/cset1/chan0/buffer/source" zzero-0001-0-0
	echo 0 >"$devices/zzero-0001/cset1/enable"
	echo clock0 >"$set0/current_trigger"
}

line_of()
{
	grep -nx -m 1 -- "$1" "${2-saved}" | cut -d: -f1
}

# comes_before LINE LINE
comes_before()
{
	if [ "$(line_of "$1")" -lt "$(line_of "$2")" ]; then
		result ok "save: $1 comes before $2"
	else
		result bad "save: $1 comes before $2"
	fi
}

test_save()
{
	local set0=zzero-0000/cset0
	run 0 'save' "$zio" save
	cp out saved
	equal "$(grep '^load' out | xargs)" \
		'load zio tap_copy=16 user_sessions=1024 load zio-trig-hrt' \
		'save: modules, with the parameters that have a value'
	lacks out 'alarms|fire|sequence|nsamples|statistics|uevent|current-control' \
		'save: only settings'
	has out '^device:rack1/id=1$' 'save: the number that the kernel has chosen'
	has out "^$set0/trigger/line=\$" 'save: an empty value'
	comes_before 'device:rack1/channels=3' 'device:rack1/live=1'
	comes_before 'device:rack1/live=1' 'create trigger hrt clock0'
	comes_before 'trigger:clock0/period-ns=0' "$set0/current_trigger=clock0"
	comes_before 'trigger:clock0/enable=0' 'trigger:clock0/enable=1'
	comes_before "$set0/enable=0" "$set0/current_buffer=kmalloc"
	comes_before "$set0/current_buffer=kmalloc" "$set0/chan0/buffer/max-buffer-kb=128"
	comes_before "$set0/chan0/buffer/max-buffer-kb=128" "$set0/trigger/post-samples=12"
	comes_before "$set0/trigger/post-samples=12" "$set0/trigger/pre-samples=4"
	comes_before "$set0/chan0/buffer/max-buffer-len=16" "$set0/chan0/buffer/watermark=1"
	comes_before 'zzero-0001/cset0/chan0/buffer/max-buffer-len=16' \
		'zzero-0000/cset1/chan0/buffer/source=zzero-0001-0-0'
	comes_before 'zzero-0000/cset1/chan0/buffer/source=zzero-0001-0-0' \
		"$set0/enable=1"
	comes_before "$set0/trigger/enable=1" 'trigger:clock0/enable=1'
	lacks out '^zzero-0001/cset1/enable=1' 'save: what is off stays off'
	run 2 'save: no argument' "$zio" save x
	run 1 'save: no ZIO' env ZIO_SYSFS="$work/none" "$zio" save
	has err 'is zio loaded' 'save: no ZIO, with a reason'
	run 1 'save: disk full' bash -c "'$zio' save >/dev/full"
}

value()
{
	cat "$devices/$1"
}

test_restore()
{
	run 0 'restore: nothing to do' "$zio" restore -v saved
	equal "$(grep -v '/enable=' out)" '' 'restore: stops and starts, no more'
	rm -r sysfs/module/zio_trig_hrt configfs/zio/triggers/hrt/clock0 \
		configfs/zio/devices/zzero/rack1
	put_file configfs/zio/devices/zzero/.new/id auto
	echo 5 >"$devices/zzero-0000/cset0/trigger/pre-samples"
	cp -R sysfs sysfs-before
	cp -R configfs configfs-before
	run 0 'restore: dry run' "$zio" restore --dry-run saved
	has out '^create device zzero rack1$' 'dry run: what would be created'
	has out '^zzero-0000/cset0/trigger/pre-samples=4$' 'dry run: and written'
	has out '^load zio-trig-hrt$' 'dry run: and loaded'
	equal "$(grep '^zzero-0000/cset0/enable' out | xargs)" \
		'zzero-0000/cset0/enable=0 zzero-0000/cset0/enable=1' 'dry run: in order'
	run 0 'dry run: changes nothing in sysfs' diff -r sysfs sysfs-before
	run 0 'dry run: nor in configfs' diff -r configfs configfs-before
	run 0 'restore' "$zio" restore saved
	equal "$(cat out err)" '' 'restore: silent'
	equal "$(cat modprobed)" '-- zio-trig-hrt' 'restore: the module that was missing'
	mkdir sysfs/module/zio_trig_hrt
	run 0 'restore: save again' "$zio" save
	same out saved 'restore: as before'
	run 0 'restore: from a pipe' bash -c "'$zio' restore - <saved"
}

# Parameters of a module that is loaded, and of one that is not
test_parameters()
{
	local dir=sysfs/module/zio/parameters
	echo 'load zio tap_copy=16 user_sessions=7' >lines
	run 0 'parameters: dry run' "$zio" restore -n lines
	equal "$(cat out)" 'load zio user_sessions=7' 'parameters: what would be written'
	equal "$(cat $dir/user_sessions)" 1024 'parameters: nothing was'
	run 0 'parameters: one can be written' "$zio" restore lines
	equal "$(cat $dir/user_sessions)" 7 'parameters: it is'
	echo 'load zio tap_copy=9 user_sessions=8' >lines
	run 1 'parameters: one is read-only' "$zio" restore lines
	has err '^zio: lines:1: zio is loaded with tap_copy=16, not 9: Perm.*; unload it' \
		'parameters: it is told'
	equal "$(cat $dir/tap_copy $dir/user_sessions | xargs)" '16 8' \
		'parameters: the other one is written'
	echo 1024 >$dir/user_sessions
	: >modprobed
	echo 'load zio-loop  ndev=2 lines=a=b,c' >lines
	run 0 'parameters: a module is loaded' "$zio" restore -v lines
	equal "$(cat modprobed)" '-- zio-loop ndev=2 lines=a=b,c' 'parameters: with them'
	same out <(echo 'load zio-loop ndev=2 lines=a=b,c') 'parameters: it is told'
	echo 'load zio-loop --install' >lines
	run 1 'parameters: no option' "$zio" restore lines
	has err '^zio: lines:1: the line is not: load MODULE' 'parameters: with a reason'
}

test_bad_lines()
{
	cat >bad <<-'END'
		# a comment

		  zzero/0/enable=0
		zzero/0/nope=1
		nonsense
		create trigger hrt
		create door hrt clock1
		create trigger irq clock1
		load ../evil
		load zio-bad
		zzero-0009/cset0/enable=0
		zzero-0000/cset0/ssize=2
		zzero-0000/cset0/trigger=2
		zzero-0000/cset0/trigger/nshots=7
		create device zzero rack2
		device:rack2/channels=9
		device:rack2/live=1
		zzero-0000/cset1/enable=0
	END
	echo 34 >configfs/zio/devices/zzero/.new/.channels.errno
	touch configfs/zio/devices/zzero/.new/.keep
	run 1 'restore: bad lines' "$zio" restore bad
	cut -d: -f1-3 err | grep -v ' were not set$' >lines
	equal "$(cut -d: -f3 lines | sort -n | xargs)" \
		'4 5 6 7 8 9 10 11 12 13 16 17' 'bad lines: all are told'
	has err "^zio: bad:4: zzero-0000/cset0 has no channel, part or attribute 'nope'" \
		'bad lines: no attribute'
	has err "^zio: bad:8: there is no trigger type 'irq'" 'bad lines: no type'
	has err '^zio: bad:10: modprobe zio-bad: failed' 'bad lines: no module'
	has err '^zio: bad:11: zzero-0009: no such device' 'bad lines: no device'
	has err '^zio: bad:12: zzero-0000/cset0/ssize is read-only' 'bad lines: read only'
	has err "^zio: bad:16: device:rack2/channels: cannot set '9': Numerical" \
		'bad lines: refused'
	has err '^zio: bad:17: device:rack2 does not go live, because line 16 was not set' \
		'bad lines: not live'
	has err '^zio: bad: 12 of 16 lines were not set$' 'bad lines: how many'
	equal "$(cat configfs/zio/devices/zzero/rack2/live)" 0 'bad lines: it is not live'
	equal "$(value zzero-0000/cset0/enable) $(value zzero-0000/cset1/enable) \
$(value zzero-0000/cset0/trigger/nshots)" '0 0 7' 'bad lines: the others are set'
	run 1 'dry run: bad lines' "$zio" restore -n bad
	has err '^zio: bad:4: ' 'dry run: tells them, too'
	run 1 'restore: no file' "$zio" restore nothing
	has err 'nothing: No such file' 'restore: no file, with a reason'
	run 2 'restore: no argument' "$zio" restore
	run 2 'restore: two files' "$zio" restore saved saved
	run 1 'restore: a directory' "$zio" restore sysfs
}

# The kernel accepts the value once another line is set.
test_try_again()
{
	local buffer=$devices/zzero-0000/cset0/chan0/buffer
	echo 28 >"$buffer/.max-buffer-kb.errno"
	cat >again <<-'END'
		zzero-0000/cset0/chan0/buffer/max-buffer-kb=64
		zzero-0000/cset0/chan0/buffer/watermark=2
	END
	run 1 'again: refused' "$zio" restore again
	has err '^zio: again:1: .*No space left on device: that is less than one block' \
		'again: told once, with a reason'
	equal "$(grep -c 'again:1:' err)" 1 'again: told once'
	equal "$(cat "$buffer/watermark")" 2 'again: the rest is set'
	# Setting current_trigger copies these files over.
	mkdir -p "$devices/zzero-0000/cset0/.moved"
	put_file "$devices/zzero-0000/cset0/.moved/period-ns" 0
	cat >again <<-'END'
		zzero-0000/cset0/trigger/period-ns=5
		zzero-0000/cset0/current_trigger=hrt
	END
	run 0 'again: the second time it works' "$zio" restore again
	equal "$(value zzero-0000/cset0/trigger/period-ns)" 5 'again: it is written'
}

# The device appears while restore waits; at first it is not complete.
test_wait()
{
	echo zzero-0007/cset0/enable=0 >late
	run 1 'wait: not without' "$zio" restore late
	"$zio" restore --wait=600 late >out 2>err &
	child=$!
	mkdir -p "$devices/zzero-0007/cset0"
	make_device "$PWD/sysfs" zzero-0007
	status=0
	wait "$child" || status=$?
	child=
	equal "$status" 0 'wait: the device has come'
	equal "$(value zzero-0007/cset0/enable)" 0 'wait: it is set'
	run 2 'wait: malformed' "$zio" restore --wait=x late
}

make_fake_zio
make_modprobe
make_rich_tree
test_save
test_restore
test_parameters
test_bad_lines
test_try_again
test_wait
done_testing
