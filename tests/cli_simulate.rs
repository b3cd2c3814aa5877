//! `ample simulate`: by chance, by hand, along a trail.

mod support;

use support::cli::{Dir, Run};
use support::spin::spin_is_there;

/// Two processes that talk and print, with many runs and one end.
const TALK: &str = r#"
mtype = { ping, pong };
chan c = [2] of { mtype, byte };
chan meet = [0] of { byte };
byte x;
active proctype A() {
    byte i;
    do
    :: i < 3 -> c!ping,i; printf("A sent %d\n", i); i++
    :: else -> break
    od;
    meet!i; x = 30
}
active proctype B() {
    byte i; mtype m;
    do
    :: c?m,i -> printf("B got "); printm(m); printf(" %d\n", i)
    :: meet?i -> break
    od;
    do
    :: c?m,i -> printf("B got late %e\n", m)
    :: empty(c) -> break
    od
}
"#;

const STUCK: &str = "byte x;\nactive proctype P() { x = 1; x == 2 }\n";
const RESTS: &str = "byte x;\nactive proctype P() { x = 1; end: x == 2 }\n";
const FAILS: &str = "byte x;\nactive proctype P() { x = 1; assert(x == 2); x = 3 }\n";
const DIVIDES: &str = "byte x, y;\nactive proctype P() { x = 1; x / y == 1; x = 3 }\n";
const FOREVER: &str = "byte x;\nactive proctype P() { do :: x++ :: x-- od }\n";

#[test]
fn a_seed_determines_the_run() {
    let dir = Dir::with_model("simulate_seed", TALK);
    let run = |seed: &str| {
        dir.ample(&["simulate", "m.pml", "--seed", seed, "--moves"])
            .exits(0)
    };
    let runs: Vec<Run> = ["1", "2", "3", "4"].map(run).into();
    assert_eq!(run("1"), runs[0]);
    assert!(
        runs[1..].iter().any(|r| r.out != runs[0].out),
        "every seed gives the same run"
    );
    assert!(runs[0].err.starts_with("seed 1\n"), "{:?}", runs[0]);
}

#[test]
fn a_seed_that_was_chosen_for_us_can_be_used_again() {
    let dir = Dir::with_model("simulate_fresh", TALK);
    let first = dir.ample(&["simulate", "m.pml", "--moves"]).exits(0);
    let seed = first
        .err
        .lines()
        .next()
        .unwrap()
        .strip_prefix("seed ")
        .unwrap();
    assert_eq!(
        dir.ample(&["simulate", "m.pml", "--moves", "--seed", seed]),
        first
    );
}

#[test]
fn what_is_printed_is_laid_out_like_spins() {
    let dir = Dir::with_model("simulate_layout", TALK);
    let run = dir
        .ample(&["simulate", "m.pml", "--seed", "1", "--msc"])
        .exits(0);
    insta::assert_snapshot!(run.out);
}

#[test]
fn what_a_run_comes_to_is_the_exit_code() {
    for (name, model, code, said) in [
        ("stuck", STUCK, 1, "invalid end state"),
        ("rests", RESTS, 0, "valid end state"),
        ("fails", FAILS, 1, "m.pml:2:37: assertion violated"),
        ("divides", DIVIDES, 1, "division by zero"),
        ("forever", FOREVER, 0, "stopped after 50 moves (--steps)"),
        ("talk", TALK, 0, "valid end state"),
    ] {
        let dir = Dir::with_model(&format!("simulate_code_{name}"), model);
        let run = dir
            .ample(&["simulate", "m.pml", "--steps", "50"])
            .exits(code);
        let last = run.err.lines().last().unwrap();
        assert!(last.contains(said), "{name}: {run:?}");
        assert!(run.out.ends_with("created\n"), "{name}: {run:?}");
    }
}

#[test]
fn wrong_usage_is_refused() {
    let dir = Dir::with_model("simulate_usage", STUCK);
    dir.put("bad.trail", "1:0:x\n");
    dir.put("other.trail", "1:0:77\n");
    for args in [
        &["simulate"][..],
        &["simulate", "missing.pml"],
        &["simulate", "m.pml", "--trail", "missing"],
        &["simulate", "m.pml", "--trail", "bad.trail"],
        &["simulate", "m.pml", "--trail", "other.trail"],
        &["simulate", "m.pml", "--trail", "t", "--interactive"],
        &["simulate", "m.pml", "--seed", "x"],
    ] {
        let run = dir.ample(args).exits(2);
        assert!(run.err.contains("error"), "{args:?}: {run:?}");
    }
}

fn by_hand(name: &str, model: &str, input: &str) -> Run {
    let dir = Dir::with_model(name, model);
    dir.ample_reading(&["simulate", "m.pml", "-i", "--seed", "1"], input)
}

#[test]
fn a_person_can_steer() {
    let run = by_hand("simulate_hand", FAILS, "h\ns\n1\ns\n7\nwalk\n1\n").exits(1);
    insta::assert_snapshot!(run.out);
    assert!(run.err.ends_with("assertion violated\n"), "{run:?}");
}

