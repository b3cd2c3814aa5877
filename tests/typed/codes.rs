//! Encodings: what was written can be read, and nothing else is.

use ample::typed::StateCode;
use ample::{code_enum, code_struct};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fmt::Debug;

fn round_trip<T: StateCode + PartialEq + Debug>(value: T) {
    let mut bytes = Vec::new();
    value.encode(&mut bytes);
    // What follows is left alone.
    bytes.push(0xa5);
    let mut input = &bytes[..];
    assert_eq!(T::decode(&mut input), Some(value));
    assert_eq!(input, [0xa5]);
    // Of what is cut off nothing is made up.
    for len in 0..bytes.len() - 1 {
        assert_eq!(T::decode(&mut &bytes[..len]), None, "{len} of {bytes:?}");
    }
}

#[derive(Clone, Debug, PartialEq)]
enum Message {
    Empty,
    One(u32),
    Two(bool, Option<i8>),
}
code_enum!(Message {
    Empty,
    One(value),
    Two(first, second)
});

#[derive(Clone, Debug, PartialEq)]
struct Node {
    name: String,
    inbox: VecDeque<Message>,
    peers: BTreeSet<u16>,
    clock: BTreeMap<u16, (u64, char)>,
}
code_struct!(Node {
    name,
    inbox,
    peers,
    clock
});

#[test]
fn what_was_written_can_be_read() {
    round_trip(0u8);
    round_trip((u16::MAX, i32::MIN, u128::MAX, -1isize, usize::MAX));
    round_trip([true, false, true]);
    round_trip(Some(Some(Option::<bool>::None)));
    round_trip(vec![vec![1u8; 300], vec![]]);
    round_trip(Box::new('ß'));
    round_trip(vec![(), ()]);
    round_trip(vec![
        Message::Empty,
        Message::One(7),
        Message::Two(true, Some(-3)),
    ]);
    round_trip(Node {
        name: "näher".to_owned(),
        inbox: [Message::Two(false, None), Message::Empty].into(),
        peers: [1, 5, 900].into(),
        clock: [(3, (9, 'x')), (4, (u64::MAX, 'y'))].into(),
    });
}

#[test]
fn bytes_that_mean_nothing_are_refused() {
    assert_eq!(bool::decode(&mut &[2u8][..]), None);
    assert_eq!(Message::decode(&mut &[3u8][..]), None);
    assert_eq!(char::decode(&mut &0xd800u32.to_le_bytes()[..]), None);
    assert_eq!(String::decode(&mut &[1u8, 0xff][..]), None);
    assert_eq!(Vec::<u8>::decode(&mut &[0xff; 12][..]), None);
}
