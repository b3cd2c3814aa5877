//! Letters, and how the automaton enters them.
//!
//! A letter is the valuation of all atoms in a state. Its number is made of the values that the automaton looks at, so that
//! all workers of a search give it the same one. Where these are too many for that, letters are numbered as they come up.
//! For the product that steps on changes of the letter only, [`Letters::enter`] says where the automaton may be
//! after it has read a whole block of equal letters, given where it was before: see [`super::Product`].

use ltl::{Buchi, StateId};
use rustc_hash::FxHashMap;

/// Automata over more atoms than this are not looked through for choices that lead nowhere.
const MAX_LOOKED_THROUGH: u32 = 8;

/// A letter that has come up.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct LetterId(pub(super) u16);

impl LetterId {
    const BITS: usize = u16::BITS as usize;
}

/// Where the automaton is within a block of equal letters.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum Choice {
    /// In this state; it moves again when the letter changes. Marked if the state is accepting.
    Moves(StateId),
    /// The same, in an accepting state that it need not leave while the letter stays: marked all the time.
    Rests(StateId),
    /// It accepts the letter repeated forever, and it is promised that it will be.
    Stays,
}

/// Letters and choices, worked out once each.
#[derive(Clone, Debug)]
pub(crate) struct Letters {
    automaton: Buchi,
    /// Letters with their numbers, where they are numbered as they come up.
    listed: Option<Listed>,
    /// Which atoms have been true in some state, and which false.
    seen: (u64, u64),
    entered: FxHashMap<(StateId, LetterId), Vec<Choice>>,
    forever: FxHashMap<LetterId, Vec<bool>>,
    /// By state and letter (as bits of the support): whether a run that goes on to change its letter can still be
    /// accepted. `None` when there are too many letters to tell.
    hopeful: Option<Vec<Vec<bool>>>,
    support: Vec<u32>,
}

/// Letters in the order in which they came up.
#[derive(Clone, Debug, Default)]
struct Listed {
    values: Vec<u64>,
    numbers: FxHashMap<u64, LetterId>,
}

impl Listed {
    fn number(&mut self, value: u64) -> Option<LetterId> {
        if let Some(&id) = self.numbers.get(&value) {
            return Some(id);
        }
        let id = LetterId(u16::try_from(self.values.len()).ok()?);
        self.values.push(value);
        self.numbers.insert(value, id);
        Some(id)
    }
}

impl Letters {
    pub(crate) fn new(automaton: Buchi) -> Letters {
        let automaton = with_one_start(automaton);
        let bits = automaton.support();
        let support: Vec<u32> = (0..64).filter(|i| bits >> i & 1 == 1).collect();
        let mut letters = Letters {
            listed: (!Letters::are_universal(&automaton)).then(Listed::default),
            automaton,
            seen: (0, 0),
            entered: FxHashMap::default(),
            forever: FxHashMap::default(),
            hopeful: None,
            support,
        };
        if letters.support.len() as u32 <= MAX_LOOKED_THROUGH {
            letters.hopeful = Some(letters.look_through());
        }
        letters
    }

    pub(crate) fn automaton(&self) -> &Buchi {
        &self.automaton
    }

    /// The number of a letter that has come up; `None` when there are too many.
    pub(crate) fn number(&mut self, value: u64) -> Option<LetterId> {
        self.seen.0 |= value;
        self.seen.1 |= !value;
        match &mut self.listed {
            Some(listed) => listed.number(value),
            None => Some(LetterId(compress(&self.support, value) as u16)),
        }
    }

    pub(crate) fn value(&self, LetterId(number): LetterId) -> u64 {
        match &self.listed {
            Some(listed) => listed.values[usize::from(number)],
            None => expand(&self.support, usize::from(number)),
        }
    }

    /// Whether the numbers of letters are the same everywhere.
    pub(crate) fn are_universal(automaton: &Buchi) -> bool {
        automaton.support().count_ones() as usize <= LetterId::BITS
    }

    /// Which atoms have been true in some state, and which false.
    pub(crate) fn seen(&self) -> (u64, u64) {
        self.seen
    }

    /// What has come up elsewhere has come up.
    pub(crate) fn take_over(&mut self, other: &Letters) {
        self.seen.0 |= other.seen.0;
        self.seen.1 |= other.seen.1;
    }

    /// Which atoms have been true and which false, and the letters that were numbered as they came up.
    pub(crate) fn findings(&self) -> Vec<u64> {
        let listed = self.listed.iter().flat_map(|listed| &listed.values);
        let seen = [self.seen.0, self.seen.1].into_iter();
        seen.chain(listed.copied()).collect()
    }

    /// Takes over what [`Letters::findings`] gave; letters get the numbers that they had.
    pub(crate) fn restore(&mut self, findings: &[u64]) {
        if let [ones, zeros, values @ ..] = findings {
            self.seen.0 |= ones;
            self.seen.1 |= zeros;
            if let Some(listed) = &mut self.listed {
                *listed = Listed::default();
                values.iter().for_each(|&value| _ = listed.number(value));
            }
        }
    }

    /// Whether the product with this automaton that steps on changes has only cycles all of whose choices are accepting
    /// or none: no accepting state is entered by a letter that it must leave again. `false` if there are too many letters.
    pub(crate) fn always_rests(&self) -> bool {
        let letters = 1usize << self.support.len().min(MAX_LOOKED_THROUGH as usize);
        let automaton = &self.automaton;
        let rests = |to: StateId, letter: u64| {
            !automaton.is_accepting(to) || automaton.successors(to, letter).any(|t| t == to)
        };
        let mut all = (0..letters).map(|packed| expand(&self.support, packed));
        self.support.len() as u32 <= MAX_LOOKED_THROUGH
            && all.all(|letter| {
                let mut entered = automaton
                    .states()
                    .flat_map(|s| automaton.successors(s, letter));
                entered.all(|to| rests(to, letter))
            })
    }

