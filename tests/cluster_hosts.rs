//! The command on several hosts that are processes: they meet, differ, die, stall, and are shouted at.
#![cfg(feature = "cluster")]

mod support;

use ltl::random::Rng;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use support::cli::Dir;

const COUNTERS: &str = "byte a, b, c;
    active proctype A() { do :: a < 12 -> a++ od }
    active proctype B() { do :: b < 12 -> b++ od }
    active proctype C() { do :: c < 12 -> c++ od }";

/// More states than are visited while a test waits.
const MANY: &str = "byte x[5];
    active [5] proctype P() { do :: x[_pid] < 250 -> x[_pid]++ od }";

/// Hosts with addresses on this machine.
struct Hosts {
    dir: Dir,
    addresses: Vec<String>,
}

impl Hosts {
    fn new(name: &str, hosts: usize, model: &str) -> Hosts {
        let dir = Dir::with_model(name, model);
        let free: Vec<TcpListener> = (0..hosts)
            .map(|_| TcpListener::bind("127.0.0.1:0").expect("a port"))
            .collect();
        let addresses = free
            .iter()
            .map(|l| l.local_addr().expect("an address").to_string());
        let addresses: Vec<String> = addresses.collect();
        dir.put(
            "hosts",
            &format!("# all of them\n{}\n", addresses.join("  # one\n")),
        );
        dir.put("secret", "a secret that all hosts share\n");
        dir.put("other", "a secret that only one host has\n");
        Hosts { dir, addresses }
    }

    /// Starts one of them.
    fn start(&self, process: usize, options: &[&str]) -> Child {
        self.start_on("m.pml", process, options)
    }

    fn start_on(&self, model: &str, process: usize, options: &[&str]) -> Child {
        let always = [
            "cluster",
            "check",
            model,
            "--no-trail",
            "--check",
            "safety",
            "--hosts",
            "hosts",
        ];
        let secret = match options.contains(&"--secret") {
            true => &[][..],
            false => &["--secret", "secret"],
        };
        let number = process.to_string();
        Command::new(env!("CARGO_BIN_EXE_ample"))
            .args(always)
            .args(["--process", &number])
            .args(secret)
            .args(options)
            .current_dir(self.dir.path())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("ample runs")
    }
}

/// The exit code of a process, and all it printed.
fn end(child: Child) -> (i32, String) {
    let output = child.wait_with_output().expect("it ends");
    let text = [output.stdout, output.stderr].concat();
    (
        output.status.code().unwrap_or(-1),
        String::from_utf8_lossy(&text).into_owned(),
    )
}

#[track_caller]
fn says(ended: &(i32, String), code: i32, words: &[&str]) {
    assert_eq!(ended.0, code, "{}", ended.1);
    for word in words {
        assert!(ended.1.contains(word), "{word} is not in: {}", ended.1);
    }
    assert!(!ended.1.contains("panicked"), "{}", ended.1);
}

#[test]
fn hosts_from_a_file_meet() {
    let hosts = Hosts::new("cluster_meet", 3, COUNTERS);
    let options = ["--plain", "--no-end-check", "--verbose"];
    // In any order.
    let others = [hosts.start(2, &options), hosts.start(1, &options)];
    let first = end(hosts.start(0, &options));
    says(
        &first,
        0,
        &["15625 states, stored", "states on host 2 (127.0.0.1:"],
    );
    for other in others {
        assert_eq!(end(other), (0, String::new()));
    }
}

#[test]
fn processes_on_this_machine_give_one_report() {
    let dir = Dir::with_model("cluster_local", COUNTERS);
    let options = [
        "cluster",
        "check",
        "m.pml",
        "--local",
        "3",
        "--threads",
        "2",
        "--format",
        "json",
    ];
    let report = dir.ample(&[&options[..], &["--plain"]].concat()).exits(1);
    let result = &report.json()["results"][0];
    assert_eq!(result["search"]["workers"], 6);
    assert_eq!(result["hosts"].as_array().map(Vec::len), Some(3));
    assert_eq!(result["violations"][0]["kind"], "end-state");
    // The trail is one like others.
    let trail = result["violations"][0]["trail_file"]
        .as_str()
        .expect("a trail");
    dir.ample(&["replay", "m.pml", trail]).exits(1);
}

