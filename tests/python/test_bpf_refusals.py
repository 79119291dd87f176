# SPDX-License-Identifier: MIT OR Apache-2.0
"""What the BPF compiler refuses in an algorithm of one's own is said with its line in the source, and what to write instead."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import Cli, New, cargo
from in_kernel import crate_with_object

#: The line of the template before which code is put, and the names that it can use.
MARK = "        if !conn.cwnd_limited() {\n"
VALUES = "        let (a, b) = (conn.now_us, conn.delivered);\n"


@pytest.fixture(scope="module")
def probe(tmp_path_factory: pytest.TempPathFactory, new_crate: New) -> Path:
    """A crate as `cwnd new` makes it; the test is skipped where no object can be built of it, but not in CI."""
    return crate_with_object(new_crate, "probe", tmp_path_factory.mktemp("refusals"))


def with_code(crate: Path, template: str, operations: tuple[str, ...]) -> list[int]:
    """Puts operations into the rule, a line each; returns the numbers of these lines."""
    rule = crate / "src" / "probe.rs"
    lines = "".join(f"        conn.cwnd_cnt ^= ({operation}) as u32;\n" for operation in operations)
    text = template.replace(MARK, f"{VALUES}{lines}{MARK}")
    rule.write_text(text)
    first = text[: text.index(lines)].count("\n") + 1
    return list(range(first, first + len(operations)))


@cargo
def test_a_refused_operation_is_named_with_its_line_and_what_to_write(probe: Path, cwnd: Cli) -> None:
    rule = probe / "src" / "probe.rs"
    template = rule.read_text()
    try:
        [number] = with_code(probe, template, ("a.saturating_mul(b)",))
        says = f"code that the kernel can have: src/probe.rs:{number}: saturating_mul: a product or quotient of more than 64 bits; multiply"
        done = cwnd("build-kernel", probe)
        assert done.returncode != 0 and says in done.stderr, done.stderr
    finally:
        rule.write_text(template)
