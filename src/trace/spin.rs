//! SPIN's `.trail` files.
//!
//! A line is `depth:pid:step`: who moves, and SPIN's number of the statement. A rendezvous is two lines, the
//! sender's and the receiver's; the end of a process is a line like any other. Lines with a negative depth are
//! marks: `-4:-4:-4` says that statements were merged when the trail was made, `-2:n:-2` that a claim runs as
//! process 0 (so that the pids of all others are one higher), `-1:-1:-1` where a cycle begins.
//!
//! Our own trails are of the plain program, in which nothing is merged, so the mark for merging is not written,
//! and SPIN then executes one statement per line, as it should. In a trail that *was* merged, a line stands for
//! several statements of its process; when the statement that comes next is not where the process is, it is
//! led there along its own moves, or those of the process that keeps control. What was merged behind a process'
//! last line is executed at the end: steps without communication, where it has no other choice.

use super::replay::{Ending, Moment, ending, make, refuse};
use crate::machine::{Fault, Move, Pid, Run};
use promela_lite::program::{Action, Edge, EdgeId, Program};
use std::fmt;
use std::fmt::Write;
use std::sync::Arc;

/// How many statements of one process may have been merged into one.
const MERGED: usize = 64;

/// A line of a `.trail` file that is a step.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct SpinLine {
    /// SPIN's pid, the claim not counted; none for a step of the claim.
    pub pid: Option<Pid>,
    /// SPIN's number of the statement.
    pub step: u32,
}

/// A `.trail` file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SpinTrail {
    /// The steps.
    pub lines: Vec<SpinLine>,
    /// Whether a line may stand for several statements.
    pub merged: bool,
    /// Number of steps before the cycle, if there is one.
    pub cycle: Option<usize>,
}

/// Why a `.trail` file cannot be followed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SpinError {
    /// This line (counted from 1) is not `depth:pid:step`.
    Syntax(usize),
    /// The last line has no end.
    CutShort,
    /// The search it comes from was randomised by a permutation that is not in the file.
    Permuted,
    /// At this step (counted from 1) the model cannot do that.
    Lost {
        /// Number of the step.
        step: usize,
        /// What it asks for.
        line: SpinLine,
    },
}

impl fmt::Display for SpinError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SpinError::Syntax(line) => write!(f, "line {line} is not of the form depth:pid:step"),
            SpinError::CutShort => f.write_str("the last line has no end: the file is cut short"),
            SpinError::Permuted => f.write_str("the trail depends on a permuted search order"),
            SpinError::Lost { step, line } => {
                let pid = line.pid.map_or(-1, |p| i32::from(p.0));
                write!(
                    f,
                    "step {step}: process {pid} cannot execute statement {} here",
                    line.step
                )
            }
        }
    }
}

impl std::error::Error for SpinError {}

/// The text of a `.trail` file: the steps as (pid, SPIN's number of the statement), and the number of steps
/// before a cycle.
pub fn render(steps: &[(Pid, u32)], cycle: Option<usize>) -> String {
    let mut out = String::new();
    for (index, (pid, step)) in steps.iter().enumerate() {
        if cycle == Some(index) {
            out.push_str("-1:-1:-1\n");
        }
        let _ = writeln!(out, "{}:{}:{step}", index + 1, pid.0);
    }
    out
}

/// Reads a `.trail` file.
pub fn parse(text: &str) -> Result<SpinTrail, SpinError> {
    let mut claim = 0;
    let mut trail = SpinTrail::default();
    if !text.is_empty() && !text.ends_with('\n') {
        return Err(SpinError::CutShort);
    }
    for (index, line) in text
        .lines()
        .enumerate()
        .filter(|(_, l)| !l.trim().is_empty())
    {
        let wrong = || SpinError::Syntax(index + 1);
        let numbers = line.trim().split(':').map(|n| n.parse().ok());
        let numbers: Option<Vec<i64>> = numbers.collect();
        let Some([depth, pid, step]) = numbers.as_deref() else {
            return Err(wrong());
        };
        match *depth {
            -1 => trail.cycle = Some(trail.lines.len()),
            -2 => claim = 1,
            -4 => trail.merged = true,
            -8..=-5 => return Err(SpinError::Permuted),
            ..0 => {}
            _ => {
                let pid = match (*pid, claim) {
                    (0, 1) => None,
                    (pid, claim) => {
                        Some(u16::try_from(pid.saturating_sub(claim)).map_err(|_| wrong())?)
                    }
                };
                let pid = pid.map(Pid);
                let step = u32::try_from(*step).map_err(|_| wrong())?;
                trail.lines.push(SpinLine { pid, step });
            }
        }
    }
    Ok(trail)
}

