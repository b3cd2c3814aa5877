//! The reduction's twin on paper: small random programs given as tables, whose independence is computed from the
//! definition, against automata that are as awkward as automata can be.
//!
//! The statement under test is that of the product that steps on changes: with C1 (checked here by walking all runs of the
//! others), C2' and C4 (the real nested search) and C3' (from the tables), the reduced search finds an accepted run if and
//! only if there is one, for *every* automaton whose language does not mind repeated letters. So the automata count the
//! lengths of blocks modulo 2 or 3 and can leave a block only at one of the residues, having guessed where to begin: the
//! language is that of the automaton they were made from, but which guess was right is known only afterwards. That is where
//! the algorithm as it was published goes wrong (Siegel, 2019).
//!
//! `AMPLE_TWINS=1000000 cargo test --release --lib twin` for a long run.

use super::{End, Outcome, Settings, search_cycles, search_cycles_together};
use crate::fairness::NumberSet;
use crate::limits::Unwatched;
use crate::machine::{Fault, Pid, Step};
use crate::space::{Accepting, AmpleSets, Failure, MoveInfo, Parallel, Space, Transition};
use promela_random::{Blocks, LETTERS, Rng};
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// A graph whose nodes are numbers, with sets of edges that are proposed as ample.
#[derive(Clone, Default)]
struct Table {
    edges: Vec<Vec<u32>>,
    /// For each node, sets of indices of its edges.
    sets: Vec<Vec<Vec<usize>>>,
    accepting: Vec<bool>,
    /// Nodes that are known to be transient.
    transient: BTreeSet<usize>,
    /// Which set was asked for last at a node, and the nodes where all edges were taken instead.
    asked: BTreeMap<usize, usize>,
    refused: BTreeSet<usize>,
}

impl Table {
    fn add(&mut self, accepting: bool) -> u32 {
        self.edges.push(Vec::new());
        self.sets.push(Vec::new());
        self.accepting.push(accepting);
        self.edges.len() as u32 - 1
    }

    /// Finds out which nodes are transient: all but those on accepting cycles and behind them.
    fn with_transient_nodes(mut self) -> Table {
        let behind = |start: usize| {
            let mut seen = BTreeSet::new();
            let mut work = self.edges[start].clone();
            while let Some(node) = work.pop() {
                if seen.insert(node as usize) {
                    work.extend(&self.edges[node as usize]);
                }
            }
            seen
        };
        let nodes = 0..self.edges.len();
        let on_cycle = |&node: &usize| self.accepting[node] && behind(node).contains(&node);
        let others: BTreeSet<usize> = nodes.clone().filter(on_cycle).flat_map(behind).collect();
        self.transient = nodes.filter(|node| !others.contains(node)).collect();
        self
    }

    fn node(state: &[u8]) -> usize {
        u32::from_le_bytes([state[0], state[1], state[2], state[3]]) as usize
    }
}

impl Transition for u32 {
    /// There are no processes.
    fn add_movers(self, _: &mut NumberSet) {}
}

impl Space for Table {
    type Move = u32;

    fn initial(&mut self, out: &mut Vec<u8>) -> Result<(), Fault> {
        out.clear();
        out.extend_from_slice(&[0; 4]);
        Ok(())
    }

    fn moves(
        &mut self,
        state: &[u8],
        _: Option<Pid>,
        out: &mut Vec<u32>,
    ) -> Result<MoveInfo, (u32, Fault)> {
        out.extend(0..self.edges[Table::node(state)].len() as u32);
        Ok(MoveInfo::default())
    }

    fn settle(&mut self, _: &mut Vec<u8>) -> Result<bool, Fault> {
        Ok(true)
    }

    fn apply(
        &mut self,
        state: &[u8],
        mv: u32,
        _: bool,
        next: &mut Vec<u8>,
    ) -> Result<Step, Failure> {
        let to = self.edges[Table::node(state)][mv as usize];
        next.clear();
        next.extend_from_slice(&to.to_le_bytes());
        Ok(Step { control: None })
    }

