//! Random expressions. Numbers stay far from the limits of 32 bits; see the parent module for what is avoided and why.

use crate::Construct;
use crate::body::Body;
use crate::world::{Channel, Class, Variable, World};

impl World<'_> {
    /// A variable that can be assigned to and satisfies `wanted`, as it is written.
    pub(super) fn target(
        &mut self,
        body: &Body,
        wanted: impl Fn(&Variable) -> bool,
    ) -> Option<String> {
        let variables: Vec<Variable> = self
            .globals
            .iter()
            .chain(&body.locals)
            .filter(|v| wanted(v))
            .cloned()
            .collect();
        let variable = self.rng.pick(&variables)?.clone();
        Some(self.reference(&variable, body))
    }

    /// A variable of that class that can be read.
    fn source(&mut self, body: &Body, wanted: impl Fn(Class) -> bool) -> Option<String> {
        let variables: Vec<Variable> = self
            .globals
            .iter()
            .chain(&body.locals)
            .chain(&body.counters)
            .filter(|v| wanted(v.class))
            .cloned()
            .collect();
        let variable = self.rng.pick(&variables)?.clone();
        Some(self.reference(&variable, body))
    }

    fn reference(&mut self, variable: &Variable, body: &Body) -> String {
        match variable.elements {
            None => variable.name.clone(),
            Some(count) => format!("{}[{}]", variable.name, self.index(count, body)),
        }
    }

    /// An index into that many elements.
    fn index(&mut self, count: usize, body: &Body) -> String {
        if self.draws_partial(2)
            && let Some(index) = self.partial_index(body)
        {
            return index;
        }
        let plain: Vec<String> = self
            .globals
            .iter()
            .chain(&body.locals)
            .chain(&body.counters)
            .filter(|v| v.class == Class::Natural && v.elements.is_none())
            .map(|v| v.name.clone())
            .collect();
        let computed = self.rng.chance(50);
        match self.rng.pick(&plain) {
            Some(name) if computed => format!("{name} % {count}"),
            _ => self.rng.below(count).to_string(),
        }
    }

    /// A number that a variable may be set to: below the bound on values.
    pub(super) fn value(&mut self, body: &Body) -> String {
        let values = self.config.values.max(2);
        match self.rng.below(4) {
            0 => self.rng.below(values).to_string(),
            1 => format!("({} + 1) % {values}", self.atom(body)),
            _ => format!("{} % {values}", self.number(body, 2)),
        }
    }

    /// A value for a field of a message.
    pub(super) fn field(&mut self, class: Class, body: &Body) -> String {
        match class {
            Class::Symbol => self.symbol(body),
            Class::Natural | Class::Signed => self.value(body),
        }
    }

    /// A symbolic constant or a variable that holds one.
    pub(super) fn symbol(&mut self, body: &Body) -> String {
        let variable = if self.rng.chance(30) {
            self.source(body, |c| c == Class::Symbol)
        } else {
            None
        };
        variable
            .or_else(|| self.rng.pick(&self.symbols).cloned())
            .unwrap_or_else(|| "1".to_string())
    }

    /// A constant, a variable, or a number that the system keeps.
    pub(super) fn atom(&mut self, body: &Body) -> String {
        if self.draws_partial(1)
            && let Some(atom) = self.partial_atom(body)
        {
            return atom;
        }
        let drawn = self.rng.below(10);
        match drawn {
            0 | 1 => self.rng.below(self.config.values + 1).to_string(),
            2 if self.draws(Construct::Pids, 60) => {
                let word = self.rng.word(["_pid", "_nr_pr"]);
                if body.observer { "_nr_pr" } else { word }.to_string()
            }
            3 if self.draws(Construct::Probes, 60) => match self.any_channel(body) {
                Some(channel) => format!("len({})", channel.name),
                None => "0".to_string(),
            },
            _ => self
                .source(body, |c| c != Class::Symbol)
                .unwrap_or_else(|| "1".to_string()),
        }
    }

    /// An expression whose value is a number. Factors are constants: products stay small.
    pub(super) fn number(&mut self, body: &Body, depth: usize) -> String {
        if depth == 0 || self.rng.chance(25) {
            return self.atom(body);
        }
        let left = self.number(body, depth - 1);
        match self.rng.below(12) {
            0 => format!("({left} * {})", self.rng.within(2, 3)),
            1 => format!("({left} / {})", self.rng.within(1, 2)),
            2 => format!("({left} % {})", self.rng.within(2, 3)),
            3 => format!("({left} {} 1)", self.rng.word(["<<", ">>"])),
            4 => format!("({}{left})", self.rng.word(["-", "~"])),
            5 if !body.observer => {
                let condition = self.condition(body, depth - 1, false);
                let right = self.number(body, depth - 1);
                format!("({condition} -> {left} : {right})")
            }
            _ => {
                let operator = self.rng.word(["+", "-", "&", "|", "^"]);
                format!("({left} {operator} {})", self.number(body, depth - 1))
            }
        }
    }

    /// A condition; questions about channels only where they may stand, which is under `&&` and `||` alone.
    pub(super) fn condition(&mut self, body: &Body, depth: usize, probes: bool) -> String {
        if self.draws_partial(2)
            && let Some(condition) = self.guarded(body)
        {
            return condition;
        }
        if depth > 0 && self.rng.chance(30) {
            let left = self.condition(body, depth - 1, probes);
            return match self.rng.below(5) {
                0 => format!("!({})", self.condition(body, depth - 1, false)),
                1 | 2 => format!("({left} && {})", self.condition(body, depth - 1, probes)),
                _ => format!("({left} || {})", self.condition(body, depth - 1, probes)),
            };
        }
        if probes
            && self.rng.chance(30)
            && let Some(question) = self.question(body)
        {
            return question;
        }
        if !self.symbols.is_empty() && self.rng.chance(15) {
            let operator = self.rng.word(["==", "!="]);
            let left = self.source(body, |c| c == Class::Symbol);
            let left = left.unwrap_or_else(|| self.symbols[0].clone());
            return format!("({left} {operator} {})", self.symbol(body));
        }
        let operator = self
            .rng
            .word(["==", "!=", "<", "<=", ">", ">=", "==", "!="]);
        let left = self.number(body, depth.min(1));
        format!("({left} {operator} {})", self.atom(body))
    }

    /// A condition over globals only.
    pub(super) fn global_condition(&mut self) -> String {
        self.condition(&Body::observer(), 1, false)
    }

    /// Some channel that can be used here.
    pub(super) fn any_channel(&mut self, body: &Body) -> Option<Channel> {
        let channels: Vec<&Channel> = self.channels.iter().chain(&body.channels).collect();
        self.rng.pick(&channels).map(|&c| c.clone())
    }

    /// `empty(c)` and the like, or a poll of a buffered channel.
    fn question(&mut self, body: &Body) -> Option<String> {
        let channel = self.any_channel(body)?;
        if channel.capacity > 0 && channel.structure.is_none() && self.draws(Construct::Polls, 50) {
            let random = if self.draws(Construct::Sorted, 40) {
                "??"
            } else {
                "?"
            };
            let arguments = self.patterns(&channel, body);
            return Some(format!("{}{random}[{arguments}]", channel.name));
        }
        if !self.draws(Construct::Probes, 100) {
            return None;
        }
        let word = self.rng.word(["empty", "nempty", "full", "nfull"]);
        Some(format!("{word}({})", channel.name))
    }

    /// What a message is matched against: constants, values to be met, and variables to be set.
    pub(super) fn patterns(&mut self, channel: &Channel, body: &Body) -> String {
        let mut patterns: Vec<String> = Vec::new();
        for &field in &channel.fields {
            // A variable can be received into only once.
            let class = |v: &Variable| {
                (v.class == Class::Symbol) == (field == Class::Symbol)
                    && !patterns.contains(&v.name)
            };
            let pattern = match self.rng.below(6) {
                0 if field == Class::Symbol => self.rng.pick(&self.symbols).cloned(),
                0 => Some(self.rng.below(self.config.values).to_string()),
                1 => Some(format!("eval({})", self.field(field, body))),
                2 => Some("_".to_string()),
                _ => self.target(body, class),
            };
            patterns.push(pattern.unwrap_or_else(|| "_".to_string()));
        }
        match patterns.as_slice() {
            // A pattern with an index or a closing bracket cannot be followed by `(`.
            [first, rest @ ..] if !rest.is_empty() && first.starts_with('m') => {
                format!("{first}({})", rest.join(", "))
            }
            _ => patterns.join(", "),
        }
    }
}
