//! The stores against a map, alone and with many threads.

use super::*;
use proptest::prelude::*;
use std::collections::{HashMap, HashSet};

const KINDS: [StoreKind; 2] = [StoreKind::Flat, StoreKind::Tree];

fn store(kind: StoreKind, notes: Notes, along: usize) -> ExactStore {
    ExactStore::new(kind, notes, along, u64::MAX, None)
}

fn answers(store: &mut ExactStore, note: u64) -> Vec<(Insert, usize)> {
    let mut answers = Vec::new();
    store.insert_collected(note, |answer, len| answers.push((answer, len)));
    answers
}

fn stored(store: &mut ExactStore, id: StateId) -> Vec<u8> {
    let mut out = Vec::new();
    store.load(id, &mut out);
    out
}

proptest! {
    /// The store agrees with a map from keys to (identity, first bytes that go along, note), whatever is inserted.
    #[test]
    fn agrees_with_a_map(
        keys in prop::collection::vec(prop::collection::vec(0u8..3, 0..40), 0..800),
        along in 0usize..4,
        size in 1usize..9,
        kind in prop::sample::select(KINDS.to_vec()),
        notes in prop::sample::select(vec![Notes::None, Notes::Byte, Notes::Half, Notes::Word]),
    ) {
        let mut store = store(kind, notes, along);
        let mut map: HashMap<Vec<u8>, (StateId, Vec<u8>, u64)> = HashMap::new();
        for (i, keys) in keys.chunks(size).enumerate() {
            let along = vec![i as u8; along];
            let note = if notes == Notes::None { 0 } else { i as u64 & 0xff };
            // The store may be asked about neighbours of any state.
            if let Some((id, ..)) = map.values().next() {
                stored(&mut store, *id);
            }
            for key in keys {
                store.collect(key, &along);
            }
            prop_assert_eq!(store.collected(), keys.len());
            let mut found = Vec::new();
            store.find_collected(&mut found);
            for (key, found) in keys.iter().zip(found) {
                prop_assert_eq!(map.get(key).map(|e| e.0), found);
            }
            let answers = answers(&mut store, note);
            prop_assert_eq!(answers.len(), keys.len());
            for (key, (answer, len)) in keys.iter().zip(answers) {
                prop_assert_eq!(len, key.len());
                let known = map.get(key).map(|e| e.0);
                match answer {
                    Insert::New(id) => {
                        prop_assert_eq!(known, None);
                        map.insert(key.clone(), (id, along.clone(), note));
                    }
                    Insert::Seen(id) => prop_assert_eq!(known, Some(id)),
                    Insert::Full => prop_assert!(false, "full without a limit"),
                }
                prop_assert_eq!(store.insert(key, &along, 1), Insert::Seen(map[key].0));
            }
        }
        prop_assert_eq!(store.len(), map.len() as u64);
        let ids: HashSet<StateId> = map.values().map(|e| e.0).collect();
        prop_assert_eq!(ids.len(), map.len());
        for (key, (id, along, note)) in &map {
            let mut whole = key.clone();
            whole.extend_from_slice(along);
            prop_assert_eq!(stored(&mut store, *id), whole);
            prop_assert_eq!(store.note(*id), *note);
        }
    }
}

/// States of many lengths that differ all over.
fn state(i: u32) -> Vec<u8> {
    let mut v = vec![0u8; 40 + (i % 300) as usize * 7];
    v[..4].copy_from_slice(&i.to_le_bytes());
    let at = i as usize % v.len();
    v[at] ^= 0x55;
    v.push(i as u8);
    v
}

#[test]
fn survives_growth_and_keeps_notes() {
    for kind in KINDS {
        let mut store = store(kind, Notes::Half, 0);
        let ids: Vec<StateId> = (0..60_000)
            .map(|i| match store.insert(&state(i), &[], u64::from(i)) {
                Insert::New(id) => id,
                other => panic!("state {i}: {other:?}"),
            })
            .collect();
        for (i, id) in ids.iter().enumerate() {
            let i = i as u32;
            assert_eq!(store.insert(&state(i), &[], 0), Insert::Seen(*id));
            assert_eq!(stored(&mut store, *id), state(i));
            assert_eq!(store.note(*id), u64::from(i));
            store.set_note(*id, u64::from(i + 7));
        }
        for (i, id) in ids.iter().enumerate() {
            assert_eq!(store.note(*id), i as u64 + 7);
        }
    }
}

