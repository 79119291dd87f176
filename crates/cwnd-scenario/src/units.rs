// SPDX-License-Identifier: MIT OR Apache-2.0
//! Quantities with units: integers of the smallest unit, never floats. A decimal is rounded to that unit.

use serde_json::Value;

const TIMES: &[(&str, u64)] =
    &[("ns", 1), ("us", 1_000), ("ms", 1_000_000), ("s", 1_000_000_000), ("min", 60_000_000_000)];
const RATES: &[(&str, u64)] =
    &[("bit/s", 1), ("kbit/s", 1_000), ("Mbit/s", 1_000_000), ("Gbit/s", 1_000_000_000)];
const SIZES: &[(&str, u64)] = &[("B", 1), ("kB", 1_000), ("MB", 1_000_000), ("GB", 1_000_000_000)];

const FREQUENCIES: &[(&str, u64)] = &[("Hz", 1), ("kHz", 1_000), ("MHz", 1_000_000)];

/// IP and TCP headers with timestamps: 20 + 20 + 12 bytes.
pub const HEADER_BYTES: u32 = 52;

/// IPv4 and UDP headers: 20 + 8 bytes.
pub const DATAGRAM_HEADERS: u32 = 28;

/// The largest window that TCP can state, bytes (RFC 7323 §2.3: 65 535 shifted by 14).
pub const LARGEST_WINDOW: u32 = 65_535 << 14;

/// The longest time, also of a simulation: a hundred days, ns. Sums of several such times do not overflow.
pub const MAX_TIME: u64 = 8_640_000_000_000_000;
/// The expected form of a time, for error messages.
pub const TIME: &str = "a time with its unit (ns, us, ms, s, min), 0 or more, at most 100 days, such as 40ms";
/// The expected form of a rate, for error messages.
pub const RATE: &str = "a rate above 0 with its unit (bit/s, kbit/s, Mbit/s, Gbit/s), such as 400Mbit/s";

/// `text` as number and factor of its unit.
fn split<'t>(text: &'t str, units: &[(&str, u64)]) -> Option<(&'t str, u64)> {
    let text = text.trim();
    let split = text.find(|c: char| !c.is_ascii_digit() && c != '.')?;
    let (number, unit) = text.split_at(split);
    let factor = units.iter().find(|(name, _)| *name == unit.trim_start())?.1;
    Some((number, factor))
}

/// `text` as number × unit, rounded to the smallest unit; `None` unless it is not negative and fits.
fn read(text: &str, units: &[(&str, u64)]) -> Option<u64> {
    let (number, factor) = split(text, units)?;
    rounded(number, factor)
}

/// The digits of a fraction that [`rounded`] reads: further ones change no quantity of a scenario.
const FRACTION_DIGITS: usize = 18;

/// The decimal `number` times `factor`, rounded to the nearest whole number, a half upwards. A number above 0 is at least 1, because 0
/// means something else: no delay, an outage.
pub(crate) fn rounded(number: &str, factor: u64) -> Option<u64> {
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    let is_digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    if !is_digits(whole) || (number.contains('.') && !is_digits(fraction)) {
        return None;
    }
    let fraction = &fraction[..fraction.len().min(FRACTION_DIGITS)];
    let scale = 10_u128.pow(fraction.len() as u32);
    let digits: u128 = format!("{whole}{fraction}").parse().ok()?;
    let scaled = digits.checked_mul(u128::from(factor))?;
    let nearest = u64::try_from(scaled.checked_add(scale / 2)? / scale).ok()?;
    let is_above_0 = number.bytes().any(|byte| (b'1'..=b'9').contains(&byte));
    Some(if is_above_0 { nearest.max(1) } else { nearest })
}

/// The decimal `number` times `factor`, if that is a whole number.
pub(crate) fn decimal(number: &str, factor: u64) -> Option<u64> {
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    if whole.is_empty() || fraction.len() > 18 || (number.contains('.') && fraction.is_empty()) {
        return None;
    }
    let scale = 10_u128.pow(fraction.len() as u32);
    let digits: u128 = format!("{whole}{fraction}").parse().ok()?;
    let scaled = digits.checked_mul(u128::from(factor))?;
    if scaled % scale != 0 {
        return None;
    }
    u64::try_from(scaled / scale).ok()
}

