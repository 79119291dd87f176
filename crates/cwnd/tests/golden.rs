// SPDX-License-Identifier: MIT OR Apache-2.0
//! The beginnings of the recorded kernel traces (`golden/*.txt`, made by `vectors/golden/excerpt.py`, which says what a line
//! means), replayed. The whole traces are replayed by tests/python/replay/test_replay.py.

use cwnd::replay::{After, Call, Replay, Row};
use cwnd::{ARGUMENT_WORDS, CaState, Conn, Controller, Hook, PacingStatus, PrivateWords};
use std::collections::HashMap;
use std::fs;
use std::path::Path;

/// Ticks per second of the kernels that were recorded.
const TICK_HZ: u32 = 250;

/// The fields of a line by their letters.
type Fields = HashMap<char, u64>;

/// Takes over `name=value` and `name+difference`.
fn apply(fields: &mut Fields, text: &str) {
    let name = text.chars().next().expect("a name");
    let value: u64 = text[2..].parse().unwrap_or_else(|_| panic!("{text}: a number"));
    let added = text[1..].starts_with('+');
    let field = fields.entry(name).or_default();
    *field = if added { *field + value } else { value };
}

fn conn(fields: &Fields) -> Conn {
    let at = |name: char| fields[&name] as u32;
    Conn {
        now_us: fields[&'t'],
        delivered: fields[&'d'],
        pacing_rate: fields[&'R'],
        ticks: at('j'),
        tick_hz: TICK_HZ,
        lsndtime_ticks: at('L'),
        mss: at('M'),
        snd_una: at('u'),
        snd_nxt: at('n'),
        packets_out: at('o'),
        in_flight: at('o').wrapping_add(at('x')).wrapping_sub(at('k').wrapping_add(at('l'))),
        max_packets_out: at('a'),
        cwnd: at('w'),
        cwnd_cnt: at('c'),
        ssthresh: at('s'),
        prior_cwnd: at('p'),
        cwnd_clamp: at('C'),
        srtt_us8: at('r'),
        min_rtt_us: if at('m') == u32::MAX { 0 } else { at('m') },
        gso_max_size: at('g'),
        is_cwnd_limited: at('i') != 0,
        ca_state: CaState::from_u8(at('S') as u8),
        pacing_status: match at('P') {
            1 => PacingStatus::Needed,
            2 => PacingStatus::Fq,
            _ => PacingStatus::None,
        },
        ..Conn::new(0, 0)
    }
}

/// The words of a record; an argument that is younger than it is zero.
fn recorded(words: &[u32]) -> [u32; ARGUMENT_WORDS] {
    std::array::from_fn(|place| words.get(place).copied().unwrap_or(0))
}

/// Replays an excerpt on `cc`: calls, differences, and the first difference in words.
fn replay(text: &str, cc: &str) -> (u64, u64, String) {
    let controller = Controller::by_name(cc).unwrap_or_else(|| panic!("{cc} is registered"));
    let mut replay = Replay::new(controller, None);
    let (mut fields, mut first) = (Fields::new(), String::new());
    for line in text.lines().skip(1) {
        let mut parts = line.split(' ');
        let hook = parts.next().expect("a hook");
        if hook == "words" || hook == "left" {
            let mut words = PrivateWords::default();
            for (place, value) in parts.filter_map(|part| part.split_once(':')) {
                words[place.parse::<usize>().expect("a place")] = value.parse().expect("a word");
            }
            if hook == "words" {
                replay.load(&words);
            } else if replay.agrees(&words) == Some(false) && first.is_empty() {
                first = format!("the state after call {} is not the module's", replay.calls());
            }
            continue;
        }
        let mut number =
            || parts.next().expect("three words and a result").parse::<i64>().expect("a number") as u32;
        let (words, returned) = ([(); 3].map(|()| number()), number());
        let (changed, set): (Vec<&str>, Vec<&str>) = parts.partition(|part| part.starts_with('>'));
        set.iter().for_each(|part| apply(&mut fields, part));
        let before = conn(&fields);
        changed.iter().for_each(|part| apply(&mut fields, &part[1..]));
        let [cwnd, ssthresh, cwnd_cnt] = ['w', 's', 'c'].map(|name| fields[&name] as u32);
        let after = After { returned, cwnd, ssthresh, cwnd_cnt, pacing: None, state: None };
        let call = Hook::by_name(hook).and_then(|hook| Call::read(hook, recorded(&words), before.mss));
        let call = call.unwrap_or_else(|| panic!("{line}: no call"));
        let row = Row { call, before, ticks_after: fields[&'j'] as u32, after };
        if let Some(difference) = replay.step(&row)
            && first.is_empty()
        {
            first = format!("call {}, {line}: {difference}", replay.calls());
        }
    }
    (replay.calls(), replay.differences(), first)
}

/// Every excerpt, by the set that it belongs to.
fn excerpts() -> Vec<(String, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden");
    let paths = fs::read_dir(folder).expect("the folder").map(|entry| entry.expect("an entry").path());
    paths
        .map(|path| {
            let name = path.file_stem().expect("a name").to_string_lossy().into_owned();
            (name, fs::read_to_string(path).expect("text"))
        })
        .collect()
}

#[test]
fn ours_does_what_the_kernel_did() {
    let excerpts = excerpts();
    assert!(excerpts.len() >= 11, "{} excerpts", excerpts.len());
    for (cc, text) in &excerpts {
        let (calls, differences, first) = replay(text, cc);
        assert!(calls >= 1000, "{cc}: {calls} calls");
        assert_eq!((differences, first.as_str()), (0, ""), "{cc}");
    }
}

// A negative control: another algorithm's trace is never its own.
#[test]
fn another_algorithms_trace_differs() {
    let excerpts = excerpts();
    for ((cc, _), (_, text)) in excerpts.iter().zip(excerpts.iter().cycle().skip(1)) {
        assert!(replay(text, cc).1 > 0, "{cc}");
    }
}
