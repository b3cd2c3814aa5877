//! Explicit pushdown networks: shared states, one stack alphabet, rules, threads with stacks.
//!
//! A network has a set of shared states `0..shared`, a stack alphabet `0..symbols` and one set of rules for all threads;
//! threads with different programs use different symbols. A rule `⟨g, γ⟩ → ⟨g', w⟩` lets a thread whose topmost symbol is
//! `γ` replace it by `w` (at most two symbols) while the shared state changes from `g` to `g'`. A spawning rule also
//! creates a thread with a stack of one symbol (Qadeer and Rehof, TACAS 2005; Suwimonteerabuth, Esparza and Schwoon 2008).
//!
//! The functions here are the definition of the semantics: everything else is compared with them, and every run that is
//! reported has been executed by [`Network::execute`].

use std::fmt;

/// A shared state.
pub type Shared = u32;
/// A stack symbol.
pub type Symbol = u32;

/// What a rule does with the topmost symbol.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Action {
    /// Removes it.
    Pop,
    /// Replaces it.
    Internal(Symbol),
    /// Replaces it by `ret` and puts `callee` on top.
    Push {
        /// The new topmost symbol.
        callee: Symbol,
        /// The symbol below it.
        ret: Symbol,
    },
    /// Replaces it by `next` and creates a thread with the stack `entry`.
    Spawn {
        /// The new topmost symbol of the thread that moves.
        next: Symbol,
        /// The only symbol of the new thread.
        entry: Symbol,
    },
}

/// A rule: in shared state `from.0` with topmost symbol `from.1`, go to shared state `to` and do `action`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Rule {
    /// Shared state and topmost symbol before.
    pub from: (Shared, Symbol),
    /// Shared state after.
    pub to: Shared,
    /// What happens to the stack.
    pub action: Action,
}

/// A global configuration: the shared state and one stack per thread.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Configuration {
    /// The shared state.
    pub shared: Shared,
    /// The stacks, topmost symbol first.
    pub stacks: Vec<Vec<Symbol>>,
}

impl Configuration {
    /// The visible state: shared state and topmost symbols.
    pub fn visible(&self) -> Visible {
        let tops = self.stacks.iter().map(|stack| stack.first().copied());
        (self.shared, tops.collect())
    }
}

impl fmt::Display for Configuration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}|", self.shared)?;
        for (index, stack) in self.stacks.iter().enumerate() {
            if index > 0 {
                write!(f, ",")?;
            }
            if stack.is_empty() {
                write!(f, "-")?;
            }
            for (depth, symbol) in stack.iter().enumerate() {
                let dot = if depth > 0 { "." } else { "" };
                write!(f, "{dot}{symbol}")?;
            }
        }
        Ok(())
    }
}

/// A shared state with the topmost symbol of each thread, `None` for an empty stack.
pub type Visible = (Shared, Vec<Option<Symbol>>);

/// A condition on the stack of one thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Top {
    /// Any stack.
    Any,
    /// The empty stack.
    Empty,
    /// A stack with this topmost symbol.
    Is(Symbol),
}

impl Top {
    /// Whether a stack with this topmost symbol satisfies the condition.
    pub fn admits(self, top: Option<Symbol>) -> bool {
        match self {
            Top::Any => true,
            Top::Empty => top.is_none(),
            Top::Is(symbol) => top == Some(symbol),
        }
    }
}

/// Configurations that must not be reached.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// A condition on the initial threads, by their number; threads without a condition may have any stack.
    Visible {
        /// The shared state, if it matters.
        shared: Option<Shared>,
        /// One condition for each thread.
        tops: Vec<Top>,
    },
    /// Some thread, initial or created and scheduled at least once, has this topmost symbol.
    SomeThread {
        /// The shared state, if it matters.
        shared: Option<Shared>,
        /// The topmost symbol.
        top: Symbol,
    },
}

impl Target {
    /// Whether a visible state satisfies the condition.
    pub fn admits(&self, visible: &Visible) -> bool {
        let fits = |wanted: &Option<Shared>| wanted.is_none_or(|shared| shared == visible.0);
        match self {
            Target::Visible { shared, tops } => {
                let mut pairs = tops.iter().zip(&visible.1);
                fits(shared) && pairs.all(|(top, actual)| top.admits(*actual))
            }
            Target::SomeThread { shared, top } => fits(shared) && visible.1.contains(&Some(*top)),
        }
    }
}