/// The shortest exact way to write `value`, with `between` before the unit.
fn write_with(between: &str, value: u64, units: &[(&str, u64)]) -> String {
    let (name, factor) = units
        .iter()
        .rev()
        .find(|(_, factor)| value >= *factor && value.is_multiple_of(*factor))
        .unwrap_or(&units[0]);
    format!("{}{between}{name}", value / factor)
}

fn write(value: u64, units: &[(&str, u64)]) -> String {
    write_with("", value, units)
}

/// A time in ns, at most [`MAX_TIME`].
#[must_use]
pub fn read_time(text: &str) -> Option<u64> {
    read(text, TIMES).filter(|ns| *ns <= MAX_TIME)
}

/// A time in ns, as text with its unit.
pub(crate) fn time(value: &Value) -> Option<u64> {
    value.as_str().and_then(read_time)
}

/// Two times.
pub(crate) fn pair(value: &Value) -> Option<(u64, u64)> {
    let [from, to] = value.as_array()?.as_slice() else { return None };
    Some((time(from)?, time(to)?))
}

/// Writes a time of `ns`. Minutes are read but not written.
#[must_use]
pub fn write_time(ns: u64) -> String {
    if ns == 0 { "0s".into() } else { write(ns, &TIMES[..4]) }
}

/// A time of `ns` with a space before its unit.
pub(crate) fn time_in_words(ns: u64) -> String {
    if ns == 0 { "0 s".into() } else { write_with(" ", ns, &TIMES[..4]) }
}

/// A size of `bytes` with a space before its unit.
pub(crate) fn size_in_words(bytes: u64) -> String {
    write_with(" ", bytes, SIZES)
}

/// A rate in bit/s, above 0.
#[must_use]
pub fn read_rate(text: &str) -> Option<u64> {
    read(text, RATES).filter(|rate| *rate > 0)
}

/// A rate in bit/s, or 0 for an outage.
#[must_use]
pub fn read_rate_or_0(text: &str) -> Option<u64> {
    read(text, RATES)
}

/// Writes a rate of `bits` per second.
#[must_use]
pub fn write_rate(bits: u64) -> String {
    write(bits, RATES)
}

/// A frequency of 1 Hz to 1 MHz.
#[must_use]
pub fn read_frequency(text: &str) -> Option<u32> {
    let (number, factor) = split(text, FREQUENCIES)?;
    decimal(number, factor).filter(|hz| (1..=1_000_000).contains(hz)).map(|hz| hz as u32)
}

/// Writes a frequency. Always in hertz.
#[must_use]
pub fn write_frequency(hz: u32) -> String {
    write(u64::from(hz), &FREQUENCIES[..1])
}

/// A size in bytes.
#[must_use]
pub fn read_size(text: &str) -> Option<u64> {
    read(text, SIZES)
}

/// Writes a size of `bytes`.
#[must_use]
pub fn write_size(bytes: u64) -> String {
    write(bytes, SIZES)
}

/// A number from 0 to 1 of up to fifteen decimals, in units of 2⁻⁶⁴.
pub(crate) fn read_probability(text: &str) -> Option<u64> {
    parts_of_2_64(decimal(text, 1_000_000_000_000_000)?)
}

/// A probability of 10⁻¹⁵ units, at most 1, in units of 2⁻⁶⁴.
fn parts_of_2_64(ppq: u64) -> Option<u64> {
    let whole = 1_000_000_000_000_000;
    (ppq <= whole).then(|| ((u128::from(ppq) << 64) / u128::from(whole)).min(u128::from(u64::MAX)) as u64)
}

/// A probability as a number, `0.01`, or in per cent, `1%`, in units of 2⁻⁶⁴.
pub(crate) fn read_share(text: &str) -> Option<u64> {
    let Some(percent) = text.strip_suffix('%') else { return read_probability(text) };
    parts_of_2_64(decimal(percent.trim_end(), 10_000_000_000_000)?)
}