    fn stored_len(&self, state: &[u8]) -> usize {
        state.len()
    }

    fn stuck_at(&self, _: &[u8]) -> Option<Vec<u32>> {
        None
    }
}

impl AmpleSets for Table {
    fn reduces(&self) -> bool {
        true
    }

    fn ample(&mut self, state: &[u8], moves: &mut Vec<u32>, index: usize) -> Option<usize> {
        let node = Table::node(state);
        let set = self.sets[node].get(index)?;
        self.asked.insert(node, index);
        moves.sort_by_key(|m| (!set.contains(&(*m as usize)), *m));
        Some(set.len())
    }

    fn ample_with(&mut self, _: &[u8], _: &[u32], _: Pid) -> Option<usize> {
        None
    }

    fn planned(&mut self, _: &[u8]) -> Option<u32> {
        None
    }

    fn refused(&mut self, state: &[u8], _: &[u32]) {
        self.refused.insert(Table::node(state));
    }

    /// Nothing that matters to a search.
    fn findings(&self) -> Vec<u64> {
        Vec::new()
    }

    fn restore(&mut self, _: &[u64]) {}
}

impl Parallel for Table {
    fn take_over(&mut self, other: Table) {
        self.asked.extend(other.asked);
        self.refused.extend(other.refused);
    }
}

impl Accepting for Table {
    fn is_accepting(&mut self, state: &[u8]) -> bool {
        self.accepting[Table::node(state)]
    }

    fn is_weak(&self) -> bool {
        false
    }

    fn is_transient(&self, state: &[u8]) -> bool {
        self.transient.contains(&Table::node(state))
    }
}

/// Whether the search finds a cycle, and how many nodes it stores.
fn finds(table: &mut Table) -> (bool, u64) {
    let settings = Settings {
        end_states: false,
        ..Settings::default()
    };
    let Outcome { found, end, stats } = search_cycles(table, &settings, &mut Unwatched);
    assert!(!found.is_empty() || matches!(end, End::Complete(_)));
    (!found.is_empty(), stats.stored)
}

/// The same by several workers.
fn finds_together(table: &mut Table, workers: usize) -> (bool, u64) {
    let settings = Settings {
        end_states: false,
        workers,
        alone: 0,
        ..Settings::default()
    };
    let copy = table.clone();
    let outcome = search_cycles_together(table, &|| copy.clone(), &settings, &mut Unwatched);
    let Outcome { found, end, stats } = outcome;
    assert!(!found.is_empty() || matches!(end, End::Complete(_)));
    (!found.is_empty(), stats.stored)
}

const BITS: usize = LETTERS.trailing_zeros() as usize;

/// One step of a process of a program.
struct Op {
    process: usize,
    from: u8,
    to: u8,
    guard: Option<(usize, bool)>,
    effect: Option<(usize, bool)>,
}

/// A state: where the processes are, then the bits.
type State = Vec<u8>;

impl Op {
    fn after(&self, state: &State) -> Option<State> {
        let bits = state.len() - BITS;
        let open = |(bit, value): (usize, bool)| state[bits + bit] == u8::from(value);
        if state[self.process] != self.from || !self.guard.is_none_or(open) {
            return None;
        }
        let mut next = state.clone();
        next[self.process] = self.to;
        if let Some((bit, value)) = self.effect {
            next[bits + bit] = u8::from(value);
        }
        Some(next)
    }
}

/// A program as a table.
struct Program {
    ops: Vec<Op>,
    /// For each state the steps from it.
    steps: Vec<Vec<(usize, u32)>>,
    letters: Vec<usize>,
    /// For each state, sets of steps that satisfy C1 and C3'.
    sets: Vec<Vec<Vec<usize>>>,
}

