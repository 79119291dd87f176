// SPDX-License-Identifier: MIT OR Apache-2.0
//! A running algorithm: an enum over the registry, so that every call of a hook is direct, with one variant for plugins.

use crate::builder::{self, ParamError};
use crate::conn::Conn;
use crate::hook_argument_types::AckSample;
use crate::hooks::{
    Configured, CongestionControl, Info, PRIVATE_BYTES, PrivateWords, StateWords, call_ack_hooks,
};
use crate::params::Params;
use crate::registration::Registered;
use crate::rescale::Rescale;

/// Reads a state's bytes. That takes `unsafe`, which the core has none of: the caller implements it (`cwnd_plugin::state_words`).
pub trait ReadState {
    /// The state's bytes.
    fn read<A: Registered>(&self, state: &A) -> StateWords;
}

/// Makes a state of the bytes of a private area. That takes `unsafe`, too: the caller implements it (`cwnd_plugin::controller_of_words`).
pub trait MakeState {
    /// The state.
    fn make<A: Registered>(&self) -> A;
}

/// Makes the enum over all algorithms, with inlined dispatch.
macro_rules! controller {
    ($($variant:ident: $algorithm:ty, $name:literal;)+) => {
        /// A running algorithm of the registry, or one of the caller's own.
        ///
        /// ```
        /// use cwnd::{Conn, Controller};
        ///
        /// let (mut reno, mut conn) = (Controller::by_name("reno").unwrap(), Conn::new(1448, 10));
        /// reno.init(&mut conn);
        /// conn.packets_out = 10;
        /// assert_eq!(reno.ssthresh(&mut conn), 5);
        /// ```
        #[derive(Clone, Debug)]
        #[non_exhaustive]
        pub enum Controller {
            $(
                #[doc = concat!("`", $name, "`")]
                $variant(Configured<$algorithm>),
            )+
            /// An algorithm that is not in the registry.
            #[cfg(feature = "std")]
            Custom(Box<dyn Custom>),
        }

        $(
            impl From<Configured<$algorithm>> for Controller {
                fn from(algorithm: Configured<$algorithm>) -> Self {
                    Self::$variant(algorithm)
                }
            }

            const _: () = assert!(
                size_of::<$algorithm>() <= PRIVATE_BYTES,
                "the state must fit the kernel's private area",
            );
        )+

        fn with_words(controller: &Controller, words: &PrivateWords) -> Option<Controller> {
            match controller {
                $(Controller::$variant(configured) => <$algorithm as Registered>::from_words(words)
                    .map(|state| Controller::$variant(Configured { state, params: configured.params })),)+
                #[cfg(feature = "std")]
                Controller::Custom(custom) => custom.with_words(words).map(Controller::Custom),
            }
        }

        fn with_state(controller: &Controller, maker: &impl MakeState) -> Option<Controller> {
            match controller {
                $(Controller::$variant(configured) => {
                    Some(Controller::$variant(Configured { state: maker.make(), params: configured.params }))
                })+
                #[cfg(feature = "std")]
                Controller::Custom(_) => None,
            }
        }

        fn is_same(one: &Controller, other: &Controller) -> bool {
            match (one, other) {
                $((Controller::$variant(a), Controller::$variant(b)) => a == b,)+
                #[cfg(feature = "std")]
                (Controller::Custom(a), Controller::Custom(b)) => a.is_same(&**b),
                _ => false,
            }
        }

        macro_rules! dispatch {
            ($self:expr, $t:ident => $call:expr, $custom:ident => $custom_call:expr) => {
                match $self {
                    $(Controller::$variant($t) => $call,)+
                    #[cfg(feature = "std")]
                    Controller::Custom($custom) => $custom_call,
                }
            };
        }
    };
}

crate::for_each_algorithm!(controller);

