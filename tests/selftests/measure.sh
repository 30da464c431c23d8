#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# host-root
# kernel-module: snd-pcm
# kernel-module: snd-hda-codec-generic
# kernel-module: snd-hda-intel
# qemu: -device intel-hda -device hda-duplex,audiodev=none -audiodev none,id=none
# qemu: -chardev null,id=com3 -device isa-serial,chardev=com3,index=2
# not kasan: the interpreter of the host takes minutes there
#
# zio selftest measures zio-zero, the sound card and the serial port of QEMU, and a loop.
# An emulated machine may be too slow for its boards, so the test judges what the report
# says, and not whether the machine has lost a block. The report must tell a lost block
# from one that another reader took.
. "${0%/*}/lib.sh"
. "${0%/*}/lib-alsa.sh"

tools=$ZIO_TREE/tools
python="zio-host env PYTHONDONTWRITEBYTECODE=1 PATH=$tools/bin:/usr/bin:/bin /usr/bin/python3"
selftest="$python $tools/programs/selftest/zio-selftest"

# settings BOARD
settings()
{
	zio save | grep "^${1%%/*}[-/]"
}

# measure TEXT DEVICE OPTION...: the report is in /tmp/report; nothing is changed
measure()
{
	text=$1 board=$2
	settings "$board" >/tmp/before
	shift
	$selftest "$@" --json >/tmp/report 2>/tmp/err
	is_between "$text: status" $? 0 1
	is "$text: no complaint" "$(cat /tmp/err)" ''
	settings "$board" >/tmp/after
	is "$text: all settings are back" "$(diff /tmp/before /tmp/after)" ''
	is "$text: no other reader" "$(taken)" 0
}

# report EXPRESSION: of Python, where r is the report, and c(SET, NAME) lists checks
report()
{
	$python -S -c '
import json, sys
r = json.loads(sys.argv[1])
def c(at, name):
    return [x for x in r["sets"][at]["checks"] if x["name"] == name]
print(eval(sys.argv[2]))' "$(cat /tmp/report)" "$1" 2>&1
}

# The blocks that other readers took
taken()
{
	report 'sum(x["figures"].get("taken", 0) for s in r["sets"] for x in s["checks"])'
}

test_zero()
{
	zio-load zio-trig-hrt
	measure "zio-zero" zzero -s 1 --removal --play
	is "zio-zero: a virtual machine" "$(report 'r["machine"]["is_virtual"]')" True
	is "zio-zero: driver" "$(report 'r["board"]["driver"]')" zio-zero
	is "zio-zero: its sets" "$(report '[s["direction"] for s in r["sets"]]')" \
		"['input', 'output', 'input']"
	is "zio-zero: the trigger of time" \
		"$(report '{round(c(n, "rate")[0]["figures"]["wanted_blocks_per_s"]) for n in (0, 1, 2)}')" \
		"{100}"
	is "zio-zero: no time goes backwards" \
		"$(report '[c(n, "times")[0]["figures"]["backwards"] for n in (0, 2)]')" "[0, 0]"
	is "zio-zero: losses without load and with it" "$(report '[len(c(n, "loss")) for n in (0, 1, 2)]')" \
		"[2, 2, 2]"
	is "zio-zero: removal" "$(report 'r["removal"][0]["verdict"]')" passed
}

# A second reader takes blocks while the first set is measured.
test_rival()
{
	$selftest zzero/0 -s 4 --json >/tmp/report 2>/tmp/err &
	child=$!
	check "rival: it measures" wait_until 60 grep -q hrt $cset0/current_trigger
	zio-cat-file -m read zzero-0-0 >/dev/null 2>&1 &
	rival=$!
	status=0
	wait $child || status=$?
	kill $rival
	wait $rival
	is "rival: status" $status 1
	is "rival: no complaint" "$(cat /tmp/err)" ''
	is_between "rival: blocks that it took" "$(taken)" 1 2000
	is "rival: it is told" "$(report '"another reader took" in str(c(0, "loss"))')" True
}

test_stop()
{
	settings zzero >/tmp/before
	$selftest zzero/0 -s 600 >/tmp/got 2>/tmp/err &
	child=$!
	check "stop: it measures" wait_until 60 grep -q hrt $cset0/current_trigger
	kill -TERM $child
	status=0
	wait $child || status=$?
	is "stop: status" $status 143
	is "stop: no complaint" "$(cat /tmp/err)" ''
	settings zzero >/tmp/after
	is "stop: all settings are back" "$(diff /tmp/before /tmp/after)" ''
}

test_alsa()
{
	has_sound && check "a sound card" make_pcm mic pcm=hw:0,0 direction=both || {
		skip "sound" "this kernel has no sound"
		return
	}
	measure "sound" zalsa -s 2 --removal
	is "sound: a block is a period" \
		"$(report 'round(c(0, "rate")[0]["figures"]["wanted_blocks_per_s"], 2)')" 46.88
	is "sound: an output is left alone" "$(report 'c(1, "rate")[0]["verdict"]')" skipped
	is "sound: removal through configfs" "$(report 'r["removal"][0]["verdict"]')" passed
	remove_pcm mic
}

# The port gets what it sends: frames with two start bytes and a checksum.
send_frames()
{
	$python -S -c '
import fcntl, os, struct, sys, termios, time, tty
fd = os.open("/dev/ttyS2", os.O_RDWR | os.O_NOCTTY)
tty.setraw(fd)
fcntl.ioctl(fd, termios.TIOCMBIS, struct.pack("i", 0x8000 | termios.TIOCM_DTR | termios.TIOCM_RTS))
print("ready", flush=True)
while True:
    data = os.urandom(4)
    os.write(fd, b"\xa5\x5a" + data + bytes([sum(data) & 255]))
    termios.tcdrain(fd)
    time.sleep(0.02)' >/tmp/sender 2>&1 &
	sender=$!
}

test_uart()
{
	zio-load zio-uart
	send_frames
	check "a sender" wait_until 60 grep -q ready /tmp/sender
	check "a serial line" zio create device zuart line tty=/dev/ttyS2 size=4 start=a55a \
		checksum=sum8 ssize=2
	measure "uart" zuart -s 2
	is "uart: blocks came" "$(report 'c(0, "rate")[0]["figures"]["blocks_per_s"] > 1')" True
	is "uart: nothing tells the rate" \
		"$(report '"wanted_blocks_per_s" in c(0, "rate")[0]["figures"]')" False
	kill $sender
	wait $sender 2>/dev/null
	measure "silent uart" zuart -s 0.3
	is "silent uart: nothing is measured" "$(report 'r["result"]')" "nothing was measured"
	zio destroy device line
}

test_loop()
{
	zio-load zio-loop
	board=$(cd /sys/bus/zio/devices && echo zloop-*)
	inputs=$(grep -l input /sys/bus/zio/devices/"$board"/cset*/direction | head -n 1)
	outputs=$(grep -l output /sys/bus/zio/devices/"$board"/cset*/direction | head -n 1)
	in=${inputs%/direction} in=${in##*cset}
	out=${outputs%/direction} out=${out##*cset}
	measure "loop" "$board/$in" -s 1 --loop="$board-$out-0"
	is "loop: the input hears the output" "$(report '[x["verdict"] for x in c(0, "loop")]')" \
		"['passed']"
}

test_zero
test_rival
test_stop
test_alsa
test_uart
test_loop
done_testing
