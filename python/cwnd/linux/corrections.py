# SPDX-License-Identifier: MIT OR Apache-2.0
"""What lane linux changes in the sources of a kernel, each with its reason: lines that are found by their text."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from cwnd._internal.input_errors import refused
from cwnd.linux.kernels import number_of


@dataclass(frozen=True, slots=True)
class Correction:
    """A change of one file."""

    reason: str
    path: str
    #: a line, or its beginning, as a regular expression
    line: str
    #: what it becomes; `{line}` is the line itself
    becomes: str
    #: the first version that does not need it; `None`: every version does
    until: str | None = None


TOLD = (
    "our driver records arriving and leaving segments there: the tracepoints themselves need all of tracing, which would make the kernel "
    "slower to build and to boot"
)
TIMEOUTS = "from 6.7 on, TCP_INFO has the number of timeouts; older kernels get it"

CORRECTIONS = (
    Correction(
        "the registers of a processor with AMX take 11 kB: the first process of the kernel would end; later versions ask the processor",
        "arch/x86/um/user-offsets.c",
        r"\tDEFINE_LONGS\(HOST_FP_SIZE, 2696\);",
        "\tDEFINE_LONGS(HOST_FP_SIZE, 16384);",
        until="6.13",
    ),
    Correction(
        TOLD,
        "net/ipv4/tcp_input.c",
        r"\ttrace_tcp_probe\(sk, skb\);$",
        "\t{{\n\t\textern void cwnd_ack(struct sock *sk, const struct sk_buff *skb);\n\n\t\tcwnd_ack(sk, skb);\n\t}}\n{line}",
    ),
    Correction(
        TOLD,
        "net/core/dev.c",
        r"\ttrace_net_dev_queue\(skb\);$",
        "\t{{\n\t\textern void cwnd_sent(const struct sk_buff *skb);\n\n\t\tcwnd_sent(skb);\n\t}}\n{line}",
    ),
    Correction(
        TIMEOUTS, "include/linux/tcp.h", r"\tu16\ttcp_header_len;.*", "\tu32\tcwnd_timeouts;\n{line}", until="6.7"
    ),
    Correction(
        TIMEOUTS,
        "net/ipv4/tcp_timer.c",
        r"\ticsk->icsk_retransmits\+\+;\n\tif \(tcp_retransmit_skb.*",
        "\ttcp_sk(sk)->cwnd_timeouts++;\n{line}",
        until="6.7",
    ),
    Correction(
        TIMEOUTS,
        "include/uapi/linux/tcp.h",
        r"\t__u32\ttcpi_snd_wnd;.*\n(?:\s*\*.*\n)*(?=\};)",
        "{line}\t__u32\tcwnd_unused[2];\n\t__u16\tcwnd_total_rto, cwnd_unused_rto;\n\t__u32\tcwnd_unused_time;\n",
        until="6.7",
    ),
    Correction(
        TIMEOUTS,
        "net/ipv4/tcp.c",
        r"\tinfo->tcpi_rto = .*",
        "\tinfo->cwnd_total_rto = tp->cwnd_timeouts;\n{line}",
        until="6.7",
    ),
)


def correct(tree: Path, version: str) -> None:
    """Makes the corrections that this version needs. Raises `ScenarioError` for one that has no place for them."""
    for each in CORRECTIONS:
        if each.until is not None and number_of(version) >= number_of(each.until):
            continue
        replace(tree / each.path, each, version)


def replace(file: Path, correction: Correction, version: str) -> None:
    """Makes a correction in its file."""
    text = file.read_text(encoding="utf-8", errors="surrogateescape")
    found = list(re.finditer(f"^{correction.line}", text, re.MULTILINE))
    if len(found) != 1:
        raise refused(
            "VERSION", version, f"a version in which cwnd finds the line of {correction.path} that it changes"
        )
    (line,) = found
    becomes = correction.becomes.format(line=line[0])
    file.write_text(text[: line.start()] + becomes + text[line.end() :], encoding="utf-8", errors="surrogateescape")
