// SPDX-License-Identifier: MIT OR Apache-2.0
//! A command whose connections use one algorithm, and nothing besides.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, TcpListener, TcpStream};
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use cwnd_bpf::{CommandScope, Error, Hook, Load as _, RunningCommand, ScopeMethod};
use rustix::net::{AddressFamily, SocketType, ipproto, sockopt};
use rustix::process::{Pid, Signal, kill_process};

use crate::network::{run, within};
use crate::{kernel_is_ours, module, registered, until};

/// Which part this very program plays when a test starts it as a command.
const ROLE: &str = "CWND_TEST_ROLE";

/// A network namespace with a loopback, unknown to every other test.
pub struct Alone(String);

impl Alone {
    pub fn new(tag: &str) -> Self {
        let alone = Self(format!("cwnd-{}-{tag}", std::process::id()));
        run(&format!("ip netns add {}", alone.0));
        run(&format!("ip -n {} link set lo up", alone.0));
        alone
    }

    pub fn within<T: Send>(&self, work: impl FnOnce() -> T + Send) -> T {
        within(&self.0, work)
    }
}

impl Drop for Alone {
    fn drop(&mut self) {
        if let Err(why) = Command::new("ip").args(["netns", "del", &self.0]).output() {
            eprintln!("namespace {} is left: {why}", self.0);
        }
    }
}

/// This program, as a command that plays a part of [`role`].
fn command(role: &str) -> Command {
    let mut command = Command::new(std::env::current_exe().expect("this program"));
    command.args(["--exact", "scope::role", "--nocapture", "--test-threads=1"]).env(ROLE, role);
    command.stdout(Stdio::piped());
    command
}

/// What a command printed for us, beside what the harness does.
fn said(running: &mut RunningCommand) -> String {
    let mut text = String::new();
    running.child().stdout.take().expect("piped").read_to_string(&mut text).expect("text");
    text.lines().filter_map(|line| Some(line.split_once("said: ")?.1)).collect::<Vec<_>>().join("\n")
}

/// The algorithms of a connection over the loopback: of the socket that connects (after it chose `own`, before and after
/// connecting), of the one that is accepted, and of the listener.
fn algorithms(ip: IpAddr, own: Option<&str>) -> std::io::Result<[String; 3]> {
    let listener = TcpListener::bind((ip, 0))?;
    let family = if ip.is_ipv4() { AddressFamily::INET } else { AddressFamily::INET6 };
    let socket: OwnedFd = rustix::net::socket(family, SocketType::STREAM, Some(ipproto::TCP))?;
    if let Some(own) = own {
        sockopt::set_tcp_congestion(&socket, own)?;
    }
    rustix::net::connect(&socket, &listener.local_addr()?)?;
    let (mut accepted, _) = listener.accept()?;
    if let Some(own) = own {
        sockopt::set_tcp_congestion(&socket, own)?;
    }
    let names = [
        sockopt::tcp_congestion(&socket)?,
        sockopt::tcp_congestion(&accepted)?,
        sockopt::tcp_congestion(&listener)?,
    ];
    TcpStream::from(socket).write_all(b"some data")?;
    accepted.read_to_end(&mut Vec::new())?;
    Ok(names)
}

/// No test, but the commands that the tests run.
#[test]
fn role() {
    let Ok(role) = std::env::var(ROLE) else { return };
    let say = |text: &str| println!("said: {text}");
    match role.as_str() {
        "connects" => {
            for ip in [IpAddr::from(Ipv4Addr::LOCALHOST), Ipv6Addr::LOCALHOST.into()] {
                for own in [None, Some("reno")] {
                    say(&algorithms(ip, own).expect("a connection").join(" "));
                }
            }
        }
        "has a child that connects" => {
            let output = command("connects").output().expect("a child");
            print!("{}", String::from_utf8_lossy(&output.stdout));
        }
        "is killed" => {
            let scope = CommandScope::new("reno").expect("a scope");
            let ScopeMethod::Cgroup(path) = scope.means() else { panic!("no cgroup: {scope:?}") };
            let mut sleeps = Command::new("sleep");
            sleeps.arg("600");
            let running = scope.start(sleeps).expect("started");
            say(&format!("{} {}", running.id(), path.display()));
            running.wait().expect("it waits until it is killed");
        }
        "falls back" => {
            run("ip link set lo up");
            let scope = CommandScope::new("reno").expect("a scope");
            let ScopeMethod::Namespace { because, .. } = scope.means() else { panic!("a cgroup: {scope:?}") };
            say(&because);
            let mut running = scope.start(command("connects")).expect("started");
            say(&said(&mut running).replace('\n', "; "));
            running.wait().expect("an end");
        }
        other => panic!("no part {other}"),
    }
}