impl Program {
    fn random(rng: &mut Rng) -> Program {
        let processes = rng.within(2, 3);
        let mut ops = Vec::new();
        for process in 0..processes {
            let places = rng.within(2, 3);
            for _ in 0..rng.within(2, 4) {
                let bit = |rng: &mut Rng, share| {
                    let some = rng.chance(share);
                    some.then(|| (rng.below(BITS), rng.chance(50)))
                };
                ops.push(Op {
                    process,
                    from: rng.below(places) as u8,
                    to: rng.below(places) as u8,
                    guard: bit(rng, 15),
                    effect: bit(rng, 30),
                });
            }
        }
        // Which of the bits a property looks at.
        let looked_at = if rng.chance(50) { LETTERS - 1 } else { 1 };
        let mut program = Program::explore(ops, processes, looked_at);
        program.find_sets(processes, rng);
        program
    }

    fn explore(ops: Vec<Op>, processes: usize, looked_at: usize) -> Program {
        let mut known: BTreeMap<State, u32> = BTreeMap::new();
        let mut states = vec![vec![0; processes + BITS]];
        known.insert(states[0].clone(), 0);
        let mut steps = Vec::new();
        while let Some(state) = states.get(steps.len()).cloned() {
            let mut row = Vec::new();
            for (index, op) in ops.iter().enumerate() {
                if let Some(next) = op.after(&state) {
                    let fresh = states.len() as u32;
                    let id = *known.entry(next.clone()).or_insert(fresh);
                    if id == fresh {
                        states.push(next);
                    }
                    row.push((index, id));
                }
            }
            steps.push(row);
        }
        let letter = |s: &State| {
            let bits = s[processes..].iter().enumerate();
            bits.fold(0, |l, (i, &b)| l | usize::from(b) << i) & looked_at
        };
        Program {
            ops,
            letters: states.iter().map(letter).collect(),
            steps,
            sets: Vec::new(),
        }
    }

    fn step(&self, state: u32, op: usize) -> Option<u32> {
        let row = &self.steps[state as usize];
        row.iter().find(|(o, _)| *o == op).map(|(_, to)| *to)
    }

    /// By definition: where both are possible, neither stops the other and their order makes no difference.
    fn independent(&self, a: usize, b: usize) -> bool {
        self.ops[a].process != self.ops[b].process
            && (0..self.steps.len() as u32).all(|x| {
                let (Some(xa), Some(xb)) = (self.step(x, a), self.step(x, b)) else {
                    return true;
                };
                let (ab, ba) = (self.step(xa, b), self.step(xb, a));
                ab.is_some() && ab == ba
            })
    }

    fn is_visible(&self, op: usize) -> bool {
        let changes = |x: usize| {
            let to = self.step(x as u32, op);
            to.is_some_and(|y| self.letters[x] != self.letters[y as usize])
        };
        (0..self.steps.len()).any(changes)
    }

    /// All sets of moves of some of the processes that satisfy C1 and C3', in any order.
    fn find_sets(&mut self, processes: usize, rng: &mut Rng) {
        let count = self.ops.len();
        let independent: Vec<Vec<bool>> = (0..count)
            .map(|a| (0..count).map(|b| self.independent(a, b)).collect())
            .collect();
        let visible: Vec<bool> = (0..count).map(|a| self.is_visible(a)).collect();
        for x in 0..self.steps.len() {
            let mut sets = Vec::new();
            for chosen in 1..1usize << processes {
                let row = &self.steps[x];
                let member = |op: usize| chosen >> self.ops[op].process & 1 == 1;
                let set: Vec<usize> = (0..row.len()).filter(|&i| member(row[i].0)).collect();
                let ops: BTreeSet<usize> = set.iter().map(|&i| row[i].0).collect();
                let proper = !set.is_empty() && set.len() < row.len();
                if proper
                    && !ops.iter().any(|&op| visible[op])
                    && self.nothing_depends(x as u32, &ops, &independent)
                {
                    sets.push(set);
                }
            }
            let turn = rng.below(sets.len().max(1));
            sets.rotate_left(turn);
            self.sets.push(sets);
        }
    }

