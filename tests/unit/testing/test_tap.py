# SPDX-License-Identifier: GPL-2.0-only
"""The reader of test results, and log-faults, which looks for faults in a kernel log"""

import pytest

from zio_testing import tap
from zio_testing.tap import FAILED, PASSED, SKIPPED, Part


def selftest(text: str, status: int = 0) -> str:
    return f"=== begin a.sh\n{text}=== end a.sh {status} 1 1\n"


# The output of a selftest, how many parts passed, and the names of those that failed
SELFTESTS = {
    "passes": (selftest("ok 1 - x\n1..1\n"), 1, []),
    "skipped": (selftest("ok 1 - x # SKIP y\n1..1\n"), 0, []),
    "failure": (selftest("not ok 1 - x\n1..1\n", 1), 0, ["x"]),
    "no plan": (selftest("ok 1 - x\n"), 1, ["ended without a plan (status 0)"]),
    "too few": (selftest("ok 1 - x\n1..2\n"), 1, ["planned 2, ran 1 (status 0)"]),
    "status": (selftest("ok 1 - x\n1..1\n", 9), 1, ["status 9"]),
    "nothing": (selftest("1..0\n"), 0, ["tested nothing"]),
    "no end": (
        "=== begin a.sh\nok 1 - x\n",
        1,
        ["ended without a plan (status of a machine that stopped)"],
    ),
    "not run": ("", 0, ["did not begin"]),
}


@pytest.mark.parametrize("name", SELFTESTS)
def test_selftest(name: str) -> None:
    text, passed, failures = SELFTESTS[name]
    results = tap.read_selftest(text)
    assert results.count(PASSED) == passed
    assert [part.name for part in results.failures] == failures


def test_part_has_what_was_said_before_it() -> None:
    text = "one\nok 1 - a\ntwo\nthree\nnot ok 2 - b\nok 3 c # SKIP d\n1..3\nfour"
    assert tap.read_program(text).parts == [
        Part("a", PASSED, "one"),
        Part("b", FAILED, "two\nthree"),
        Part("c # SKIP d", SKIPPED, ""),
    ]
    assert tap.read_program(text, "status 1").count(FAILED) == 1


def test_program_of_this_machine() -> None:
    def run(script: str) -> list[Part]:
        return tap.run_program(["sh", "-c", script]).failures

    assert run("echo ok 1 - a; echo 1..1") == []
    found = run("echo ok 1 - a; echo 1..1; echo why >&2; exit 3")
    assert found == [Part("status 3", FAILED, "1..1\nwhy\n")]


KUNIT = """[    1.0] 1..2
[    1.0]     # Subtest: one
[    1.0]     1..2
[    1.0]     ok 1 a
[    1.0][   T9]     ok 2 b # SKIP no
[    1.0] ok 1 one
[    1.0]     # Subtest: two
[    1.0]     1..1
[    1.0]     # c: EXPECTATION FAILED
[    1.0]     not ok 1 c
[    1.0] not ok 2 two
"""
CASE = "[    1.0]     ok 1 a\n"


def test_kunit_has_each_case_once() -> None:
    assert tap.read_kunit(KUNIT).parts == [
        Part("one: a", PASSED, "1..2"),
        Part("one: b # SKIP no", SKIPPED),
        Part("two: c", FAILED, "1..1\n# c: EXPECTATION FAILED"),
    ]


@pytest.mark.parametrize(
    ("log", "failures"),
    [
        (KUNIT.replace(CASE, ""), ["one: planned 2, ran 1 (status 0)", "two: c"]),
        (KUNIT.replace("not ok 1 c", "ok 1 c"), ["two: the suite itself"]),
        # The machine has stopped.
        (KUNIT.partition("ok 1 a")[0], ["one: planned 2, ran 0 (status 0)"]),
    ],
    ids=["missing case", "suite", "no end"],
)
def test_kunit_fails(log: str, failures: list[str]) -> None:
    assert [part.name for part in tap.read_kunit(log).failures] == failures


# --- faults in the log of a kernel ------------------------------------------------------