/// States of two lengths whose bytes hardly vary at first: what the store has found out about the first states is wrong for
/// the others, which need more bits than they have been given.
fn late_bloomer(i: u32) -> Vec<u8> {
    let mut state = vec![5; 150 + (i % 2) as usize * 40];
    let reach = if i < 200 { 3 } else { state.len() };
    for (at, digit) in (0..4).map(|d| (d, (i >> (4 * d) & 15) as u8)) {
        state[(at * 37 + i as usize) % reach] = digit.wrapping_mul(17);
    }
    let length = state.len();
    state[length - 3..].copy_from_slice(&i.to_le_bytes()[..3]);
    state
}

#[test]
fn later_states_may_be_unlike_the_first() {
    for kind in KINDS {
        let mut store = store(kind, Notes::None, 0);
        let ids: Vec<StateId> = (0..40_000)
            .map(|i| match store.insert(&late_bloomer(i), &[], 0) {
                Insert::New(id) => id,
                other => panic!("state {i}: {other:?}"),
            })
            .collect();
        for (i, id) in ids.iter().enumerate() {
            let state = late_bloomer(i as u32);
            assert_eq!(stored(&mut store, *id), state);
            // Its neighbours are asked for once it is loaded.
            assert_eq!(store.insert(&state, &[], 0), Insert::Seen(*id));
            let other = (i * 7919 + 1) % ids.len();
            let neighbour = store.insert(&late_bloomer(other as u32), &[], 0);
            assert_eq!(neighbour, Insert::Seen(ids[other]));
        }
    }
}

#[test]
fn stays_below_its_limit_and_still_knows_what_it_has() {
    for kind in KINDS {
        let limit = 600_000;
        let mut store = ExactStore::new(kind, Notes::Byte, 0, limit, None);
        let mut stored = 0u32;
        while let Insert::New(_) = store.insert(&stored.to_le_bytes(), &[], 0) {
            stored += 1;
        }
        assert!(stored > 8_000, "{kind:?}: {stored}");
        assert!(store.bytes() <= limit + 200_000, "{}", store.bytes());
        let again = store.insert(&7u32.to_le_bytes(), &[], 0);
        assert!(matches!(again, Insert::Seen(_)));
        // One part of a store can be full before another.
        let refused = (u32::MAX - 1000..u32::MAX).filter(|other| {
            let mut insert = || store.insert(&other.to_le_bytes(), &[], 0);
            match insert() {
                Insert::New(id) => {
                    assert_eq!(insert(), Insert::Seen(id));
                    false
                }
                answer => answer == Insert::Full,
            }
        });
        assert!(refused.count() > 0);
    }
}

/// Whatever the limit, also one that is reached before the store has found out how to cut states up.
#[test]
fn a_tree_loses_nothing_at_any_limit() {
    for limit in [0, 3_000, 60_000, 100_000, 150_000, 300_000, 1_000_000] {
        let mut store = ExactStore::new(StoreKind::Tree, Notes::Half, 1, limit, None);
        let mut ids = Vec::new();
        let mut refused = 0;
        for i in 0..20_000 {
            match store.insert(&late_bloomer(i), &[i as u8], u64::from(i)) {
                Insert::New(id) => ids.push((i, id)),
                Insert::Seen(id) => panic!("state {i} was {id:?}"),
                Insert::Full => refused += 1,
            }
            if refused > 100 {
                break;
            }
        }
        for (i, id) in ids {
            assert_eq!(store.insert(&late_bloomer(i), &[], 0), Insert::Seen(id));
            let mut whole = late_bloomer(i);
            whole.push(i as u8);
            assert_eq!(stored(&mut store, id), whole);
            assert_eq!(store.note(id), u64::from(i));
        }
    }
}

#[test]
fn a_flat_store_refuses_a_key_that_fits_no_chunk() {
    let mut store = store(StoreKind::Flat, Notes::None, 0);
    assert_eq!(store.insert(&vec![1; 1 << 25], &[], 0), Insert::Full);
    let smaller = store.insert(&vec![1; 1 << 20], &[], 0);
    assert!(matches!(smaller, Insert::New(_)));
}

#[test]
fn a_tree_goes_to_files_when_memory_is_short() {
    let folder = tempfile::tempdir().unwrap();
    let spill = Some(folder.path());
    let mut store = ExactStore::new(StoreKind::Tree, Notes::Half, 0, 100_000, spill);
    let ids: Vec<_> = (0..50_000u32)
        .map(|i| match store.insert(&state(i), &[], u64::from(i)) {
            Insert::New(id) => id,
            other => panic!("state {i}: {other:?}"),
        })
        .collect();
    for (i, id) in ids.iter().enumerate() {
        assert_eq!(stored(&mut store, *id), state(i as u32));
        assert_eq!(store.note(*id), i as u64);
    }
    assert!(store.bytes() < 400_000, "{}", store.bytes());
}