    /// C1: along all runs without a member, nothing happens that depends on a member.
    fn nothing_depends(&self, x: u32, set: &BTreeSet<usize>, independent: &[Vec<bool>]) -> bool {
        let mut seen = BTreeSet::from([x]);
        let mut work = VecDeque::from([x]);
        while let Some(at) = work.pop_front() {
            for &(op, to) in &self.steps[at as usize] {
                if set.contains(&op) {
                    continue;
                }
                if set.iter().any(|&member| !independent[op][member]) {
                    return false;
                }
                if seen.insert(to) {
                    work.push_back(to);
                }
            }
        }
        true
    }
}

/// Whether an automaton accepts a letter repeated for ever.
fn accepts_forever(automaton: &Blocks, from: usize, letter: usize) -> bool {
    let reach = |from: usize| {
        let mut seen = BTreeSet::new();
        let mut work = vec![from];
        while let Some(at) = work.pop() {
            for &to in &automaton.next[at][letter] {
                if seen.insert(to) {
                    work.push(to);
                }
            }
        }
        seen
    };
    let mut reached = reach(from);
    reached.insert(from);
    reached
        .into_iter()
        .any(|s| automaton.accepting[s] && reach(s).contains(&s))
}

/// The classic product: the automaton reads every state.
fn classic(program: &Program, automaton: &Blocks) -> Table {
    let mut table = Table::default();
    let mut known: BTreeMap<(u32, usize), u32> = BTreeMap::new();
    let mut work = Vec::new();
    let node = |key: (u32, usize),
                table: &mut Table,
                work: &mut Vec<(u32, usize)>,
                known: &mut BTreeMap<_, u32>| {
        *known.entry(key).or_insert_with(|| {
            work.push(key);
            table.add(automaton.accepting[key.1])
        })
    };
    table.add(false);
    for &q in &automaton.next[0][program.letters[0]] {
        let to = node((0, q), &mut table, &mut work, &mut known);
        table.edges[0].push(to);
    }
    while let Some((x, q)) = work.pop() {
        let from = known[&(x, q)] as usize;
        let row = &program.steps[x as usize];
        // A run that ends repeats its last state.
        let successors: Vec<u32> = match row.is_empty() {
            true => vec![x],
            false => row.iter().map(|(_, y)| *y).collect(),
        };
        for y in successors {
            for &r in &automaton.next[q][program.letters[y as usize]] {
                let to = node((y, r), &mut table, &mut work, &mut known);
                table.edges[from].push(to);
            }
        }
    }
    table
}

/// The product as published: the automaton guesses its next state on reading a state, then the program makes an ample
/// step; whether that leads back is asked with the guess in mind.
fn as_published(program: &Program, automaton: &Blocks) -> Table {
    /// The flag: the automaton has guessed.
    type Key = (u32, usize, bool);
    let mut table = Table::default();
    let mut known: BTreeMap<Key, u32> = BTreeMap::new();
    let mut work: Vec<Key> = vec![(0, 0, false)];
    known.insert(work[0], table.add(false));
    while let Some((x, q, guessed)) = work.pop() {
        let from = known[&(x, q, guessed)] as usize;
        let row = &program.steps[x as usize];
        let targets: Vec<Key> = if !guessed {
            let guesses = &automaton.next[q][program.letters[x as usize]];
            guesses.iter().map(|&r| (x, r, true)).collect()
        } else if row.is_empty() {
            vec![(x, q, false)]
        } else {
            table.sets[from].clone_from(&program.sets[x as usize]);
            row.iter().map(|&(_, y)| (y, q, false)).collect()
        };
        for key in targets {
            let to = *known.entry(key).or_insert_with(|| {
                work.push(key);
                table.add(automaton.accepting[key.1])
            });
            table.edges[from].push(to);
        }
    }
    table
}

/// A node of the product that steps on changes.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Mode {
    Moving,
    Marked,
    Staying,
}

