# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
#
# For tests that are shell scripts. They print the Test Anything Protocol. A test is
#
#   . "${0%/*}/lib.sh"
#   check "the bus exists" test -d /sys/bus/zio
#   is "one channel" "$(ls -d "$cset0"/chan* | wc -l)" 1
#   expect_write_errno "not a number" EINVAL "$cset0/trigger/nsamples" many
#   done_testing
#
# Each test begins with zio, zio-configfs, zio-buf-kmalloc and zio-zero freshly loaded, and
# may load and unload any module. A test without done_testing, or with another exit status
# than 0, has failed.

echo "TAP version 13"
tests=0
failures=0
zzero=/sys/bus/zio/devices/zzero-0000
cset0=$zzero/cset0

ok()
{
	tests=$((tests + 1))
	echo "ok $tests - $1"
}

# not_ok TEXT [DETAIL]
not_ok()
{
	tests=$((tests + 1))
	failures=$((failures + 1))
	echo "not ok $tests - $1"
	[ -z "${2-}" ] || diag "$2"
}

skip()
{
	tests=$((tests + 1))
	echo "ok $tests - $1 # SKIP $2"
}

diag()
{
	printf '%s\n' "$1" | sed 's/^/# /'
}

# capture COMMAND...: sets $said to its output and $status to its exit status
capture()
{
	status=0
	said=$("$@" 2>&1) || status=$?
}

# verdict TEXT DETAIL COMMAND...
verdict()
{
	verdict_text=$1 verdict_detail=$2
	shift 2
	if "$@"; then
		ok "$verdict_text"
	else
		not_ok "$verdict_text" "$verdict_detail"
	fi
}

# check TEXT COMMAND...: the command succeeds
check()
{
	text=$1
	shift
	capture "$@"
	verdict "$text" "status $status from: $*
$said" [ $status -eq 0 ]
}

# check_fails TEXT COMMAND...: the command fails, and not by a signal
check_fails()
{
	text=$1
	shift
	capture "$@"
	verdict "$text" "status $status from: $*
$said" [ $((status > 0 && status < 126)) = 1 ]
}

# gives STATUS TEXT COMMAND...: the command ends with this status; $said is its output
gives()
{
	wanted=$1 text=$2
	shift 2
	capture "$@"
	is "$text" "$status" "$wanted"
	[ "$status" = "$wanted" ] || diag "$said"
}

# says TEXT REGEX: the output of the last command matches
says()
{
	if echo "$said" | grep -Eq -- "$2"; then
		ok "$1"
	else
		not_ok "$1" "'$2' is not in: $said"
	fi
}

# is TEXT GOT WANTED
is()
{
	verdict "$1" "got '$2', expected '$3'" [ "$2" = "$3" ]
}

# is_between TEXT GOT LEAST MOST
is_between()
{
	verdict "$1" "got '$2', expected $3 to $4" \
		eval "[ '$2' -ge '$3' ] && [ '$2' -le '$4' ]"
}

errno_text()
{
	case $1 in
	E2BIG) echo 'Argument list too long' ;;
	EACCES) echo 'Permission denied' ;;
	EAGAIN) echo 'Resource temporarily unavailable' ;;
	EBUSY) echo 'Device or resource busy' ;;
	EDOM) echo 'Numerical argument out of domain' ;;
	EEXIST) echo 'File exists' ;;
	EFAULT) echo 'Bad address' ;;
	EFBIG) echo 'File too large' ;;
	EINTR) echo 'Interrupted system call' ;;
	EINVAL) echo 'Invalid argument' ;;
	EIO) echo 'Input/output error' ;;
	ELOOP) echo 'Too many levels of symbolic links' ;;
	EMSGSIZE) echo 'Message too long' ;;
	ENAMETOOLONG) echo 'File name too long' ;;
	ENODATA) echo 'No data available' ;;
	ENODEV) echo 'No such device$' ;;
	ENOENT) echo 'No such file or directory' ;;
	ENOMEM) echo 'Cannot allocate memory' ;;
	ENOSPC) echo 'No space left on device' ;;
	ENOTTY) echo 'Inappropriate ioctl for device' ;;
	ENOMSG) echo 'No message of desired type' ;;
	ENXIO) echo 'No such device or address' ;;
	EOPNOTSUPP) echo 'Operation not supported' ;;
	EOVERFLOW) echo 'Value too large for defined data type' ;;
	EPERM) echo 'Operation not permitted' ;;
	EPIPE) echo 'Broken pipe' ;;
	EPROTO) echo 'Protocol error' ;;
	EPROTOTYPE) echo 'Protocol wrong type for socket' ;;
	ERANGE) echo 'Numerical result out of range' ;;
	ESPIPE) echo 'Illegal seek' ;;
	ESHUTDOWN) echo 'Cannot send after transport endpoint shutdown' ;;
	ETIMEDOUT) echo 'Connection timed out' ;;
	*) echo "unknown errno $1" ;;
	esac
}