FAULTS = """
WARNING: CPU: 0 PID: 109 at a.c:23 f+0x11/0x20 [zio]
BUG: KASAN: use-after-free in f+0x40/0x50 [zio]
BUG: KCSAN: data-race in f / g
WARNING: possible circular locking dependency detected
WARNING: inconsistent lock state
WARNING: suspicious RCU usage
BUG: sleeping function called from invalid context at mm/slab.h:285
BUG: scheduling while atomic: dd/123/0x00000002
UBSAN: array-index-out-of-bounds in a.c:1:2
refcount_t: underflow; use-after-free.
kmemleak: 2 new suspected memory leaks (see /sys/kernel/debug/kmemleak)
kobject: 'chan0' (00000000): is not initialized, yet kobject_put() is being called.
sysfs: cannot create duplicate filename '/class/zio'
ODEBUG: free active (active state 0) object type: timer_list
list_del corruption. prev->next should be 0, but was 1
DMA-API: zio-slink 0000:00:02.0: device driver frees DMA memory with different direction
DMA-API: debugging out of memory - disabling
BUG kmalloc-64 (Not tainted): Object already free
Kernel panic - not syncing: Attempted to kill init!
 Call Trace:
""".strip("\n").split("\n")
WATCHDOGS = """
INFO: task dd:123 blocked for more than 60 seconds.
rcu: INFO: rcu_preempt detected stalls on CPUs/tasks:
watchdog: BUG: soft lockup - CPU#0 stuck for 26s!
""".strip().split("\n")
INJECTED = ["FAULT_INJECTION: forcing a failure.", "name failslab, interval 1"]
INJECTED += ["Call Trace:", " <TASK>", " dump_stack_lvl+0x44/0x5c"]
# register_irq_proc() had no memory for a file, and its removal warns.
IRQ_FILE = """zio-vm: allocations fail
------------[ cut here ]------------
name 'smp_affinity'
WARNING: CPU: 1 PID: 73 at remove_proc_entry+0x21a/0x3f0
Modules linked in: zio_xdma(O) zio(O)
RIP: 0010:remove_proc_entry+0x21a/0x3f0
Call Trace:
 <TASK>
 ? proc_readdir+0x140/0x140
 unregister_irq_proc+0xa7/0x260
 ? register_irq_proc+0x350/0x350
 free_desc+0x29/0xa0
 irq_free_descs+0x4d/0x80
 xdma_free_vectors+0x9/0x10 [zio_xdma]
 </TASK>
---[ end trace 0000000000000000 ]---"""
EVENT_FIELDS = """zio-vm: allocations fail
WARNING: CPU: 1 PID: 994 at event_define_fields+0x2df/0x4c0
RIP: 0010:event_define_fields+0x2df/0x4c0
Call Trace:
 <TASK>
 event_create_dir+0x364/0x1030
 ? f_start+0x360/0x360
 trace_module_notify+0x402/0x660
 notifier_call_chain+0x99/0x170
 </TASK>"""
# What makes a fault of the first report
IRQ_FILE_FAULTS = [
    ("zio-vm: allocations fail", "zio-vm: test nth_files_test"),
    ("name 'smp_affinity'", "name 'zio-xdma'"),
    ("name 'smp_affinity'", "removing non-empty directory 'irq/43'"),
    ("proc_entry+0x21a/0x3f0", "proc_subtree+0x21a/0x3f0"),
    (" unregister_irq_proc+", " proc_remove+"),
    (" free_desc+", " zio_free+"),
    (" free_desc+", " ? free_desc+"),
]
NO_FAULTS = {
    "a file of an interrupt that had no memory": IRQ_FILE.split("\n"),
    "fields of a tracepoint that had no memory": EVENT_FIELDS.split("\n"),
    "results of KUnit": [
        "    # Subtest: zio_warnings",
        "    ok 1 refcount_t: BUG: in a name",
        "# zio: pass:4 fail:0",
        "zio: loading out-of-tree module taints kernel.",
    ],
    "what the check of DMA says of itself": [
        "DMA-API: preallocated 65536 debug entries",
        "DMA-API: debugging enabled by kernel config",
    ],
    "failures that were asked for": INJECTED,
}


def log_of(*lines: str) -> str:
    return "".join(f"[    {at}.000000] {line}\n" for at, line in enumerate(lines))


@pytest.mark.parametrize("line", FAULTS)
def test_fault(line: str) -> None:
    log = log_of("usb: hello", line)
    assert tap.faults_in(log) == (log, False)


@pytest.mark.parametrize("name", NO_FAULTS)
def test_no_fault(name: str) -> None:
    assert tap.faults_in(log_of(*NO_FAULTS[name])) == ("", False)


@pytest.mark.parametrize(("old", "new"), IRQ_FILE_FAULTS)
def test_report_that_resembles_the_one_of_an_interrupt(old: str, new: str) -> None:
    log = log_of(*IRQ_FILE.replace(old, new).split("\n"))
    assert "_proc_" in tap.faults_in(log)[0]


@pytest.mark.parametrize("function", ["event_create_dir", "trace_module_notify"])
def test_report_that_resembles_the_one_of_a_tracepoint(function: str) -> None:
    log = log_of(*EVENT_FIELDS.replace(f" {function}+", " other+").split("\n"))
    assert "event_define_fields" in tap.faults_in(log)[0]
    log = log_of(*EVENT_FIELDS.split("\n")[1:])
    assert "event_define_fields" in tap.faults_in(log)[0]


@pytest.mark.parametrize("last", range(4, 11))
def test_report_of_an_interrupt_that_does_not_end(last: int) -> None:
    lines = IRQ_FILE.split("\n")[:last]
    log = log_of(*lines)
    assert tap.faults_in(log)[0].endswith(log[-20:])
    log = log_of(*lines, *FAULTS)
    assert FAULTS[-1] in tap.faults_in(log)[0]


def test_fault_in_the_report_of_an_interrupt() -> None:
    log = log_of(*IRQ_FILE.replace(" <TASK>", FAULTS[1]).split("\n"))
    assert FAULTS[1] in tap.faults_in(log)[0]


def test_fault_after_one_that_was_asked_for() -> None:
    log = log_of(*INJECTED[:2], "BUG: unable to handle page fault")
    assert tap.faults_in(log) == (log, False)


@pytest.mark.parametrize("line", WATCHDOGS)
def test_watchdog_is_told_from_other_faults(line: str) -> None:
    """A watchdog prints the stacks of all processors."""
    report = (line, "Call Trace:", " f+0x1/0x2", "Call Trace:")
    assert tap.faults_in(log_of(*report)) == (log_of(*report), True)
    for lines in ((*report, FAULTS[0]), (FAULTS[0], *report)):
        assert tap.faults_in(log_of(*lines)) == (log_of(*lines), False)
