// SPDX-License-Identifier: GPL-2.0-only
/*
 * xstate.c: let User Mode Linux 6.1 run on processors with large registers
 *
 * UML saves the registers of its processes by PTRACE_GETREGSET, into 832 bytes. This is
 * x87, SSE and AVX. The host refuses to set a part of the registers: with AVX-512 or AMX it
 * has more, and UML panics ("ptrace set fp regs failed"). This ptrace(), which is preloaded,
 * sets the part that UML has, and leaves the others as they are. So programs in UML must
 * not use AVX-512: GLIBC_TUNABLES tells the C library.
 */
#define _GNU_SOURCE
#include <elf.h>
#include <errno.h>
#include <stdarg.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

static long call(long request, pid_t pid, void *addr, void *data)
{
	return syscall(SYS_ptrace, request, (long)pid, addr, data);
}

static long move_registers(long request, pid_t pid, struct iovec *part)
{
	static unsigned char all[65536];
	struct iovec whole = { all, sizeof(all) };

	if (call(PTRACE_GETREGSET, pid, (void *)NT_X86_XSTATE, &whole))
		return -1;
	if (part->iov_len > whole.iov_len)
		part->iov_len = whole.iov_len;
	if (request == PTRACE_GETREGSET) {
		memcpy(part->iov_base, all, part->iov_len);
		return 0;
	}
	memcpy(all, part->iov_base, part->iov_len);
	return call(PTRACE_SETREGSET, pid, (void *)NT_X86_XSTATE, &whole);
}

/* The system call stores what a peek reads. */
static long peek(long request, pid_t pid, void *addr)
{
	long word;

	if (call(request, pid, addr, &word))
		return -1;
	errno = 0;
	return word;
}

long ptrace(enum __ptrace_request request, ...)
{
	void *addr, *data;
	va_list list;
	pid_t pid;

	va_start(list, request);
	pid = va_arg(list, pid_t);
	addr = va_arg(list, void *);
	data = va_arg(list, void *);
	va_end(list);
	if ((request == PTRACE_GETREGSET || request == PTRACE_SETREGSET) &&
	    (long)addr == NT_X86_XSTATE)
		return move_registers(request, pid, data);
	if (request >= PTRACE_PEEKTEXT && request <= PTRACE_PEEKUSER)
		return peek(request, pid, addr);
	return call(request, pid, addr, data);
}
