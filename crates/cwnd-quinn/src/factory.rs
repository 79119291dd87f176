// SPDX-License-Identifier: MIT OR Apache-2.0
//! [`Cwnd`], one file for three crates: in cwnd-noq and cwnd-s2n-quic it is a link to that of cwnd-quinn. What differs in the
//! documentation is `word!` of each crate.

use cwnd::Algorithm;
use cwnd::transport::Config;

#[doc = concat!("An algorithm of cwnd as ", word!(stack), "'s congestion controller: each path of each connection gets one of its own.")]
///
/// ```
#[doc = concat!("use ", word!(crate_name), "::Cwnd;")]
///
/// let cubic = Cwnd::named("cubic").expect("it is registered");
#[doc = word!(example)]
/// ```
#[derive(Clone, Debug)]
pub struct Cwnd<A: Algorithm = cwnd::Controller> {
    pub(crate) algorithm: A,
    pub(crate) config: Config,
}

impl Cwnd {
    /// The algorithm, or the parameter set, of this name in cwnd's [registry](cwnd::registry), such as `cubic`; `None` if there is none.
    /// Its slow start is that of [`Controller::for_quic`](cwnd::Controller::for_quic).
    ///
    /// ```
    #[doc = concat!("use ", word!(crate_name), "::Cwnd;")]
    ///
    /// assert!(Cwnd::named("reno").is_some() && Cwnd::named("cubic-rfc8312").is_some());
    /// assert!(Cwnd::named("bbr").is_none());
    /// ```
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        cwnd::Controller::for_quic(name).map(Self::new)
    }
}

impl<A: Algorithm> Cwnd<A> {
    /// This algorithm with its settings. Of one type, such as `Configured<Cubic>`, no other is linked.
    ///
    /// ```
    #[doc = concat!("use ", word!(crate_name), "::Cwnd;")]
    #[doc = concat!("use ", word!(crate_name), "::cwnd::algorithms::vegas::Vegas;")]
    ///
    /// let vegas = Cwnd::new(Vegas::builder().build()?);
    /// # Ok::<(), cwnd::ParamError>(())
    /// ```
    #[must_use]
    pub fn new(algorithm: A) -> Self {
        Self { algorithm, config: Config::new() }
    }

    /// With these settings of the transport, such as the initial window and the idle restart. Datagrams have the size that the stack says.
    ///
    /// ```
    #[doc = concat!("use ", word!(crate_name), "::Cwnd;")]
    #[doc = concat!("use ", word!(crate_name), "::cwnd::transport::Config;")]
    ///
    /// let config = Config::new().initial_window(20)?.idle_restart(false);
    /// let cubic = Cwnd::named("cubic").unwrap().with_config(config);
    /// # Ok::<(), cwnd::ParamError>(())
    /// ```
    #[must_use]
    pub fn with_config(mut self, config: Config) -> Self {
        self.config = config;
        self
    }
}