/// A number of millionths as a decimal.
pub(crate) fn decimal_millionths(value: u64) -> String {
    let text = format!("{}.{:06}", value / 1_000_000, value % 1_000_000);
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// A probability in units of 2⁻⁶⁴ with fifteen digits, as it is read; rounded up, because reading rounds down.
pub(crate) fn probability(p: u64) -> String {
    let ppq = (u128::from(p) * 1_000_000_000_000_000).div_ceil(1 << 64);
    let text = format!("{}.{:015}", ppq / 1_000_000_000_000_000, ppq % 1_000_000_000_000_000);
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// First character of a text that stands for a value that JSON cannot express: `nan`, `inf`, a date, a number too long. No other text
/// may begin with it.
pub(crate) const NOT_JSON: char = '\0';

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantities_are_whole_in_the_smallest_unit() {
        assert_eq!(read_time("40ms"), Some(40_000_000));
        assert_eq!(read_time("0.5 us"), Some(500));
        assert_eq!((read_time("144000min"), read_time("144001min")), (Some(MAX_TIME), None));
        assert_eq!(read_rate("2.64Mbit/s"), Some(2_640_000));
        assert_eq!(read_size("64kB"), Some(64_000));
    }

    // 0.1 % is 0.001; 12.5 % is an eighth, 2⁻³ = 2⁶¹ · 2⁻⁶⁴. One is written as the largest number.
    #[test]
    fn a_probability_may_be_in_per_cent() {
        assert_eq!(read_share("0.1%"), read_probability("0.001"));
        assert_eq!((read_share("12.5%"), read_share("12.5 %")), (Some(1 << 61), Some(1 << 61)));
        assert_eq!(
            (read_share("0%"), read_share("100%"), read_share("0.25")),
            (Some(0), Some(u64::MAX), Some(1 << 62))
        );
        for text in ["100.1%", "101%", "-1%", "%", "1%%", "1.5"] {
            assert_eq!(read_share(text), None, "{text}");
        }
    }

    // 1.2345678 Mbit/s = 1 234 567.8 bit/s; 0.2345678 ms = 234 567.8 ns; 0.33335 kB = 333.35 B. A half goes up: 2.5 ns is 3 ns.
    #[test]
    fn a_decimal_is_rounded_to_the_smallest_unit() {
        assert_eq!(read_rate("1.2345678Mbit/s"), Some(1_234_568));
        assert_eq!(read_rate("1.2345kbit/s"), Some(1_235));
        assert_eq!(read_rate_or_0("0.1234567Mbit/s"), Some(123_457));
        assert_eq!(read_time("0.2345678ms"), Some(234_568));
        assert_eq!((read_time("2.5ns"), read_time("2.4ns"), read_time("0.5ns")), (Some(3), Some(2), Some(1)));
        assert_eq!(read_size("0.33335kB"), Some(333));
        // The 17 and more digits of a float as programs print them.
        assert_eq!(read_rate("4.0376875522130000123456789Mbit/s"), Some(4_037_688));
        // What is above 0 does not become 0: an outage, no delay.
        assert_eq!(read_rate_or_0("0.0000001Mbit/s"), Some(1));
        assert_eq!(
            (read_rate_or_0("0.000Mbit/s"), read_time("0.0001ns"), read_time("0.0ns")),
            (Some(0), Some(1), Some(0))
        );
        // A frequency is a whole number of hertz.
        assert_eq!((read_frequency("0.25kHz"), read_frequency("1.5Hz")), (Some(250), None));
    }

    #[test]
    fn what_has_no_unit_or_a_sign_is_refused() {
        for text in [
            "",
            "40",
            "-40ms",
            "ms",
            "4 0ms",
            "1.ms",
            ".5ms",
            "1.2.3ms",
            "40 m",
            "1e3ms",
            "99999999999999999999s",
        ] {
            assert_eq!(read_time(text), None, "{text:?}");
        }
        assert_eq!(read_rate("0Mbit/s"), None);
        assert_eq!(read_rate("400Mbps"), None);
    }

    #[test]
    fn what_is_written_reads_back() {
        for ns in [0, 1, 999, 1_000, 40_000_000, 100_000_000_000, 86_400_000_000_001] {
            assert_eq!(read_time(&write_time(ns)), Some(ns));
        }
        assert_eq!(write_rate(400_000_000), "400Mbit/s");
    }
}
