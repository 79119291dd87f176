// SPDX-License-Identifier: MIT OR Apache-2.0
//! The readers of what others wrote, on any bytes: no panic, an error of one line, and what is accepted is printed and read back as the same.

use cwnd_scenario::Scenario;

/// Longest error, bytes: three parts of 2000 characters, and what is between them.
const LONGEST_ERROR: usize = 25_000;

/// Names of the readers.
pub const READERS: [&str; 8] =
    ["scenario", "json", "trace", "distribution", "transfers", "flow", "netem", "frames"];

/// A scenario around a file that it names.
const WITH_TRACE: &str = r#"
duration = "1s"
[link]
rate = { trace = "file" }
rtt = "20ms"
[[flow]]
cc = "reno"
"#;
const WITH_DISTRIBUTION: &str = r#"
duration = "1s"
[link]
rate = "10Mbit/s"
rtt = "20ms"
[[flow]]
cc = "reno"
[[traffic]]
model = "mix"
share = 0.2
size = { kind = "empirical", file = "file", unit = "B" }
"#;
const WITH_TRANSFERS: &str = r#"
duration = "1s"
[link]
rate = "10Mbit/s"
rtt = "20ms"
[[flow]]
cc = "reno"
[[traffic]]
model = "list"
file = "file"
cc = "reno"
"#;

/// The scenario that a reader of documents, or of a file that one names, makes of a text; `None` for another reader.
#[must_use]
pub fn scenario_of(reader: &str, text: &str) -> Option<Result<Scenario, cwnd_scenario::Invalid>> {
    let file = |_: &str| Ok(text.to_owned());
    Some(match reader {
        "scenario" => Scenario::from_toml(text),
        "json" => Scenario::from_json(text),
        // Mahimahi's, or a series of columns.
        "trace" => Scenario::from_toml_with(WITH_TRACE, &file),
        "distribution" => Scenario::from_toml_with(WITH_DISTRIBUTION, &file),
        "transfers" => Scenario::from_toml_with(WITH_TRANSFERS, &file),
        _ => return None,
    })
}

/// Has a reader read bytes.
///
/// # Errors
/// What it did not keep, in a line.
pub fn read_with(reader: &str, bytes: &[u8]) -> Result<(), String> {
    // Files are text before they come to these readers: Python and `std::fs::read_to_string` refuse others.
    let text = String::from_utf8_lossy(bytes);
    if let Some(read) = scenario_of(reader, &text) {
        return kept(read, &text);
    }
    match reader {
        "flow" => match cwnd_scenario::flow_spec::parse(&text, "flow") {
            Ok(_) => Ok(()),
            Err(error) => one_line(&error.to_string()),
        },
        "netem" => match cwnd_scenario::netem::meaning(&text, text.len().is_multiple_of(2)) {
            Ok(_) => Ok(()),
            Err(error) => one_line(&error.to_string()),
        },
        "frames" => {
            let _ = cwnd_stacks::exec_frames_of(bytes);
            Ok(())
        }
        unknown => Err(format!("there is no reader {unknown}: {}", READERS.join(", "))),
    }
}

/// Refuses an error that is no line that a terminal can be given.
fn one_line(error: &str) -> Result<(), String> {
    if error.len() > LONGEST_ERROR || error.chars().any(char::is_control) {
        let start: String = error.chars().take(200).collect();
        return Err(format!("an error of {} bytes is no line: {start:?}", error.len()));
    }
    Ok(())
}

/// Refuses a scenario that is not what it is printed as.
fn kept(read: Result<Scenario, cwnd_scenario::Invalid>, text: &str) -> Result<(), String> {
    match read {
        Err(error) => one_line(&error.to_string()),
        Ok(scenario) => {
            // One that names a trace is printed with its path.
            let file = |_: &str| Ok(text.to_owned());
            let toml = scenario.to_toml();
            let again = Scenario::from_toml_with(&toml, &file)
                .map_err(|error| format!("printed as TOML it is refused: {error}"))?;
            let json = Scenario::from_json_with(&scenario.to_json(), &file)
                .map_err(|error| format!("printed as JSON it is refused: {error}"))?;
            if again == scenario && json == scenario {
                Ok(())
            } else {
                Err("printed, it is another scenario".to_owned())
            }
        }
    }
}

/// The files of `fuzz/seeds` for a reader: small ones, in the order of their names.
///
/// # Errors
/// What cannot be read, or that there is none.
pub fn seeds_of(reader: &str) -> std::io::Result<Vec<Vec<u8>>> {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("seeds").join(reader);
    let files: std::io::Result<Vec<_>> = std::fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect();
    let mut files = files?;
    files.sort();
    files.into_iter().map(std::fs::read).collect()
}

/// Bytes made of a seed of the corpus, or of two: bits and bytes changed, pieces removed, doubled and moved, numbers made large.
#[must_use]
pub fn mutated(seeds: &[Vec<u8>], random: &mut impl FnMut(usize) -> usize) -> Vec<u8> {
    const WORDS: [&[u8]; 12] = [
        b"18446744073709551616",
        b"-0",
        b"1e308",
        b"nan",
        b"\x1b[31m",
        b"\xe2\x80\xae",
        b"\xff\xff\xff\xff",
        b"[[[[[[[[",
        b"{{{{{{{{",
        b"\"\"\"",
        b"\0",
        b"=",
    ];
    let mut bytes = seeds[random(seeds.len())].clone();
    for _ in 0..=random(6) {
        let at = random(bytes.len() + 1);
        let length = (1 + random(24)).min(bytes.len() - at);
        match random(6) {
            0 if at < bytes.len() => bytes[at] ^= 1 << random(8),
            1 => drop(bytes.drain(at..at + length)),
            2 => drop(bytes.splice(at..at, WORDS[random(WORDS.len())].iter().copied())),
            3 => {
                let piece = bytes[at..at + length].repeat(1 + random(40));
                drop(bytes.splice(at..at, piece));
            }
            4 => {
                let other = &seeds[random(seeds.len())];
                let from = random(other.len() + 1);
                let piece = other[from..(from + 64).min(other.len())].to_vec();
                drop(bytes.splice(at..at, piece));
            }
            _ => drop(
                bytes.splice(at..at + length, (0..length).map(|_| random(256) as u8).collect::<Vec<_>>()),
            ),
        }
        bytes.truncate(1 << 16);
    }
    bytes
}
