//! Moves that are known already.
//!
//! Searches go from a state to one that is much like it: to a successor, or to another successor of an ancestor not far up. One
//! or two processes have moved, and most of the others can do what they could before. So the machine keeps the last state it
//! listed all moves of, the moves of each process there, and what they depend on ([`super::areas`]). For the next state the
//! bytes are
//! compared, and only those processes are asked again whose areas have changed.
//!
//! The moves of a sender of a rendezvous also depend on who waits at the channel. Channels have bits here too: a process
//! that is asked again gives the channels it waited for and those it waits for now, and everyone who offered something
//! there is asked as well.
//!
//! Nothing is kept when a guard failed, and nothing across a change in the number or types of processes, since
//! then everything lies elsewhere.

use super::areas::{Area, Areas};
use super::compiled::CompiledModel;
use super::tables::Tables;
use super::{Move, Pid};

/// Fewer processes than these are asked sooner than states are compared.
const FEW: usize = 4;

/// What is known of a process.
#[derive(Copy, Clone, Debug, Default)]
struct Known {
    /// Where its moves are in [`Cache::moves`].
    first: u32,
    end: u32,
    depends: Areas,
    /// Channels on which it offers a rendezvous, as bits.
    offers: u64,
}

/// The last state of which all moves were listed.
#[derive(Clone, Debug, Default)]
pub(super) struct Cache {
    state: Vec<u8>,
    /// The number of the area of each byte.
    areas: Vec<Area>,
    /// Whether what is known belongs to that state.
    valid: bool,
    moves: Vec<Move>,
    known: Vec<Known>,
}

impl Cache {
    /// Nothing is known any more.
    pub(super) fn forget(&mut self) {
        self.valid = false;
    }

    /// Whether states with these tables can be compared with the last one, and it is worth the while.
    pub(super) fn serves(model: &CompiledModel, tables: &Tables) -> bool {
        model.caches && tables.nr_processes() >= FEW
    }

    /// Takes up a state; says what is different from the last one.
    pub(super) fn next(&mut self, model: &CompiledModel, tables: &Tables, state: &[u8]) -> Areas {
        let valid = std::mem::replace(&mut self.valid, true);
        if self.state.len() == state.len() {
            let changed = differences(&self.state, state, &self.areas);
            if !changed.contains(Area::SHAPE) {
                self.state.copy_from_slice(state);
                return if valid { changed } else { Areas::ALL };
            }
        }
        self.start(model, tables, state);
        Areas::ALL
    }

    #[cold]
    fn start(&mut self, model: &CompiledModel, tables: &Tables, state: &[u8]) {
        self.state.clear();
        self.state.extend_from_slice(state);
        self.known.clear();
        self.known.resize(
            tables.nr_processes(),
            Known {
                depends: Areas::ALL,
                ..Known::default()
            },
        );
        let layout = &model.layout;
        self.areas.clear();
        // What is not named below are the number and the types of the processes.
        self.areas.resize(state.len(), Area::SHAPE);
        self.areas[..layout.front].fill(Area::FRONT);
        self.areas[layout.front + layout.nr_width.bytes()..layout.globals].fill(Area::HEAD);
        let globals = layout.globals..layout.channels;
        for (offset, area) in self.areas[globals].iter_mut().enumerate() {
            *area = Area::global(offset as u32);
        }
        for (pid, process) in tables.live().iter().enumerate() {
            let area = Area::process(Pid(pid as u16));
            self.areas[process.locals - layout.head..process.end].fill(area);
        }
        for channel in tables.channels() {
            let size = layout.templates[channel.template as usize].size;
            let area = Area::channel(channel.id);
            self.areas[channel.at..channel.at + size].fill(area);
        }
        let hidden = state.len() - layout.hidden;
        self.areas[hidden..].fill(Area::HIDDEN);
    }

    /// Whether the moves of a process are affected by a change of these areas.
    #[inline(always)]
    pub(super) fn depends(&self, pid: usize, changed: Areas) -> bool {
        self.known[pid].depends.meets(changed)
    }

    /// Whether a process offers a rendezvous on one of these channels.
    #[inline(always)]
    pub(super) fn offers(&self, pid: usize, channels: u64) -> bool {
        self.known[pid].offers & channels != 0
    }

    /// Adds the moves of a process, which are those of the last state.
    #[inline(always)]
    pub(super) fn repeat(&mut self, pid: usize, out: &mut Vec<Move>) {
        let known = &mut self.known[pid];
        let range = known.first as usize..known.end as usize;
        known.first = out.len() as u32;
        for &mv in &self.moves[range] {
            out.push(mv);
        }
        known.end = out.len() as u32;
    }

    /// Remembers the moves of a process, those of `out` from `first` on.
    #[inline(always)]
    pub(super) fn learn(
        &mut self,
        pid: usize,
        (first, out): (usize, &[Move]),
        depends: Areas,
        offers: u64,
    ) {
        self.known[pid] = Known {
            first: first as u32,
            end: out.len() as u32,
            depends,
            offers,
        };
    }

    /// All processes have been dealt with.
    #[inline]
    pub(super) fn keep(&mut self, out: &[Move]) {
        self.moves.clear();
        self.moves.extend_from_slice(out);
    }
}

/// The areas of the bytes in which two states differ.
#[inline]
fn differences(old: &[u8], new: &[u8], areas: &[Area]) -> Areas {
    const WORD: usize = size_of::<u64>();
    let mut changed = Areas::NONE;
    let (old_words, old_rest) = old.as_chunks::<WORD>();
    let (new_words, new_rest) = new.as_chunks::<WORD>();
    let (area_words, area_rest) = areas.as_chunks::<WORD>();
    for ((a, b), areas) in old_words.iter().zip(new_words).zip(area_words) {
        let mut different = u64::from_le_bytes(*a) ^ u64::from_le_bytes(*b);
        while different != 0 {
            let byte = different.trailing_zeros() / 8;
            changed.add(areas[byte as usize]);
            different &= !(0xff << (8 * byte));
        }
    }
    for ((a, b), area) in old_rest.iter().zip(new_rest).zip(area_rest) {
        if a != b {
            changed.add(*area);
        }
    }
    changed
}
