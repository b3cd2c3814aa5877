//! Small models in which order matters.
//!
//! The models of [`crate::swarm`] cover the language; in few of them does it matter who goes first. Here it nearly always
//! does: two to four short processes share a few variables and channels, stop in the middle of `atomic` sequences, watch
//! each other, and assert what only some orders make true. A search that leaves out an order it must not leave out is found
//! out by about every hundredth of them.

use crate::{RandomModel, Rng};

/// The model that belongs to a seed.
pub fn races(seed: u64) -> RandomModel {
    // Not the numbers of the other kinds of model.
    Race::new(Rng::seeded(seed ^ 0x7ace_0000_0000_0000)).model()
}

/// Like [`races`], but the processes are started by `run`, with arguments, by `init` and by each other; they end, and some
/// of them can tell what numbers they have.
pub fn starts(seed: u64) -> RandomModel {
    let mut race = Race::new(Rng::seeded(seed ^ 0x57a2_0000_0000_0000));
    race.starts = true;
    race.tells = race.rng.chance(35);
    // Nobody goes on starting processes for ever.
    race.loops = false;
    race.processes = race.processes.min(3);
    race.model()
}

/// Like [`starts`], but the channels are made by the processes and handed to those that they start, in loops that count as
/// well. Some tell the numbers of channels, leave one in a variable of all processes, or send it in a message.
pub fn makers(seed: u64) -> RandomModel {
    let mut race = Race::new(Rng::seeded(seed ^ 0x3a4e_0000_0000_0000));
    race.starts = true;
    race.tells = race.rng.chance(15);
    race.numbers = race.rng.chance(20);
    race.escapes = race.rng.chance(25);
    race.loops = false;
    race.processes = race.processes.min(3);
    race.channels.clear();
    let count = race.rng.within(1, 2);
    race.made = (0..count)
        .map(|_| race.rng.below(3).min(race.rng.within(0, 2)))
        .collect();
    race.model()
}

/// Like [`races`], with a `trace` or `notrace` of their channels.
pub fn traces(seed: u64) -> RandomModel {
    let mut race = Race::new(Rng::seeded(seed ^ 0x72ac_0000_0000_0000));
    if race.channels.is_empty() {
        race.channels = vec![1, 1];
    }
    let trace = race.trace();
    let mut model = race.model();
    model.text.push_str(&trace);
    model
}

struct Race {
    rng: Rng,
    /// Whether processes are started by `run`; whether they tell their numbers.
    starts: bool,
    tells: bool,
    /// Capacities of the channels that each process makes.
    made: Vec<usize>,
    /// Whether processes tell the numbers of channels; whether they leave channels where all can take them.
    numbers: bool,
    escapes: bool,
    /// The first process that the one at hand may start.
    next: usize,
    globals: usize,
    /// Capacity of each channel.
    channels: Vec<usize>,
    processes: usize,
    /// Whether processes go round.
    loops: bool,
    /// Labels of the process at hand; all labels.
    labels: Vec<String>,
    all_labels: Vec<String>,
}

impl Race {
    fn new(mut rng: Rng) -> Race {
        let channels = rng.within(0, 2);
        let rendezvous = rng.chance(25);
        Race {
            globals: rng.within(1, 3),
            channels: (0..channels)
                .map(|_| {
                    if rendezvous && rng.chance(60) {
                        0
                    } else {
                        rng.within(1, 2)
                    }
                })
                .collect(),
            processes: rng.within(2, 4),
            loops: rng.chance(40),
            labels: Vec::new(),
            all_labels: Vec::new(),
            starts: false,
            tells: false,
            made: Vec::new(),
            numbers: false,
            escapes: false,
            next: 0,
            rng,
        }
    }