#[test]
fn what_is_not_for_hosts_is_refused_by_name() {
    let dir = Dir::with_model(
        "cluster_refused",
        "bit x; active proctype P() { do :: x = 1 - x od } ltl p { [] <> (x == 0) }",
    );
    let check = |options: &[&str]| dir.ample(&[&["cluster", "check", "m.pml"], options].concat());
    for (options, words) in [
        (
            &["--local", "2", "--workers", "2"][..],
            "--workers: hosts have --threads",
        ),
        (
            &["--local", "2", "--check", "safety", "--strategy", "dfs"],
            "--strategy: a cluster searches breadth first",
        ),
        (
            &["--local", "2", "--check", "safety", "--store", "bitstate"],
            "--store: the hosts of a cluster have exact",
        ),
        (&["--local", "2", "--fairness", "weak"], "--fairness: "),
        (
            &["--local", "2", "--check", "safety", "--contexts", "2"],
            "--contexts: a cluster has no bound",
        ),
        (
            &["--local", "2", "--check", "safety", "--why-not"],
            "--why-not: ",
        ),
        (&[], "--local"),
        (&["--hosts", "hosts"], "--process"),
        (
            &[
                "--hosts",
                "missing",
                "--process",
                "0",
                "--secret",
                "missing",
            ],
            "missing",
        ),
    ] {
        let run = check(options).exits(2);
        assert!(run.err.contains(words), "{options:?}: {run:?}");
    }
    dir.put("hosts", "127.0.0.1:1\n127.0.0.1:1\n");
    dir.put("all", "0.0.0.0:7000\n");
    dir.put("secret", "short\n");
    let listed = |hosts, process| {
        check(&["--hosts", hosts, "--process", process, "--secret", "secret"])
            .exits(2)
            .err
    };
    assert!(listed("hosts", "0").contains("is there twice"));
    assert!(listed("all", "1").contains("has 1 hosts"));
    assert!(listed("all", "0").contains("not all of them"));
    let run = check(&["--local", "2"]).exits(3);
    assert!(
        run.out.contains("checking a property on a cluster"),
        "{run:?}"
    );
}

#[test]
fn hosts_that_differ_are_named() {
    let hosts = Hosts::new("cluster_differ", 3, COUNTERS);
    let agrees = hosts.start(1, &[]);
    let differs = hosts.start(2, &["--plain"]);
    let first = end(hosts.start(0, &[]));
    says(
        &first,
        2,
        &[
            "host 2 (127.0.0.1:",
            "plain: true",
            "host 0 has",
            "plain: false",
        ],
    );
    says(&end(differs), 2, &["host 2 (127.0.0.1:"]);
    says(&end(agrees), 2, &["host 2 (127.0.0.1:"]);
    hosts.dir.put("other.pml", &COUNTERS.replace("12", "13"));
    let differs = hosts.start_on("other.pml", 1, &[]);
    let agrees = hosts.start(2, &[]);
    says(
        &end(hosts.start(0, &[])),
        2,
        &["host 1 (127.0.0.1:", "a model with the digest"],
    );
    says(&end(differs), 2, &["a model with the digest"]);
    says(&end(agrees), 2, &["host 1 (127.0.0.1:"]);
}

#[test]
fn a_host_without_the_secret_does_not_come_in() {
    let hosts = Hosts::new("cluster_secret", 2, COUNTERS);
    let first = hosts.start(0, &["--patience", "2s"]);
    says(
        &end(hosts.start(1, &["--secret", "other"])),
        2,
        &["host 0 (127.0.0.1:", "does not accept the secret"],
    );
    says(
        &end(first),
        2,
        &[
            "host 1 (127.0.0.1:",
            "has not come",
            "did not know the secret",
        ],
    );
}

/// Ends a host while it works, by a signal; says how the others end, and how long that takes.
fn lose(name: &str, lost: usize, signal: &str) -> (Vec<(i32, String)>, Duration) {
    let hosts = Hosts::new(name, 3, MANY);
    let options = ["--plain", "--memory", "1G", "--progress"];
    let mut children: Vec<Child> = (0..3)
        .map(|process| hosts.start(process, &options))
        .collect();
    // The progress line shows that they work.
    let errors = children[0].stderr.as_mut().expect("piped");
    let mut seen = [0; 20];
    errors.read_exact(&mut seen).expect("progress");
    let mut gone = children.remove(lost);
    let sent = Command::new("kill")
        .args([signal, &gone.id().to_string()])
        .status();
    assert!(sent.expect("kill").success());
    let start = Instant::now();
    let ended = children.into_iter().map(end).collect();
    let took = start.elapsed();
    let _ = gone.kill();
    let _ = gone.wait();
    (ended, took)
}

