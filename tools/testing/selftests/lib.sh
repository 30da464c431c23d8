# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
#
# For tests that are shell scripts: prints the Test Anything Protocol. A test is
#
#   . "${0%/*}/lib.sh"
#   check "the bus is there" test -d /sys/bus/zio
#   is "one channel" "$(ls -d "$cset0"/chan* | wc -l)" 1
#   expect_write_errno "no number" EINVAL "$cset0/trigger/nsamples" many
#   done_testing
#
# Each test starts with zio, zio-buf-kmalloc and zio-zero freshly loaded, and may
# load and unload what it likes. The runner takes a test without done_testing, or
# one that ends with another status than 0, for failed.

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

# capture COMMAND...: leaves what it said in $said and its status in $status
capture()
{
	status=0
	said=$("$@" 2>&1) || status=$?
}

# check TEXT COMMAND...: the command succeeds
check()
{
	text=$1
	shift
	capture "$@"
	if [ $status -eq 0 ]; then
		ok "$text"
	else
		not_ok "$text" "status $status from: $*
$said"
	fi
}

# check_fails TEXT COMMAND...: it ends with a status other than 0, not by a signal
check_fails()
{
	text=$1
	shift
	capture "$@"
	if [ $status -gt 0 ] && [ $status -lt 126 ]; then
		ok "$text"
	else
		not_ok "$text" "status $status from: $*
$said"
	fi
}

# is TEXT GOT WANTED
is()
{
	if [ "$2" = "$3" ]; then
		ok "$1"
	else
		not_ok "$1" "got '$2', wanted '$3'"
	fi
}

# is_between TEXT GOT LEAST MOST
is_between()
{
	if [ "$2" -ge "$3" ] && [ "$2" -le "$4" ]; then
		ok "$1"
	else
		not_ok "$1" "got '$2', wanted $3 to $4"
	fi
}

errno_text()
{
	case $1 in
	E2BIG) echo 'Argument list too long' ;;
	EACCES) echo 'Permission denied' ;;
	EAGAIN) echo 'Resource temporarily unavailable' ;;
	EBUSY) echo 'Device or resource busy' ;;
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
	EPROTOTYPE) echo 'Protocol wrong type for socket' ;;
	ERANGE) echo 'Numerical result out of range' ;;
	ESPIPE) echo 'Illegal seek' ;;
	ESHUTDOWN) echo 'Cannot send after transport endpoint shutdown' ;;
	ETIMEDOUT) echo 'Connection timed out' ;;
	*) echo "unknown errno $1" ;;
	esac
}

# expect_errno TEXT ERRNO COMMAND...: it fails and says what belongs to the errno
expect_errno()
{
	text=$1 errno=$2
	shift 2
	capture "$@"
	if [ $status -ne 0 ] && echo "$said" | grep -q "$(errno_text "$errno")"; then
		ok "$text"
	else
		not_ok "$text" "status $status, wanted $errno, from: $*
$said"
	fi
}

# One write(2) of the value and a newline. The shell needs no process for that, but
# would split a long one, and does not say why one failed.
write_file()
{
	if [ ${#2} -lt 512 ] && printf '%s\n' "$2" 2>/dev/null >"$1"; then
		return 0
	fi
	printf '%s\n' "$2" >/tmp/written
	dd if=/tmp/written of="$1" bs=1M 2>&1 && [ ${#2} -ge 512 ]
}

# expect_write_errno TEXT ERRNO FILE VALUE: refused, and the file reads as before
expect_write_errno()
{
	before=$(cat "$3")
	expect_errno "$1" "$2" write_file "$3" "$4"
	is "$1: nothing changed" "$(cat "$3")" "$before"
}

# wait_until SECONDS COMMAND...: until it succeeds. On an idle machine that takes less
# than so many seconds. The wait fails after eight times as long: a machine that many
# share is slow.
wait_until()
{
	end=$(($(cut -d. -f1 /proc/uptime) + 8 * $1))
	shift
	until "$@" >/dev/null 2>&1; do
		[ "$(cut -d. -f1 /proc/uptime)" -le $end ] || return 1
		usleep 10000
	done
}

has_leak_check()
{
	[ -e /sys/kernel/debug/kmemleak ] && ! grep -q kmemleak=off /proc/cmdline
}

# A sanitizer kernel is slow: `is_debug_kernel && rounds=100`.
is_debug_kernel()
{
	[ -e /proc/lockdep ] || [ -e /sys/kernel/debug/kcsan ]
}

done_testing()
{
	echo "1..$tests"
	[ $failures -eq 0 ]
	exit
}
