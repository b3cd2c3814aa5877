//! Random expressions that do not always have a value: divisors that are variables, indices that may be out of range,
//! channels that are not there yet, variables of processes that may be gone. Some are guarded, some of the guards wrongly.

use crate::body::Body;
use crate::world::{Channel, Class, Variable, World};

/// The channel variable that is assigned late.
pub(super) const LATE: &str = "late";

impl World<'_> {
    /// Whether the next expression is a partial one. Without them no random number is drawn.
    pub(super) fn draws_partial(&mut self, times: usize) -> bool {
        let percent = self.config.partial * times;
        percent > 0 && self.rng.chance(percent)
    }

    /// A channel variable that holds nothing at first.
    pub(super) fn late_channel(&mut self) {
        if self.config.partial == 0 || !self.rng.chance(60) {
            return;
        }
        if let Some(channel) = self.rng.pick(&self.channels).cloned() {
            self.line(&format!("chan {LATE};"));
            self.late = Some(channel.name.clone());
            self.channels.push(Channel {
                name: LATE.to_string(),
                ..channel
            });
        }
    }

    /// Lets the late channel variable hold a channel.
    pub(super) fn late_assignment(&mut self) -> Option<String> {
        let holds = self.late.clone()?;
        Some(format!("{LATE} = {holds};"))
    }

    /// A variable that is never negative.
    fn natural_variable(&mut self, body: &Body) -> Option<String> {
        let plain: Vec<String> = self
            .globals
            .iter()
            .chain(&body.locals)
            .chain(&body.counters)
            .filter(|v| v.class == Class::Natural && v.elements.is_none())
            .map(|v| v.name.clone())
            .collect();
        self.rng.pick(&plain).cloned()
    }

    /// An index that may be out of range.
    pub(super) fn partial_index(&mut self, body: &Body) -> Option<String> {
        let name = self.natural_variable(body)?;
        Some(match self.rng.below(4) {
            0 => format!("{name} + 1"),
            1 => format!("{name} - 1"),
            _ => name,
        })
    }

    /// A number that is not always there.
    pub(super) fn partial_atom(&mut self, body: &Body) -> Option<String> {
        match self.rng.below(6) {
            0 if self.late.is_some() => Some(format!("len({LATE})")),
            1 if !body.observer => self.remote(),
            _ => {
                let operator = self.rng.word(["/", "%"]);
                let divisor = self.natural_variable(body)?;
                let dividend = self.rng.within(1, 3);
                Some(format!("({dividend} {operator} {divisor})"))
            }
        }
    }

    /// A parameter of a process that may not be there, or not be there any more.
    fn remote(&mut self) -> Option<String> {
        let headers = self.headers[..self.written].iter().enumerate();
        let named: Vec<usize> = headers.filter(|(_, h)| h.number).map(|(i, _)| i).collect();
        let index = *self.rng.pick(&named)?;
        let before: usize = self.headers[..index].iter().map(|h| h.active).sum();
        let pid = match self.headers[index].active {
            0 => self.crowd + 1,
            _ if self.rng.chance(30) => self.crowd + 1,
            count => before + self.rng.below(count),
        };
        Some(format!("{}[{pid}]:p", self.headers[index].name))
    }

    /// A condition with a part that is evaluated only where it has a value; or nearly so.
    pub(super) fn guarded(&mut self, body: &Body) -> Option<String> {
        let all = self.globals.iter().chain(&body.locals);
        let arrays: Vec<Variable> = all.filter(|v| v.elements.is_some()).cloned().collect();
        let variable = self.natural_variable(body)?;
        let value = self.rng.below(self.config.values);
        let operator = self.rng.word(["==", "!=", "<", ">="]);
        let drawn = self.rng.below(3);
        let (asked, guard, opposite) = match (self.rng.pick(&arrays), drawn) {
            (Some(array), 0 | 1) => {
                let count = array.elements.unwrap_or(1);
                // Every fourth guard is off by one.
                let (below, above) = match self.rng.below(4) {
                    0 => ("<=", ">"),
                    _ => ("<", ">="),
                };
                (
                    format!("{}[{variable}]", array.name),
                    format!("{variable} {below} {count}"),
                    format!("{variable} {above} {count}"),
                )
            }
            _ => (
                format!("{} / {variable}", self.rng.within(2, 4)),
                format!("{variable} != 0"),
                format!("{variable} == 0"),
            ),
        };
        Some(match self.rng.below(3) {
            0 => format!("({opposite} || {asked} {operator} {value})"),
            1 if !body.observer => format!("(({guard} -> {asked} : 1) {operator} {value})"),
            _ => format!("({guard} && {asked} {operator} {value})"),
        })
    }
}