fn on_changes(program: &Program, automaton: &Blocks) -> Table {
    type Key = (u32, usize, Mode);
    let enter = |from: usize, letter: usize| -> Vec<(usize, Mode)> {
        let mut all = Vec::new();
        for &to in &automaton.next[from][letter] {
            let marked = automaton.accepting[to];
            all.push((to, if marked { Mode::Marked } else { Mode::Moving }));
            if accepts_forever(automaton, to, letter) {
                all.push((to, Mode::Staying));
            }
        }
        all
    };
    let mut table = Table::default();
    let mut known: BTreeMap<Key, u32> = BTreeMap::new();
    let mut work: Vec<Key> = Vec::new();
    let node =
        |key: Key, table: &mut Table, work: &mut Vec<Key>, known: &mut BTreeMap<Key, u32>| {
            *known.entry(key).or_insert_with(|| {
                work.push(key);
                table.add(key.2 != Mode::Moving)
            })
        };
    table.add(false);
    for (s, mode) in enter(0, program.letters[0]) {
        let to = node((0, s, mode), &mut table, &mut work, &mut known);
        table.edges[0].push(to);
    }
    while let Some((x, s, mode)) = work.pop() {
        let from = known[&(x, s, mode)] as usize;
        let stays = match mode {
            Mode::Staying => Mode::Staying,
            _ => Mode::Moving,
        };
        let letter = program.letters[x as usize];
        let row = &program.steps[x as usize];
        // Where each step of the program begins among the edges.
        let mut begins = Vec::new();
        for &(_, y) in row {
            begins.push(table.edges[from].len());
            let read = program.letters[y as usize];
            let targets = match (read == letter, mode) {
                (true, _) => vec![(s, stays)],
                (false, Mode::Staying) => Vec::new(),
                (false, _) => enter(s, read),
            };
            for (t, mode) in targets {
                let to = node((y, t, mode), &mut table, &mut work, &mut known);
                table.edges[from].push(to);
            }
        }
        if row.is_empty() && mode == Mode::Staying {
            table.edges[from].push(from as u32);
        }
        // Members change no letter: each is one edge.
        let sets = &program.sets[x as usize];
        table.sets[from] = sets
            .iter()
            .map(|set| set.iter().map(|&i| begins[i]).collect())
            .collect();
    }
    table
}

#[test]
fn awkward_automata_and_programs_on_paper() {
    let count: u64 = std::env::var("AMPLE_TWINS")
        .ok()
        .and_then(|v| v.parse().ok())
        .unwrap_or(4000);
    let (mut accepted, mut fewer, mut missed) = (0, 0, 0);
    for seed in 0..count {
        let mut rng = Rng::seeded(seed);
        let program = Program::random(&mut rng);
        let original = Blocks::random(&mut rng);
        let awkward = original.counting(rng.within(1, 3));
        // The reference reads every state and has a plain automaton of the same language.
        let (expected, _) = finds(&mut classic(&program, &original.counting(1)));
        let mut full = on_changes(&program, &awkward);
        full.sets.iter_mut().for_each(Vec::clear);
        let (unreduced, nodes) = finds(&mut full);
        let (reduced, kept) = finds(&mut on_changes(&program, &awkward));
        assert_eq!(unreduced, expected, "seed {seed}, every move");
        assert_eq!(reduced, expected, "seed {seed}, reduced");
        // Threads take time: one of a few.
        if seed % 4 == 0 {
            let workers = 2 + (seed / 4 % 3) as usize;
            for table in [full, on_changes(&program, &awkward)] {
                for mut table in [table.clone().with_transient_nodes(), table] {
                    let (together, _) = finds_together(&mut table, workers);
                    assert_eq!(together, expected, "seed {seed}, {workers} workers");
                }
            }
        }
        accepted += u64::from(expected);
        let (found, _) = finds(&mut as_published(&program, &awkward));
        missed += u64::from(expected && !found);
        fewer += u64::from(!expected && kept < nodes);
    }
    println!("{count} pairs, {accepted} accepted, {fewer} reduced; as published {missed} missed");
    assert!(accepted * 10 > count && accepted < count && fewer > 0);
    assert!(missed > 0, "no pair is awkward enough to tell");
}