    fn model(mut self) -> RandomModel {
        let mut text = String::new();
        for g in 0..self.globals {
            text.push_str(&format!("byte g{g};\n"));
        }
        for (index, capacity) in self.channels.iter().enumerate() {
            text.push_str(&format!("chan c{index} = [{capacity}] of {{ byte }};\n"));
        }
        if self.escapes {
            text.push_str("chan left;\nchan mail = [1] of { chan };\n");
        }
        for p in 0..self.processes {
            self.next = p + 1;
            let body = self.body();
            let provided = if self.rng.chance(4) {
                format!(" provided ({} != {})", self.global(), self.rng.within(1, 2))
            } else {
                String::new()
            };
            let head = match self.starts {
                false => format!("active proctype P{p}(){provided} {{\n  byte l, v;"),
                true => {
                    let first = match self.rng.below(3) {
                        0 => self.global(),
                        _ => "a".to_owned(),
                    };
                    let (parameters, made) = match self.made.is_empty() {
                        true => ("byte a", String::new()),
                        false => ("chan p; byte a", self.declarations()),
                    };
                    format!(
                        "proctype P{p}({parameters}){provided} {{\n  byte l = {first}, v = a;{made}"
                    )
                }
            };
            text.push_str(&format!("{head}\n{body}}}\n"));
            let named = self.labels.drain(..).map(|l| format!("P{p}@{l}"));
            self.all_labels.extend(named);
        }
        if self.starts {
            text.push_str(&self.init());
        }
        let formulas = (0..self.rng.within(1, 2))
            .map(|_| self.formula(3))
            .collect();
        RandomModel { text, formulas }
    }

    fn trace(&mut self) -> String {
        let word = self.rng.word(["trace", "notrace"]);
        let (first, second, third) = (self.event(), self.event(), self.event());
        let rest = match self.rng.below(3) {
            0 => format!("{first}; {second}"),
            1 => format!("do :: {first} -> break :: {third} od; {second}"),
            _ => format!("do :: {first} -> {second} :: {third} od"),
        };
        format!("{word} {{ {rest} }}\n")
    }

    fn event(&mut self) -> String {
        let channel = self.rng.below(self.channels.len());
        let op = self.rng.word(["!", "?"]);
        format!("c{channel}{op}{}", self.rng.below(3))
    }

    fn init(&mut self) -> String {
        self.next = 0;
        let mut statements = Vec::new();
        for _ in 0..self.rng.within(2, 3) {
            statements.push(self.start());
            if self.rng.chance(40) {
                statements.push(self.statement());
            }
        }
        let block = statements.join(";\n  ");
        let made = match self.made.is_empty() {
            true => String::new(),
            false => format!(" chan p = [1] of {{ byte }};{}", self.declarations()),
        };
        match self.rng.below(4) {
            0 => format!("init {{\n  byte l, v;{made}\n  atomic {{ {block} }}\n}}\n"),
            _ => format!("init {{\n  byte l, v;{made}\n  {block}\n}}\n"),
        }
    }

    /// The channels that a process makes, and what it may need for them.
    fn declarations(&self) -> String {
        let made = self.made.iter().zip(["c", "d"]);
        let made =
            made.map(|(capacity, name)| format!(" chan {name} = [{capacity}] of {{ byte }};"));
        let other = if self.escapes { " chan e;" } else { "" };
        format!("{} byte i;{other}", made.collect::<String>())
    }

    /// Something about the channels themselves.
    fn about_channels(&mut self) -> String {
        let (a, b) = (self.own_channel(), self.own_channel());
        match self.rng.below(4) {
            0 | 1 if self.escapes => match self.rng.below(6) {
                0 => format!("left = {a}"),
                1 => "(left != 0)".to_owned(),
                2 => format!("if :: (left != 0) -> left!{} :: else fi", self.rng.below(3)),
                3 => format!("mail!{a}"),
                4 => "mail?e".to_owned(),
                _ => "if :: (e != 0) -> e!1 :: else fi".to_owned(),
            },
            0 | 1 if self.numbers => {
                format!("if :: ({a} < {b}) -> {} :: else fi", self.assignment())
            }
            2 if self.numbers => format!("assert({a} < 3 || {})", self.comparison()),
            _ => format!("if :: ({a} != {b}) -> {} :: else fi", self.assignment()),
        }
    }

    fn own_channel(&mut self) -> String {
        let names = ["p", "c", "d"];
        let name = names[self.rng.below(self.made.len() + 1)];
        name.to_owned()
    }

