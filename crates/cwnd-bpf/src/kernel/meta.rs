// SPDX-License-Identifier: MIT OR Apache-2.0
//! Reads the description in an object (`crates/cwnd-bpf-build/src/metadata.rs` writes it and documents the format).

use cwnd::params::{ParamKind, Spec};

/// The section's name.
pub(crate) const SECTION: &str = ".cwnd.meta";

/// The description in an object.
#[derive(Clone, Debug)]
pub(crate) struct Meta {
    /// Version of the cwnd that built it.
    pub(crate) version: String,
    /// Digest of the structs that object and loader share.
    pub(crate) layout: u64,
    /// Name of the algorithm.
    pub(crate) algorithm: String,
    /// Names of its parameter sets, the default first.
    pub(crate) sets: Vec<String>,
    /// The set of which the object has the settings, or from which they come.
    pub(crate) built: String,
    /// Values of its parameters, in the stored form.
    pub(crate) values: Vec<u32>,
    /// Its parameters. The texts stay in memory for good, as those of plugins in the registry do.
    pub(crate) specs: &'static [Spec],
}

impl Meta {
    /// `None`, when the text is no complete description.
    pub(crate) fn read(text: &str) -> Option<Self> {
        let mut meta = Self {
            version: String::new(),
            layout: 0,
            algorithm: String::new(),
            sets: Vec::new(),
            built: String::new(),
            values: Vec::new(),
            specs: &[],
        };
        let mut specs = Vec::new();
        for line in text.lines() {
            let fields: Vec<&str> = line.split('\t').collect();
            match *fields.as_slice() {
                ["cwnd", version, layout] => {
                    version.clone_into(&mut meta.version);
                    meta.layout = u64::from_str_radix(layout, 16).ok()?;
                }
                ["algorithm", name, _] => name.clone_into(&mut meta.algorithm),
                ["set", name, _] => meta.sets.push(name.to_owned()),
                ["built", name, values] => {
                    name.clone_into(&mut meta.built);
                    let values = values.split(',').filter(|value| !value.is_empty());
                    meta.values = values.map(|value| value.parse().ok()).collect::<Option<_>>()?;
                }
                ["param", name, kind, unit, min, max, help, source, choices] => {
                    let kind = match kind {
                        "decimal" => ParamKind::Decimal,
                        "whole" => ParamKind::Whole,
                        "flag" => ParamKind::Flag,
                        "choice" => {
                            ParamKind::Choice(choices.split(',').map(leaked).collect::<Vec<_>>().leak())
                        }
                        _ => return None,
                    };
                    let (min, max) = (min.parse().ok()?, max.parse().ok()?);
                    let [name, unit, help, source] = [name, unit, help, source].map(leaked);
                    specs.push(Spec::new(name, kind, min, max).unit(unit).help(help).source(source));
                }
                _ => return None,
            }
        }
        let in_range = |(spec, value): (&Spec, &u32)| (spec.min..=spec.max).contains(value);
        let is_whole = !meta.algorithm.is_empty()
            && meta.sets.contains(&meta.built)
            && specs.len() == meta.values.len()
            && specs.iter().zip(&meta.values).all(in_range);
        meta.specs = specs.leak();
        is_whole.then_some(meta)
    }
}

fn leaked(text: &str) -> &'static str {
    text.to_owned().leak()
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "cwnd\t0.1.0\t00000000000000ff\nalgorithm\tlull\trests\nset\tlull\t45875,0\nset\tlull-fast\t1,1\n\
        built\tlull\t6554,1\nparam\tbeta\tdecimal\t\t6554\t64881\tkept\tRFC 1\t\n\
        param\tmode\tchoice\tus\t0\t1\thow\tthis crate\tslow,fast\n";

    #[test]
    fn every_fact_is_read() {
        let meta = Meta::read(TEXT).expect("a whole text");
        assert_eq!((meta.version.as_str(), meta.layout, meta.algorithm.as_str()), ("0.1.0", 255, "lull"));
        assert_eq!(meta.sets, ["lull", "lull-fast"]);
        assert_eq!((meta.built.as_str(), meta.values.as_slice()), ("lull", &[6554, 1][..]));
        let [beta, mode] = meta.specs else { panic!("{:?}", meta.specs) };
        assert_eq!((beta.name, beta.kind, beta.min, beta.max), ("beta", ParamKind::Decimal, 6554, 64_881));
        assert_eq!((mode.unit, mode.kind, mode.help), ("us", ParamKind::Choice(&["slow", "fast"]), "how"));
        assert_eq!(mode.source, "this crate");
    }

    #[test]
    fn what_is_not_whole_is_refused() {
        for (from, to) in [
            ("algorithm", "algorism"),         // an unknown fact
            ("6554,1", "6554"),                // a value less than parameters
            ("6554,1", "6553,1"),              // below its range
            ("decimal", "real"),               // an unknown kind
            ("built\tlull\t", "built\tlul\t"), // of no set
            ("\t64881", "\t-1"),
        ] {
            assert!(TEXT.contains(from));
            assert!(Meta::read(&TEXT.replacen(from, to, 1)).is_none(), "{to}");
        }
        assert!(Meta::read("").is_none());
    }
}