#[test]
fn a_command_and_its_children_use_the_algorithm_and_others_do_not() {
    if !kernel_is_ours() {
        return;
    }
    let alone = Alone::new("scope");
    let loaded = module("illinois").load("cwnd_scope").expect("loaded");
    for role in ["connects", "has a child that connects"] {
        let scope = CommandScope::new("cwnd_scope").expect("a scope");
        assert!(matches!(scope.means(), ScopeMethod::Cgroup(path) if path.is_dir()), "{scope:?}");
        let mut running = alone.within(|| scope.start(command(role)).expect("started"));
        let outside = alone.within(|| algorithms(Ipv4Addr::LOCALHOST.into(), None).expect("a connection"));
        assert!(!outside.contains(&"cwnd_scope".to_owned()), "{outside:?}");
        assert_eq!(said(&mut running), ["cwnd_scope cwnd_scope cwnd_scope"; 4].join("\n"), "{role}");
        let ended = running.wait().expect("an end");
        assert_eq!((ended.code(), ended.left), (0, 0), "{role}");
        let uses = ended.uses.expect("programs");
        assert_eq!((uses.connected, uses.accepted), (4, 4), "{role}: {uses:?}");
        // Before and after connecting, on IPv4 and IPv6.
        assert_eq!((uses.overridden, uses.refused, uses.error), (4, 0, None), "{role}: {uses:?}");
    }
    // Four connections of two ends each, twice; each end once, though it was chosen more than once.
    assert_eq!(loaded.counters().expect("counters").calls(Hook::Init), 16);
}

#[test]
fn the_algorithm_begins_when_the_connection_stands_and_knows_its_first_round_trip() {
    if !kernel_is_ours() {
        return;
    }
    let alone = Alone::new("begins");
    let (loaded, mut recorder) =
        module("hybla-growth").load_recording("cwnd_begins", 1 << 20).expect("loaded");
    let scope = CommandScope::new("cwnd_begins").expect("a scope");
    let running = alone.within(|| scope.start(command("connects")).expect("started"));
    assert_eq!(running.wait().expect("an end").code(), 0);
    let records = recorder.take(std::time::Duration::from_millis(200)).expect("records");
    let begins: Vec<_> =
        records.iter().filter(|record| record.row.call.hook() == cwnd_bpf::Hook::Init).collect();
    assert_eq!(begins.len(), 8, "{}", loaded.counters().expect("counters"));
    assert!(begins.iter().all(|record| record.row.before.srtt_us8 > 0));
}

#[test]
fn the_cgroup_goes_with_its_command_and_so_do_the_programs() {
    if !kernel_is_ours() {
        return;
    }
    let place = |running: &RunningCommand| match running.scope().means() {
        ScopeMethod::Cgroup(path) => path,
        other => panic!("{other:?}"),
    };
    let exits = |code: &str| {
        let mut command = Command::new("sh");
        command.args(["-c", code]);
        CommandScope::new("reno").expect("a scope").start(command).expect("started")
    };
    let running = exits("exit 7");
    let path = place(&running);
    let ended = running.wait().expect("an end");
    assert_eq!(ended.code(), 7);
    assert!(!path.exists());
    // By a signal, as a shell says it.
    assert_eq!(exits("kill -KILL $$").wait().expect("an end").code(), 137);
    // With something left running: it is back where this process is.
    let mut running = {
        let mut command = Command::new("sh");
        command.args(["-c", "sleep 600 >/dev/null 2>&1 & echo $!"]).stdout(Stdio::piped());
        CommandScope::new("reno").expect("a scope").start(command).expect("started")
    };
    let path = place(&running);
    let mut sleeper = String::new();
    running.child().stdout.take().expect("piped").read_to_string(&mut sleeper).expect("a number");
    assert_eq!(running.wait().expect("an end").left, 1);
    assert!(!path.exists());
    let member =
        |process: &str| std::fs::read_to_string(format!("/proc/{process}/cgroup")).expect("a process");
    let unified = |text: String| text.lines().find(|line| line.starts_with("0::")).map(str::to_owned);
    assert_eq!(unified(member(sleeper.trim())), unified(member("self")));
    end(sleeper.trim());
    // Dropped without waiting.
    let running = exits("exec sleep 600");
    let (path, process) = (place(&running), running.id());
    drop(running);
    assert!(!path.exists() && !Path::new(&format!("/proc/{process}")).exists());
}

fn end(process: &str) {
    let process = Pid::from_raw(process.parse().expect("a number")).expect("a process");
    kill_process(process, Signal::KILL).expect("it runs");
}

#[test]
fn a_command_that_there_is_not_is_an_error_that_leaves_nothing() {
    if !kernel_is_ours() {
        return;
    }
    let scope = CommandScope::new("reno").expect("a scope");
    let ScopeMethod::Cgroup(path) = scope.means() else { panic!("{scope:?}") };
    let error = scope.start(Command::new("/no/such/command")).expect_err("no command");
    assert!(
        matches!(&error, Error::Command(_, why) if why.kind() == std::io::ErrorKind::NotFound),
        "{error}"
    );
    assert!(!path.exists());
    let error = CommandScope::new("cwnd_not_there").expect_err("not registered").to_string();
    assert!(error.contains("no congestion control \"cwnd_not_there\"; it has reno"), "{error}");
}

