//! States as bytes: what the stores keep.
//!
//! Two states are the same to a search when their bytes are. So an encoding must give different bytes for different states:
//! it does if [`StateCode::decode`] gives back what [`StateCode::encode`] was given, which is checked for every state in
//! debug builds. It should also give the same bytes for equal states; else a state may be visited more than once, which costs
//! time but changes no verdict. That is why there is an encoding for ordered sets and maps and none for hashed ones.
//!
//! Every encoding here ends by itself: decoding knows where it is over without a look at what follows. So the encodings of
//! fields can be put one after another.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// Something that can be written as bytes and read again.
///
/// [`code_struct!`](crate::code_struct) and [`code_enum!`](crate::code_enum) write this for structs and enums.
pub trait StateCode: Sized {
    /// Appends the bytes of the value.
    fn encode(&self, out: &mut Vec<u8>);

    /// Takes the bytes of one value from the front of `input`; `None` if there are none.
    fn decode(input: &mut &[u8]) -> Option<Self>;
}

#[inline]
fn take<'i>(input: &mut &'i [u8], count: usize) -> Option<&'i [u8]> {
    let (taken, rest) = input.split_at_checked(count)?;
    *input = rest;
    Some(taken)
}

/// Appends a number in groups of seven bits, lowest first; the uppermost bit of a byte says that there are more.
#[inline]
fn encode_len(mut len: usize, out: &mut Vec<u8>) {
    while len >= 0x80 {
        out.push(len as u8 | 0x80);
        len >>= 7;
    }
    out.push(len as u8);
}

#[inline]
fn decode_len(input: &mut &[u8]) -> Option<usize> {
    let mut len = 0usize;
    for shift in (0..usize::BITS).step_by(7) {
        let byte = u8::decode(input)?;
        len |= usize::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            return Some(len);
        }
    }
    None
}

fn encode_all<'t, T: StateCode + 't>(
    len: usize,
    items: impl IntoIterator<Item = &'t T>,
    out: &mut Vec<u8>,
) {
    encode_len(len, out);
    items.into_iter().for_each(|item| item.encode(out));
}

fn decode_all<T: StateCode, C: FromIterator<T>>(input: &mut &[u8]) -> Option<C> {
    let len = decode_len(input)?;
    (0..len).map(|_| T::decode(input)).collect()
}

macro_rules! integers {
    ($($type:ty as $stored:ty),*) => {$(
        impl StateCode for $type {
            #[inline]
            fn encode(&self, out: &mut Vec<u8>) {
                out.extend_from_slice(&(*self as $stored).to_le_bytes());
            }

            #[inline]
            fn decode(input: &mut &[u8]) -> Option<$type> {
                let bytes = take(input, size_of::<$stored>())?;
                let stored = <$stored>::from_le_bytes(bytes.try_into().ok()?);
                stored.try_into().ok()
            }
        }
    )*};
}

integers!(
    u8 as u8,
    u16 as u16,
    u32 as u32,
    u64 as u64,
    u128 as u128,
    usize as u64,
    i8 as i8,
    i16 as i16,
    i32 as i32,
    i64 as i64,
    i128 as i128,
    isize as i64
);

impl StateCode for bool {
    #[inline]
    fn encode(&self, out: &mut Vec<u8>) {
        out.push(u8::from(*self));
    }

    #[inline]
    fn decode(input: &mut &[u8]) -> Option<bool> {
        match u8::decode(input)? {
            0 => Some(false),
            1 => Some(true),
            _ => None,
        }
    }
}

impl StateCode for char {
    #[inline]
    fn encode(&self, out: &mut Vec<u8>) {
        u32::from(*self).encode(out);
    }

    #[inline]
    fn decode(input: &mut &[u8]) -> Option<char> {
        char::from_u32(u32::decode(input)?)
    }
}

impl StateCode for String {
    #[inline]
    fn encode(&self, out: &mut Vec<u8>) {
        encode_len(self.len(), out);
        out.extend_from_slice(self.as_bytes());
    }

    #[inline]
    fn decode(input: &mut &[u8]) -> Option<String> {
        let len = decode_len(input)?;
        let bytes = take(input, len)?;
        String::from_utf8(bytes.to_vec()).ok()
    }
}

impl<T: StateCode> StateCode for Option<T> {
    #[inline]
    fn encode(&self, out: &mut Vec<u8>) {
        self.is_some().encode(out);
        if let Some(value) = self {
            value.encode(out);
        }
    }

    #[inline]
    fn decode(input: &mut &[u8]) -> Option<Option<T>> {
        match bool::decode(input)? {
            true => Some(Some(T::decode(input)?)),
            false => Some(None),
        }
    }
}

impl<T: StateCode> StateCode for Box<T> {
    #[inline]
    fn encode(&self, out: &mut Vec<u8>) {
        T::encode(self, out);
    }

    #[inline]
    fn decode(input: &mut &[u8]) -> Option<Box<T>> {
        T::decode(input).map(Box::new)
    }
}

