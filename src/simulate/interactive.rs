//! A simulation that a person steers: numbered moves, undo, the state.
//!
//! Reads lines and writes text, whatever they come from and go to, so that a script can steer it as well. The end of
//! the input is the wish to stop.

use super::{Choices, Guide, Narrator, Pick, Position, Random, Simulator};
use crate::machine::Fault;
use crate::trace::{Ending, NamedValue, values};
use std::io::{self, BufRead, Write};

const HELP: &str = "commands:
  N        make move N
  r [N]    make a random move, or N of them
  u [N]    undo a move, or N of them
  s        show the state
  l        list the moves again
  h        this help
  q        quit
";

/// What a person can ask for.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum Command {
    Move(usize),
    Random(usize),
    Undo(usize),
    State,
    List,
    Help,
    Quit,
}

/// Reads a line; an empty one asks for the list.
fn command(line: &str) -> Option<Command> {
    let mut words = line.split_whitespace();
    let first = words.next().unwrap_or("l");
    let times = match words.next() {
        None => 1,
        Some(word) => word.parse().ok()?,
    };
    if words.next().is_some() {
        return None;
    }
    Some(match first {
        "r" | "random" => Command::Random(times),
        "u" | "undo" => Command::Undo(times),
        "s" | "state" => Command::State,
        "l" | "list" => Command::List,
        "h" | "help" | "?" => Command::Help,
        "q" | "quit" => Command::Quit,
        number => Command::Move(number.parse().ok()?),
    })
}

/// A session: a run, and how to get back.
pub struct Session<'a, 'n> {
    simulator: &'a mut Simulator,
    narrator: &'a mut Narrator<'n>,
    random: Random,
    past: Vec<Position>,
    /// The fault of the last move, if it had one.
    fault: Option<Fault>,
}

impl<'a, 'n> Session<'a, 'n> {
    /// Begins where the simulator stands.
    pub fn new(
        simulator: &'a mut Simulator,
        narrator: &'a mut Narrator<'n>,
        random: Random,
    ) -> Session<'a, 'n> {
        Session {
            simulator,
            narrator,
            random,
            past: Vec::new(),
            fault: None,
        }
    }

    /// Obeys until told to stop; gives what the run has come to by then. `explain` puts a fault into words.
    pub fn run(
        mut self,
        input: &mut dyn BufRead,
        out: &mut dyn Write,
        explain: &dyn Fn(&Fault) -> String,
    ) -> io::Result<Ending> {
        writeln!(out, "h for help")?;
        let mut line = String::new();
        let mut list = true;
        loop {
            let choices = self.simulator.choices();
            if list {
                self.list(&choices, out, explain)?;
            }
            write!(out, "> ")?;
            out.flush()?;
            line.clear();
            if input.read_line(&mut line)? == 0 {
                writeln!(out)?;
                break;
            }
            list = true;
            match command(&line) {
                Some(Command::Quit) => break,
                Some(Command::Move(number)) => list = self.chosen(number, &choices, out)?,
                Some(Command::Random(times)) => self.wander(times, out)?,
                Some(Command::Undo(times)) => self.undo(times, out)?,
                Some(Command::State) => {
                    self.state(out)?;
                    list = false;
                }
                Some(Command::List) => {}
                Some(Command::Help) => {
                    write!(out, "{HELP}")?;
                    list = false;
                }
                None => {
                    writeln!(out, "not understood: {} (h for help)", line.trim())?;
                    list = false;
                }
            }
        }
        Ok(match self.fault {
            Some(fault) => Ending::of(fault),
            None => self.simulator.ending(),
        })
    }

    fn list(
        &self,
        choices: &Choices,
        out: &mut dyn Write,
        explain: &dyn Fn(&Fault) -> String,
    ) -> io::Result<()> {
        let guard = choices.fault.as_ref().map(|(_, fault)| fault);
        for fault in self.fault.iter().chain(guard) {
            writeln!(out, "{}", explain(fault))?;
        }
        if choices.timeout {
            writeln!(out, "timeout")?;
        }
        if choices.moves.is_empty() {
            writeln!(out, "no move is possible")?;
        }
        for (index, &mv) in choices.moves.iter().enumerate() {
            let offer = self.narrator.offer(self.simulator, mv);
            writeln!(out, "{:>3}  {offer}", index + 1)?;
        }
        Ok(())
    }

    /// Makes the move of that number; says whether there is one.
    fn chosen(
        &mut self,
        number: usize,
        choices: &Choices,
        out: &mut dyn Write,
    ) -> io::Result<bool> {
        let Some(&mv) = number.checked_sub(1).and_then(|i| choices.moves.get(i)) else {
            writeln!(out, "there is no move {number}")?;
            return Ok(false);
        };
        self.make(Pick::Move(mv), choices, out)?;
        Ok(true)
    }

    /// Makes random moves until one fails or there is none.
    fn wander(&mut self, times: usize, out: &mut dyn Write) -> io::Result<()> {
        for _ in 0..times {
            let choices = self.simulator.choices();
            let pick = self.random.pick(&choices);
            if !self.make(pick, &choices, out)? || self.fault.is_some() {
                break;
            }
        }
        Ok(())
    }

    fn make(&mut self, pick: Pick, choices: &Choices, out: &mut dyn Write) -> io::Result<bool> {
        let Pick::Move(mv) = pick else {
            return Ok(false);
        };
        self.past.push(self.simulator.now().clone());
        let happened = self.simulator.make(mv, choices.timeout);
        let text = self.narrator.tell(self.simulator, &happened);
        self.fault = happened.fault;
        write!(out, "{text}")?;
        Ok(true)
    }

    fn undo(&mut self, times: usize, out: &mut dyn Write) -> io::Result<()> {
        if self.past.is_empty() {
            return writeln!(out, "this is the initial state");
        }
        let kept = self.past.len().saturating_sub(times);
        if let Some(position) = self.past.drain(kept..).next() {
            self.simulator.go_to(position);
            self.narrator.jump();
            self.fault = None;
        }
        writeln!(out, "back at step {}", self.simulator.now().moves)
    }

    fn state(&self, out: &mut dyn Write) -> io::Result<()> {
        let state = &self.simulator.now().state;
        for NamedValue { name, value, .. } in values(self.simulator.machine(), state) {
            writeln!(out, "  {name} = {value}")?;
        }
        write!(out, "{}", self.narrator.places(self.simulator))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_understood() {
        for (line, meant) in [
            ("3\n", Some(Command::Move(3))),
            ("u\n", Some(Command::Undo(1))),
            ("undo 4", Some(Command::Undo(4))),
            ("r 10", Some(Command::Random(10))),
            ("\n", Some(Command::List)),
            ("?", Some(Command::Help)),
            ("q", Some(Command::Quit)),
            ("state", Some(Command::State)),
            ("-1", None),
            ("u x", None),
            ("u 1 2", None),
            ("walk", None),
        ] {
            assert_eq!(command(line), meant, "{line}");
        }
    }
}
