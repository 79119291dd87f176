// SPDX-License-Identifier: MIT OR Apache-2.0
//! Finished objects, stored under a digest of all that they are made from.
//!
//! Each profile and each set of features has a build script's folder of its own, and so do the wheel, the tests and clippy. The
//! objects do not depend on any of these: the first build compiles them, the others copy them.

use std::fs::{self, File};
use std::path::{Path, PathBuf};

use crate::fnv;

/// Sets of objects that stay in a store; the oldest goes first. One is about 2 MB.
const SETS: usize = 8;

/// Digest of files (all below a folder, in order of their names) and of `facts`, such as a compiler's version.
///
/// # Errors
/// A file that cannot be read, by name.
pub fn key(root: &Path, sources: &[&str], facts: &[String]) -> Result<String, String> {
    let mut files = Vec::new();
    for source in sources {
        list(&root.join(source), &mut files)?;
    }
    let mut text = Vec::new();
    // Each part behind its length: no two lists of parts give the same text.
    let mut part = |bytes: &[u8]| {
        text.extend(bytes.len().to_le_bytes());
        text.extend(bytes);
    };
    for file in &files {
        let name = file.strip_prefix(root).unwrap_or(file);
        part(name.to_string_lossy().as_bytes());
        part(&fs::read(file).map_err(|why| told(file, &why))?);
    }
    facts.iter().for_each(|fact| part(fact.as_bytes()));
    Ok(format!("{:016x}", fnv(text.into_iter())))
}

/// The store of all builds below one target folder, for the build whose script writes into `out`: into `PROFILE/build/PACKAGE/out`.
/// Cargo's own mark of a target folder, `CACHEDIR.TAG`, is missing where something else made the folder.
#[must_use]
pub fn folder(out: &Path) -> PathBuf {
    let build = out.ancestors().find(|folder| folder.ends_with("build"));
    build.and_then(|build| build.parent()?.parent()).unwrap_or(out).join("kernel-objects")
}

/// Puts the files of the set `key` into `out`: from `store`, where they are there, else by `build`, which writes them into `out` and
/// returns their names. Builds that need the same set at the same time wait for the first of them.
///
/// # Errors
/// Those of `build`, after which nothing is stored, and those of the file system.
pub fn stored(
    store: &Path,
    key: &str,
    out: &Path,
    build: impl FnOnce() -> Result<Vec<String>, String>,
) -> Result<(), String> {
    fs::create_dir_all(store).map_err(|why| told(store, &why))?;
    let lock = store.join("lock");
    let held = File::create(&lock).and_then(|file| file.lock().map(|()| file));
    let _held = held.map_err(|why| told(&lock, &why))?;
    let set = store.join(key);
    if set.is_dir() {
        for file in entries(&set)? {
            copy(&file, out)?;
        }
        return Ok(());
    }
    let names = build()?;
    // Complete under another name first: a build that was killed leaves no part of a set under the set's name.
    let partial = store.join("partial");
    if partial.exists() {
        fs::remove_dir_all(&partial).map_err(|why| told(&partial, &why))?;
    }
    fs::create_dir(&partial).map_err(|why| told(&partial, &why))?;
    for name in names {
        copy(&out.join(name), &partial)?;
    }
    fs::rename(&partial, &set).map_err(|why| told(&set, &why))?;
    remove_oldest(store)
}

/// Keeps [`SETS`] of the sets, the newest.
fn remove_oldest(store: &Path) -> Result<(), String> {
    let mut sets: Vec<_> = entries(store)?
        .into_iter()
        .filter(|path| path.is_dir())
        .filter_map(|path| Some((path.metadata().ok()?.modified().ok()?, path)))
        .collect();
    sets.sort();
    for (_, set) in sets.iter().rev().skip(SETS) {
        fs::remove_dir_all(set).map_err(|why| told(set, &why))?;
    }
    Ok(())
}

/// Adds `path`, or all files below it.
fn list(path: &Path, files: &mut Vec<PathBuf>) -> Result<(), String> {
    if !path.is_dir() {
        files.push(path.to_owned());
        return Ok(());
    }
    entries(path)?.iter().try_for_each(|entry| list(entry, files))
}

/// What a folder holds, by name.
fn entries(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let entries = fs::read_dir(folder).map_err(|why| told(folder, &why))?;
    let mut paths = entries
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<Result<Vec<_>, _>>()
        .map_err(|why| told(folder, &why))?;
    paths.sort();
    Ok(paths)
}

/// Copies the contents alone: the copy's time is now.
fn copy(file: &Path, folder: &Path) -> Result<(), String> {
    let name = file.file_name().unwrap_or_default();
    fs::read(file).and_then(|bytes| fs::write(folder.join(name), bytes)).map_err(|why| told(file, &why))
}