impl<T: StateCode, const N: usize> StateCode for [T; N] {
    #[inline]
    fn encode(&self, out: &mut Vec<u8>) {
        self.iter().for_each(|item| item.encode(out));
    }

    #[inline]
    fn decode(input: &mut &[u8]) -> Option<[T; N]> {
        let items: Option<Vec<T>> = (0..N).map(|_| T::decode(input)).collect();
        items?.try_into().ok()
    }
}

impl<T: StateCode> StateCode for Vec<T> {
    #[inline]
    fn encode(&self, out: &mut Vec<u8>) {
        encode_all(self.len(), self, out);
    }

    #[inline]
    fn decode(input: &mut &[u8]) -> Option<Vec<T>> {
        decode_all(input)
    }
}

impl<T: StateCode> StateCode for VecDeque<T> {
    #[inline]
    fn encode(&self, out: &mut Vec<u8>) {
        encode_all(self.len(), self, out);
    }

    #[inline]
    fn decode(input: &mut &[u8]) -> Option<VecDeque<T>> {
        decode_all(input)
    }
}

impl<T: StateCode + Ord> StateCode for BTreeSet<T> {
    #[inline]
    fn encode(&self, out: &mut Vec<u8>) {
        encode_all(self.len(), self, out);
    }

    #[inline]
    fn decode(input: &mut &[u8]) -> Option<BTreeSet<T>> {
        decode_all(input)
    }
}

impl<K: StateCode + Ord, V: StateCode> StateCode for BTreeMap<K, V> {
    #[inline]
    fn encode(&self, out: &mut Vec<u8>) {
        encode_len(self.len(), out);
        for (key, value) in self {
            key.encode(out);
            value.encode(out);
        }
    }

    #[inline]
    fn decode(input: &mut &[u8]) -> Option<BTreeMap<K, V>> {
        decode_all::<(K, V), _>(input)
    }
}

macro_rules! tuples {
    ($(($($part:ident),*))*) => {$(
        impl<$($part: StateCode),*> StateCode for ($($part,)*) {
            #[allow(non_snake_case, unused_variables)]
            #[inline]
            fn encode(&self, out: &mut Vec<u8>) {
                let ($($part,)*) = self;
                $($part.encode(out);)*
            }

            #[allow(unused_variables)]
            #[inline]
            fn decode(input: &mut &[u8]) -> Option<Self> {
                Some(($($part::decode(input)?,)*))
            }
        }
    )*};
}

tuples! {
    () (A) (A, B) (A, B, C) (A, B, C, D) (A, B, C, D, E) (A, B, C, D, E, F) (A, B, C, D, E, F, G)
    (A, B, C, D, E, F, G, H)
}

/// Implements [`StateCode`] for a struct, whose fields are all named.
///
/// ```
/// struct Lock { owner: Option<u8>, waiting: Vec<u8> }
/// ample::code_struct!(Lock { owner, waiting });
/// ```
#[macro_export]
macro_rules! code_struct {
    ($name:ident { $($field:ident),* $(,)? }) => {
        impl $crate::typed::StateCode for $name {
            #[inline]
            fn encode(&self, out: &mut ::std::vec::Vec<u8>) {
                let $name { $($field),* } = self;
                $($crate::typed::StateCode::encode($field, out);)*
            }

            #[inline]
            fn decode(input: &mut &[u8]) -> ::std::option::Option<Self> {
                ::std::option::Option::Some($name {
                    $($field: $crate::typed::StateCode::decode(input)?),*
                })
            }
        }
    };
}

/// Implements [`StateCode`] for an enum, whose variants are all named; those that carry something
/// have names for that in parentheses.
///
/// ```
/// enum Message { Hello, Number(u32), Pair(u8, u8) }
/// ample::code_enum!(Message { Hello, Number(n), Pair(a, b) });
/// ```
#[macro_export]
macro_rules! code_enum {
    ($name:ident { $($variant:ident $(($($field:ident),*))?),* $(,)? }) => {
        const _: () = {
            const VARIANTS: usize = [$(stringify!($variant)),*].len();
            const { assert!(VARIANTS <= 256, "an enum of more than 256 variants") };

            enum Number { $($variant),* }

            impl $crate::typed::StateCode for $name {
                #[inline]
                fn encode(&self, out: &mut ::std::vec::Vec<u8>) {
                    match self {
                        $($name::$variant $(($($field),*))? => {
                            out.push(Number::$variant as u8);
                            $($($crate::typed::StateCode::encode($field, out);)*)?
                        })*
                    }
                }

                #[inline]
                fn decode(input: &mut &[u8]) -> ::std::option::Option<Self> {
                    let number = <u8 as $crate::typed::StateCode>::decode(input)?;
                    $(if number == Number::$variant as u8 {
                        $($(let $field = $crate::typed::StateCode::decode(input)?;)*)?
                        return ::std::option::Option::Some($name::$variant $(($($field),*))?);
                    })*
                    ::std::option::Option::None
                }
            }
        };
    };
}