#[test]
fn a_signal_to_the_loader_ends_the_command_not_the_loader() {
    if !kernel_is_ours() {
        return;
    }
    let mut sleeps = Command::new("sleep");
    sleeps.arg("600");
    let running = CommandScope::new("reno").expect("a scope").start(sleeps).expect("started");
    kill_process(rustix::process::getpid(), Signal::TERM).expect("sent");
    assert_eq!(running.wait().expect("an end").code(), 128 + 15);
}

#[test]
fn a_killed_loader_leaves_no_program_and_its_cgroup_is_removed_by_the_next() {
    if !kernel_is_ours() {
        return;
    }
    let mut loader = command("is killed").spawn().expect("started");
    let mut lines = BufReader::new(loader.stdout.take().expect("piped")).lines();
    let line = lines.find_map(|line| Some(line.expect("text").split_once("said: ")?.1.to_owned()));
    let line = line.expect("a line");
    let (sleeper, path) = line.split_once(' ').expect("two words");
    let path = PathBuf::from(path);
    assert_eq!(programs(&path), 4);
    loader.kill().expect("it runs");
    loader.wait().expect("an end");
    // The kernel takes them away when it gets to it.
    until("the kernel to take the programs away", || programs(&path) == 0);
    // As long as the command runs in it, the cgroup stays, and nobody moves the command.
    drop(CommandScope::new("reno").expect("a scope"));
    assert!(path.exists());
    end(sleeper);
    let members = || std::fs::read_to_string(path.join("cgroup.procs"));
    until("the command to leave its cgroup", || members().is_ok_and(|left| left.is_empty()));
    drop(CommandScope::new("reno").expect("a scope"));
    assert!(!path.exists());
}

/// Programs attached to a cgroup.
fn programs(path: &Path) -> usize {
    use std::os::unix::fs::MetadataExt;
    let number = std::fs::metadata(path).expect("a cgroup").ino();
    libbpf_rs::query::LinkInfoIter::default()
        .filter(|link| {
            matches!(&link.info, libbpf_rs::query::LinkTypeInfo::Cgroup(cgroup) if cgroup.cgroup_id == number)
        })
        .count()
}

#[test]
fn without_a_cgroup_the_namespace_is_set_and_put_back_but_never_the_machines_first() {
    if !kernel_is_ours() {
        return;
    }
    // Of the namespace of the thread that reads it.
    let setting =
        || std::fs::read_to_string("/proc/sys/net/ipv4/tcp_congestion_control").expect("the setting");
    let machine = setting();
    let error = CommandScope::of_namespace("reno").expect_err("the machine's").to_string();
    assert!(error.contains("the machine's first network namespace"), "{error}");
    assert_eq!(setting(), machine);
    let alone = Alone::new("setting");
    let _loaded = module("veno").load("cwnd_setting").expect("loaded");
    alone.within(|| {
        let before = setting();
        let scope = CommandScope::of_namespace("cwnd_setting").expect("a scope");
        assert!(
            matches!(scope.means(), ScopeMethod::Namespace { before: was, .. } if was == before.trim_end())
        );
        let mut running = scope.start(command("connects")).expect("started");
        // Its own choice holds there, where it makes one.
        let own = "reno cwnd_setting cwnd_setting";
        let expected = ["cwnd_setting cwnd_setting cwnd_setting", own].join("\n");
        assert_eq!(said(&mut running), format!("{expected}\n{expected}"));
        assert_eq!(running.wait().expect("an end").uses, None);
        assert_eq!(setting(), before);
    });
    assert_eq!(setting(), machine);
    assert!(registered().contains(&"cwnd_setting".to_owned()));
}

#[test]
fn who_may_only_what_a_namespace_allows_gets_the_namespaces_setting_and_hears_why() {
    if !kernel_is_ours() {
        return;
    }
    // Root of a user namespace with a network of its own; of the machine's rights it has none.
    let role = command("falls back");
    let mut unshare = Command::new("unshare");
    unshare.args(["--user", "--map-root-user", "--net"]).arg(role.get_program()).args(role.get_args());
    let output = unshare.env(ROLE, "falls back").output().expect("started");
    let text = String::from_utf8_lossy(&output.stdout);
    let said: Vec<_> = text.lines().filter_map(|line| Some(line.split_once("said: ")?.1)).collect();
    let [because, algorithms] = said[..] else { panic!("{output:?}") };
    assert!(because.contains("cgroup"), "{because}");
    assert_eq!(algorithms, ["reno reno reno"; 4].join("; "));
}
