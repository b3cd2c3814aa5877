//! How scalars lie in a state: little-endian, unaligned, cut to their type when they are stored.
//!
//! A [`Width`] says how bytes become a value; a mask says which bits survive an assignment. Both are computed once
//! from a [`Scalar`], so that no access has to look at the type again.

use promela_lite::code::Scalar;

/// How many bytes a value takes and whether it has a sign.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum Width {
    U8,
    U16,
    I16,
    I32,
}

impl Width {
    pub(super) fn of(ty: Scalar) -> Width {
        match ty {
            Scalar::Bit | Scalar::Byte | Scalar::Pid | Scalar::Mtype => Width::U8,
            Scalar::Short => Width::I16,
            Scalar::Chan => Width::U16,
            Scalar::Int => Width::I32,
            Scalar::Unsigned(n) if n <= 8 => Width::U8,
            Scalar::Unsigned(n) if n <= 16 => Width::U16,
            Scalar::Unsigned(_) => Width::I32,
        }
    }

    /// The narrowest unsigned width for values up to `max`.
    pub(super) fn holding(max: usize) -> Width {
        match max {
            0..=0xff => Width::U8,
            0x100..=0xffff => Width::U16,
            _ => Width::I32,
        }
    }

    pub(super) fn bytes(self) -> usize {
        match self {
            Width::U8 => 1,
            Width::U16 | Width::I16 => 2,
            Width::I32 => 4,
        }
    }
}

/// The bits of a value that a variable of this type keeps.
pub(super) fn mask(ty: Scalar) -> u32 {
    match ty {
        Scalar::Bit => 1,
        Scalar::Unsigned(n) if n < 32 => (1 << n) - 1,
        _ => u32::MAX,
    }
}

#[inline(always)]
pub(super) fn read(bytes: &[u8], at: usize, width: Width) -> i32 {
    match width {
        Width::U8 => i32::from(bytes[at]),
        Width::U16 => i32::from(u16::from_le_bytes([bytes[at], bytes[at + 1]])),
        Width::I16 => i32::from(i16::from_le_bytes([bytes[at], bytes[at + 1]])),
        Width::I32 => {
            let four = &bytes[at..at + 4];
            i32::from_le_bytes([four[0], four[1], four[2], four[3]])
        }
    }
}

#[inline(always)]
pub(super) fn write(bytes: &mut [u8], at: usize, width: Width, value: i32) {
    match width {
        Width::U8 => bytes[at] = value as u8,
        Width::U16 | Width::I16 => {
            bytes[at..at + 2].copy_from_slice(&(value as u16).to_le_bytes());
        }
        Width::I32 => bytes[at..at + 4].copy_from_slice(&value.to_le_bytes()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn scalar() -> impl Strategy<Value = Scalar> {
        prop_oneof![
            Just(Scalar::Bit),
            Just(Scalar::Byte),
            Just(Scalar::Short),
            Just(Scalar::Int),
            Just(Scalar::Chan),
            (1u8..=32).prop_map(Scalar::Unsigned),
        ]
    }

    proptest! {
        #[test]
        fn what_is_read_back_is_the_truncated_value(ty in scalar(), value: i32, at in 0usize..4) {
            let mut bytes = [0xa5u8; 8];
            let width = Width::of(ty);
            prop_assert_eq!(width.bytes() as u32, ty.size());
            write(&mut bytes, at, width, value & mask(ty) as i32);
            prop_assert_eq!(read(&bytes, at, width), ty.truncate(value));
            for (i, byte) in bytes.iter().enumerate() {
                if i < at || i >= at + width.bytes() {
                    prop_assert_eq!(*byte, 0xa5);
                }
            }
        }
    }
}