#[test]
fn a_host_that_is_killed_is_named() {
    let (ended, took) = lose("cluster_killed", 1, "-KILL");
    says(
        &ended[0],
        3,
        &[
            "INCONCLUSIVE",
            "host 1 (127.0.0.1:",
            "its process has ended",
            "at level",
            "states visited",
        ],
    );
    says(
        &ended[1],
        3,
        &["the run was given up", "host 1 (127.0.0.1:"],
    );
    assert!(took < Duration::from_secs(20), "{took:?}");
}

#[test]
fn a_host_that_stalls_is_named() {
    let (ended, took) = lose("cluster_stalled", 2, "-STOP");
    says(
        &ended[0],
        3,
        &[
            "INCONCLUSIVE",
            "host 2 (127.0.0.1:",
            "has said nothing for 5 s",
        ],
    );
    says(&ended[1], 3, &["host 2 (127.0.0.1:"]);
    assert!(took < Duration::from_secs(30), "{took:?}");
}

#[test]
fn the_others_end_when_the_first_host_is_killed() {
    let hosts = Hosts::new("cluster_first", 2, MANY);
    let mut first = hosts.start(0, &["--plain", "--memory", "1G", "--progress"]);
    let other = hosts.start(1, &["--plain", "--memory", "1G"]);
    let errors = first.stderr.as_mut().expect("piped");
    errors.read_exact(&mut [0; 20]).expect("progress");
    first.kill().expect("killed");
    let _ = first.wait();
    says(
        &end(other),
        3,
        &["host 0 (127.0.0.1:", "its process has ended"],
    );
}

/// Throws bytes at an address: random ones, beginnings of the right ones, and silence.
fn shout(at: &str, times: u32, rng: &mut Rng) -> u32 {
    let mut heard = 0;
    let mut silent = Vec::new();
    for time in 0..times {
        let Ok(mut stream) = TcpStream::connect(at) else {
            continue;
        };
        heard += 1;
        let mut bytes: Vec<u8> = (0..rng.below(200)).map(|_| rng.below(256) as u8).collect();
        match time % 4 {
            0 => bytes.splice(0..0, *b"ample cluster 1\n").for_each(drop),
            1 if silent.len() < 20 => {
                silent.push(stream);
                continue;
            }
            _ => {}
        }
        // It may be shut out before it has said all.
        let _ = stream.write_all(&bytes);
    }
    heard
}

#[test]
fn strangers_change_nothing() {
    let hosts = Hosts::new("cluster_strangers", 2, COUNTERS);
    let mut rng = Rng::seeded(3);
    let options = ["--plain", "--no-end-check", "--verbose"];
    let first = hosts.start(0, &options);
    let until = Instant::now() + Duration::from_secs(20);
    while TcpStream::connect(&hosts.addresses[0]).is_err() && Instant::now() < until {
        std::thread::sleep(Duration::from_millis(10));
    }
    let heard = shout(&hosts.addresses[0], 400, &mut rng);
    assert!(heard > 100, "{heard}");
    let other = hosts.start(1, &options);
    shout(&hosts.addresses[1], 50, &mut rng);
    says(
        &end(first),
        0,
        &["15625 states, stored", "connections were refused"],
    );
    assert_eq!(end(other).0, 0);
}

#[test]
fn nobody_listens_elsewhere() {
    let hosts = Hosts::new("cluster_address", 2, COUNTERS);
    let mut first = hosts.start(0, &[]);
    let port = hosts.addresses[0]
        .rsplit_once(':')
        .expect("a port")
        .1
        .to_owned();
    let until = Instant::now() + Duration::from_secs(20);
    while TcpStream::connect(&hosts.addresses[0]).is_err() && Instant::now() < until {
        std::thread::sleep(Duration::from_millis(10));
    }
    // Another address of the same machine.
    assert!(TcpStream::connect(&hosts.addresses[0]).is_ok());
    assert!(TcpStream::connect(format!("127.0.0.2:{port}")).is_err());
    first.kill().expect("killed");
    let _ = first.wait();
}
