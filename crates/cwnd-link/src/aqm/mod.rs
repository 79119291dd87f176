// SPDX-License-Identifier: MIT OR Apache-2.0
//! Queue disciplines. Adding one is a file, and its line in the table below with its `mod`.

mod admission;
mod codel;
mod describe;
mod drop_head;
mod red;

pub use admission::Backlog;
pub(crate) use admission::{Admission, Arrival, AtArrival, AtHead};
pub use describe::{CauseWords, Setting, SettingKind, SettingOption, SettingValue};
use describe::{Described, FULL, cause};

use crate::packet_queue::{PacketQueue, Waiting};
use crate::random::RandomStream;

/// What is said of packets that the loss process lost.
const LOSS: CauseWords = cause!(
    "loss", link "by the loss process", flow "by the loss process",
    heading "random", counted "by the loss process", legend "by the loss process", picture "random losses", always true
);

/// What is said of packets that a queue of the kernel has dropped.
const KERNEL: CauseWords = cause!(
    "kernel", link "by the kernel's queue", flow "by the kernel's queue",
    heading "qdisc", counted "by the kernel's queue", legend "by the kernel's queue", picture "drops by the kernel's queue", always false
);

/// The table of queue disciplines: `Name: type, its settings, drops Cause;` a line. Those at `arrival` implement [`AtArrival`], those at
/// the `head` [`AtHead`]. One at the head without a cause of its own drops for want of room. DropTail, which has no settings, is the
/// absence of a discipline.
macro_rules! disciplines {
    (@cause) => { DropCause::Full };
    (@cause $Cause:ident) => { DropCause::$Cause };
    (
        arrival { $($Arrival:ident: $arrival:ty, $arrival_config:path, drops $ArrivalCause:ident;)* }
        head { $($Head:ident: $head:ty, $head_config:path $(, drops $HeadCause:ident)?;)* }
    ) => {
        $(pub use $arrival_config;)*
        $(pub use $head_config;)*

        /// Why a link dropped a packet, in the order of the columns.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
        pub enum DropCause {
            /// The queue had no room.
            Full,
            $(#[doc = concat!("See [`Discipline::", stringify!($Arrival), "`].")] $ArrivalCause,)*
            $($(#[doc = concat!("See [`Discipline::", stringify!($Head), "`].")] $HeadCause,)?)*
            /// The loss process lost it.
            Loss,
            /// A queue of the kernel dropped it: see [`crate::Link::send`].
            Kernel,
        }

        impl DropCause {
            /// All of them.
            pub const ALL: &'static [Self] =
                &[Self::Full, $(Self::$ArrivalCause,)* $($(Self::$HeadCause,)?)* Self::Loss, Self::Kernel];

            /// What is said of such drops.
            #[must_use]
            pub const fn words(self) -> &'static CauseWords {
                match self {
                    Self::Full => &FULL,
                    $(Self::$ArrivalCause => &<$arrival>::CAUSE,)*
                    $($(Self::$HeadCause => &<$head>::CAUSE,)?)*
                    Self::Loss => &LOSS,
                    Self::Kernel => &KERNEL,
                }
            }
        }

        /// A queue discipline, without its settings.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Discipline {
            /// None: packets are dropped when there is no room.
            DropTail,
            $(#[doc = concat!("See `", stringify!($arrival), "`.")] $Arrival,)*
            $(#[doc = concat!("See `", stringify!($head), "`.")] $Head,)*
        }

        impl Discipline {
            /// All of them.
            pub const ALL: &'static [Self] = &[Self::DropTail, $(Self::$Arrival,)* $(Self::$Head,)*];

            /// Name in a scenario.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self {
                    Self::DropTail => "droptail",
                    $(Self::$Arrival => <$arrival>::NAME,)*
                    $(Self::$Head => <$head>::NAME,)*
                }
            }

            /// What captions and the page call it.
            #[must_use]
            pub const fn title(self) -> &'static str {
                match self {
                    Self::DropTail => "drop-tail",
                    $(Self::$Arrival => <$arrival>::TITLE,)*
                    $(Self::$Head => <$head>::TITLE,)*
                }
            }

            /// The settings that a caption has, in their order.
            #[must_use]
            pub const fn shown(self) -> &'static [&'static str] {
                match self {
                    Self::DropTail => &[],
                    $(Self::$Arrival => <$arrival>::SHOWN,)*
                    $(Self::$Head => <$head>::SHOWN,)*
                }
            }

            /// What it is, in a line.
            #[must_use]
            pub const fn help(self) -> &'static str {
                match self {
                    Self::DropTail => "drops packets that arrive at a full queue",
                    $(Self::$Arrival => <$arrival>::HELP,)*
                    $(Self::$Head => <$head>::HELP,)*
                }
            }

            /// Its settings.
            #[must_use]
            pub const fn settings(self) -> &'static [Setting] {
                match self {
                    Self::DropTail => &[],
                    $(Self::$Arrival => <$arrival_config>::SETTINGS,)*
                    $(Self::$Head => <$head_config>::SETTINGS,)*
                }
            }

            /// The settings that the command line takes as one option.
            #[must_use]
            pub const fn option(self) -> Option<SettingOption> {
                match self {
                    Self::DropTail => None,
                    $(Self::$Arrival => <$arrival>::OPTION,)*
                    $(Self::$Head => <$head>::OPTION,)*
                }
            }

            /// With these values of its settings, in their order, and full packets of `packet` bytes.
            ///
            /// # Panics
            /// When the values are not of the kinds of the settings.
            #[must_use]
            pub fn config(self, settings: &[SettingValue], packet: u32) -> DisciplineConfig {
                match self {
                    Self::DropTail => DisciplineConfig::Arrival(QueueConfig::DropTail),
                    $(Self::$Arrival => DisciplineConfig::Arrival(
                        QueueConfig::$Arrival(<$arrival_config>::new(settings, packet))
                    ),)*
                    $(Self::$Head => DisciplineConfig::Head(
                        HeadDiscipline::$Head(<$head_config>::new(settings, packet))
                    ),)*
                }
            }
        }

        /// A queue discipline that decides at arrival, with its settings.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
        pub enum QueueConfig {
            /// None: packets are dropped when there is no room.
            #[default]
            DropTail,
            $(#[doc = concat!("See [`Discipline::", stringify!($Arrival), "`].")] $Arrival($arrival_config),)*
        }

        /// A queue discipline that decides at the head, with its settings.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum HeadDiscipline {
            $(#[doc = concat!("See [`Discipline::", stringify!($Head), "`].")] $Head($head_config),)*
        }

        /// A running [`QueueConfig`]: an enum, so that calls are inlined.
        #[derive(Clone, Debug)]
        pub(crate) enum RunningAtArrival {
            DropTail,
            $($Arrival($arrival),)*
        }

        impl RunningAtArrival {
            pub fn new(queue: QueueConfig, stream: RandomStream) -> Self {
                match queue {
                    QueueConfig::DropTail => Self::DropTail,
                    $(QueueConfig::$Arrival(config) => Self::$Arrival(<$arrival>::new(config, stream)),)*
                }
            }

            /// Whether the packet, which is accepted, is marked; else why it is dropped.
            #[inline]
            pub fn on_arrival(&mut self, arrival: &Arrival) -> Result<bool, DropCause> {
                match self {
                    Self::DropTail if arrival.full => Err(DropCause::Full),
                    Self::DropTail => Ok(false),
                    $(Self::$Arrival(discipline) => match discipline.on_arrival(arrival) {
                        Admission::Accept => Ok(false),
                        Admission::Mark => Ok(true),
                        Admission::Drop => Err(DropCause::$ArrivalCause),
                        Admission::NoRoom => Err(DropCause::Full),
                    },)*
                }
            }
        }

        /// A running [`HeadDiscipline`].
        #[derive(Clone, Debug)]
        pub(crate) enum RunningAtHead {
            $($Head($head),)*
        }

        impl RunningAtHead {
            pub fn new(discipline: HeadDiscipline) -> Self {
                match discipline {
                    $(HeadDiscipline::$Head(config) => Self::$Head(<$head>::new(config)),)*
                }
            }

            /// Why packets are dropped from the head for a packet that arrives at a full queue; `None` where the arriving one is dropped.
            pub const fn makes_room(&self) -> Option<DropCause> {
                match self {
                    $(Self::$Head(_) if <$head>::MAKES_ROOM => Some(disciplines!(@cause $($HeadCause)?)),)*
                    _ => None,
                }
            }

            /// See [`AtHead::dequeue`]; the cause of its drops goes with them.
            #[inline]
            pub fn dequeue<P>(
                &mut self,
                now: u64,
                queue: &mut PacketQueue<P>,
                mut dropped: impl FnMut(Waiting<P>, DropCause),
            ) -> Option<(Waiting<P>, bool)> {
                match self {
                    $(Self::$Head(discipline) => {
                        discipline.dequeue(now, queue, |packet| dropped(packet, disciplines!(@cause $($HeadCause)?)))
                    })*
                }
            }
        }
    };
}

