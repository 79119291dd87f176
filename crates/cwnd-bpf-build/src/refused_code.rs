// SPDX-License-Identifier: MIT OR Apache-2.0
//! What of an algorithm the BPF compiler refuses, by file and line of its source, and what to write instead.
//!
//! LLVM names what it refuses by the C file around the hooks, or not at all. So the hooks are compiled again with debug information, linked
//! and inlined as before, and the code is searched for what LLVM's BPF backend has no instructions for. A place in the standard library is
//! that of the call in the crate.

use std::collections::{BTreeSet, HashMap};
use std::path::{Component, Path, PathBuf};

/// A kind of code that is refused.
struct Refusal {
    what: &'static str,
    instead: &'static str,
    is: fn(&str) -> bool,
}

/// Largest copy that becomes instructions, bytes: LLVM makes 128 stores of eight bytes.
const LARGEST_COPY: u64 = 1024;

/// What is refused, the more telling first.
const REFUSALS: &[Refusal] = &[
    Refusal {
        what: "a product or quotient of more than 64 bits",
        instead: "multiply what fits in 64 bits, such as u64::from(a) * u64::from(b) of two u32, or u32::saturating_mul, or shift first",
        is: |code| {
            code.contains("mul.with.overflow.i64")
                || ["mul", "udiv", "sdiv", "urem", "srem"]
                    .iter()
                    .any(|word| has_operation(code, word, "i128"))
                || ["@__multi3", "@__udivti3", "@__umodti3"].iter().any(|name| code.contains(name))
        },
    },
    Refusal {
        what: "a signed division",
        instead: "divide magnitudes, such as a.unsigned_abs() / b.unsigned_abs(), and put the sign back",
        is: |code| {
            let divides = |of: &str| has_operation(code, "sdiv", of) || has_operation(code, "srem", of);
            let by = code.split(", !dbg").next().and_then(|code| code.rsplit(' ').next()).unwrap_or_default();
            // Division by a power of two is a shift, and that of 32 bits by a constant a product.
            let power = by.parse::<i64>().is_ok_and(|by| by.unsigned_abs().is_power_of_two());
            (divides("i64") && !power) || (divides("i32") && by.parse::<i64>().is_err())
        },
    },
    Refusal {
        what: "floating-point arithmetic",
        instead: "count in integers, with the scale in the name, such as gain_x256",
        is: |code| {
            ["uitofp", "sitofp", "fptoui", "fptosi", "fadd", "fsub", "fmul", "fdiv", "fcmp", "llvm.fpto"]
                .iter()
                .any(|word| code.split([' ', '@']).any(|part| part.starts_with(word)))
        },
    },
    Refusal {
        what: "a division by what may be 0",
        instead: "divide by b.max(1)",
        is: |code| code.contains("panic_const_div_by_zero") || code.contains("panic_const_rem_by_zero"),
    },
    Refusal {
        what: "an index that may be out of bounds",
        instead: "use get and get_mut, or mask the index, such as array[index & 7] of eight",
        is: |code| {
            code.contains("panic_bounds_check") || code.contains("slice_index") || code.contains("slice_end")
        },
    },
    Refusal {
        what: "an unwrap or expect that may panic",
        instead: "use unwrap_or, or a let ... else",
        is: |code| code.contains("unwrap_failed") || code.contains("expect_failed"),
    },
    Refusal {
        what: "a panic",
        instead: "return what can be kept to: a kernel object has no panics, no assert! and no formatting",
        is: |code| code.contains("call ") && (code.contains("panicking") || code.contains("core3fmt")),
    },
    Refusal {
        what: "a copy or fill of more than 1024 bytes",
        instead: "keep less: a state has 104 bytes at most",
        is: |code| {
            let call = ["@llvm.memcpy", "@llvm.memmove", "@llvm.memset"]
                .iter()
                .find_map(|name| code.split_once(name));
            let length = call.and_then(|(_, rest)| rest.split_once("i64 ")).map(|(_, rest)| rest);
            let digits = length.map(|rest| rest.chars().take_while(char::is_ascii_digit).collect::<String>());
            digits.and_then(|digits| digits.parse().ok()).is_some_and(|bytes: u64| bytes > LARGEST_COPY)
        },
    },
];

/// Whether an instruction is this operation on values of this type.
fn has_operation(code: &str, word: &str, of: &str) -> bool {
    let mut words = code.split(' ').skip_while(|other| *other != word).skip(1);
    // Flags stand between the two: `mul nuw i128`.
    words.find(|word| !["nuw", "nsw", "exact"].contains(word)) == Some(of)
}

/// The places of `crate_dir` at which `code`, LLVM's text with debug information, has what is refused: a line for each.
pub fn explain(code: &str, crate_dir: &Path) -> Vec<String> {
    let metadata = Metadata::of(code);
    let mut places = BTreeSet::new();
    for line in code.lines().filter(|line| line.starts_with("  ")) {
        let Some(refusal) = REFUSALS.iter().find(|refusal| (refusal.is)(line)) else { continue };
        // Other metadata may follow: `!dbg !10, !noalias !40`.
        let number = line.rsplit_once("!dbg !").and_then(|(_, rest)| rest.split(',').next());
        let place = number.and_then(|number| metadata.place(number.trim(), crate_dir));
        places.insert((place, refusal.what, refusal.instead));
    }
    let mut lines = Vec::new();
    for (place, what, instead) in places {
        match place {
            Some(Place { file, line, called: Some(called) }) => {
                lines.push(format!("{}:{line}: {called}: {what}; {instead}", file.display()));
            }
            Some(Place { file, line, called: None }) => {
                lines.push(format!("{}:{line}: {what}; {instead}", file.display()));
            }
            None => lines.push(format!("{what}, outside of the crate's own source; {instead}")),
        }
    }
    lines
}