said_errno()
{
	[ $status -ne 0 ] && echo "$said" | grep -q "$(errno_text "$errno")"
}

# expect_errno TEXT ERRNO COMMAND...: the command fails with the text of this errno
expect_errno()
{
	text=$1 errno=$2
	shift 2
	capture "$@"
	verdict "$text" "status $status, expected $errno, from: $*
$said" said_errno
}

# write_file FILE VALUE: one write(2) of the value and a newline. The shell writes short
# values itself. It would split a long one, and does not print why a write failed.
write_file()
{
	if [ ${#2} -lt 512 ] && printf '%s\n' "$2" 2>/dev/null >"$1"; then
		return 0
	fi
	printf '%s\n' "$2" >/tmp/written
	dd if=/tmp/written of="$1" bs=1M 2>&1 && [ ${#2} -ge 512 ]
}

# expect_write_errno TEXT ERRNO FILE VALUE: the write is refused, and changes nothing
expect_write_errno()
{
	before=$(cat "$3")
	expect_errno "$1" "$2" write_file "$3" "$4"
	is "$1: nothing changed" "$(cat "$3")" "$before"
}

# wait_until SECONDS COMMAND...: wait until the command succeeds. SECONDS is for an idle
# machine. A wait counts its turns, which take 20 ms or more, and has eight times as many as
# fit into SECONDS: the clock of the machine runs on while its host stands still, and takes
# one turn meanwhile.
wait_until()
{
	turns_left=$((8 * 50 * $1))
	shift
	until "$@" >/dev/null 2>&1; do
		[ $turns_left -gt 0 ] || return 1
		turns_left=$((turns_left - 1))
		usleep 10000
	done
}

# start_program COMMAND...: in the background, until it catches SIGINT and SIGTERM
start_program()
{
	"$@" >/tmp/got 2>/tmp/err &
	child=$!
	check "$*: it runs" wait_until 10 grep -q 'SigCgt:.*4002$' /proc/$child/status
}

# end_program TEXT STATUS MESSAGE: the program of start_program ends with this
end_program()
{
	status=0
	wait $child || status=$?
	is "$1: status" $status "$2"
	check "$1: message" sh -c 'cat /tmp/err; grep -q "$1" /tmp/err' - "$3"
}

# hold_node NODE: keep -ctrl and -data open in another process, until release_node
hold_node()
{
	sleep 100000 3<"$1-ctrl" 4<"$1-data" &
	holder=$!
	wait_until 20 test -e /proc/$holder/fd/4
}

release_node()
{
	kill $holder
	wait $holder 2>/dev/null
}

# is_sawtooth NODE-DATA: 3008 bytes of the node count up
is_sawtooth()
{
	dd if="$1" bs=16 count=188 2>/dev/null | od -An -v -tu1 -w1 | awk '
		NR > 1 && $1 != (last + 1) % 256 { exit 1 }
		{ last = $1 }
		END { if (NR != 3008) exit 1 }'
}

# A kernel with sanitizers is slow: tests make fewer rounds there.
is_debug_kernel()
{
	[ -e /proc/lockdep ] || [ -e /sys/kernel/debug/kcsan ]
}

# can_suspend: the kernel can test a suspend up to the drivers. The driver of the host's
# files (9p) does not survive one: later tests would wait for them for ever.
can_suspend()
{
	[ -w /sys/power/pm_test ] && grep -q freeze /sys/power/state && [ ! -d /host ]
}

# suspend SECONDS: suspend all devices for so long
suspend()
{
	echo "$1" >/sys/module/suspend/parameters/pm_test_delay
	echo devices >/sys/power/pm_test
	echo freeze >/sys/power/state
}

done_testing()
{
	echo "1..$tests"
	[ $failures -eq 0 ]
	exit
}
