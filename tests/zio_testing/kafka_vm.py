# SPDX-License-Identifier: GPL-2.0-only
"""Virtual machines that reach a broker on this machine"""

from pathlib import Path

from .common import ROOT, TESTING, Words

PROGRAM = ROOT / "tools/bin/zio-kafka"
HOST_IN_GUEST = "10.0.2.2"
LIMIT = 600
# The beginning of each script: the network, and a sawtooth of 16 samples on zzero-0-2
BEGIN = """
set -e
ip link set lo up
ip addr add 10.0.2.15/24 dev eth0
ip link set eth0 up
cset=/sys/zio/devices/zzero/cset0
echo 0 >$cset/chan0/enable
echo 0 >$cset/chan1/enable
"""


def guest_words(script: Path, text: str) -> Words:
    """Return the words that run the text in a virtual machine, by way of this file."""
    script.write_text(BEGIN + text)
    words: Words = [TESTING / "vm", "--module", "virtio_pci", "--module", "virtio_net"]
    words = [*words, "--timeout", str(LIMIT), "--qemu", "-nic user,model=virtio-net-pci"]
    words = [*words, "--add", f"{PROGRAM}:/usr/local/bin/zio-kafka", "--add", script]
    return [*words, "--", f"sh {script.name}"]