#[test]
fn a_thousand_small_states_take_little() {
    for kind in KINDS {
        let mut store = store(kind, Notes::None, 0);
        for i in 0..1000u32 {
            store.insert(&i.to_le_bytes(), &[], 0);
        }
        assert!(store.bytes() < 1 << 20, "{}", store.bytes());
    }
}

/// Several threads insert the same states in different orders and in batches: each state is new to exactly one of them, and
/// all agree on what it is called. Meanwhile each adds its share to the notes.
fn assert_threads_agree(kind: StoreKind, states: u32, state: impl Fn(u32) -> Vec<u8> + Sync) {
    const BATCH: u32 = 10;
    let store = store(kind, Notes::Half, 0);
    let insert_all = |offset: u32| {
        let mut store = store.clone();
        let mut new = 0;
        let mut ids = vec![None; states as usize];
        for start in (0..states).step_by(BATCH as usize) {
            let numbers = (start..start + BATCH).map(|i| (i + offset) % states);
            for i in numbers.clone() {
                store.collect(&state(i), &[]);
            }
            let mut found = Vec::new();
            store.find_collected(&mut found);
            let answers = answers(&mut store, 1);
            for ((i, found), (answer, _)) in numbers.zip(found).zip(answers) {
                new += u64::from(matches!(answer, Insert::New(_)));
                if let Insert::New(id) | Insert::Seen(id) = answer {
                    assert!(found.is_none_or(|found| found == id));
                    ids[i as usize] = Some(id);
                    let raised = store.update_note(id, |n| Some(n + 2 * u64::from(offset)));
                    assert!(raised.is_ok());
                    if i == start {
                        assert_eq!(stored(&mut store, id), state(i));
                    }
                }
            }
        }
        (new, ids)
    };
    let results: Vec<_> = std::thread::scope(|scope| {
        let insert_all = &insert_all;
        let threads: Vec<_> = (0..4)
            .map(|thread| scope.spawn(move || insert_all(thread * 7)))
            .collect();
        threads.into_iter().map(|t| t.join().unwrap()).collect()
    });
    assert_eq!(results.iter().map(|r| r.0).sum::<u64>(), u64::from(states));
    assert!(results.iter().all(|r| r.1 == results[0].1));
    assert_eq!(store.len(), u64::from(states));
    let mut store = store.clone();
    for (i, id) in results[0].1.iter().enumerate() {
        assert_eq!(stored(&mut store, id.unwrap()), state(i as u32));
        assert_eq!(store.note(id.unwrap()), 1 + 2 * 7 * (1 + 2 + 3));
    }
}

#[test]
fn threads_agree() {
    for kind in KINDS {
        assert_threads_agree(kind, 20_000, state);
        assert_threads_agree(kind, 20_000, late_bloomer);
    }
}

/// Whatever piece of memory the system refuses first: the store says that it is full and why, and keeps what it has.
#[test]
fn a_refusal_of_memory_makes_a_store_full_and_loses_nothing() {
    let folder = tempfile::tempdir().unwrap();
    for (kind, spill) in [
        (StoreKind::Flat, None),
        (StoreKind::Tree, None),
        (StoreKind::Tree, Some(folder.path())),
    ] {
        let mut refused = 0;
        for pieces in 0..40 {
            let limit = if spill.is_some() { 50_000 } else { u64::MAX };
            let mut store = ExactStore::new(kind, Notes::Byte, 1, limit, spill);
            let mut kept: Vec<(StateId, u32)> = Vec::new();
            super::words::refusal::after(pieces, || {
                for number in 0..60_000u32 {
                    let state = super::mix(u64::from(number)).to_le_bytes();
                    match store.insert(&state, &[number as u8], 3) {
                        Insert::New(id) => kept.push((id, number)),
                        Insert::Seen(_) => panic!("{kind:?}: {number} is new"),
                        Insert::Full => {
                            refused += 1;
                            let due = match spill {
                                Some(_) => Shortage::Disk,
                                None => Shortage::System,
                            };
                            assert_eq!(store.shortage(), due, "{kind:?}, {pieces}");
                            break;
                        }
                    }
                }
            });
            assert_eq!(store.len(), kept.len() as u64, "{kind:?}, {pieces}");
            let mut out = Vec::new();
            for (id, number) in kept {
                store.load(id, &mut out);
                let state = super::mix(u64::from(number)).to_le_bytes();
                assert_eq!(out[..8], state, "{kind:?}, {pieces}");
                assert_eq!((out[8], store.note(id)), (number as u8, 3));
                assert_eq!(store.insert(&state, &[0], 1), Insert::Seen(id));
            }
        }
        assert!(refused > 3, "{kind:?}: {refused}");
    }
}