/// A pushdown network with its initial configuration.
#[derive(Clone, Debug)]
pub struct Network {
    /// The number of shared states.
    pub shared: u32,
    /// The number of stack symbols.
    pub symbols: u32,
    /// The rules of all threads.
    pub rules: Vec<Rule>,
    /// Where runs start.
    pub initial: Configuration,
}

/// One step of a run: a thread and the rule it uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    /// The thread; created threads have numbers after the initial ones, in the order of their creation.
    pub thread: usize,
    /// The index of the rule in [`Network::rules`].
    pub rule: usize,
}

/// The number of contexts of a run: maximal sequences of steps by one thread.
pub fn contexts(run: &[Step]) -> usize {
    let switches = run
        .windows(2)
        .filter(|pair| pair[0].thread != pair[1].thread);
    switches.count() + usize::from(!run.is_empty())
}

impl Network {
    /// Whether a rule can create threads.
    pub fn spawns(&self) -> bool {
        let spawn = |rule: &Rule| matches!(rule.action, Action::Spawn { .. });
        self.rules.iter().any(spawn)
    }

    /// Checks that all numbers are in range.
    pub fn validate(&self) -> Result<(), String> {
        let shared = |state: Shared| match state < self.shared {
            true => Ok(()),
            false => Err(format!("shared state {state} is not below {}", self.shared)),
        };
        let symbol = |symbol: Symbol| match symbol < self.symbols {
            true => Ok(()),
            false => Err(format!("symbol {symbol} is not below {}", self.symbols)),
        };
        for rule in &self.rules {
            shared(rule.from.0)?;
            symbol(rule.from.1)?;
            shared(rule.to)?;
            match rule.action {
                Action::Pop => {}
                Action::Internal(next) => symbol(next)?,
                Action::Push { callee: a, ret: b } | Action::Spawn { next: a, entry: b } => {
                    symbol(a)?;
                    symbol(b)?;
                }
            }
        }
        shared(self.initial.shared)?;
        let mut symbols = self.initial.stacks.iter().flatten();
        symbols.try_for_each(|s| symbol(*s))
    }

    /// The configuration after one step, or why the step cannot be made.
    pub fn step(&self, from: &Configuration, step: Step) -> Result<Configuration, String> {
        let Some(rule) = self.rules.get(step.rule) else {
            return Err(format!("there is no rule {}", step.rule));
        };
        let Some(stack) = from.stacks.get(step.thread) else {
            return Err(format!("there is no thread {}", step.thread));
        };
        if from.shared != rule.from.0 || stack.first() != Some(&rule.from.1) {
            return Err(format!("rule {} does not apply to {from}", step.rule));
        }
        let mut to = from.clone();
        to.shared = rule.to;
        let stack = &mut to.stacks[step.thread];
        match rule.action {
            Action::Pop => {
                stack.remove(0);
            }
            Action::Internal(next) => stack[0] = next,
            Action::Push { callee, ret } => {
                stack[0] = ret;
                stack.insert(0, callee);
            }
            Action::Spawn { next, entry } => {
                stack[0] = next;
                to.stacks.push(vec![entry]);
            }
        }
        Ok(to)
    }

    /// Executes a run from the initial configuration: all configurations on the way, or why it is not a run.
    pub fn execute(&self, run: &[Step]) -> Result<Vec<Configuration>, String> {
        let mut path = vec![self.initial.clone()];
        for step in run {
            let next = self.step(&path[path.len() - 1], *step)?;
            path.push(next);
        }
        Ok(path)
    }

    /// Checks that `run` is a run with at most `bound` contexts that ends in `target`.
    pub fn confirm(&self, run: &[Step], target: &Target, bound: usize) -> Result<(), String> {
        let path = self.execute(run)?;
        let last = &path[path.len() - 1];
        let used = contexts(run);
        if used > bound {
            return Err(format!("the run has {used} contexts, more than {bound}"));
        }
        match target.admits(&last.visible()) {
            true => Ok(()),
            false => Err(format!("the run ends in {last}, which is no target")),
        }
    }
}