/// An algorithm that is not built in. It keeps its settings itself, so the hooks get none. The methods here set and read
/// them; an algorithm without settings writes `impl Custom for Mine {}`. It has to be [`Clone`]: a connection that moves to another path
/// may be copied, and its algorithm with it.
///
/// ```
/// use cwnd::registry::Custom;
/// use cwnd::{CongestionControl, Conn, Controller};
///
/// #[derive(Clone, Debug)]
/// struct Fixed;
///
/// impl CongestionControl for Fixed {
///     type Params = ();
///
///     fn ssthresh(&mut self, conn: &mut Conn, (): &()) -> u32 {
///         conn.cwnd
///     }
///
///     fn cong_avoid(&mut self, _conn: &mut Conn, _ack: u32, _acked: u32, (): &()) {}
/// }
///
/// impl Custom for Fixed {}
///
/// let mut fixed = Controller::Custom(Box::new(Fixed));
/// assert_eq!(fixed.ssthresh(&mut Conn::new(1448, 10)), 10);
/// ```
#[cfg(feature = "std")]
pub trait Custom:
    CongestionControl<Params = ()> + Duplicate + core::any::Any + core::fmt::Debug + Send + Sync
{
    /// See [`Controller::set_param`].
    ///
    /// # Errors
    /// [`ParamError`]; nothing is changed then.
    fn set_param(&mut self, _name: &str, _text: &str) -> Result<(), ParamError> {
        Err(ParamError::Unknown(&[]))
    }

    /// See [`Controller::param`].
    fn param(&self, _index: usize) -> u32 {
        0
    }

    /// See [`Controller::with_words`].
    fn with_words(&self, _words: &PrivateWords) -> Option<Box<dyn Custom>> {
        None
    }

    /// See [`Controller::state_words`].
    fn state_words(&self) -> Option<StateWords> {
        None
    }

    /// See [`Controller::is_same`]; `other` may be of another type.
    fn is_same(&self, _other: &dyn Custom) -> bool {
        false
    }

    /// See [`Controller::has_failed`].
    fn has_failed(&self) -> bool {
        false
    }
}

/// A copy of a [`Custom`] whose type is not known. Every algorithm that is [`Clone`] has it.
#[cfg(feature = "std")]
pub trait Duplicate {
    /// A copy in the same state.
    fn duplicate(&self) -> Box<dyn Custom>;
}

#[cfg(feature = "std")]
impl<T: Custom + Clone> Duplicate for T {
    fn duplicate(&self) -> Box<dyn Custom> {
        Box::new(self.clone())
    }
}

#[cfg(feature = "std")]
impl Clone for Box<dyn Custom> {
    fn clone(&self) -> Self {
        (**self).duplicate()
    }
}

/// The hooks of [`CongestionControl`] without the settings, which a `Controller` holds.
macro_rules! hooks {
    ($($variant:ident = $number:literal $(if $has:ident)?:
        $hook:ident($($arg:ident: $([$by:tt])? $type:path),*) $(-> $result:ty)?;)+) => {
        impl Controller {
            $(
                #[doc = concat!("See [`CongestionControl::", stringify!($hook), "`].")]
                #[inline(always)]
                pub fn $hook(&mut self, conn: &mut Conn $(, $arg: $($by)? $type)*) $(-> $result)? {
                    dispatch!(self, t => t.state.$hook(conn $(, $arg)*, &t.params), c => c.$hook(conn $(, $arg)*, &()))
                }

                $(
                    #[doc = concat!("See [`CongestionControl::", stringify!($has), "`].")]
                    #[inline]
                    #[must_use]
                    pub fn $has(&self) -> bool {
                        dispatch!(self, t => t.state.$has(), c => c.$has())
                    }
                )?
            )+
        }
    };
}

crate::for_each_hook!(hooks);

impl Controller {
    /// See [`Algorithm::acknowledge`](crate::Algorithm::acknowledge): one dispatch instead of four.
    #[inline(never)]
    pub fn acknowledge(&mut self, conn: &mut Conn, sample: &AckSample, flags: u32) {
        let told = (sample, flags);
        dispatch!(self, t => call_ack_hooks(&mut t.state, conn, told, &t.params), c => call_ack_hooks(&mut **c, conn, told, &()))
    }

    /// See [`CongestionControl::rescale`].
    ///
    /// ```
    /// use cwnd::{Controller, Rescale};
    ///
    /// assert!(Controller::by_name("cubic").unwrap().rescale(Rescale::new(1200, 1400)));
    /// ```
    pub fn rescale(&mut self, scale: Rescale) -> bool {
        dispatch!(self, t => CongestionControl::rescale(&mut t.state, scale), c => c.rescale(scale))
    }

