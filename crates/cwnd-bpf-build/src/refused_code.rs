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

/// Bytes of the kernel's stack that a program may have.
const STACK: u64 = 512;
/// Smallest variable, bytes, that is named where a program has more than its stack.
const LARGE: u64 = 64;
/// What has no line that shows it: each of the variables does.
const LOCALS: Refusal = Refusal {
    what: "local variables of more than 512 bytes",
    instead: "use less: the kernel's stack has 512 bytes, and a state has at most 104",
    is: |_| false,
};

/// What is refused, the more telling first.
const REFUSALS: &[Refusal] = &[
    Refusal {
        what: "a product or quotient of more than 64 bits",
        instead: "keep the product within 64 bits, with u64::from(a) * u64::from(b) of two u32, or u32::saturating_mul, or shift first",
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
        instead: "divide magnitudes, such as a.unsigned_abs() / b.unsigned_abs(), and restore the sign",
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
        instead: "use integers, with the scale in the name, such as gain_x256",
        is: |code| {
            ["uitofp", "sitofp", "fptoui", "fptosi", "fadd", "fsub", "fmul", "fdiv", "fcmp", "llvm.fpto"]
                .iter()
                .any(|word| code.split([' ', '@']).any(|part| part.starts_with(word)))
        },
    },
    Refusal {
        what: "a division by a value that may be 0",
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
        what: "a logarithm of a value that may be 0",
        instead: "use a.max(1)",
        is: |code| code.contains("panic_for_nonpositive_argument"),
    },
    Refusal {
        what: "a panic",
        instead: "return a fallback value: a kernel object has no panics, no assert! and no formatting",
        is: |code| code.contains("call ") && (code.contains("panic") || code.contains("core3fmt")),
    },
    Refusal {
        what: "a call through a pointer",
        instead: "select the call with match or if: a kernel object has no function pointers and no dyn",
        is: |code| is_call_of(code, &["%"]),
    },
    Refusal {
        what: "a call that is not inlined",
        instead: "write its body inline, and replace recursion by a loop",
        // As Rust names functions; those of the C around the hooks have plain names.
        is: |code| is_call_of(code, &["@_R", "@_Z", "@\"_R", "@\"_Z"]),
    },
];

/// Whether an instruction is this operation on values of this type.
fn has_operation(code: &str, word: &str, of: &str) -> bool {
    let mut words = code.split(' ').skip_while(|other| *other != word).skip(1);
    // Flags stand between the two: `mul nuw i128`.
    words.find(|word| !["nuw", "nsw", "exact"].contains(word)) == Some(of)
}

/// Whether an instruction calls something whose name begins so.
fn is_call_of(code: &str, begins: &[&str]) -> bool {
    // Behind the name are the arguments: `call i64 %4(i64 %3)`, `call i64 @f(i64 %3)`.
    let called = |word: &&str| word.contains('(') && begins.iter().any(|begin| word.starts_with(begin));
    code.split_once("call ").is_some_and(|(_, code)| code.split(' ').any(|word| called(&word)))
}

/// The large variables of a function, by their names, and the bytes of all.
#[derive(Default)]
struct Locals<'a> {
    large: Vec<&'a str>,
    bytes: u64,
}

impl<'a> Locals<'a> {
    /// Counts the variable of an instruction such as `%t = alloca [100 x i64], align 8`.
    fn count(&mut self, code: &'a str) {
        let Some((name, rest)) = code.trim_start().split_once(" = alloca [") else { return };
        let of = rest.split(']').next().and_then(|of| of.split_once(" x i"));
        let bytes =
            of.and_then(|(count, bits)| Some(count.parse::<u64>().ok()? * bits.parse::<u64>().ok()? / 8));
        self.bytes += bytes.unwrap_or(0);
        if bytes >= Some(LARGE) {
            self.large.push(name);
        }
    }

    /// Whether the life of a variable begins here that is of more than the stack holds.
    fn are_too_large(&self, code: &str) -> bool {
        let begins =
            |name: &&str| code.contains("@llvm.lifetime.start") && code.contains(&format!(" {name})"));
        self.bytes > STACK && self.large.iter().any(begins)
    }
}

/// The places of `crate_dir` at which `code`, LLVM's text with debug information, has what is refused: a line for each.
pub fn explain(code: &str, crate_dir: &Path) -> Vec<String> {
    let metadata = Metadata::of(code);
    let mut places = BTreeSet::new();
    let mut locals = Locals::default();
    for line in code.lines() {
        if line.starts_with("define ") {
            locals = Locals::default();
        }
        if !line.starts_with("  ") {
            continue;
        }
        locals.count(line);
        let refusal = REFUSALS.iter().find(|refusal| (refusal.is)(line));
        let Some(refusal) = refusal.or(locals.are_too_large(line).then_some(&LOCALS)) else { continue };
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
            None => lines.push(format!("{what}, outside the crate's own source; {instead}")),
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
  %6 = tail call i64 inttoptr (i64 118 to ptr)() #10, !dbg !16
  %7 = tail call noundef i64 %_f.i(i64 noundef %6) #10, !dbg !16, !callees !41
  %8 = tail call fastcc noundef i64 @"_ZN4fact17h59E"(i64 noundef %7) #10, !dbg !17
  call fastcc void @contain(ptr %8), !dbg !17
}
define i64 @g() {
  %t = alloca [50 x i64], align 8
  %u.i = alloca [240 x i8], align 8
  %v = alloca [3 x i32], align 4
  call void @llvm.lifetime.start.p0(ptr nonnull %t), !dbg !18
  call void @llvm.lifetime.start.p0(ptr nonnull %u.i), !dbg !19, !noalias !40
  call void @llvm.lifetime.start.p0(ptr nonnull %v), !dbg !11
}
define i64 @h() {
  %t = alloca [50 x i64], align 8
  call void @llvm.lifetime.start.p0(ptr nonnull %t), !dbg !11
}
!10 = !DILocation(line: 99, column: 5, scope: !20, inlinedAt: !12)
!11 = !DILocation(line: 41, column: 9, scope: !21)
!12 = distinct !DILocation(line: 40, column: 9, scope: !22, inlinedAt: !14)
!13 = !DILocation(line: 7, column: 1, scope: !20)
!14 = distinct !DILocation(line: 3, column: 9, scope: !24)
!15 = !DILocation(line: 42, column: 9, scope: !21)
!16 = !DILocation(line: 43, column: 9, scope: !21)
!17 = !DILocation(line: 44, column: 9, scope: !21)
!18 = !DILocation(line: 45, column: 9, scope: !21)
!19 = !DILocation(line: 46, column: 9, scope: !21)
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
        assert_eq!(lines.len(), 8, "{lines:#?}");
        begins(&lines[0], "a product or quotient of more than 64 bits, outside the crate's own source; ");
        begins(
            &lines[1],
            "src/pace.rs:40: saturating_mul: a product or quotient of more than 64 bits; keep the product within",
        );
        begins(&lines[2], "src/pace.rs:41: a signed division; divide magnitudes");
        begins(&lines[3], "src/pace.rs:42: an index that may be out of bounds; use get and get_mut");
        begins(&lines[4], "src/pace.rs:43: a call through a pointer; select the call with match or if");
        begins(&lines[5], "src/pace.rs:44: a call that is not inlined; write its body inline");
        // 400 and 240 bytes; a function with 400 alone has room for them.
        for (line, number) in [(&lines[6], 45), (&lines[7], 46)] {
            begins(line, &format!("src/pace.rs:{number}: local variables of more than 512 bytes; use less"));
        }
    }
}
