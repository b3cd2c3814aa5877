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

use super::replay::{Ending, Moment, Run};
use crate::machine::{Move, Pid};
use crate::search::Space;
use promela_lite::program::{Action, EdgeId, ProctypeId, Program};
use std::fmt;
use std::fmt::Write;

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
    for (index, line) in text
        .lines()
        .enumerate()
        .filter(|(_, l)| !l.trim().is_empty())
    {
        let numbers: Vec<i64> = line
            .trim()
            .split(':')
            .map_while(|n| n.parse().ok())
            .collect();
        let [depth, pid, step] = numbers[..] else {
            return Err(SpinError::Syntax(index + 1));
        };
        match depth {
            -1 => trail.cycle = Some(trail.lines.len()),
            -2 => claim = 1,
            -4 => trail.merged = true,
            -8..=-5 => return Err(SpinError::Permuted),
            ..0 => {}
            _ => {
                let pid = u16::try_from(pid - claim).ok().map(Pid);
                let step = u32::try_from(step).map_err(|_| SpinError::Syntax(index + 1))?;
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

/// Follows a `.trail` file. `proctype` says of what type a process is. Steps of the claim are passed over.
///
/// SPIN's cycle closes where *its* states are the same. Ours may differ the first time around: in variables that are not
/// read any more, and in how far processes have come with what was merged. Then it is followed a second time, and starts
/// there.
pub fn follow<P: Space<Move = Move>>(
    space: &mut P,
    program: &Program,
    proctype: fn(&P, &[u8], Pid) -> ProctypeId,
    trail: &SpinTrail,
    see: &mut dyn FnMut(&Moment<'_>),
) -> Result<Followed, SpinError> {
    let done = |choices, ending, cycle| Followed {
        choices,
        ending,
        cycle,
    };
    let mut run = match Run::start(space) {
        Ok(run) => run,
        Err(fault) => return Ok(done(Vec::new(), Ending::of(fault), None)),
    };
    let mut fault = None;
    let mut guide = Guide { program, proctype };
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
    let mut enabled = Vec::new();
    let mut at = 0;
    loop {
        let stored = |run: &Run<'_, P>| run.state[..run.space.stored_len(&run.state)].to_vec();
        if start == Some(at) {
            before = Some((stored(&run), choices.len()));
        }
        if at == length
            && let (Some((state, first)), Some(start)) = (&mut before, start)
            && start < length
            && *state != stored(&run)
        {
            (*state, *first) = (stored(&run), choices.len());
            steps.extend_from_within(start..);
        }
        if at == steps.len() {
            break;
        }
        let lost = SpinError::Lost {
            step: at + 1,
            line: steps[at],
        };
        if let Err((mv, fault)) = run.enabled_moves(&mut enabled)
            && guide
                .matches(run.space, &run.state, &mv, &steps[at..])
                .is_some()
        {
            run.refuse(mv, see);
            choices.push(mv);
            return Ok(done(choices, Ending::of(fault), None));
        }
        let (way, used) = guide.find(&mut run, &steps[at..]).ok_or(lost)?;
        at += used;
        for (mv, timeout) in way {
            choices.push(mv);
            fault = run.make(mv, timeout, see);
        }
    }
    let most = (steps.len() + 1) * MERGED;
    while trail.merged && trail.cycle.is_none() && fault.is_none() && choices.len() < most {
        let Some((mv, timeout)) = guide.unfinished(&mut run) else {
            break;
        };
        choices.push(mv);
        fault = run.make(mv, timeout, see);
    }
    let ending = run.ending(fault);
    Ok(done(choices, ending, before.map(|(_, first)| first)))
}

struct Guide<'p, P> {
    program: &'p Program,
    proctype: fn(&P, &[u8], Pid) -> ProctypeId,
}

impl<P: Space<Move = Move>> Guide<'_, P> {
    fn number(&self, space: &P, state: &[u8], pid: Pid, edge: EdgeId) -> u32 {
        let proctype = (self.proctype)(space, state, pid);
        self.program.proctypes[proctype.index()].graph.edges[edge.index()].step
    }

    /// How many lines a move accounts for, if it is what they ask for.
    fn matches(&self, space: &P, state: &[u8], mv: &Move, lines: &[SpinLine]) -> Option<usize> {
        let is = |pid: Pid, edge: EdgeId, line: &SpinLine| {
            line.pid == Some(pid) && self.number(space, state, pid, edge) == line.step
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

    /// The moves that lead through the next step of the trail: that step alone, or, where statements were
    /// merged, moves of its process before it.
    fn find(
        &mut self,
        run: &mut Run<'_, P>,
        lines: &[SpinLine],
    ) -> Option<(Vec<(Move, bool)>, usize)> {
        let mut moves = Vec::new();
        let mut way = Vec::new();
        let (mut state, mut control) = (run.state.clone(), run.control);
        let mut next = Vec::new();
        while way.len() <= MERGED {
            moves.clear();
            let info = run
                .space
                .moves(&state, control, &mut moves)
                .unwrap_or_default();
            let hit = moves.iter().find_map(|mv| {
                let used = self.matches(run.space, &state, mv, lines)?;
                Some((*mv, used))
            });
            if let Some((mv, used)) = hit {
                way.push((mv, info.timeout));
                return Some((way, used));
            }
            // The receiver of a rendezvous may have to be led to it as well.
            let partner = lines.get(1).and_then(|line| line.pid);
            let drivers = [control, lines[0].pid, partner].into_iter().flatten();
            let own = drivers.map(|pid| moves.iter().filter(move |mv| mv.pid == pid));
            let own: Vec<&Move> = own
                .map(Iterator::collect)
                .find(|own: &Vec<_>| !own.is_empty())?;
            let [mv] = own[..] else { return None };
            let step = run.space.apply(&state, *mv, info.timeout, &mut next).ok()?;
            way.push((*mv, info.timeout));
            control = step.control;
            std::mem::swap(&mut state, &mut next);
        }
        None
    }

    /// A move that may have been merged into an earlier line: of a process that has no other, with no partner,
    /// and that is neither a communication nor an end.
    fn unfinished(&self, run: &mut Run<'_, P>) -> Option<(Move, bool)> {
        let mut moves = Vec::new();
        let info = run.enabled_moves(&mut moves).ok()?;
        let alone = |mv: &&Move| moves.iter().filter(|other| other.pid == mv.pid).count() == 1;
        let plain = |mv: &&Move| {
            let proctype = (self.proctype)(run.space, &run.state, mv.pid);
            let graph = &self.program.proctypes[proctype.index()].graph;
            let action = &graph.edges[mv.edge.index()].action;
            !matches!(action, Action::Send(_) | Action::Recv(_) | Action::End)
        };
        let found = moves.iter().find(|mv| alone(mv) && plain(mv));
        found.map(|&mv| (mv, info.timeout))
    }
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
