//! What a random model declares: types, constants, variables, channels, inlines, and the headers of its proctypes.

use crate::body::Body;
use crate::{Config, Construct, RandomModel, Rng};

/// A variable that holds a number.
#[derive(Clone, Debug)]
pub(super) struct Variable {
    /// How it is written, up to an index: `g0`, `t.f`, `a`.
    pub(super) name: String,
    /// The number of elements, for an array.
    pub(super) elements: Option<usize>,
    pub(super) class: Class,
}

/// What a variable can hold.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) enum Class {
    /// Numbers that are never negative: can be an index.
    Natural,
    /// Numbers.
    Signed,
    /// Symbolic constants.
    Symbol,
}

/// A channel.
#[derive(Clone, Debug)]
pub(super) struct Channel {
    pub(super) name: String,
    pub(super) capacity: usize,
    pub(super) fields: Vec<Class>,
    /// The structure variable that its messages fit, if they are structures.
    pub(super) structure: Option<String>,
}

/// An inline: its name and number of parameters. Every parameter but the last is only read.
#[derive(Clone, Debug)]
pub(super) struct Inline {
    pub(super) name: String,
    pub(super) parameters: usize,
}

/// The header of a proctype.
#[derive(Clone, Debug)]
pub(super) struct Header {
    pub(super) name: String,
    /// Whether it has a number as its parameter.
    pub(super) number: bool,
    /// The channel shape that its second parameter fits.
    pub(super) channel: Option<Channel>,
    /// How many start by themselves.
    pub(super) active: usize,
}

/// A label that can be named from outside.
#[derive(Clone, Debug)]
pub(super) struct Place {
    pub(super) proctype: String,
    pub(super) pid: Option<usize>,
    pub(super) label: String,
}

/// The model under construction.
pub(super) struct World<'c> {
    pub(super) rng: Rng,
    pub(super) config: &'c Config,
    pub(super) text: String,
    pub(super) globals: Vec<Variable>,
    pub(super) channels: Vec<Channel>,
    pub(super) symbols: Vec<String>,
    pub(super) inlines: Vec<Inline>,
    pub(super) headers: Vec<Header>,
    pub(super) places: Vec<Place>,
    /// The bound on processes under which new ones are started.
    pub(super) crowd: usize,
    /// How many proctypes have been written: only these can be named.
    pub(super) written: usize,
    /// The channel that the late channel variable will hold.
    pub(super) late: Option<String>,
}