/// A place in the crate.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Place {
    file: PathBuf,
    line: u32,
    /// The function of a library that is called there.
    called: Option<String>,
}

/// Debug information: the text of each node, by its number.
struct Metadata<'a>(HashMap<&'a str, &'a str>);

impl<'a> Metadata<'a> {
    fn of(code: &'a str) -> Self {
        let nodes = code.lines().filter_map(|line| line.strip_prefix('!')?.split_once(" = "));
        Self(nodes.collect())
    }

    /// The value of a field of a node: `12` of `line: 12`, `7` of `scope: !7`, `a` of `name: "a"`.
    fn field(&self, number: &str, name: &str) -> Option<&'a str> {
        let node = self.0.get(number)?;
        let (_, rest) =
            node.split_once(&format!("({name}: ")).or_else(|| node.split_once(&format!(", {name}: ")))?;
        if let Some(text) = rest.strip_prefix('"') {
            return text.split('"').next();
        }
        let value = rest.split([',', ')']).next()?;
        Some(value.strip_prefix('!').unwrap_or(value))
    }

    /// The file of a scope, and the function that it is in.
    fn scope(&self, number: &str) -> Option<(PathBuf, &'a str)> {
        let mut scope = number;
        let file = self.field(scope, "file")?;
        while !self.0.get(scope)?.contains("DISubprogram(") {
            scope = self.field(scope, "scope")?;
        }
        let name = self.field(scope, "name")?;
        let directory = self.field(file, "directory").unwrap_or_default();
        Some((clean(&Path::new(directory).join(self.field(file, "filename")?)), name))
    }

    /// Where in the crate a location is, or what it was inlined into.
    fn place(&self, number: &str, crate_dir: &Path) -> Option<Place> {
        let (mut location, mut called) = (number, None);
        // No chain of calls is longer than there are nodes.
        for _ in 0..=self.0.len() {
            let (file, function) = self.scope(self.field(location, "scope")?)?;
            if let Ok(file) = file.strip_prefix(crate_dir)
                && !file.starts_with("target")
            {
                let line = self.field(location, "line")?.parse().ok()?;
                return Some(Place { file: file.to_owned(), line, called });
            }
            // The outermost of the library's: what the crate calls. An operator of numbers is none.
            let plain = function.split('<').next().unwrap_or(function);
            called = (!["add", "sub", "mul", "div", "rem"].contains(&plain)).then(|| plain.to_owned());
            location = self.field(location, "inlinedAt")?;
        }
        None
    }
}

/// A path without `..` and `.`.
fn clean(path: &Path) -> PathBuf {
    let mut clean = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => {
                clean.pop();
            }
            Component::CurDir => {}
            part => clean.push(part),
        }
    }
    clean
}

#[cfg(test)]
mod tests {
    use super::*;

    const CODE: &str = r#"
define i64 @f() {
  %1 = tail call { i64, i1 } @llvm.umul.with.overflow.i64(i64 %a, i64 %b), !dbg !10
  %2 = sdiv i64 %1, %c, !dbg !11
  %3 = sdiv i64 %1, 8, !dbg !11
  %4 = mul nuw i128 %x, %y, !dbg !13
  %5 = mul nuw i64 %x, %y, !dbg !13
  tail call void @core::panicking::panic_bounds_check(i64 %a, i64 3) #9, !dbg !15, !noalias !40
}
!10 = !DILocation(line: 99, column: 5, scope: !20, inlinedAt: !12)
!11 = !DILocation(line: 41, column: 9, scope: !21)
!12 = distinct !DILocation(line: 40, column: 9, scope: !22, inlinedAt: !14)
!13 = !DILocation(line: 7, column: 1, scope: !20)
!14 = distinct !DILocation(line: 3, column: 9, scope: !24)
!15 = !DILocation(line: 42, column: 9, scope: !21)
!20 = distinct !DISubprogram(name: "saturating_mul", scope: !23, file: !30, line: 90)
!21 = distinct !DISubprogram(name: "cong_avoid", scope: !23, file: !31, line: 30)
!22 = distinct !DILexicalBlock(scope: !21, file: !31, line: 39)
!24 = distinct !DISubprogram(name: "program", scope: !23, file: !32, line: 1)
!30 = !DIFile(filename: "/rust/library/core/src/num/mod.rs", directory: "")
!31 = !DIFile(filename: "src/pace.rs", directory: "/home/me/pace")
!32 = !DIFile(filename: "src/lib.rs", directory: "/home/me/pace/target/cwnd/kernel")
"#;

    #[test]
    fn each_place_is_that_of_the_crates_line_and_says_what_to_write() {
        let lines = explain(CODE, Path::new("/home/me/pace"));
        let begins = |line: &str, words: &str| assert!(line.starts_with(words), "{line}");
        assert_eq!(lines.len(), 4, "{lines:#?}");
        begins(&lines[0], "a product or quotient of more than 64 bits, outside of the crate's own source; ");
        begins(
            &lines[1],
            "src/pace.rs:40: saturating_mul: a product or quotient of more than 64 bits; multiply what fits",
        );
        begins(&lines[2], "src/pace.rs:41: a signed division; divide magnitudes");
        begins(&lines[3], "src/pace.rs:42: an index that may be out of bounds; use get and get_mut");
    }
}
