// SPDX-License-Identifier: MIT OR Apache-2.0
//! Inner variables of an algorithm, by name, with their units.

/// Inner variables that an algorithm shows to an observer (Linux's `get_info`).
///
/// A name says what the value is, then its unit, then its scale: `k_s_x1024` is K in 1/1024 s. [`unit_and_scale`] tells both of a name;
/// without a unit it is segments or a pure number. The names never change while an algorithm runs.
///
/// ```
/// use cwnd::{Info, unit_and_scale};
///
/// let info = Info::of(&[("w_max", 100), ("k_s_x1024", 2048)]);
/// let (name, value) = info.fields[1];
/// assert_eq!((unit_and_scale(name), value / 1024), (("s", 1024), 2)); // K is two seconds
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Info {
    /// Names and values; unused places are `("", 0)`.
    pub fields: [(&'static str, u64); 8],
}

/// Endings of an inner variable's name that stand for a unit, and the unit.
pub const UNITS: &[(&str, &str)] = &[
    ("_us", "µs"),
    ("_ms", "ms"),
    ("_s", "s"),
    ("_ticks", "ticks"),
    ("_per_tick", "1/tick"),
    ("_per_rtt", "segments/RTT"),
    ("_bytes", "bytes"),
    ("_bytes_per_s", "bytes/s"),
    ("_bytes_per_us", "bytes/µs"),
    ("_bytes_per_ms", "bytes/ms"),
    ("_segments_per_s", "segments/s"),
];

/// Endings of an inner variable's name that stand for a scale, and by what to divide the value.
pub const SCALES: &[(&str, u32)] = &[
    ("_x2", 2),
    ("_x8", 8),
    ("_x16", 16),
    ("_x64", 64),
    ("_x128", 128),
    ("_x256", 256),
    ("_x1024", 1024),
    ("_x64k", 65_536),
];

/// Unit of the inner variable called `name`, and by what its value is to be divided.
///
/// ```
/// use cwnd::unit_and_scale;
///
/// assert_eq!(unit_and_scale("min_rtt_us"), ("µs", 1));
/// assert_eq!(unit_and_scale("alpha_x64k"), ("", 65_536));
/// ```
#[must_use]
pub fn unit_and_scale(name: &str) -> (&'static str, u32) {
    let (bare, scale) = SCALES
        .iter()
        .find_map(|(ending, scale)| name.strip_suffix(ending).map(|bare| (bare, *scale)))
        .unwrap_or((name, 1));
    let longest =
        UNITS.iter().filter(|(ending, _)| bare.ends_with(ending)).max_by_key(|(ending, _)| ending.len());
    (longest.map_or("", |(_, unit)| unit), scale)
}

impl Info {
    /// The places in use.
    ///
    /// ```
    /// let info = cwnd::Info::of(&[("w_max", 100)]);
    /// assert_eq!(info.named().collect::<Vec<_>>(), [("w_max", 100)]); // of eight places
    /// ```
    pub fn named(&self) -> impl Iterator<Item = (&'static str, u64)> {
        self.fields.into_iter().filter(|(name, _)| !name.is_empty())
    }

    /// These names and values, up to eight.
    ///
    /// ```
    /// let info = cwnd::Info::of(&[("w_max", 100)]);
    /// assert_eq!((info.fields[0], info.fields[1]), (("w_max", 100), ("", 0)));
    /// ```
    #[must_use]
    pub fn of(fields: &[(&'static str, u64)]) -> Self {
        let mut info = Self::default();
        for (place, field) in info.fields.iter_mut().zip(fields) {
            *place = *field;
        }
        info
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_inner_variables_name_tells_unit_and_scale() {
        for (name, expected) in [
            ("w_max", ("", 1)),
            ("k_s_x1024", ("s", 1024)),
            ("min_rtt_us", ("µs", 1)),
            ("alpha_x64k", ("", 65_536)),
            ("bandwidth_bytes_per_s", ("bytes/s", 1)),
        ] {
            assert_eq!(unit_and_scale(name), expected, "{name}");
        }
    }
}