    /// Starts a process, if the one at hand may.
    fn start(&mut self) -> String {
        if self.next >= self.processes {
            return self.telling();
        }
        let started = self.rng.within(self.next, self.processes - 1);
        let argument = match self.rng.below(3) {
            0 => self.global(),
            _ => self.rng.below(3).to_string(),
        };
        let channel = match self.made.is_empty() {
            true => String::new(),
            false => format!("{}, ", self.own_channel()),
        };
        let run = format!("run P{started}({channel}{argument})");
        match self.rng.below(100) {
            0..30 if self.tells => format!("v = {run}"),
            30..50 if !self.made.is_empty() => {
                format!("i = 0; do :: i < 2 -> {run}; i++ :: else -> break od")
            }
            _ => run,
        }
    }

    /// Something that depends on the numbers of processes, or that two processes have to agree on.
    fn telling(&mut self) -> String {
        match (self.rng.below(3), self.channel()) {
            (0, _) if self.tells => format!("{} = _pid % 3", self.global()),
            (1, _) if self.tells => format!("{} = _nr_pr % 3", self.global()),
            (0, Some(c)) => format!("{c}?eval(l)"),
            (1, Some(c)) => format!("{c}!v"),
            _ => self.simple(),
        }
    }

    fn body(&mut self) -> String {
        let count = self.rng.within(1, 4);
        let statements: Vec<String> = (0..count).map(|_| self.labelled()).collect();
        let block = statements.join(";\n  ");
        if self.loops && self.rng.chance(50) {
            let way_out = match self.rng.below(4) {
                0 => format!(" :: {} -> break", self.guard()),
                1 => format!(" :: {}", self.statement()),
                _ => String::new(),
            };
            format!("  do :: {block}{way_out} od\n")
        } else {
            format!("  {block}\n")
        }
    }

    fn labelled(&mut self) -> String {
        let statement = self.statement();
        if !self.rng.chance(20) {
            return statement;
        }
        let label = format!("s{}", self.labels.len());
        self.labels.push(label.clone());
        format!("{label}: {statement}")
    }

    fn statement(&mut self) -> String {
        if !self.made.is_empty() && self.rng.chance(12) {
            return self.about_channels();
        }
        if self.starts && self.rng.chance(25) {
            return match self.rng.chance(50) {
                true => self.start(),
                false => self.telling(),
            };
        }
        match self.rng.below(100) {
            0..45 => self.simple(),
            45..60 => {
                let count = self.rng.within(2, 3);
                let parts: Vec<String> = (0..count).map(|_| self.simple()).collect();
                format!("atomic {{ {} }}", parts.join("; "))
            }
            60..66 => format!("d_step {{ {}; {} }}", self.assignment(), self.assignment()),
            66..74 => format!(
                "if :: {} -> {} :: {} fi",
                self.guard(),
                self.simple(),
                self.simple()
            ),
            74..82 => {
                let first = if self.rng.chance(40) {
                    self.guard()
                } else {
                    self.simple()
                };
                format!("if :: {first} :: else -> {} fi", self.simple())
            }
            82..85 => format!("timeout -> {}", self.simple()),
            85..89 => format!(
                "if :: timeout -> {} :: {} fi",
                self.assignment(),
                self.simple()
            ),
            89..93 => format!(
                "{{ {}; {} }} unless {{ {} }}",
                self.simple(),
                self.simple(),
                self.guard()
            ),
            _ => self.assertion(),
        }
    }

    /// A statement without parts.
    fn simple(&mut self) -> String {
        match self.rng.below(100) {
            0..40 => self.assignment(),
            40..50 => self.comparison(),
            50..58 => self.assertion(),
            58..62 => "skip".to_owned(),
            62..80 => match self.channel() {
                Some(c) => {
                    let op = if self.rng.chance(8) { "!!" } else { "!" };
                    format!("{c}{op}{}", self.rng.below(3))
                }
                None => self.assignment(),
            },
            _ => match self.channel() {
                Some(c) => {
                    let op = if self.rng.chance(10) { "??" } else { "?" };
                    let to = match self.rng.below(5) {
                        0 => self.rng.below(3).to_string(),
                        1 => self.global(),
                        _ => "v".to_owned(),
                    };
                    format!("{c}{op}{to}")
                }
                None => self.comparison(),
            },
        }
    }

