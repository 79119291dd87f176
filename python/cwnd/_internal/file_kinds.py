# SPDX-License-Identifier: MIT OR Apache-2.0
"""Recognises files by their contents, to say in one line what a file is and what takes it."""

from __future__ import annotations

import json
import re
from typing import NamedTuple

from cwnd._internal.gzip_files import GZIP, HEAD_BYTES, InputFileError, unpacked


class FileKind(NamedTuple):
    """A kind of file."""

    #: What it is, with an article.
    name: str
    #: What takes it, or that nothing here does.
    use: str


#: Kinds of files that begin with given bytes.
MAGIC: tuple[tuple[bytes, FileKind], ...] = (
    (
        b"\x0a\x0d\x0d\x0a",
        FileKind("a packet capture (pcapng)", "cwnd writes captures (--pcap) but does not read them"),
    ),
    *(
        (magic, FileKind("a packet capture (pcap)", "cwnd does not read captures"))
        for magic in (b"\xa1\xb2\xc3\xd4", b"\xd4\xc3\xb2\xa1", b"\xa1\xb2\x3c\x4d", b"\x4d\x3c\xb2\xa1")
    ),
    (b"PAR1", FileKind("a Parquet file", "cwnd replay takes recorded hook calls in Parquet")),
    (GZIP, FileKind("a gzip file", "cwnd reads gzip for traces, rate series and points of a distribution")),
    (b"\x89PNG\r\n\x1a\n", FileKind("a picture (PNG)", "cwnd writes pictures but does not read them")),
    (b"\xff\xd8\xff", FileKind("a picture (JPEG)", "cwnd does not read pictures")),
    (b"%PDF-", FileKind("a PDF document", "cwnd does not read it")),
    (b"PK\x03\x04", FileKind("a zip archive", "unpack it first")),
    (b"BZh", FileKind("a bzip2 file", "unpack it first")),
    (b"\xfd7zXZ\x00", FileKind("an xz file", "unpack it first")),
    (b"\x28\xb5\x2f\xfd", FileKind("a zstd file", "unpack it first")),
    (b"\x7fELF", FileKind("a program or a library (ELF)", "cwnd does not read it")),
)

QLOG = FileKind("a qlog file", "cwnd writes qlog (cwnd qlog RUN); qvis reads it")
IPERF3 = FileKind("the JSON output of iperf3", "cwnd does not read it")
SUMMARY = FileKind("the summary of a run (summary.json)", "cwnd plot, diff and qlog take its folder")
MANIFEST = FileKind("the manifest of a result (manifest.json)", "cwnd plot, diff and qlog take its folder")
JSON_SCENARIO = FileKind("a scenario in JSON", "cwnd run takes it")
JSON_SCENARIOS = FileKind("a file of several scenarios", "cwnd run FILE --name NAME takes one of them")
JSON_STUDY = FileKind("a study in JSON", "cwnd sweep takes it")
JSON_OTHER = FileKind("a JSON document", "cwnd run takes a scenario in JSON")
TOML_SCENARIO = FileKind("a scenario", "cwnd run takes it")
MAHIMAHI = FileKind("a Mahimahi trace", "--trace FILE takes it, or rate = { trace = FILE } in a scenario")
SERIES = FileKind(
    "a table of numbers", '--trace FILE takes a series of rates, and kind = "empirical" the points of a distribution'
)
BINARY = FileKind("binary data", "no command of cwnd reads it")
EMPTY = FileKind("an empty file", "no command of cwnd reads it")
TEXT = FileKind("text in an unknown format", "no command of cwnd reads it")