    /// The choices of the automaton in `state` when a block of `letter` begins.
    pub(crate) fn enter(&mut self, state: StateId, letter: LetterId) -> &[Choice] {
        if !self.entered.contains_key(&(state, letter)) {
            let choices = self.choices(state, letter);
            self.entered.insert((state, letter), choices);
        }
        &self.entered[&(state, letter)]
    }

    fn choices(&mut self, state: StateId, letter: LetterId) -> Vec<Choice> {
        let value = self.value(letter);
        let automaton = &self.automaton;
        let forever = self
            .forever
            .entry(letter)
            .or_insert_with(|| automaton.accepts_forever(value));
        let mut choices = Vec::new();
        let mut stays = false;
        for to in automaton.successors(state, value) {
            stays |= forever[to.0 as usize];
            let rests =
                automaton.is_accepting(to) && automaton.successors(to, value).any(|t| t == to);
            let choice = match rests {
                true => Choice::Rests(to),
                false => Choice::Moves(to),
            };
            let hopeful = self
                .hopeful
                .as_ref()
                .is_none_or(|h| h[to.0 as usize][compress(&self.support, value)]);
            if hopeful && !choices.contains(&choice) {
                choices.push(choice);
            }
        }
        // What can be accepted soon goes first, since the other choices may have to see every state. One that rests
        // accepts what stays, so no promise is needed beside it.
        choices.sort_by_key(|c| matches!(c, Choice::Moves(_)));
        if stays && !matches!(choices.first(), Some(Choice::Rests(_))) {
            choices.insert(0, Choice::Stays);
        }
        choices
    }

    /// Finds the pairs of state and letter from which changing letters may still lead to acceptance: those that reach, by
    /// changes, a promise that can be kept, or a cycle of changes through an accepting state.
    fn look_through(&self) -> Vec<Vec<bool>> {
        let letters = 1usize << self.support.len();
        let states = self.automaton.len();
        let index = |state: usize, letter: usize| state * letters + letter;
        let spread: Vec<u64> = (0..letters).map(|l| expand(&self.support, l)).collect();
        let forever: Vec<Vec<bool>> = spread
            .iter()
            .map(|&l| self.automaton.accepts_forever(l))
            .collect();
        let mut next: Vec<Vec<u32>> = vec![Vec::new(); states * letters];
        for state in 0..states {
            for (letter, &value) in spread.iter().enumerate() {
                for to in self.automaton.successors(StateId(state as u32), value) {
                    for before in (0..letters).filter(|&b| b != letter) {
                        next[index(state, before)].push(index(to.0 as usize, letter) as u32);
                    }
                }
            }
        }
        let good = self.on_accepting_cycles(&next, letters);
        // Backwards from what is good, or from where a promise can be made.
        let mut hopeful = vec![false; states * letters];
        let mut before: Vec<Vec<u32>> = vec![Vec::new(); states * letters];
        let mut open = Vec::new();
        for (from, tos) in next.iter().enumerate() {
            for &to in tos {
                before[to as usize].push(from as u32);
                let (state, letter) = (to as usize / letters, to as usize % letters);
                if (good[to as usize] || forever[letter][state]) && !hopeful[from] {
                    hopeful[from] = true;
                    open.push(from as u32);
                }
            }
        }
        while let Some(at) = open.pop() {
            for &from in &before[at as usize] {
                if !hopeful[from as usize] {
                    hopeful[from as usize] = true;
                    open.push(from);
                }
            }
        }
        hopeful.chunks(letters).map(<[bool]>::to_vec).collect()
    }

    /// Nodes from which an accepting state can be visited infinitely often by changes alone.
    fn on_accepting_cycles(&self, next: &[Vec<u32>], letters: usize) -> Vec<bool> {
        let accepting = |node: usize| {
            self.automaton
                .is_accepting(StateId((node / letters) as u32))
        };
        (0..next.len())
            .map(|start| {
                if !accepting(start) {
                    return false;
                }
                let mut seen = vec![false; next.len()];
                let mut open: Vec<u32> = next[start].clone();
                while let Some(at) = open.pop() {
                    if at as usize == start {
                        return true;
                    }
                    if !std::mem::replace(&mut seen[at as usize], true) {
                        open.extend(&next[at as usize]);
                    }
                }
                false
            })
            .collect()
    }
}

/// The bits of a letter that the automaton looks at, packed.
fn compress(support: &[u32], value: u64) -> usize {
    support.iter().enumerate().fold(0, |packed, (i, &bit)| {
        packed | ((value >> bit & 1) as usize) << i
    })
}

/// The inverse of [`compress`].
fn expand(support: &[u32], packed: usize) -> u64 {
    support.iter().enumerate().fold(0, |value, (i, &bit)| {
        value | ((packed >> i & 1) as u64) << bit
    })
}

/// The same automaton with a single initial state.
fn with_one_start(automaton: Buchi) -> Buchi {
    let starts = automaton.initial();
    if starts.len() == 1 {
        return automaton;
    }
    let mut states: Vec<_> = automaton
        .states()
        .map(|s| (automaton.is_accepting(s), automaton.edges(s).to_vec()))
        .collect();
    let all = starts
        .iter()
        .flat_map(|&s| automaton.edges(s))
        .cloned()
        .collect();
    states.push((false, all));
    let start = StateId(states.len() as u32 - 1);
    Buchi::new(vec![start], states).unwrap_or(automaton)
}