/// What following a `.trail` file came to.
#[derive(Debug)]
pub struct Followed {
    /// The choices made.
    pub choices: Vec<Move>,
    /// What they end in.
    pub ending: Ending,
    /// For a cycle: the number of choices before it.
    pub cycle: Option<usize>,
}

/// Follows a `.trail` file. Steps of the claim are passed over.
///
/// SPIN's cycle closes where *its* states are the same. Ours may differ the first time around: in variables that are not
/// read any more, and in how far processes have come with what was merged. Then it is followed a second time, and starts
/// there.
pub fn follow(
    program: &Arc<Program>,
    trail: &SpinTrail,
    see: &mut dyn FnMut(&Moment<'_>),
) -> Result<Followed, SpinError> {
    let done = |choices, ending, cycle| Followed {
        choices,
        ending,
        cycle,
    };
    let mut run = match Run::start(program) {
        Ok(run) => run,
        Err(fault) => return Ok(done(Vec::new(), Ending::of(fault), None)),
    };
    let mut fault = None;
    let mut choices = Vec::new();
    let of_processes = |lines: &[SpinLine]| -> Vec<SpinLine> {
        lines.iter().copied().filter(|l| l.pid.is_some()).collect()
    };
    let mut steps = of_processes(&trail.lines);
    let start = trail
        .cycle
        .map(|start| of_processes(&trail.lines[..start]).len());
    let length = steps.len();
    // The state where the cycle starts, and the number of choices before.
    let mut before: Option<(Vec<u8>, usize)> = None;
    let mut at = 0;
    loop {
        if start == Some(at) {
            before = Some((run.stored().to_vec(), choices.len()));
        }
        if at == length
            && let (Some((state, first)), Some(start)) = (&mut before, start)
            && start < length
            && *state != run.stored()
        {
            (*state, *first) = (run.stored().to_vec(), choices.len());
            steps.extend_from_within(start..);
        }
        if at == steps.len() {
            break;
        }
        if let Err((mv, fault)) = run.list()
            && matches(program, &run, &mv, &steps[at..]).is_some()
        {
            choices.push(mv);
            return Ok(done(choices, refuse(&run, mv, fault, see), None));
        }
        let line = steps[at];
        let step = at + 1;
        let (last, used) = lead(program, &mut run, &steps[at..], &mut choices, see)
            .ok_or(SpinError::Lost { step, line })?;
        (fault, at) = (last, at + used);
    }
    let most = (steps.len() + 1) * MERGED;
    while trail.merged && trail.cycle.is_none() && fault.is_none() && choices.len() < most {
        let Some(mv) = unfinished(program, &mut run) else {
            break;
        };
        choices.push(mv);
        fault = make(&mut run, mv, see);
    }
    let ending = ending(&mut run, fault);
    Ok(done(choices, ending, before.map(|(_, first)| first)))
}

/// The edge of a process where the run is.
fn edge<'p>(program: &'p Program, run: &Run, pid: Pid, edge: EdgeId) -> Option<&'p Edge> {
    let proctype = run.machine.proctype_of(run.state(), pid)?;
    Some(&program.proctypes[proctype.index()].graph.edges[edge.index()])
}