#[test]
fn undo_goes_back_exactly() {
    let straight = by_hand("simulate_straight", TALK, "2\n1\ns\n").exits(0);
    for (name, input) in [
        ("one", "2\n1\n1\nu\ns\n"),
        ("several", "2\n1\n1\n1\n1\nu 3\ns\n"),
        ("all", "1\n1\n1\nu 99\n2\n1\ns\n"),
        ("random", "2\n1\nr 20\nu 20\ns\n"),
    ] {
        let run = by_hand(&format!("simulate_undo_{name}"), TALK, input).exits(0);
        // The state that was asked for, and the summary.
        let end = |r: &Run| r.out.rsplit("> ").take(2).collect::<String>();
        assert_eq!(end(&run), end(&straight), "{name}: {run:?}");
    }
    let run = by_hand("simulate_undo_none", TALK, "u\n").exits(0);
    assert!(run.out.contains("this is the initial state"), "{run:?}");
}

#[test]
fn undoing_a_failure_forgets_it() {
    by_hand("simulate_fail", FAILS, "1\n1\n").exits(1);
    by_hand("simulate_unfail", FAILS, "1\n1\nu\n").exits(0);
}

#[test]
fn our_trails_are_followed() {
    let dir = Dir::with_model(
        "simulate_ours",
        TALK.replace("x = 30", "assert(x == 1)").as_str(),
    );
    dir.ample(&["check", "m.pml"]).exits(1);
    for trail in ["m.pml.trail", "m.pml.trail.json"] {
        let run = dir
            .ample(&["simulate", "m.pml", "--trail", trail, "--moves"])
            .exits(1);
        assert!(run.err.ends_with("assertion violated\n"), "{run:?}");
        assert!(run.out.contains("A sent 2"), "{run:?}");
        let cut = dir
            .ample(&["simulate", "m.pml", "--trail", trail, "--steps", "3"])
            .exits(0);
        assert!(cut.err.contains("stopped after 3 moves"), "{cut:?}");
    }
}

/// What the model printed: lines up to SPIN's or our own remarks. SPIN may begin with a warning that the model is newer than
/// the trail, when both were made in the same moment.
fn printed(text: &str) -> Vec<&str> {
    let remarks = ["spin: ", "#processes", "Warning"];
    let own = |line: &&str| !remarks.iter().any(|r| line.starts_with(r));
    let early = |line: &&str| line.starts_with("spin: warning");
    text.lines().skip_while(early).take_while(own).collect()
}

/// Lets SPIN find a violation, with these options of its generator; `None` if there is no SPIN.
fn trail_of_spin(name: &str, options: &[&str]) -> Option<Dir> {
    let dir = Dir::with_model(name, TALK.replace("x = 30", "assert(x == 1)").as_str());
    if !spin_is_there() {
        return None;
    }
    let generate = [&["-a"], options, &["m.pml"]].concat();
    dir.other("spin", &generate).unwrap().exits(0);
    let compile = ["-w", "-o", "pan", "pan.c"];
    dir.other("gcc", &compile).unwrap().exits(0);
    dir.other("./pan", &[]).unwrap();
    Some(dir)
}

#[test]
fn spins_trails_are_followed_and_print_the_same() {
    let Some(dir) = trail_of_spin("simulate_spins", &["-o3"]) else {
        return;
    };
    let theirs = dir.other("spin", &["-t", "m.pml"]).unwrap();
    let ours = dir
        .ample(&["simulate", "m.pml", "--trail", "m.pml.trail"])
        .exits(1);
    assert!(theirs.out.contains("A sent 2"), "{theirs:?}");
    assert_eq!(printed(&ours.out), printed(&theirs.out));
    assert!(ours.err.ends_with("assertion violated\n"), "{ours:?}");

    let theirs = dir.other("spin", &["-t", "-c", "m.pml"]).unwrap();
    let ours = dir.ample(&["simulate", "m.pml", "--trail", "m.pml.trail", "--msc"]);
    assert_eq!(chart(&ours.out), chart(&theirs.out));
    assert_eq!(chart(&ours.out).len(), 8, "{ours:?}");
}

/// The lines of a chart: channel, column, message.
fn chart(text: &str) -> Vec<&str> {
    let drawn =
        |line: &&str| line.contains(['!', '?']) && line.trim().starts_with(char::is_numeric);
    text.lines().filter(drawn).collect()
}

/// Where SPIN merged statements, a receiver may be some statements short of the rendezvous that the trail wants next.
#[test]
fn a_merged_trail_leads_the_receiver_to_a_rendezvous() {
    let Some(dir) = trail_of_spin("simulate_merged", &[]) else {
        return;
    };
    let run = dir
        .ample(&["simulate", "m.pml", "--trail", "m.pml.trail", "--msc"])
        .exits(1);
    assert!(run.out.contains("meet?3"), "{run:?}");
    assert!(run.err.ends_with("assertion violated\n"), "{run:?}");
}
