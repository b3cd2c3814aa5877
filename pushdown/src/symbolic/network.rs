//! Symbolic networks: labels, rules with relations, initial sets, targets; and concrete runs, with their checker.

use super::space::{Bdd, Bit, Bits, Copy, Rename, Result, Space};
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// A label: the part of a stack symbol that is not locals.
pub type Label = u32;

/// What a rule does with the topmost frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Action {
    /// Removes it.
    Pop,
    /// Changes its label and locals.
    Internal(Label),
    /// Changes it and puts a frame on top.
    Push {
        /// The label of the new topmost frame. All its locals are `Next` bits of the relation.
        callee: Label,
        /// The new label of the frame below. Its locals are `Other` bits.
        ret: Label,
    },
    /// Changes it and creates a thread.
    Spawn {
        /// The new label of the topmost frame. Its locals are `Next` bits.
        next: Label,
        /// The label of the new thread's only frame. All its locals are `Other` bits of the relation.
        entry: Label,
    },
}

/// A symbolic rule.
///
/// The relation is over the `Now` bits of globals and locals, the `Next` bits of `changed` globals, and the bits of frames
/// that the action names. Bits of the old frame that are not `changed` keep their values; globals likewise.
#[derive(Debug)]
pub struct Rule {
    /// The label of the topmost frame.
    pub from: Label,
    /// What happens to the stack.
    pub action: Action,
    /// Which values are possible.
    pub relation: Bdd,
    /// The globals and locals that may change.
    pub changed: Vec<Bit>,
    cube: Bdd,
    rename: Rename,
}

/// A condition on the stack of one thread.
#[derive(Clone, Debug)]
pub enum Top {
    /// Any stack.
    Any,
    /// The empty stack.
    Empty,
    /// The topmost frame has this label, and globals and locals (`Now`) satisfy the condition.
    At(Label, Bdd),
}

/// Configurations that must not be reached.
#[derive(Clone, Debug)]
pub enum Target {
    /// A condition on globals and on the initial threads.
    Visible {
        /// The globals (`Now`).
        shared: Bdd,
        /// One condition for each thread.
        tops: Vec<Top>,
    },
    /// The topmost frame of some thread, initial or created and scheduled, has this label, and globals and locals satisfy
    /// the condition.
    SomeThread(Label, Bdd),
}

/// A symbolic network.
#[derive(Debug)]
pub struct Network {
    /// The BDD variables.
    pub space: Rc<Space>,
    /// The number of labels.
    pub labels: u32,
    /// The rules of all threads.
    pub rules: Vec<Rule>,
    /// The initial globals (`Now`).
    pub globals: Bdd,
    /// The globals (`Now`) with which a context may end; everything unless said. A run that is not at one of them goes on with
    /// the same thread.
    pub resting: Bdd,
    /// The initial stacks, topmost frame first: labels with sets of locals (`Now`).
    pub threads: Vec<Vec<(Label, Bdd)>>,
    from: FxHashMap<Label, Vec<usize>>,
    pub(crate) names: Names,
}

/// Replacements and quantifications that the algorithms share.
#[derive(Debug)]
pub(crate) struct Names {
    /// Entry of the caller to entry of the callee, globals and locals.
    pub(crate) b_to_a: Rename,
    /// And back.
    pub(crate) a_to_b: Rename,
    /// Globals: now to start of the context.
    pub(crate) now_to_start: Rename,
    /// Globals: start of the context to entry of the callee.
    pub(crate) start_to_a: Rename,
    /// Globals now.
    pub(crate) globals: Bdd,
    /// Globals at the start of the context.
    pub(crate) start: Bdd,
    /// Locals now.
    pub(crate) locals: Bdd,
    /// Entry of the callee.
    pub(crate) a: Bdd,
    /// Locals now and the entry of the caller.
    pub(crate) locals_b: Bdd,
    /// Start of the context, locals now, and the entry of the caller.
    pub(crate) start_locals_b: Bdd,
    /// Globals and locals now are those at the entry `B`.
    pub(crate) at_entry: Bdd,
    /// Globals now are those at the start of the context.
    pub(crate) at_start: Bdd,
}