disciplines! {
    arrival {
        Red: red::Red, red::RedConfig, drops Early;
    }
    head {
        Codel: codel::Codel, codel::CodelConfig, drops Head;
        DropHead: drop_head::DropHead, drop_head::DropHeadConfig;
    }
}

/// A queue discipline with its settings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DisciplineConfig {
    /// One that decides at arrival.
    Arrival(QueueConfig),
    /// One that decides at the head.
    Head(HeadDiscipline),
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limit::Limit;

    // Every setting's default is of its kind, so that a discipline can be built from its rows alone.
    #[test]
    fn every_discipline_can_be_built_from_its_rows() {
        for discipline in Discipline::ALL {
            let size = SettingValue::Size(Limit::Packets(1));
            let values: Vec<_> =
                discipline.settings().iter().map(|setting| setting.default.unwrap_or(size)).collect();
            let _ = discipline.config(&values, 1500);
            let names: Vec<_> = discipline.settings().iter().map(|setting| setting.name).collect();
            if let Some(option) = discipline.option() {
                assert!(!option.names.is_empty(), "{discipline:?}");
                assert_eq!(option.names.len(), option.example.len(), "{discipline:?}");
                for name in option.names {
                    assert!(names.contains(name), "{discipline:?} has no {name}");
                }
            }
        }
    }

    #[test]
    fn causes_are_numbered_in_their_order_and_have_columns_of_their_own() {
        for (number, cause) in DropCause::ALL.iter().enumerate() {
            assert_eq!(*cause as usize, number);
            let same = |other: &&DropCause| other.words().column == cause.words().column;
            assert_eq!(DropCause::ALL.iter().filter(same).count(), 1, "{cause:?}");
        }
    }
}
