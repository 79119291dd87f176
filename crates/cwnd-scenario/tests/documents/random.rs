// SPDX-License-Identifier: MIT OR Apache-2.0
//! Documents made at random: either refused in one line that names a field, or read back from what they are written as.

use cwnd_link::random::RandomStream;
use cwnd_scenario::Scenario;

/// Keys with values of which most are good, by table.
const RATE: (&str, &[&str]) = (
    "rate",
    &["'10Mbit/s'", "'2.5Gbit/s'", "'300kbit/s'", "[['0s', '9Mbit/s'], ['1s', '0bit/s'], ['3s', '1kbit/s']]"],
);
const LINK: &[(&str, &[&str])] = &[
    ("delay", &["'5ms'", "'0s'", "'1min'", "'30us'", "5"]),
    ("loss", &["'random:0.01'", "'every:100,7'", "'at:1,2,3'", "'gilbert:0.01,0.2,0,0.5'", "'none'"]),
    (
        "queue",
        &[
            "{ kind = 'droptail', limit = '100packets' }",
            "{ kind = 'droptail', limit = '1.25bdp' }",
            "{ kind = 'droptail', limit = '20ms' }",
            "{ kind = 'red', limit = '150kB', min = '10packets', max = '50packets', max_p = 0.02 }",
            "{ kind = 'codel', limit = '1bdp', target = '1ms' }",
        ],
    ),
    (
        "jitter",
        &["'1ms'", "{ kind = 'normal', mean = '2ms', sd = '1us' }", "{ kind = 'none', overtaking = true }"],
    ),
    ("count_in_service", &["true", "false"]),
    ("tick", &["'1ms'", "'10ms'", "'0s'"]),
    ("reorder", &["{ share = 0.001, extra = '3ms' }", "{ share = 1, extra = '1ns' }"]),
];
const REVERSE: (&str, &[&str]) =
    ("reverse", &["true", "false", "{ rate = '3Mbit/s' }", "{ loss = 'random:0.5', delay = '1ms' }"]);
const FLOW: &[(&str, &[&str])] = &[
    ("label", &["'mine'", "'cubic'", "'cubic 1'", "'\u{3b2} = \u{bd}'", "''"]),
    ("count", &["1", "3", "1000", "0"]),
    ("start", &["'0s'", "{ uniform = ['0s', '100ms'] }", "{ uniform = ['2s', '1s'] }"]),
    ("stop", &["'5s'"]),
    ("rtt", &["'160ms'", "'1ms'", "'0s'"]),
    (
        "access",
        &["'1Gbit/s'", "{ rate = '3Mbit/s', queue = '9packets' }", "{ rate = '3Mbit/s', queue = '90kB' }"],
    ),
    ("access_delay", &["'1ms'", "'30ms'"]),
    ("pacing", &["true", "false"]),
    ("burst", &["1", "64"]),
    ("size", &["'10MB'", "'7packets'", "'1B'"]),
    ("app_rate", &["'1Mbit/s'"]),
    ("idle_restart", &["true", "false"]),
    ("host_clock", &["'100Hz'"]),
    ("host_clock_phase", &["'0s'", "'4ms'"]),
    ("host", &["'linux'", "'linux-2.6'", "'ns-2'"]),
    ("recovery", &["'newreno'", "'tahoe'", "'rfc'"]),
];
const ACTIONS: &[&str] = &[
    "stop = { flow = 'cubic', at = '4s' }",
    "start = { flow = 'reno', at = '4s' }",
    "switch = { flow = 'cubic', at = '3s', cc = 'cubic-2.2', beta = 0.75 }",
    "rate = { at = '3s', to = '0bit/s' }",
    "rate = { link = 'back1', at = '3s', to = '1Mbit/s' }",
    "delay = { link = 'reverse', at = '1ns', to = '9ms' }",
    "buffer = { link = 'hop1', at = '0s', to = '0.5bdp' }",
];
const TRAFFIC: &[&str] = &[
    "preset = 'ha2008'",
    "preset = 'leith2007-fig4'",
    "model = 'udp'\nrate = '1Mbit/s'",
    "model = 'request-response'\nrequest = '1kB'\nresponse = '30packets'",
];

struct DocumentGenerator(RandomStream);

impl DocumentGenerator {
    fn one_in(&mut self, n: u64) -> bool {
        self.0.below(n) == 0
    }

    fn of<T: Copy>(&mut self, list: &[T]) -> T {
        list[self.0.below(list.len() as u64) as usize]
    }

    fn key(&mut self, text: &mut String, (key, values): (&str, &[&str])) {
        *text += &format!("{key} = {}\n", self.of(values));
    }

    fn some(&mut self, text: &mut String, keys: &[(&str, &[&str])]) {
        for key in keys {
            if self.one_in(9) {
                self.key(text, *key);
            }
        }
    }

    fn document(&mut self) -> String {
        let mut text = format!("duration = '10s'\nseed = {}\n", self.0.below(1000));
        let graph = self.one_in(2);
        if graph {
            text += &format!("[parking_lot]\nrtt = '40ms'\nhops = {}\n", 1 + self.0.below(3));
        } else {
            text += "[link]\nrtt = '40ms'\n";
        }
        self.key(&mut text, RATE);
        self.some(&mut text, LINK);
        self.some(&mut text, &[REVERSE]);
        for _ in 0..=self.0.below(3) {
            text += &format!("[[flow]]\ncc = '{}'\n", self.of(&["cubic", "reno", "vegas"]));
            self.some(&mut text, FLOW);
            if graph {
                text += self.of(&[
                    "from = 'n0'\nto = 'n1'\n",
                    "path = ['hop1']\n",
                    "path = ['hop1']\nback = []\n",
                ]);
            } else if self.one_in(3) {
                text += "direction = 'reverse'\n";
            }
        }
        for _ in 0..self.0.below(3) {
            text += &format!("[[traffic]]\n{}\n", self.of(TRAFFIC));
            if graph {
                text += "from = 'n0'\nto = 'n1'\n";
            }
        }
        for _ in 0..self.0.below(3) {
            text += &format!("[[action]]\n{}\n", self.of(ACTIONS));
        }
        text
    }
}

#[test]
fn documents_made_at_random_are_refused_in_one_line_or_read_back() {
    let (mut good, mut refused) = (0, 0);
    for seed in 0..3000 {
        let text = DocumentGenerator(RandomStream::new(seed, 0)).document();
        match Scenario::from_toml(&text) {
            Ok(scenario) => {
                let written = scenario.to_toml();
                assert_eq!(
                    Scenario::from_toml(&written).as_ref(),
                    Ok(&scenario),
                    "seed {seed}:\n{text}\n{written}"
                );
                assert_eq!(
                    Scenario::from_json(&scenario.to_json()).as_ref(),
                    Ok(&scenario),
                    "seed {seed}:\n{text}"
                );
                // What an engine asks for is there.
                assert_eq!(scenario.link_configs().len(), scenario.links.len());
                let flows = scenario.expand().len();
                assert!(
                    scenario.flow_actions().iter().all(|(_, flow, _)| (*flow as usize) < flows),
                    "seed {seed}"
                );
                good += 1;
            }
            Err(invalid) => {
                let message = invalid.to_string();
                assert!(!message.contains('\n') && !invalid.field.is_empty(), "seed {seed}: {message}");
                assert_ne!(invalid.field, "scenario", "seed {seed}: {message}\n{text}");
                refused += 1;
            }
        }
    }
    assert!(good > 600 && refused > 600, "{good} good, {refused} refused");
}