impl Names {
    fn new(space: &Space) -> Result<Names> {
        let globals: Vec<Bit> = space.global_bits().collect();
        let locals: Vec<Bit> = space.local_bits().collect();
        let all: Vec<Bit> = globals.iter().chain(&locals).copied().collect();
        let copies = |bits: &[Bit], copy| space.copies(bits.iter().copied(), copy);
        let pairs =
            |bits: &[Bit], a, b| space.renaming(copies(bits, a).into_iter().zip(copies(bits, b)));
        let locals_b = [copies(&locals, Copy::Now), copies(&all, Copy::B)].concat();
        let start_locals_b = [copies(&globals, Copy::Start), locals_b.clone()].concat();
        Ok(Names {
            b_to_a: pairs(&all, Copy::B, Copy::A),
            a_to_b: pairs(&all, Copy::A, Copy::B),
            now_to_start: pairs(&globals, Copy::Now, Copy::Start),
            start_to_a: pairs(&globals, Copy::Start, Copy::A),
            globals: space.cube(copies(&globals, Copy::Now))?,
            start: space.cube(copies(&globals, Copy::Start))?,
            locals: space.cube(copies(&locals, Copy::Now))?,
            a: space.cube(copies(&all, Copy::A))?,
            locals_b: space.cube(locals_b)?,
            start_locals_b: space.cube(start_locals_b)?,
            at_entry: space.equal(all, Copy::Now, Copy::B)?,
            at_start: space.equal(globals, Copy::Now, Copy::Start)?,
        })
    }
}

impl Rule {
    /// A rule; see the type for what the relation means.
    pub fn new(
        space: &Space,
        from: Label,
        action: Action,
        relation: Bdd,
        changed: Vec<Bit>,
    ) -> Result<Rule> {
        let is_changed = |bit: &Bit| changed.contains(bit);
        let number = |bit: Bit, copy| space.number(bit, copy);
        let (globals, locals) = (space.global_bits(), space.local_bits());
        let changed_globals: Vec<Bit> = globals.filter(is_changed).collect();
        let changed_locals: Vec<Bit> = space.local_bits().filter(is_changed).collect();
        let mut cube = space.copies(changed_globals.iter().copied(), Copy::Now);
        let mut pairs = Vec::new();
        match action {
            Action::Pop => {
                cube.extend(space.copies(locals, Copy::Now));
                pairs.extend(
                    changed_globals
                        .iter()
                        .map(|b| (number(*b, Copy::Next), number(*b, Copy::Now))),
                );
            }
            Action::Internal(_) | Action::Spawn { .. } => {
                cube.extend(space.copies(changed_locals.iter().copied(), Copy::Now));
                let both = changed_globals.iter().chain(&changed_locals);
                pairs.extend(both.map(|b| (number(*b, Copy::Next), number(*b, Copy::Now))));
            }
            Action::Push { .. } => {
                cube.extend(space.copies(changed_locals.iter().copied(), Copy::Now));
                pairs.extend(space.global_bits().map(|b| {
                    let source = if is_changed(&b) {
                        Copy::Next
                    } else {
                        Copy::Now
                    };
                    (number(b, source), number(b, Copy::A))
                }));
                pairs.extend(locals.map(|b| (number(b, Copy::Next), number(b, Copy::A))));
                pairs.extend(
                    changed_locals
                        .iter()
                        .map(|b| (number(*b, Copy::Other), number(*b, Copy::Now))),
                );
            }
        }
        let cube = space.cube(cube)?;
        let rename = space.renaming(pairs);
        Ok(Rule {
            from,
            action,
            relation,
            changed,
            cube,
            rename,
        })
    }
}

/// A frame of a concrete stack.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Frame {
    /// The label.
    pub label: Label,
    /// The local bits.
    pub locals: Bits,
}

/// A concrete configuration.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Configuration {
    /// The global bits.
    pub globals: Bits,
    /// The stacks, topmost frame first.
    pub stacks: Vec<Vec<Frame>>,
}

