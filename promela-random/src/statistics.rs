//! Models with variables that influence little: counters that are only written, logs, chains of assignments between them,
//! fields of messages that nobody reads, parameters, initial values, arrays in arrays, indices and divisors that may fail.
//!
//! What a model computes is drawn from two sets of variables: `x0`… decide about its steps, `w0`… seldom do. A pass that
//! leaves out what influences nothing has to find out which of the second kind do after all: by a guard, an assertion, an
//! index, a message that is compared or sent in order, a formula.

use crate::{RandomModel, Rng};

/// Values are below this.
const VALUES: usize = 3;

struct Writer {
    rng: Rng,
    /// Capacities of the channels; the messages of each have three fields.
    channels: Vec<usize>,
    /// In percent, how often a value that should not matter decides about something.
    leaks: usize,
    /// Whether processes start others, with arguments.
    starts: bool,
}

/// The model that belongs to a seed.
pub fn statistics(seed: u64) -> RandomModel {
    let mut rng = Rng::seeded(seed ^ 0x57a7_0000_0000_0000);
    let channels = (0..rng.within(0, 2)).map(|_| rng.below(3)).collect();
    let leaks = [0, 0, 3, 8][rng.below(4)];
    let mut writer = Writer {
        rng,
        channels,
        leaks,
        starts: false,
    };
    let mut text = "byte x0, x1; byte w0, w1; short w2; byte log[3];\n".to_owned();
    text.push_str("typedef Both { byte a; byte b }; Both r, s[2];\n");
    text.push_str("typedef Rows { Both row[2]; byte n }; Rows t[2];\n");
    for (index, capacity) in writer.channels.iter().enumerate() {
        text.push_str(&format!(
            "chan c{index} = [{capacity}] of {{ byte, byte, byte }};\n"
        ));
    }
    writer.starts = writer.rng.chance(25);
    if writer.starts {
        text.push_str(&writer.started());
    }
    for index in 0..writer.rng.within(1, 3) {
        let copies = ["", "", " [2]"][writer.rng.below(3)];
        text.push_str(&writer.process(index, copies));
    }
    let formulas = (0..2).map(|_| writer.formula()).collect();
    RandomModel { text, formulas }
}

impl Writer {
    fn pick(&mut self, words: &[&str]) -> String {
        words[self.rng.below(words.len())].to_owned()
    }

    fn leak(&mut self) -> bool {
        self.rng.chance(self.leaks)
    }

    fn process(&mut self, index: usize, copies: &str) -> String {
        let count = self.rng.within(2, 5);
        let body = self.sequence(count, 2);
        let body = match self.rng.below(4) {
            0 => body,
            1 => {
                let other = self.sequence(2, 1);
                format!("end: do :: {body} :: {other} od")
            }
            _ => format!("end: do :: {body} od"),
        };
        let first = match self.rng.below(4) {
            0 => format!(" = {}", self.pick(&["w0", "x0", "w0 % 3", "2 / (1 + w0)"])),
            _ => String::new(),
        };
        let start = match self.starts {
            true => format!("run Q({}, {}); ", self.value(true), self.value(false)),
            false => String::new(),
        };
        format!("active{copies} proctype P{index}() {{ byte k; byte u{first}; {start}{body} }}\n")
    }

    /// What the processes start: one parameter decides about steps, the other should not.
    fn started(&mut self) -> String {
        let count = self.rng.within(1, 3);
        let body = self.sequence(count, 1);
        format!("proctype Q(byte u; byte k) {{ {body} }}\n")
    }

    fn sequence(&mut self, count: usize, depth: usize) -> String {
        let statements = (0..count).map(|_| self.statement(depth));
        statements.collect::<Vec<_>>().join("; ")
    }

    /// A variable that decides about steps.
    fn strong(&mut self) -> String {
        self.pick(&["x0", "x1", "x0", "k"])
    }

    /// One that should not.
    fn weak(&mut self) -> String {
        self.pick(&[
            "w0",
            "w1",
            "w2",
            "u",
            "log[1]",
            "r.a",
            "r.b",
            "s[0].b",
            "t[0].n",
            "t[1].row[0].b",
        ])
    }

    fn any(&mut self) -> String {
        match self.rng.chance(50) {
            true => self.strong(),
            false => self.weak(),
        }
    }

    fn value(&mut self, of_any: bool) -> String {
        let one = |writer: &mut Writer| match of_any {
            true => writer.any(),
            false => writer.strong(),
        };
        let (a, b) = (one(self), one(self));
        match self.rng.below(6) {
            0 => a,
            1 => format!("({a} + {b}) % {VALUES}"),
            2 => format!("({a} > 0 -> {b} : 1)"),
            3 => format!("({a} == 1 && {b} != 2)"),
            4 => self.rng.below(VALUES).to_string(),
            _ => format!("({a} + 1) % {VALUES}"),
        }
    }