/// c → z → y → c is first walked with z on the path, so that y is expanded fully; a is accepting and leads to y when z is
/// no longer on the path. A second search that decided by its own path would go from y to z only, and miss the way to c.
/// (z has a way to nowhere that is left out: else it would count as fully expanded, and y would not need to be.)
fn a_cycle_behind_an_old_decision() -> Table {
    let (c, z, y, a, nowhere) = (0, 1, 2, 3, 4);
    let mut table = Table::default();
    for accepting in [false, false, false, true, false] {
        table.add(accepting);
    }
    table.edges[c as usize] = vec![z, a];
    table.edges[z as usize] = vec![y, nowhere];
    table.sets[z as usize] = vec![vec![0]];
    table.edges[y as usize] = vec![z, c];
    table.edges[a as usize] = vec![y];
    table.sets[y as usize] = vec![vec![0]];
    table
}

#[test]
fn the_inner_search_follows_the_decisions_of_the_outer_one() {
    assert!(finds(&mut a_cycle_behind_an_old_decision()).0);
}

#[cfg(feature = "faults")]
#[test]
fn an_inner_search_that_decides_for_itself_is_noticed() {
    use crate::faults::{Fault, with};
    let missed = with(Fault::InnerSearchDecides, || {
        finds(&mut a_cycle_behind_an_old_decision())
    });
    assert!(!missed.0);
}

/// A random graph with any sets of edges: C2' does not ask what they are.
fn random_table(rng: &mut Rng) -> Table {
    let mut table = Table::default();
    let nodes = rng.within(3, 9);
    for _ in 0..nodes {
        table.add(false);
    }
    for node in 0..nodes {
        let degree = rng.within(1, 3);
        table.edges[node] = (0..degree).map(|_| rng.below(nodes) as u32).collect();
        if degree > 1 && rng.chance(80) {
            let sets = (0..rng.within(1, 2)).map(|_| (0..rng.within(1, degree - 1)).collect());
            table.sets[node] = sets.collect();
        }
    }
    table
}

/// Whether some cycle of what was searched has no node where all edges were taken.
fn has_a_bad_cycle(table: &Table) -> bool {
    let ample = |node: usize| -> Vec<u32> {
        match table.asked.get(&node) {
            Some(&index) if !table.refused.contains(&node) => {
                let set = &table.sets[node][index];
                set.iter().map(|&edge| table.edges[node][edge]).collect()
            }
            _ => Vec::new(),
        }
    };
    (0..table.edges.len()).any(|start| {
        let mut seen = BTreeSet::new();
        let mut work = ample(start);
        while let Some(node) = work.pop() {
            if seen.insert(node) {
                work.extend(ample(node as usize));
            }
        }
        seen.contains(&(start as u32))
    })
}

/// How many random graphs have a bad cycle, and at how many nodes all edges were taken.
fn bad_cycles(count: u64) -> (u64, usize) {
    let (mut bad, mut full) = (0, 0);
    for seed in 0..count {
        let mut table = random_table(&mut Rng::seeded(seed));
        finds(&mut table);
        bad += u64::from(has_a_bad_cycle(&table));
        full += table.refused.len();
    }
    (bad, full)
}

#[test]
fn every_cycle_has_a_node_where_all_edges_are_taken() {
    let (bad, full) = bad_cycles(20_000);
    assert_eq!(bad, 0);
    assert!(full > 1000);
}

/// The same of sweeps by several workers.
#[test]
fn every_cycle_of_transient_nodes_has_a_node_where_all_edges_are_taken() {
    let mut full = 0;
    for seed in 0..3000 {
        let mut table = random_table(&mut Rng::seeded(seed)).with_transient_nodes();
        finds_together(&mut table, 2 + seed as usize % 3);
        assert!(!has_a_bad_cycle(&table), "seed {seed}");
        full += table.refused.len();
    }
    assert!(full > 1000);
}

/// That a node where all edges are taken lies between on the path is not enough: there may be other ways.
#[cfg(feature = "faults")]
#[test]
fn looking_at_the_path_alone_is_noticed() {
    use crate::faults::{Fault, with};
    for fault in [Fault::TiesIgnored, Fault::LeadingBackAllowed] {
        assert!(with(fault, || bad_cycles(20_000)).0 > 0, "{fault:?}");
    }
}