fn told(path: &Path, why: &std::io::Error) -> String {
    format!("{}: {why}", path.display())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An empty folder of this test's own.
    fn folder(test: &str) -> PathBuf {
        let path = std::env::temp_dir().join(format!("cwnd-store-{}-{test}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        for below in ["source/deep", "out"] {
            fs::create_dir_all(path.join(below)).expect("a folder");
        }
        path
    }

    fn write(path: &Path, text: &str) {
        fs::write(path, text).expect("a file");
    }

    /// One build: the source's text becomes the object's, and `builds` counts the compilations.
    fn build(folder: &Path, facts: &[String], builds: &std::cell::Cell<u32>) -> Result<String, String> {
        let (source, out) = (folder.join("source"), folder.join("out"));
        let key = key(folder, &["source"], facts)?;
        stored(&folder.join("store"), &key, &out, || {
            builds.set(builds.get() + 1);
            fs::copy(source.join("deep/a.c"), out.join("a.o")).map_err(|why| why.to_string())?;
            Ok(vec!["a.o".to_owned()])
        })?;
        let object = fs::read_to_string(out.join("a.o")).map_err(|why| why.to_string())?;
        fs::remove_file(out.join("a.o")).map_err(|why| why.to_string())?;
        Ok(object)
    }

    #[test]
    fn equal_sources_and_compilers_are_compiled_once_and_a_change_of_either_again() {
        let (folder, builds) = (folder("keys"), std::cell::Cell::new(0));
        let source = folder.join("source/deep/a.c");
        let clang = |version: &str| vec![format!("clang {version}")];
        write(&source, "one");
        for _ in 0..2 {
            assert_eq!(build(&folder, &clang("14"), &builds).as_deref(), Ok("one"));
            assert_eq!(builds.get(), 1, "equal sources");
        }
        write(&source, "two");
        assert_eq!(build(&folder, &clang("14"), &builds).as_deref(), Ok("two"));
        assert_eq!(builds.get(), 2, "another text");
        build(&folder, &clang("22"), &builds).expect("built");
        assert_eq!(builds.get(), 3, "another compiler");
        write(&folder.join("source/b.h"), "");
        build(&folder, &clang("22"), &builds).expect("built");
        assert_eq!(builds.get(), 4, "one file more");
        fs::rename(folder.join("source/b.h"), folder.join("source/c.h")).expect("renamed");
        build(&folder, &clang("22"), &builds).expect("built");
        assert_eq!(builds.get(), 5, "another name");
        write(&source, "one");
        fs::remove_file(folder.join("source/c.h")).expect("removed");
        assert_eq!(build(&folder, &clang("14"), &builds).as_deref(), Ok("one"));
        assert_eq!(builds.get(), 5, "as it was first");
        let _ = fs::remove_dir_all(folder);
    }

    #[test]
    fn every_profile_and_package_below_a_target_folder_has_the_same_store() {
        for out in ["debug/build/cwnd-bpf-0a/out", "release/build/cwnd-bpf-0b/out"] {
            let store = super::folder(&Path::new("/build/target").join(out));
            assert_eq!(store, Path::new("/build/target/kernel-objects"), "{out}");
        }
        assert_eq!(super::folder(Path::new("/elsewhere")), Path::new("/elsewhere/kernel-objects"));
    }

    #[test]
    fn what_failed_or_was_killed_is_not_stored() {
        let (folder, builds) = (folder("failed"), std::cell::Cell::new(0));
        write(&folder.join("source/deep/a.c"), "one");
        let (store, out) = (folder.join("store"), folder.join("out"));
        let key = key(&folder, &["source"], &[]).expect("readable");
        assert_eq!(stored(&store, &key, &out, || Err("no".to_owned())), Err("no".to_owned()));
        fs::create_dir_all(store.join("partial")).expect("what a killed build leaves");
        write(&store.join("partial/other.o"), "half");
        assert_eq!(build(&folder, &[], &builds).as_deref(), Ok("one"));
        assert_eq!(builds.get(), 1);
        let files = entries(&store.join(key)).expect("a set");
        assert_eq!(files.len(), 1, "{files:?}");
        let _ = fs::remove_dir_all(folder);
    }

    #[test]
    fn builds_at_the_same_time_compile_once() {
        let folder = folder("threads");
        let builds = std::sync::atomic::AtomicU32::new(0);
        std::thread::scope(|scope| {
            for number in 0..4 {
                let out = folder.join(format!("out-{number}"));
                let (store, builds) = (folder.join("store"), &builds);
                scope.spawn(move || {
                    fs::create_dir_all(&out).expect("a folder");
                    stored(&store, "key", &out, || {
                        builds.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
                        write(&out.join("a.o"), "one");
                        Ok(vec!["a.o".to_owned()])
                    })
                    .expect("stored");
                    assert_eq!(fs::read_to_string(out.join("a.o")).expect("an object"), "one");
                });
            }
        });
        assert_eq!(builds.into_inner(), 1);
        let _ = fs::remove_dir_all(folder);
    }

    #[test]
    fn the_newest_sets_stay() {
        let (folder, builds) = (folder("oldest"), std::cell::Cell::new(0));
        for text in 0..SETS + 3 {
            write(&folder.join("source/deep/a.c"), &text.to_string());
            build(&folder, &[], &builds).expect("built");
        }
        let sets =
            entries(&folder.join("store")).expect("a store").iter().filter(|path| path.is_dir()).count();
        assert_eq!(sets, SETS);
        assert_eq!(build(&folder, &[], &builds).as_deref(), Ok("10"));
        assert_eq!(builds.get(), 11, "the last is there");
        let _ = fs::remove_dir_all(folder);
    }
}