impl<'c> World<'c> {
    pub(super) fn new(rng: Rng, config: &'c Config) -> World<'c> {
        World {
            rng,
            config,
            text: String::new(),
            globals: Vec::new(),
            channels: Vec::new(),
            symbols: Vec::new(),
            inlines: Vec::new(),
            headers: Vec::new(),
            places: Vec::new(),
            crowd: 0,
            written: 0,
            late: None,
        }
    }

    /// Whether a construct is allowed and drawn.
    pub(super) fn draws(&mut self, construct: Construct, percent: usize) -> bool {
        self.config.has(construct) && self.rng.chance(percent)
    }

    pub(super) fn model(mut self) -> RandomModel {
        self.mtypes();
        self.variables();
        self.structures();
        self.channel_declarations();
        self.late_channel();
        self.inline_definitions();
        self.headers();
        self.proctypes();
        let formulas = (0..self.config.formulas).map(|_| self.formula()).collect();
        RandomModel {
            text: self.text,
            formulas,
        }
    }

    fn mtypes(&mut self) {
        if !self.draws(Construct::Mtypes, 90) {
            return;
        }
        let count = self.rng.within(2, 3);
        self.symbols = (0..count).map(|i| format!("m{i}")).collect();
        self.line(&format!("mtype = {{ {} }};", self.symbols.join(", ")));
        self.line(&format!("mtype s0 = {};", self.symbols[0]));
        self.globals.push(Variable {
            name: "s0".to_string(),
            elements: None,
            class: Class::Symbol,
        });
    }

    fn variables(&mut self) {
        let count = self.rng.within(1, self.config.globals.max(1));
        for index in 0..count {
            let (ty, class) = match self.rng.below(10) {
                0 => ("bit", Class::Natural),
                1 => ("bool", Class::Natural),
                2 => ("short", Class::Signed),
                3 => ("int", Class::Signed),
                4 => ("unsigned", Class::Natural),
                _ => ("byte", Class::Natural),
            };
            let name = format!("g{index}");
            let width = if ty == "unsigned" { " : 2" } else { "" };
            let elements = self
                .draws(Construct::Arrays, 35)
                .then(|| self.rng.within(1, 3));
            let elements = elements.filter(|_| width.is_empty());
            let size = elements.map_or(String::new(), |n| format!("[{n}]"));
            let value = if self.rng.chance(40) { " = 1" } else { "" };
            self.line(&format!("{ty} {name}{size}{width}{value};"));
            self.globals.push(Variable {
                name,
                elements,
                class,
            });
        }
    }

    fn structures(&mut self) {
        if !self.draws(Construct::Typedefs, 80) {
            return;
        }
        let array = self.config.has(Construct::Arrays);
        let size = if array { "[2]" } else { "" };
        self.line(&format!("typedef T {{ byte f; bit g{size} }}"));
        self.line("typedef M { byte k; bit v }");
        self.line("T t;");
        self.line("M w;");
        let field = |name: &str, elements| Variable {
            name: name.to_string(),
            elements,
            class: Class::Natural,
        };
        self.globals.push(field("t.f", None));
        self.globals.push(field("t.g", array.then_some(2)));
        self.globals.push(field("w.k", None));
        if self.draws(Construct::Arrays, 40) {
            self.line("typedef N { T inner[2] }");
            self.line("N n;");
            self.globals.push(field("n.inner[1].f", None));
            self.globals.push(field("n.inner[0].g", Some(2)));
        }
    }

    fn channel_declarations(&mut self) {
        let count = self.rng.within(0, self.config.channels);
        for index in 0..count {
            let name = format!("c{index}");
            let mut channel = self.channel(name);
            if self.text.contains("typedef M") && self.rng.chance(30) {
                channel.fields = vec![Class::Natural, Class::Natural];
                channel.structure = Some("w".to_string());
                channel.capacity = channel.capacity.max(1);
            }
            let declaration = channel.declaration();
            self.line(&declaration);
            self.channels.push(channel);
        }
    }

    /// A channel that is not declared yet.
    pub(super) fn channel(&mut self, name: String) -> Channel {
        let least = usize::from(!self.config.has(Construct::Rendezvous));
        let capacity = self.rng.within(least, self.config.capacity.max(1));
        let count = self.rng.within(1, 2);
        let fields = (0..count)
            .map(|_| match self.rng.below(3) {
                0 if !self.symbols.is_empty() => Class::Symbol,
                1 => Class::Signed,
                _ => Class::Natural,
            })
            .collect();
        Channel {
            name,
            capacity,
            fields,
            structure: None,
        }
    }

    fn inline_definitions(&mut self) {
        if !self.config.has(Construct::Inlines) {
            return;
        }
        for index in 0..self.rng.within(1, 2) {
            let name = format!("f{index}");
            let parameters = self.rng.within(1, 2);
            let names = ["x", "y"];
            let list = names[..parameters].join(", ");
            self.line(&format!("inline {name}({list}) {{"));
            let mut body = Body::inline(&names[..parameters]);
            self.inline_body(&mut body);
            body.write(&mut self.text);
            self.line("}");
            self.inlines.push(Inline { name, parameters });
        }
    }

    fn headers(&mut self) {
        let count = self.rng.within(1, self.config.processes.max(1));
        for index in 0..count {
            let started = self.draws(Construct::Run, 50);
            let instances = 1 + usize::from(self.draws(Construct::Instances, 25));
            let channel = if started && self.draws(Construct::ChanParameters, 50) {
                self.rng.pick(&self.channels).cloned()
            } else {
                None
            };
            self.headers.push(Header {
                name: format!("P{index}"),
                number: self.rng.chance(30),
                channel,
                active: if started { 0 } else { instances },
            });
        }
        self.crowd = self.headers.iter().map(|h| h.active).sum::<usize>() + 3;
    }

    fn proctypes(&mut self) {
        let mut pid = 0;
        for header in self.headers.clone() {
            let mut parameters = Vec::new();
            let mut body = Body::default();
            if header.number {
                parameters.push("byte p".to_string());
                body.locals.push(Variable {
                    name: "p".to_string(),
                    elements: None,
                    class: Class::Natural,
                });
            }
            if let Some(channel) = &header.channel {
                parameters.push("chan q".to_string());
                body.channels.push(Channel {
                    name: "q".to_string(),
                    ..channel.clone()
                });
            }
            let active = match header.active {
                0 => String::new(),
                1 => "active ".to_string(),
                n => format!("active [{n}] "),
            };
            let provided = if self.draws(Construct::Provided, 20) {
                format!(" provided ({})", self.global_condition())
            } else {
                String::new()
            };
            let parameters = parameters.join("; ");
            let name = &header.name;
            self.line(&format!(
                "{active}proctype {name}({parameters}){provided} {{"
            ));
            self.proctype_body(&mut body);
            self.finish_body(body, name, (header.active > 0).then_some(pid));
            pid += header.active;
            self.written += 1;
        }
        // Without a process nothing would start the others.
        if self.headers.iter().any(|h| h.active == 0) || self.rng.chance(10) {
            self.line("init {");
            let mut body = Body::default();
            self.init_body(&mut body);
            self.finish_body(body, ":init:", None);
        }
    }

    fn finish_body(&mut self, mut body: Body, name: &str, pid: Option<usize>) {
        for label in body.place_labels(&mut self.rng, self.config) {
            if name != ":init:" {
                self.places.push(Place {
                    proctype: name.to_string(),
                    pid,
                    label,
                });
            }
        }
        body.write(&mut self.text);
        self.line("}");
    }

    pub(super) fn line(&mut self, line: &str) {
        self.text.push_str(line);
        self.text.push('\n');
    }
}

impl Channel {
    /// `chan c0 = [1] of { byte, mtype };`
    pub(super) fn declaration(&self) -> String {
        let fields: Vec<&str> = match self.structure {
            Some(_) => vec!["M"],
            None => self.fields.iter().map(|f| f.field_type()).collect(),
        };
        let (name, capacity) = (&self.name, self.capacity);
        format!("chan {name} = [{capacity}] of {{ {} }};", fields.join(", "))
    }
}

impl Class {
    fn field_type(self) -> &'static str {
        match self {
            Class::Natural => "byte",
            Class::Signed => "short",
            Class::Symbol => "mtype",
        }
    }
}
