# SPDX-License-Identifier: MIT OR Apache-2.0
"""What becomes of a source of Linux before it is built: the driver, its configuration, and the corrections."""

from __future__ import annotations

from pathlib import Path

import pytest
from fake_linux import FakeLinux

from cwnd._native import ScenarioError
from cwnd.linux import tree


def test_the_source_gets_the_driver_and_room_for_wide_registers(tmp_path: Path) -> None:
    place = FakeLinux().folder(tmp_path / "source")
    tree.prepare(place, "6.12", 250)
    drivers = place / "arch" / "um" / "drivers"
    assert sorted(path.name for path in (drivers / "cwnd").iterdir()) == [
        "Makefile",
        "cwnd.h",
        "cwnd_ioctl.h",
        "cwnd_kern.c",
        "cwnd_queue.c",
        "cwnd_record.c",
        "cwnd_tcp.c",
        "cwnd_user.c",
    ]
    assert (drivers / "Makefile").read_text() == f"obj-y += cwnd/\n{FakeLinux().drivers}"
    assert (place / "arch/x86/um/user-offsets.c").read_text() == "\tDEFINE_LONGS(HOST_FP_SIZE, 16384);\n"
    received = (place / "net/ipv4/tcp_input.c").read_text()
    assert received.index("\t\tcwnd_ack(sk, skb);") < received.index("\ttrace_tcp_probe(sk, skb);")
    sent = (place / "net/core/dev.c").read_text()
    assert sent.index("\t\tcwnd_sent(skb);") < sent.index("\ttrace_net_dev_queue(skb);")


# Linux counts the timeouts of a connection from 6.7 on, at byte 240 of TCP_INFO, 8 behind `tcpi_snd_wnd`; and a retransmission by timeout once.
def test_an_older_kernel_counts_timeouts_too(tmp_path: Path) -> None:
    place = FakeLinux(version="6.1").folder(tmp_path / "source")
    tree.prepare(place, "6.1", 250)
    assert "\tu32\tcwnd_timeouts;\n\tu16\ttcp_header_len;" in (place / "include/linux/tcp.h").read_text()
    timer = (place / "net/ipv4/tcp_timer.c").read_text()
    assert timer.startswith("\ttcp_sk(sk)->cwnd_timeouts++;\n") and timer.count("cwnd_timeouts") == 1
    info = (place / "include/uapi/linux/tcp.h").read_text()
    assert "*/\n\t__u32\tcwnd_unused[2];\n\t__u16\tcwnd_total_rto, cwnd_unused_rto;\n" in info
    assert "cwnd_total_rto = tp->cwnd_timeouts;" in (place / "net/ipv4/tcp.c").read_text()


def test_a_version_without_a_corrections_line_is_refused(tmp_path: Path) -> None:
    place = FakeLinux().folder(tmp_path / "source")
    (place / "net/core/dev.c").write_text("{\n}\n")
    with pytest.raises(
        ScenarioError,
        match=r'VERSION: "6.12" is not accepted; expected a version in which cwnd finds the line of net/core/dev.c that it changes$',
    ):
        tree.prepare(place, "6.12", 250)
