// SPDX-License-Identifier: MIT OR Apache-2.0
//! The frames: a length of four bytes, a kind, and what follows. All numbers are little-endian.

use cwnd_sim::{EcnCodepoint, Probe};

/// Version of the protocol.
const VERSION: u16 = 1;
/// The version of a HELLO that also says how large the receive window is. A child of version 1 refuses it.
const VERSION_WITH_WINDOW: u16 = 2;
/// Stands for "none" where a number may be absent, and for "never" and "without an end".
const NONE: u64 = u64::MAX;
/// Numbers of a DONE.
const NUMBERS: usize = 11;

/// Which end a child is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    Sender = 0,
    Receiver = 1,
}

/// What a child is told.
#[derive(Clone, Copy, Debug)]
pub(super) enum Request<'a> {
    Hello { role: Role, datagram: u16, receive_window: Option<u64>, seed: u64, name: &'a str },
    Open { now: u64 },
    Datagram { now: u64, ecn: EcnCodepoint, datagram: &'a [u8] },
    Timer { now: u64 },
    Write { now: u64, bytes: u64 },
    Finish { now: u64 },
}

impl Request<'_> {
    /// The frame.
    pub(super) fn bytes(&self) -> Vec<u8> {
        let mut frame = vec![0; 4];
        match *self {
            Self::Hello { role, datagram, receive_window, seed, name } => {
                frame.push(1);
                let version = receive_window.map_or(VERSION, |_| VERSION_WITH_WINDOW);
                frame.extend(version.to_le_bytes());
                frame.push(role as u8);
                frame.extend(datagram.to_le_bytes());
                frame.extend(seed.to_le_bytes());
                frame.extend(receive_window.into_iter().flat_map(u64::to_le_bytes));
                frame.extend(name.as_bytes());
            }
            Self::Open { now } => timed(&mut frame, 2, now),
            Self::Datagram { now, ecn, datagram } => {
                timed(&mut frame, 3, now);
                frame.push(ecn as u8);
                frame.extend(datagram);
            }
            Self::Timer { now } => timed(&mut frame, 4, now),
            Self::Write { now, bytes } => {
                timed(&mut frame, 5, now);
                frame.extend(bytes.to_le_bytes());
            }
            Self::Finish { now } => timed(&mut frame, 6, now),
        }
        let length = (frame.len() - 4) as u32;
        frame[..4].copy_from_slice(&length.to_le_bytes());
        frame
    }
}

fn timed(frame: &mut Vec<u8>, kind: u8, now: u64) {
    frame.push(kind);
    frame.extend(now.to_le_bytes());
}

/// What a child says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Answer {
    Send { ecn: EcnCodepoint, datagram: Vec<u8> },
    Done { next_timer: u64, probe: Probe },
    Failure(String),
}

impl Answer {
    /// Reads a frame without its length.
    pub(super) fn read(frame: &[u8]) -> Result<Self, String> {
        match frame.split_first() {
            Some((1, [ecn, datagram @ ..])) => {
                let ecn = match ecn {
                    0 => EcnCodepoint::NotEct,
                    1 => EcnCodepoint::Ect1,
                    2 => EcnCodepoint::Ect0,
                    3 => EcnCodepoint::Ce,
                    other => return Err(format!("it sent an ECN field of {other}; expected 0 to 3")),
                };
                Ok(Self::Send { ecn, datagram: datagram.to_vec() })
            }
            Some((2, numbers)) if numbers.len() == 8 * NUMBERS => Ok(done(numbers)),
            Some((2, numbers)) => Err(format!(
                "it sent a DONE with {} bytes of numbers; expected {}",
                numbers.len(),
                8 * NUMBERS
            )),
            Some((3, text)) => {
                let words: Vec<String> =
                    String::from_utf8_lossy(text).split_whitespace().map(str::to_owned).collect();
                Ok(Self::Failure(words.join(" ").chars().take(200).collect()))
            }
            Some((kind, _)) => {
                Err(format!("it sent a frame of kind {kind}; expected 1 (SEND), 2 (DONE) or 3 (FAIL)"))
            }
            None => Err("it sent an empty frame".to_owned()),
        }
    }
}

fn done(numbers: &[u8]) -> Answer {
    let mut each = numbers.chunks_exact(8).map(|bytes| {
        let mut word = [0; 8];
        word.copy_from_slice(bytes);
        u64::from_le_bytes(word)
    });
    let mut next = || each.next().unwrap_or(0);
    let next_timer = next();
    let probe = Probe {
        cwnd: next(),
        ssthresh: Some(next()).filter(|bytes| *bytes != NONE),
        in_flight: Some(next()).filter(|bytes| *bytes != NONE),
        srtt: next(),
        min_rtt: next(),
        pacing_rate: Some(next()).filter(|rate| *rate != NONE),
        lost: next(),
        congestion_events: next(),
        timeouts: next(),
        read: next(),
    };
    Answer::Done { next_timer, probe }
}

#[cfg(test)]
mod tests {
    use super::*;

    // 4 bytes of length, then 1 + 2 + 1 + 2 + 8 + 4.
    #[test]
    fn a_hello_is_as_the_page_says() {
        let hello = |receive_window| Request::Hello {
            role: Role::Receiver,
            datagram: 1472,
            receive_window,
            seed: 0x0102,
            name: "aimd",
        };
        let mut expected = vec![18, 0, 0, 0, 1, 1, 0, 1, 0xc0, 5, 2, 1, 0, 0, 0, 0, 0, 0];
        expected.extend(b"aimd");
        assert_eq!(hello(None).bytes(), expected);
        // With a receive window it is version 2, and has eight bytes more before the name.
        let mut expected =
            vec![26, 0, 0, 0, 1, 2, 0, 1, 0xc0, 5, 2, 1, 0, 0, 0, 0, 0, 0, 7, 0, 0, 0, 0, 0, 0, 0];
        expected.extend(b"aimd");
        assert_eq!(hello(Some(7)).bytes(), expected);
        let datagram = Request::Datagram { now: 5, ecn: EcnCodepoint::Ce, datagram: &[9, 8] };
        assert_eq!(datagram.bytes(), [12, 0, 0, 0, 3, 5, 0, 0, 0, 0, 0, 0, 0, 3, 9, 8]);
    }

    #[test]
    fn numbers_of_a_done_stand_in_the_order_of_the_page() {
        let frame: Vec<u8> = std::iter::once(2)
            .chain((1..=11_u64).flat_map(|number| if number == 3 { NONE } else { number }.to_le_bytes()))
            .collect();
        let Ok(Answer::Done { next_timer: 1, probe }) = Answer::read(&frame) else { panic!() };
        assert_eq!((probe.cwnd, probe.ssthresh, probe.in_flight, probe.read), (2, None, Some(4), 11));
        assert!(
            Answer::read(&frame[..80]).is_err() && Answer::read(&[]).is_err() && Answer::read(&[7]).is_err()
        );
    }
}
