// SPDX-License-Identifier: MIT OR Apache-2.0
//! The names of hosts.

/// A host that a flow's key `host` names; what each holds is in [`super::host_settings`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Host {
    /// Linux 6, as installed.
    Linux,
    /// What the RFCs say where they give a value.
    Rfc,
    /// Linux 2.6.13 to 2.6.38, in the testbeds of the papers.
    Linux26,
    /// FreeBSD 14, its default stack.
    FreeBsd14,
    /// ns-2.35, `Agent/TCP/Sack1` and `Agent/TCP/Linux` with default settings.
    Ns2,
}

impl Host {
    /// All of them.
    pub const ALL: &'static [Self] = &[Self::Linux, Self::Rfc, Self::Linux26, Self::FreeBsd14, Self::Ns2];

    /// Name in scenarios and on the command line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Linux => "linux",
            Self::Rfc => "rfc",
            Self::Linux26 => "linux-2.6",
            Self::FreeBsd14 => "freebsd-14",
            Self::Ns2 => "ns-2",
        }
    }

    /// What it is, in a line.
    #[must_use]
    pub const fn summary(self) -> &'static str {
        match self {
            Self::Linux => "Linux 6, as installed",
            Self::Rfc => "values of the RFCs, where they give one",
            Self::Linux26 => "Linux 2.6.13 to 2.6.38, in the testbeds of the papers",
            Self::FreeBsd14 => "FreeBSD 14, its default stack",
            Self::Ns2 => "ns-2.35, `Agent/TCP/Sack1` and `Agent/TCP/Linux` with default settings",
        }
    }
}