    /// See [`CongestionControl::min_cwnd`].
    ///
    /// ```
    /// use cwnd::{Conn, Controller};
    ///
    /// let conn = Conn { ssthresh: 7, ..Conn::new(1448, 10) };
    /// assert_eq!(Controller::by_name("reno").unwrap().min_cwnd(&conn), 7);
    /// ```
    #[must_use]
    pub fn min_cwnd(&self, conn: &Conn) -> u32 {
        dispatch!(self, t => t.state.min_cwnd(conn, &t.params), c => c.min_cwnd(conn, &()))
    }

    /// See [`CongestionControl::info`].
    ///
    /// ```
    /// use cwnd::{Conn, Controller};
    ///
    /// let cubic = Controller::by_name("cubic").unwrap();
    /// assert!(cubic.info(&Conn::new(1448, 10)).named().any(|(name, _)| name == "w_max"));
    /// ```
    #[must_use]
    pub fn info(&self, conn: &Conn) -> Info {
        dispatch!(self, t => t.state.info(conn, &t.params), c => c.info(conn, &()))
    }

    /// Sets the parameter `name` from `text`, before [`Controller::init`].
    ///
    /// ```
    /// use cwnd::Controller;
    ///
    /// let mut cubic = Controller::by_name("cubic").unwrap();
    /// assert_eq!(cubic.set_param("beta", "0.8"), Ok(()));
    /// let why = cubic.set_param("beta", "1.8").unwrap_err();
    /// assert_eq!(why.to_string(), "beta: the value is out of its range, 0.1 to 0.99");
    /// ```
    ///
    /// # Errors
    /// [`ParamError`]; nothing is changed then.
    pub fn set_param(&mut self, name: &str, text: &str) -> Result<(), ParamError> {
        dispatch!(self, t => builder::set(&mut t.params, name, text), c => c.set_param(name, text))
    }

    /// The same algorithm with the same settings in the state of `words` (see [`Registered::from_words`]); `None` where
    /// the algorithm does not say how to read them.
    #[must_use]
    pub fn with_words(&self, words: &PrivateWords) -> Option<Self> {
        with_words(self, words)
    }

    /// The state's bytes, as the private area holds them; `None` for an algorithm of the caller's own that does not give them.
    #[must_use]
    pub fn state_words(&self, reader: &impl ReadState) -> Option<StateWords> {
        dispatch!(self, t => Some(reader.read(&t.state)), c => c.state_words())
    }

    /// The same algorithm with the same settings in the state that `maker` makes, of bytes that [`Controller::state_words`] would give; `None`
    /// for an algorithm of the caller's own.
    #[must_use]
    pub fn with_state(&self, maker: &impl MakeState) -> Option<Self> {
        with_state(self, maker)
    }

    /// Whether both are the same algorithm in the same state with the same settings, as far as the algorithm can tell.
    ///
    /// ```
    /// use cwnd::Controller;
    ///
    /// let (cubic, reno) = (Controller::by_name("cubic").unwrap(), Controller::by_name("reno").unwrap());
    /// assert!(cubic.is_same(&cubic.clone()) && !cubic.is_same(&reno));
    /// ```
    #[must_use]
    pub fn is_same(&self, other: &Self) -> bool {
        is_same(self, other)
    }

    /// Whether it has stopped for good by a fault of its own: an algorithm that was loaded, and panicked. Its hooks do nothing
    /// from then on.
    ///
    /// ```
    /// assert!(!cwnd::Controller::by_name("reno").unwrap().has_failed());
    /// ```
    #[cfg(feature = "std")]
    #[must_use]
    pub fn has_failed(&self) -> bool {
        matches!(self, Self::Custom(custom) if custom.has_failed())
    }

    /// Value of parameter `index` in the stored form (see [`mod@crate::params`]); 0 beyond the last.
    ///
    /// ```
    /// use cwnd::Controller;
    ///
    /// let cubic = Controller::by_name("cubic").unwrap();
    /// assert_eq!(cubic.param(0), 45_875); // beta = 0.7, in 1/65536
    /// ```
    #[must_use]
    pub fn param(&self, index: usize) -> u32 {
        dispatch!(self, t => t.params.get(index), c => c.param(index))
    }
}
