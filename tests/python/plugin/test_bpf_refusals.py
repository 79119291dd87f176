# SPDX-License-Identifier: MIT OR Apache-2.0
"""What the BPF compiler refuses in an algorithm of one's own is said with its line in the source, and what to write instead."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest
from conftest import Cli, New, cargo
from in_kernel import crate_with_object

#: The line of the template before which code is put.
MARK = "        if !conn.cwnd_limited() {\n"
#: A line of code around an operation on values of its own: the compiler leaves a check away that an earlier line has made.
LINE = (
    "        conn.cwnd_cnt ^= {{ let (a, b) = (conn.now_us ^ {number}, conn.delivered ^ {number}); "
    "let (i, j, c, d) = (a as i64, b as i64, a as u32, b as u32); let _ = (i, j, c, d); ({operation}) as u32 }};\n"
)
WIDE = "a product or quotient of more than 64 bits; keep the product within 64 bits"
SIGNED = "a signed division; divide magnitudes"
FLOAT = "floating-point arithmetic; use integers"
ZERO = "a division by a value that may be 0; divide by b.max(1)"
INDEX = "an index that may be out of bounds; use get and get_mut"
UNWRAP = "an unwrap or expect that may panic; use unwrap_or"
LOGARITHM = "a logarithm of a value that may be 0; use a.max(1)"
PANIC = "a panic; return a fallback value"
POINTER = "a call through a pointer; select the call with match or if"
CALL = "a call that is not inlined; write its body inline, and replace recursion by a loop"
LOCALS = "local variables of more than 512 bytes; use less"
#: An operation that no object can have, and how the refusal begins behind the place.
REFUSED = {
    "a.saturating_mul(b)": f"saturating_mul: {WIDE}",
    "a.checked_mul(b).unwrap_or(7)": f"checked_mul: {WIDE}",
    "a.overflowing_mul(b).0 ^ u64::from(a.overflowing_mul(b).1)": f"overflowing_mul: {WIDE}",
    "a.saturating_pow(3)": f"saturating_pow: {WIDE}",
    "a.checked_pow(3).unwrap_or(1)": f"checked_pow: {WIDE}",
    "a.isqrt()": f"isqrt: {WIDE}",
    "((u128::from(a) * u128::from(b)) >> 64) as u64": WIDE,
    "(u128::from(a) * 3 / u128::from(b | 1)) as u64": WIDE,
    "i.saturating_mul(j) as u64": f"saturating_mul: {WIDE}",
    "i.checked_mul(j).unwrap_or(1) as u64": f"checked_mul: {WIDE}",
    "(if j > 0 { i / j } else { 0 }) as u64": SIGNED,
    "(if j > 0 { i % j } else { 0 }) as u64": SIGNED,
    "(i / 10) as u64": SIGNED,
    "(if d > 0 { (c as i32) / (d as i32 | 1) } else { 0 }) as u64": SIGNED,
    "i.rem_euclid(10) as u64": f"rem_euclid: {SIGNED}",
    "i.wrapping_div(j | 1) as u64": f"wrapping_div: {SIGNED}",
    "(a as f64 * 1.5) as u64": FLOAT,
    "(c as f32 * 1.5) as u64": FLOAT,
    "u64::from(f64::from_bits(a) < 1.5)": FLOAT,
    "a / b": ZERO,
    "a % b": ZERO,
    "u64::from(c / d)": ZERO,
    "a.div_ceil(b)": f"div_ceil: {ZERO}",
    "u64::from([1_u32, 2, 3, 5][a as usize])": INDEX,
    "[1_u32, 2, 3, 5][..a as usize].len() as u64": f"index: {INDEX}",
    "a.checked_add(b).unwrap()": f"unwrap: {UNWRAP}",
    'a.checked_add(b).expect("fits")': f"expect: {UNWRAP}",
    "u64::from(u32::try_from(a).unwrap())": f"unwrap: {UNWRAP}",
    "u64::from(a.ilog2())": f"ilog2: {LOGARITHM}",
    "u64::from(a.ilog10())": f"ilog10: {LOGARITHM}",
    '{ assert!(a != 3, "three of {b}"); a }': PANIC,
    "{ if a == 3 { unreachable!() } a }": PANIC,
    "[1_u32, 2, 3, 5].split_at(a as usize).0.len() as u64": f"split_at: {PANIC}",
    "{ let f: fn(u64) -> u64 = if a > b { |x| x + 1 } else { |x| x * 3 }; f(a) }": POINTER,
    "{ let f: &dyn Fn(u64) -> u64 = if a > b { &|x| x + 1 } else { &|x| x * 3 }; f(a) }": POINTER,
    "{ fn f(n: u64) -> u64 { if n < 2 { n } else { f(n - 2) ^ f(n - 1) } } f(a) }": CALL,
    "core::str::from_utf8(&a.to_le_bytes()).map_or(0, |text| text.len() as u64)": CALL,
    "{ let mut t = [7_u64; 100]; t[(a & 63) as usize] = b; t[(b & 63) as usize] }": LOCALS,
}
#: Operations beside them that the kernel can have.
TAKEN = (
    "a.wrapping_mul(b)",
    "a.saturating_add(b)",
    "u64::from(c.saturating_mul(d))",
    "u64::from(c.checked_mul(d).unwrap_or(7))",
    "u64::from(c.isqrt())",
    "(i / 8) as u64",
    "(c as i32 / 10) as u64",
    "a / b.max(1)",
    "a / 10",
    "a.checked_div(b).unwrap_or(0)",
    "a.div_ceil(b.max(1))",
    "u64::from([1_u32, 2, 3, 5][a as usize & 3])",
    "u64::from(*[1_u32, 2, 3, 5].get(a as usize).unwrap_or(&9))",
    "u64::from(a.leading_zeros() + a.trailing_zeros() + a.count_ones())",
    "a.abs_diff(b)",
    "a.checked_add(b).unwrap_or(0)",
    "u64::from(a.max(1).ilog2() + a.max(1).ilog10())",
    "u64::from(cwnd::math::sqrt(a))",
    "i.unsigned_abs() / j.unsigned_abs().max(1)",
    "[a, b, 3].iter().sum::<u64>()",
    "{ let mut t = [a; 16]; t[(a & 15) as usize] = b; t[(b & 15) as usize] }",
)


@pytest.fixture(scope="module")
def probe(tmp_path_factory: pytest.TempPathFactory, new_crate: New) -> Path:
    """A crate as `cwnd new` makes it; the test is skipped where no object can be built of it, but not in CI."""
    return crate_with_object(new_crate, "probe", tmp_path_factory.mktemp("refusals"))


@pytest.fixture
def rule(probe: Path) -> Iterator[Path]:
    """Its rule, to be changed; afterwards it is as it was."""
    file = probe / "src" / "probe.rs"
    text = file.read_text()
    yield file
    file.write_text(text)


def with_code(rule: Path, operations: Iterable[str]) -> list[int]:
    """Puts operations into the rule, a line each; returns the numbers of these lines."""
    lines = [LINE.format(number=number, operation=operation) for number, operation in enumerate(operations, 3)]
    before, after = rule.read_text().split(MARK)
    rule.write_text(f"{before}{''.join(lines)}{MARK}{after}")
    first = before.count("\n") + 1
    return list(range(first, first + len(lines)))


# One build has all of them: each has its line, and no other line is named.
@cargo
def test_each_refused_operation_is_named_with_its_line_and_what_to_write(probe: Path, rule: Path, cwnd: Cli) -> None:
    numbers = with_code(rule, REFUSED)
    done = cwnd("build-kernel", probe)
    assert done.returncode == 2, done.stderr
    *places, error = done.stderr.splitlines()
    assert error.startswith("error: crate: ") and f"({len(places)} places, above): {places[0]}" in error
    found: dict[int, list[str]] = {}
    for line in places:
        file, number, words = line.split(":", 2)
        assert file == "src/probe.rs", line
        found.setdefault(int(number), []).append(words.removeprefix(" "))
    wrong = {
        operation: found.get(number)
        for number, (operation, words) in zip(numbers, REFUSED.items(), strict=True)
        if not any(each.startswith(words) for each in found.get(number, []))
    }
    assert wrong == {} and sorted(found) == numbers


@cargo
def test_a_single_place_is_in_the_error_itself(probe: Path, rule: Path, cwnd: Cli) -> None:
    [number] = with_code(rule, ["a.saturating_mul(b)"])
    done = cwnd("build-kernel", probe)
    says = f"code that the kernel accepts: src/probe.rs:{number}: saturating_mul: {WIDE}"
    assert done.returncode == 2 and says in done.stderr and done.stderr.count("\n") == 1, done.stderr


@cargo
def test_what_stands_beside_them_is_taken(probe: Path, rule: Path, cwnd: Cli) -> None:
    with_code(rule, TAKEN)
    done = cwnd("build-kernel", probe)
    assert (done.returncode, done.stderr) == (0, ""), done.stderr