/// How many lines a move accounts for, if it is what they ask for.
fn matches(program: &Program, run: &Run, mv: &Move, lines: &[SpinLine]) -> Option<usize> {
    let is = |pid: Pid, number: EdgeId, line: &SpinLine| {
        line.pid == Some(pid)
            && edge(program, run, pid, number).is_some_and(|e| e.step == line.step)
    };
    match (mv.partner, lines) {
        (None, [line, ..]) if is(mv.pid, mv.edge, line) => Some(1),
        (Some((pid, edge)), [first, second, ..])
            if is(mv.pid, mv.edge, first) && is(pid, edge, second) =>
        {
            Some(2)
        }
        _ => None,
    }
}

/// Makes the moves that lead through the next step of the trail: that step alone, or, where statements were merged, moves of
/// its process before it. Gives the fault of the last, and how many lines were followed.
fn lead(
    program: &Program,
    run: &mut Run,
    lines: &[SpinLine],
    choices: &mut Vec<Move>,
    see: &mut dyn FnMut(&Moment<'_>),
) -> Option<(Option<Fault>, usize)> {
    for _ in 0..=MERGED {
        // Where one move cannot be listed, the others are there nevertheless.
        let _ = run.list();
        let hit = run.moves().iter().find_map(|mv| {
            let used = matches(program, run, mv, lines)?;
            Some((*mv, used))
        });
        if let Some((mv, used)) = hit {
            choices.push(mv);
            return Some((make(run, mv, see), used));
        }
        // The receiver of a rendezvous may have to be led to it as well.
        let partner = lines.get(1).and_then(|line| line.pid);
        let drivers = [run.control(), lines[0].pid, partner].into_iter().flatten();
        let own = drivers.map(|pid| run.moves().iter().filter(move |mv| mv.pid == pid));
        let own: Vec<&Move> = own
            .map(Iterator::collect)
            .find(|own: &Vec<_>| !own.is_empty())?;
        let [&mv] = own[..] else { return None };
        choices.push(mv);
        if make(run, mv, see).is_some() {
            return None;
        }
    }
    None
}

/// A move that may have been merged into an earlier line: of a process that has no other, with no partner,
/// and that is neither a communication nor an end.
fn unfinished(program: &Program, run: &mut Run) -> Option<Move> {
    run.list().ok()?;
    let moves = run.moves();
    let alone = |mv: &&Move| moves.iter().filter(|other| other.pid == mv.pid).count() == 1;
    let plain = |mv: &&Move| {
        let action = edge(program, run, mv.pid, mv.edge).map(|e| &e.action);
        !matches!(
            action,
            Some(Action::Send(_) | Action::Recv(_) | Action::End)
        )
    };
    moves.iter().find(|mv| alone(mv) && plain(mv)).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_and_writes() {
        let text = "1:0:0\n2:1:11\n-1:-1:-1\n3:0:1\n";
        let line = |pid, step| SpinLine {
            pid: Some(Pid(pid)),
            step,
        };
        assert_eq!(parse(text).unwrap().cycle, Some(2));
        assert_eq!(
            parse(text).unwrap().lines,
            [line(0, 0), line(1, 11), line(0, 1)]
        );
        let steps = [(Pid(0), 0), (Pid(1), 11), (Pid(0), 1)];
        assert_eq!(render(&steps, Some(2)), text);
    }

    #[test]
    fn a_claim_shifts_the_pids() {
        let SpinTrail { lines, merged, .. } = parse("-2:3:-2\n-4:-4:-4\n1:0:7\n2:1:4\n").unwrap();
        assert!(merged);
        let claim = SpinLine { pid: None, step: 7 };
        assert_eq!(
            lines,
            [
                claim,
                SpinLine {
                    pid: Some(Pid(0)),
                    step: 4
                }
            ]
        );
    }

    #[test]
    fn bad_lines_are_named() {
        for (text, error) in [
            ("1:0:0\n\nabc\n", SpinError::Syntax(3)),
            ("1:0\n", SpinError::Syntax(1)),
            ("1:0:-3\n", SpinError::Syntax(1)),
            ("-5:1:0\n1:0:0\n", SpinError::Permuted),
        ] {
            assert_eq!(parse(text), Err(error), "{text}");
        }
    }
}
