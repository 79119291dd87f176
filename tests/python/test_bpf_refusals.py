# SPDX-License-Identifier: MIT OR Apache-2.0
"""What the BPF compiler refuses in an algorithm of one's own is said with its line in the source, and what to write instead."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from conftest import New, cargo

from cwnd import CrateError, plugin

#: The line of the template after which code is put, and the names that it can use: `a` and `b` are u64, `i` and `j` i64.
MARK = "        if !conn.cwnd_limited() {\n"
VALUES = "        let (a, b, i, j) = (conn.now_us, conn.delivered, conn.now_us as i64, conn.delivered as i64);\n"
WIDE = "a product or quotient of more than 64 bits; multiply what fits in 64 bits"
SIGNED = "a signed division; divide magnitudes"
FLOAT = "floating-point arithmetic; count in integers"
INDEX = "an index that may be out of bounds; use get and get_mut"
UNWRAP = "an unwrap or expect that may panic; use unwrap_or"
ZERO = "a division by what may be 0; divide by b.max(1)"
PANIC = "a panic; return what can be kept to"
#: An operation, and how the refusal begins behind the place.
REFUSED = {
    "a.saturating_mul(b)": f"saturating_mul: {WIDE}",
    "a.checked_mul(b).unwrap_or(7)": f"checked_mul: {WIDE}",
    "a.overflowing_mul(b).0 + u64::from(a.overflowing_mul(b).1)": f"overflowing_mul: {WIDE}",
    "a.saturating_pow(3)": f"saturating_pow: {WIDE}",
    "a.isqrt()": f"isqrt: {WIDE}",
    "((u128::from(a) * u128::from(b)) >> 32) as u64": WIDE,
    "(u128::from(a) * 3 / u128::from(b | 1)) as u64": WIDE,
    "i.saturating_mul(j) as u64": f"saturating_mul: {WIDE}",
    "(if j > 0 { i / j } else { 0 }) as u64": SIGNED,
    "(if j > 0 { i % j } else { 0 }) as u64": SIGNED,
    "(i / 10) as u64": SIGNED,
    "(a as f64 * 1.5) as u64": FLOAT,
    "u64::from((a as u32 as f32 * 1.5) as u32)": FLOAT,
    "a / b": ZERO,
    "a % b": ZERO,
    "u64::from([1_u32, 2, 3, 5][a as usize])": INDEX,
    "a.checked_add(b).unwrap()": f"unwrap: {UNWRAP}",
    'a.checked_add(b).expect("fits")': f"expect: {UNWRAP}",
    '{ assert!(a != 3, "three of {b}"); a }': PANIC,
}
#: Operations beside them that the kernel can have.
TAKEN = (
    "a.wrapping_mul(b)", "a.saturating_add(b)", "u64::from((a as u32).saturating_mul(b as u32))",
    "u64::from((a as u32).checked_mul(b as u32).unwrap_or(7))", "(i / 8) as u64", "a / b.max(1)", "a / 10",
    "u64::from([1_u32, 2, 3, 5][a as usize & 3])", "u64::from(a.leading_zeros() + a.trailing_zeros() + a.count_ones())",
    "a.div_ceil(b.max(1))", "a.abs_diff(b)", "a.checked_add(b).unwrap_or(0)", "u64::from(a.max(1).ilog2())",
    "u64::from(cwnd::math::sqrt(a))", "i.unsigned_abs() / j.unsigned_abs().max(1)",
)  # fmt: skip


@pytest.fixture(scope="module")
def probe(tmp_path_factory: pytest.TempPathFactory, new_crate: New) -> Path:
    """A crate as `cwnd new` makes it; the test is skipped where no object can be built of it, but not in CI."""
    crate = new_crate("probe", tmp_path_factory.mktemp("refusals") / "probe")
    try:
        plugin.build_kernel(crate)
    except OSError as error:
        if os.environ.get("CI") == "true":
            raise
        pytest.skip(str(error))
    return crate


def with_code(crate: Path, template: str, operations: tuple[str, ...]) -> list[int]:
    """Puts operations into the rule, a line each; returns the numbers of these lines."""
    rule = crate / "src" / "probe.rs"
    lines = "".join(f"        conn.cwnd_cnt ^= ({operation}) as u32;\n" for operation in operations)
    text = template.replace(MARK, f"{VALUES}{lines}{MARK}")
    rule.write_text(text)
    first = text[: text.index(lines)].count("\n") + 1
    return list(range(first, first + len(operations)))


# One build has all of them: each has its line, and no other line is named.
@cargo
def test_each_refused_operation_is_named_with_its_line_and_what_to_write(probe: Path) -> None:
    rule = probe / "src" / "probe.rs"
    template = rule.read_text()
    try:
        numbers = with_code(probe, template, tuple(REFUSED))
        with pytest.raises(CrateError) as refused:
            plugin.build_kernel(probe)
        said = dict[int, list[str]]()
        for line in refused.value.log.splitlines():
            place, words = line.split(": ", 1)
            assert place.startswith("src/probe.rs:"), line
            said.setdefault(int(place.split(":")[1]), []).append(words)
        for number, (operation, words) in zip(numbers, REFUSED.items(), strict=True):
            assert any(each.startswith(words) for each in said.get(number, [])), (operation, said.get(number))
        assert set(said) == set(numbers), said
        [number] = with_code(probe, template, ("a.saturating_mul(b)",))
        with pytest.raises(
            CrateError, match=rf"code that the kernel can have: src/probe.rs:{number}: saturating_mul: a product"
        ):
            plugin.build_kernel(probe)
    finally:
        rule.write_text(template)


@cargo
def test_what_stands_beside_them_is_taken(probe: Path) -> None:
    rule = probe / "src" / "probe.rs"
    template = rule.read_text()
    try:
        with_code(probe, template, TAKEN)
        assert plugin.build_kernel(probe).exists()
    finally:
        rule.write_text(template)