    fn assignment(&mut self) -> String {
        let target = if self.rng.chance(70) {
            self.global()
        } else {
            "l".to_owned()
        };
        let value = match self.rng.below(5) {
            0 => self.global(),
            1 => self.rng.word(["l", "v"]).to_owned(),
            2 => format!("({} + 1) % 3", self.rng.word(["l", "v"])),
            _ => self.rng.below(3).to_string(),
        };
        format!("{target} = {value}")
    }

    fn assertion(&mut self) -> String {
        format!("assert({} || {})", self.test(), self.test())
    }

    /// What may be a guard.
    fn guard(&mut self) -> String {
        match (self.rng.below(10), self.channel()) {
            (0..2, Some(c)) => format!("{}({c})", self.rng.word(["nempty", "nfull"])),
            // A rendezvous channel cannot be asked.
            (2, Some(c))
                if self
                    .channels
                    .iter()
                    .chain(&self.made)
                    .all(|&capacity| capacity > 0) =>
            {
                format!("{c}?[{}]", self.rng.below(3))
            }
            (3, Some(c)) => format!("{c}?v"),
            (4, Some(c)) => format!(
                "{}({c}) && {}",
                self.rng.word(["empty", "nempty"]),
                self.comparison()
            ),
            _ => self.comparison(),
        }
    }

    fn comparison(&mut self) -> String {
        let variable = if self.rng.chance(80) {
            self.global()
        } else {
            self.rng.word(["l", "v"]).to_owned()
        };
        match self.rng.below(4) {
            0 => format!("({variable} < {})", self.rng.within(1, 2)),
            1 => format!("({variable} >= {})", self.rng.within(1, 2)),
            2 => format!("({variable} != {})", self.rng.below(3)),
            _ => format!("({variable} == {})", self.rng.below(3)),
        }
    }

    /// A condition that may look at a channel.
    fn test(&mut self) -> String {
        match self.channel() {
            Some(c) if self.rng.chance(20) => format!("(len({c}) == {})", self.rng.below(3)),
            _ => self.comparison(),
        }
    }

    fn global(&mut self) -> String {
        format!("g{}", self.rng.below(self.globals))
    }

    fn channel(&mut self) -> Option<String> {
        if !self.made.is_empty() {
            return Some(self.own_channel());
        }
        let count = self.channels.len();
        (count > 0).then(|| format!("c{}", self.rng.below(count)))
    }

    /// A formula without `X`.
    fn formula(&mut self, depth: usize) -> String {
        if depth == 0 || self.rng.chance(15) {
            return self.atom();
        }
        match self.rng.below(9) {
            0 => format!("!({})", self.formula(depth - 1)),
            1 | 2 => format!("[] ({})", self.formula(depth - 1)),
            3 | 4 => format!("<> ({})", self.formula(depth - 1)),
            5 => format!(
                "(({}) U ({}))",
                self.formula(depth - 1),
                self.formula(depth - 1)
            ),
            6 => format!(
                "(({}) -> ({}))",
                self.formula(depth - 1),
                self.formula(depth - 1)
            ),
            7 => format!(
                "(({}) && ({}))",
                self.formula(depth - 1),
                self.formula(depth - 1)
            ),
            _ => format!(
                "(({}) || ({}))",
                self.formula(depth - 1),
                self.formula(depth - 1)
            ),
        }
    }

    fn atom(&mut self) -> String {
        match self.rng.below(10) {
            0..2 if !self.all_labels.is_empty() => {
                let label = self.rng.below(self.all_labels.len());
                self.all_labels[label].clone()
            }
            2 if !self.channels.is_empty() => format!(
                "(len(c{}) == {})",
                self.rng.below(self.channels.len()),
                self.rng.below(2)
            ),
            _ => format!("({} == {})", self.global(), self.rng.below(3)),
        }
    }
}