/// A concrete step: a thread, a rule, and the values that it chooses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// The thread; created threads follow the initial ones.
    pub thread: usize,
    /// The index of the rule.
    pub rule: usize,
    /// The globals after the step.
    pub globals: Bits,
    /// The locals of the topmost frame after the step; for a pop they do not matter.
    pub locals: Bits,
    /// The locals of the other frame that the rule makes, if there is one.
    pub other: Bits,
}

/// A concrete run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Run {
    /// Where it starts.
    pub start: Configuration,
    /// Its steps.
    pub steps: Vec<Step>,
}

impl Run {
    /// The number of contexts.
    pub fn contexts(&self) -> usize {
        let switches = self
            .steps
            .windows(2)
            .filter(|pair| pair[0].thread != pair[1].thread);
        switches.count() + usize::from(!self.steps.is_empty())
    }
}

impl Network {
    /// A network without rules, threads and restrictions of the initial globals.
    pub fn new(space: Rc<Space>, labels: u32) -> Result<Network> {
        let names = Names::new(&space)?;
        let globals = space.all();
        let resting = space.all();
        let (rules, threads, from) = (Vec::new(), Vec::new(), FxHashMap::default());
        Ok(Network {
            space,
            labels,
            rules,
            globals,
            resting,
            threads,
            from,
            names,
        })
    }

    /// Adds a rule.
    pub fn add(
        &mut self,
        from: Label,
        action: Action,
        relation: Bdd,
        changed: Vec<Bit>,
    ) -> Result<()> {
        let rule = Rule::new(&self.space, from, action, relation, changed)?;
        self.from.entry(from).or_default().push(self.rules.len());
        self.rules.push(rule);
        Ok(())
    }

    /// Whether a rule can create threads.
    pub fn spawns(&self) -> bool {
        let spawn = |rule: &Rule| matches!(rule.action, Action::Spawn { .. });
        self.rules.iter().any(spawn)
    }

    /// The rules for a label.
    pub(crate) fn rules_from(&self, label: Label) -> &[usize] {
        self.from.get(&label).map_or(&[], |rules| rules)
    }

    /// What a rule makes of a set of heads: see [`super::saturation`] for what the variables of the result mean.
    pub(crate) fn image(&self, rule: usize, heads: &Bdd) -> Result<Bdd> {
        let rule = &self.rules[rule];
        let after = self.space.and_exists(heads, &rule.relation, &rule.cube)?;
        self.space.rename(&after, &rule.rename)
    }

    /// The configuration after a step, or why the step cannot be made. It looks at the relation of the rule and at nothing
    /// that the algorithms computed.
    pub fn step(
        &self,
        from: &Configuration,
        step: &Step,
    ) -> std::result::Result<Configuration, String> {
        let space = &self.space;
        let rule = self.rules.get(step.rule).ok_or("there is no such rule")?;
        let stack = from
            .stacks
            .get(step.thread)
            .ok_or("there is no such thread")?;
        let top = stack.first().ok_or("the stack is empty")?;
        if top.label != rule.from {
            return Err(format!(
                "rule {} needs label {}, not {}",
                step.rule, rule.from, top.label
            ));
        }
        let pairs = |bits: Vec<Bit>, copy, values: &Bits| -> Vec<(usize, bool)> {
            space
                .copies(bits, copy)
                .into_iter()
                .zip(values.iter().copied())
                .collect()
        };
        let (globals, locals): (Vec<Bit>, Vec<Bit>) =
            (space.global_bits().collect(), space.local_bits().collect());
        let values = [
            pairs(globals.clone(), Copy::Now, &from.globals),
            pairs(globals.clone(), Copy::Next, &step.globals),
            pairs(locals.clone(), Copy::Now, &top.locals),
            pairs(locals.clone(), Copy::Next, &step.locals),
            pairs(locals.clone(), Copy::Other, &step.other),
        ];
        if !space.holds(&rule.relation, values.concat()) {
            return Err(format!(
                "the relation of rule {} does not admit the step",
                step.rule
            ));
        }
        let kept = |bits: &[Bit], before: &Bits, after: &Bits| {
            let mut all = bits.iter().zip(before.iter().zip(after));
            all.all(|(bit, (before, after))| before == after || rule.changed.contains(bit))
        };
        let rest_of_frame = match rule.action {
            Action::Pop => true,
            Action::Internal(_) | Action::Spawn { .. } => kept(&locals, &top.locals, &step.locals),
            Action::Push { .. } => kept(&locals, &top.locals, &step.other),
        };
        if !kept(&globals, &from.globals, &step.globals) || !rest_of_frame {
            return Err(format!("rule {} does not change such bits", step.rule));
        }
        let mut to = from.clone();
        to.globals = step.globals.clone();
        let stack = &mut to.stacks[step.thread];
        let frame = |label, locals: &Bits| Frame {
            label,
            locals: locals.clone(),
        };
        match rule.action {
            Action::Pop => {
                stack.remove(0);
            }
            Action::Internal(next) => stack[0] = frame(next, &step.locals),
            Action::Push { callee, ret } => {
                stack[0] = frame(ret, &step.other);
                stack.insert(0, frame(callee, &step.locals));
            }
            Action::Spawn { next, entry } => {
                stack[0] = frame(next, &step.locals);
                to.stacks.push(vec![frame(entry, &step.other)]);
            }
        }
        Ok(to)
    }