    fn statement(&mut self, depth: usize) -> String {
        let nested = depth > 0;
        match self.rng.below(if nested { 26 } else { 17 }) {
            0..=1 => {
                let of_any = self.leak();
                format!("{} = {}", self.strong(), self.value(of_any))
            }
            2..=5 => format!("{} = {}", self.weak(), self.value(true)),
            6 => {
                let index = match self.leak() {
                    true => self.any(),
                    false => self.pick(&["x0 % 3", "k % 2", "1", "w0 % 3", "x1"]),
                };
                format!("log[{index}] = {}", self.value(true))
            }
            7 => format!("s[x0 & 1].a = {}", self.value(true)),
            8 => {
                let divisor = match self.leak() {
                    true => self.any(),
                    false => self.pick(&["2", "(x0 + 1)"]),
                };
                format!("{} = 2 / {divisor}", self.weak())
            }
            9 => format!("printf(\"%d %d\", {}, {})", self.any(), self.weak()),
            10 => {
                let variable = match self.leak() {
                    true => self.any(),
                    false => self.strong(),
                };
                let bound = self.rng.below(VALUES);
                match self.rng.chance(30) {
                    true => format!("assert({variable} != {bound})"),
                    false => format!("({variable} <= {bound})"),
                }
            }
            11..=12 => self.send(),
            13..=14 => self.receive(),
            15 => {
                let row = match self.leak() {
                    true => self.any(),
                    false => self.pick(&["x0 & 1", "k & 1", "w0 & 1", "1", "s[w0 & 1].b & 1"]),
                };
                let (other, to) = (self.pick(&["0", "x1 & 1", "w1 & 1"]), self.value(true));
                format!("t[{row}].row[{other}].a = {to}")
            }
            16 => {
                let from = self.pick(&["w0", "x0", "k", "t[1].n"]);
                format!("{} = t[{from} & 1].row[0].a + log[{from} % 3]", self.weak())
            }
            17 => {
                let (variable, most) = (self.pick(&["u", "w0", "k"]), self.rng.within(1, 2));
                format!("select ({variable} : 0 .. {most})")
            }
            18 => {
                let body = self.sequence(1, 0);
                let variable = self.pick(&["u", "w0", "k"]);
                match self.rng.chance(70) {
                    // The body may write the variable: only inside a bound on rounds.
                    true => format!(
                        "{variable} = 0; do :: {variable} < 2 -> {variable}++ :: else -> break od; {body}"
                    ),
                    false => format!(
                        "for ({variable} : 0 .. 1) {{ log[{variable} & 1] = w1; s[{variable} & 1].a = x0 }}"
                    ),
                }
            }
            19 => {
                let (a, b) = (self.weak(), self.value(true));
                let (c, d) = (self.weak(), self.weak());
                format!("if :: {a} = {b} :: {c} = {d} fi")
            }
            20..=21 => {
                let condition = match self.leak() {
                    true => self.any(),
                    false => self.strong(),
                };
                let (yes, no) = (self.sequence(1, depth - 1), self.sequence(1, depth - 1));
                format!("if :: {condition} == 1 -> {yes} :: else -> {no} fi")
            }
            22..=23 => {
                let count = self.rng.within(1, 2);
                format!("atomic {{ {} }}", self.sequence(count, 0))
            }
            24 => {
                let (a, b) = (self.weak(), self.any());
                let (c, d) = (self.value(true), self.value(false));
                format!("d_step {{ {a} = {c}; {b} = {d}; if :: x0 > 1 -> w1 = 0 :: else fi }}")
            }
            _ => {
                let value = self.value(true);
                format!(
                    "d_step {{ u = 0; do :: u < 2 -> log[u] = {value}; u++ :: else -> break od }}"
                )
            }
        }
    }

    fn send(&mut self) -> String {
        let Some(channel) = self.channel() else {
            return "skip".to_owned();
        };
        let operator = if self.leak() { "!!" } else { "!" };
        let of_any = self.leak();
        let first = self.value(of_any);
        format!(
            "c{channel}{operator}{first},{},{}",
            self.value(true),
            self.value(true)
        )
    }

    fn receive(&mut self) -> String {
        let Some(channel) = self.channel() else {
            return "skip".to_owned();
        };
        let second = match self.leak() {
            true => self.pick(&["1", "x1", "eval(w0)"]),
            false => self.pick(&["_", "w0", "u", "r.a"]),
        };
        let first = self.pick(&["x0", "k", "1", "_", "eval(x1)"]);
        let third = self.pick(&["_", "_", "w1", "log[x0 % 3]"]);
        let is_buffered = self.channels[channel] > 0;
        match self.rng.below(8) {
            0 => format!("c{channel}??{first},{second},{third}"),
            1 if is_buffered => format!("c{channel}?<{first},{second},{third}>"),
            2 if is_buffered => format!("w1 = c{channel}?[1,_,_] + len(c{channel})"),
            _ => format!("c{channel}?{first},{second},{third}"),
        }
    }

    fn channel(&mut self) -> Option<usize> {
        match self.channels.len() {
            0 => None,
            count => Some(self.rng.below(count)),
        }
    }

    fn formula(&mut self) -> String {
        let atom = |writer: &mut Writer| {
            let variable = match writer.rng.chance(35) {
                true => writer.pick(&["w0", "w1", "w2", "log[1]", "r.a", "P0:u"]),
                false => writer.pick(&["x0", "x1", "P0:k"]),
            };
            format!("({variable} == {})", writer.rng.below(VALUES))
        };
        let (p, q) = (atom(self), atom(self));
        match self.rng.below(6) {
            0 => format!("[] !{p}"),
            1 => format!("<> {p}"),
            2 => format!("[] <> {p}"),
            3 => format!("<> [] {p}"),
            4 => format!("[] ({p} -> <> {q})"),
            _ => format!("{p} U {q}"),
        }
    }
}
