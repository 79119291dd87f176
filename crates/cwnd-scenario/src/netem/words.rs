// SPDX-License-Identifier: MIT OR Apache-2.0
//! The words of a line, one after the other.

/// A word that is not accepted, and what was expected.
pub(crate) type Refused = (String, String);

/// Words that are still to be read.
pub(super) struct Words<'t> {
    words: &'t [&'t str],
}

impl<'t> Words<'t> {
    pub const fn new(words: &'t [&'t str]) -> Self {
        Self { words }
    }

    pub const fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    pub fn peek(&self) -> Option<&'t str> {
        self.words.first().copied()
    }

    pub fn next(&mut self) -> Option<&'t str> {
        let (first, rest) = self.words.split_first()?;
        self.words = rest;
        Some(first)
    }

    /// The next word, if it is as wanted.
    pub fn next_if(&mut self, wanted: impl Fn(&str) -> bool) -> Option<&'t str> {
        self.peek().filter(|word| wanted(word))?;
        self.next()
    }

    /// The next word, which `before` needs.
    pub fn required(&mut self, before: &str, expected: &str) -> Result<&'t str, Refused> {
        self.next().ok_or_else(|| (before.to_owned(), format!("{expected} after it")))
    }

    /// The next word, as `read` reads it.
    pub fn read<T>(
        &mut self,
        before: &str,
        expected: &str,
        read: impl Fn(&str) -> Option<T>,
    ) -> Result<T, Refused> {
        let word = self.required(before, expected)?;
        read(word).ok_or_else(|| (format!("{before} {word}"), expected.to_owned()))
    }

    /// Refuses a number behind what has been read.
    pub fn no_more(&self, before: &str, expected: &str) -> Result<(), Refused> {
        match self.peek() {
            Some(next) if next.starts_with(|c: char| c.is_ascii_digit() || c == '-') => {
                Err((format!("{before} … {next}"), expected.to_owned()))
            }
            _ => Ok(()),
        }
    }
}