    /// Executes a run: all configurations on the way, or why it is not a run.
    pub fn execute(&self, run: &Run) -> std::result::Result<Vec<Configuration>, String> {
        let space = &self.space;
        let now = |bits: Vec<Bit>, values: &Bits| {
            space
                .copies(bits, Copy::Now)
                .into_iter()
                .zip(values.clone())
        };
        let start = &run.start;
        let globals_now = now(space.global_bits().collect(), &start.globals);
        if !space.holds(&self.globals, globals_now) || start.stacks.len() != self.threads.len() {
            return Err("the run does not start with initial globals".to_owned());
        }
        for (stack, initial) in start.stacks.iter().zip(&self.threads) {
            let fits = |(frame, (label, locals)): (&Frame, &(Label, Bdd))| {
                let values = now(space.local_bits().collect(), &frame.locals);
                frame.label == *label && space.holds(locals, values)
            };
            if stack.len() != initial.len() || !stack.iter().zip(initial).all(fits) {
                return Err("the run does not start with initial stacks".to_owned());
            }
        }
        let mut path = vec![start.clone()];
        for step in &run.steps {
            let next = self.step(&path[path.len() - 1], step)?;
            path.push(next);
        }
        Ok(path)
    }

    /// Whether a configuration is in a target.
    pub fn is_target(&self, configuration: &Configuration, target: &Target) -> bool {
        let space = &self.space;
        let globals: Vec<(usize, bool)> = space
            .copies(space.global_bits(), Copy::Now)
            .into_iter()
            .zip(configuration.globals.clone())
            .collect();
        let at = |stack: &Vec<Frame>, label: Label, condition: &Bdd| {
            stack.first().is_some_and(|top| {
                let locals = space
                    .copies(space.local_bits(), Copy::Now)
                    .into_iter()
                    .zip(top.locals.clone());
                top.label == label && space.holds(condition, globals.iter().copied().chain(locals))
            })
        };
        match target {
            Target::SomeThread(label, condition) => configuration
                .stacks
                .iter()
                .any(|stack| at(stack, *label, condition)),
            Target::Visible { shared, tops } => {
                let fits = |(top, stack): (&Top, &Vec<Frame>)| match top {
                    Top::Any => true,
                    Top::Empty => stack.is_empty(),
                    Top::At(label, condition) => at(stack, *label, condition),
                };
                space.holds(shared, globals.clone())
                    && tops.iter().zip(&configuration.stacks).all(fits)
            }
        }
    }

    /// Checks that `run` is a run with at most `bound` contexts that ends in `target`.
    pub fn confirm(
        &self,
        run: &Run,
        target: &Target,
        bound: usize,
    ) -> std::result::Result<(), String> {
        let path = self.execute(run)?;
        if run.contexts() > bound {
            return Err(format!(
                "the run has {} contexts, more than {bound}",
                run.contexts()
            ));
        }
        match self.is_target(&path[path.len() - 1], target) {
            true => Ok(()),
            false => Err("the run does not end in a target".to_owned()),
        }
    }
}