#: Kinds of text that a line of the file tells. In this order: the first that is found counts.
LINES: tuple[tuple[re.Pattern[str], FileKind], ...] = tuple(
    (re.compile(pattern, re.MULTILINE), FileKind(name, use))
    for pattern, name, use in (
        (r"^.*\btcp_probe:", "a trace of the kernel's tcp_probe", "cwnd kernel trace records connections itself"),
        (
            r"\bcwnd:\d+.*\b(rto|rtt|bytes_acked|ssthresh):|\brto:\d+.*\bcwnd:\d+",
            "the output of ss -ti",
            "cwnd kernel trace records connections itself",
        ),
        (
            r"^\s*set\s+\w+\s+\[new\s+Simulator\]|^\s*\$ns_?\s",
            "an ns-2 script (Tcl)",
            "cwnd run takes a scenario; scenarios/ has examples",
        ),
        (
            r"^\s*[+*]?[\d.~]+\s+(?:[<>]\s+[SFPRWE.\[]|(?:socket|bind|listen|accept|setsockopt|write|connect)\()",
            "a packetdrill script",
            "cwnd replay takes test vectors in TOML",
        ),
        (
            r"^\s*(?:tc\s+)?qdisc\s+\w+|^\s*tc\s+qdisc\s|^\s*(?:netem|tbf)\s",
            "a tc command",
            "--netem takes the words after netem or tbf",
        ),
        (
            r"^#!.*python|^(?:from\s+[\w.]+\s+import\s|import\s+[\w.]+\s*(?:,|$| as ))",
            "a Python program",
            "python runs it",
        ),
        (r"^#!", "a script", "a shell runs it"),
        (
            r"^\s*<(?:\?xml|svg|!DOCTYPE|html)",
            "an XML, SVG or HTML document",
            "cwnd writes such pages but does not read them",
        ),
        (
            r"^\s*(?:fn|pub|use|impl|mod)\s+[\w:]+.*[{;]\s*$",
            "a Rust program",
            "--plugin takes a crate's folder (cwnd new makes one)",
        ),
        (r"^\s*\[?\[?(?:link|flow|traffic|parking_lot)\]?\]?\s*(?:=|$)|^\s*duration\s*=", *TOML_SCENARIO),
    )
)
#: Rows of numbers, at least two, after at most one row of names.
NUMBER = r"[-+]?\d*\.?\d+(?:[eE][-+]?\d+)?"
ROWS = re.compile(rf"^(?:\s*[A-Za-z\"#].*\n)?\s*(?:{NUMBER}[\s,;]*)+\n\s*(?:{NUMBER}[\s,;]*)+(?:\n|$)")
#: A row of numbers alone, in any format of numbers, dates and times.
ROW = re.compile(r"^[\s\"'+-]*\d[\d\s.,;\"'eE+:TZ-]*$", re.MULTILINE)
#: The characters at the beginning of a text that tell that it is no table.
TEXT_HEAD = 8192
WHOLE_ROWS = re.compile(r"^(?:\d+\r?\n)+\d*\r?\n?$")


def kind_of(data: bytes) -> FileKind:
    """The kind of a file, by its first bytes or all of them."""
    if not data.strip(b"\0 \t\r\n"):
        return BINARY if data.strip() else EMPTY
    for magic, kind in MAGIC:
        if data.startswith(magic):
            return kind
    if data.startswith(b"\x1e"):
        return QLOG
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        # The end of a beginning may be in the middle of a character.
        if error.start < len(data) - 3 or len(data) < HEAD_BYTES:
            return BINARY
        text = data[: error.start].decode("utf-8-sig")
    if "\0" in text:
        return BINARY
    if text.lstrip()[:1] in ("{", "[") and (of_json := kind_of_json(text)) is not None:
        return of_json
    for pattern, kind in LINES:
        if pattern.search(text):
            return kind
    if WHOLE_ROWS.match(text):
        return MAHIMAHI
    return SERIES if ROWS.match(text) else TEXT


def kind_of_no_table(text: str) -> FileKind | None:
    """The kind of a text that has no rows of numbers; `None` for a table, and where the kind is not known."""
    head = text[:TEXT_HEAD]
    kind = kind_of(head.encode())
    if kind in (MAHIMAHI, SERIES, TEXT, EMPTY):
        return None
    # A comment or the name of a column may be the word of another kind.
    is_document = kind == BINARY or head.lstrip()[:1] in ("{", "[", "\x1e")
    return kind if is_document or not ROW.search(head) else None


def kind_of_json(text: str) -> FileKind | None:
    """The kind of a JSON document, by its text or the beginning of it; `None` if it is not JSON."""
    head = text[: 1 << 16]
    if re.search(r'"qlog_(?:version|format)"|"file_schema"\s*:\s*"urn:ietf:params:qlog', head):
        return QLOG
    if re.search(r'"start"\s*:\s*\{\s*"connected"', head):
        return IPERF3
    try:
        document = json.loads(text)
    except ValueError:
        return JSON_OTHER if re.match(r'\s*(?:\{\s*"|\[\s*[\[{"\d-])', head) and "=" not in head[:200] else None
    if not isinstance(document, dict):
        return JSON_OTHER
    if is_scenario(document):
        return JSON_SCENARIO
    if {"scenario", "axes"} <= document.keys():
        return JSON_STUDY
    if document and all(isinstance(each, dict) and is_scenario(each) for each in document.values()):
        return JSON_SCENARIOS
    if "files" in document and "kind" in document:
        return MANIFEST
    return SUMMARY if {"flows", "link"} <= document.keys() else JSON_OTHER


def is_scenario(document: dict[str, object]) -> bool:
    """Whether a document has the keys of a scenario."""
    return ("link" in document or "parking_lot" in document) and bool({"flow", "traffic", "duration"} & document.keys())


def described(data: bytes) -> str:
    """What a file is and what takes it: `a packet capture (pcapng): cwnd writes captures (--pcap) but does not read them`."""
    kind = kind_of(data)
    if data.startswith(GZIP):
        try:
            inner = kind_of(unpacked(data))
        except InputFileError:
            return f"{kind.name}: {kind.use}"
        return f"{kind.name} of {inner.name}: {inner.use}"
    return f"{kind.name}: {kind.use}"
