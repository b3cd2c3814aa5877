//! How the parts of a search become bytes and are read again: field by field, numbers little-endian, lengths before lists.
//!
//! What is read has passed its checksum ([`super::file`]), so a value that does not fit is an error like any other, not a panic,
//! and no list is given room for more than has been read.

use super::file::{In, Out};
use std::io;

/// Something that a checkpoint has.
pub trait Persist: Sized {
    /// Writes it.
    fn save(&self, out: &mut Out) -> io::Result<()>;

    /// Reads what [`Persist::save`] has written.
    fn load(input: &mut In) -> io::Result<Self>;
}

/// What was read cannot have been written.
pub(crate) fn misfit() -> io::Error {
    io::ErrorKind::InvalidData.into()
}

/// The system has refused memory for what is being read.
pub(crate) fn no_memory() -> io::Error {
    io::ErrorKind::OutOfMemory.into()
}

/// Says of a type how it is written: all fields of a `struct`, or a byte for the variant of an `enum` and its fields. Variants
/// that are not listed are never part of a search between two steps.
macro_rules! persist {
    (struct $name:ty { $($field:tt),* $(,)? }) => {
        impl $crate::checkpoint::Persist for $name {
            fn save(&self, out: &mut $crate::checkpoint::Out) -> std::io::Result<()> {
                $($crate::checkpoint::Persist::save(&self.$field, out)?;)*
                Ok(())
            }

            fn load(input: &mut $crate::checkpoint::In) -> std::io::Result<Self> {
                Ok(Self { $($field: $crate::checkpoint::Persist::load(input)?),* })
            }
        }
    };
    (enum $name:ty { $($variant:ident { $($field:tt: $bind:ident),* }),* $(,)? }) => {
        impl $crate::checkpoint::Persist for $name {
            #[allow(unreachable_patterns)]
            fn save(&self, out: &mut $crate::checkpoint::Out) -> std::io::Result<()> {
                let names = [$(stringify!($variant)),*];
                let tag = |name| names.iter().position(|n| *n == name).unwrap_or(0) as u8;
                match self {
                    $(Self::$variant { $($field: $bind),* } => {
                        $crate::checkpoint::Persist::save(&tag(stringify!($variant)), out)?;
                        $($crate::checkpoint::Persist::save($bind, out)?;)*
                        Ok(())
                    })*
                    _ => Err($crate::checkpoint::misfit()),
                }
            }

            fn load(input: &mut $crate::checkpoint::In) -> std::io::Result<Self> {
                let names = [$(stringify!($variant)),*];
                let tag: u8 = $crate::checkpoint::Persist::load(input)?;
                $(if names.get(usize::from(tag)) == Some(&stringify!($variant)) {
                    return Ok(Self::$variant { $($field: $crate::checkpoint::Persist::load(input)?),* });
                })*
                Err($crate::checkpoint::misfit())
            }
        }
    };
}
pub(crate) use persist;

macro_rules! numbers {
    ($($number:ty)*) => {
        $(impl Persist for $number {
            #[inline]
            fn save(&self, out: &mut Out) -> io::Result<()> {
                out.write(&self.to_le_bytes())
            }

            #[inline]
            fn load(input: &mut In) -> io::Result<$number> {
                let mut bytes = [0; size_of::<$number>()];
                input.read(&mut bytes)?;
                Ok(<$number>::from_le_bytes(bytes))
            }
        })*
    };
}
numbers! { u8 u16 u32 u64 i32 }

impl Persist for usize {
    fn save(&self, out: &mut Out) -> io::Result<()> {
        (*self as u64).save(out)
    }

    fn load(input: &mut In) -> io::Result<usize> {
        usize::try_from(u64::load(input)?).map_err(|_| misfit())
    }
}

impl Persist for bool {
    fn save(&self, out: &mut Out) -> io::Result<()> {
        u8::from(*self).save(out)
    }

    fn load(input: &mut In) -> io::Result<bool> {
        match u8::load(input)? {
            0 => Ok(false),
            1 => Ok(true),
            _ => Err(misfit()),
        }
    }
}

impl<T: Persist> Persist for Option<T> {
    fn save(&self, out: &mut Out) -> io::Result<()> {
        self.is_some().save(out)?;
        self.iter().try_for_each(|inner| inner.save(out))
    }

    fn load(input: &mut In) -> io::Result<Option<T>> {
        bool::load(input)?.then(|| T::load(input)).transpose()
    }
}

/// Writes a list, which is read as a vector.
pub(crate) fn save_list<T: Persist>(items: &[T], out: &mut Out) -> io::Result<()> {
    items.len().save(out)?;
    items.iter().try_for_each(|item| item.save(out))
}

impl<T: Persist> Persist for Vec<T> {
    fn save(&self, out: &mut Out) -> io::Result<()> {
        save_list(self, out)
    }

    fn load(input: &mut In) -> io::Result<Vec<T>> {
        let mut items = Vec::new();
        for _ in 0..usize::load(input)? {
            items.try_reserve(1).map_err(|_| no_memory())?;
            items.push(T::load(input)?);
        }
        Ok(items)
    }
}

impl<A: Persist, B: Persist> Persist for (A, B) {
    fn save(&self, out: &mut Out) -> io::Result<()> {
        self.0.save(out)?;
        self.1.save(out)
    }

    fn load(input: &mut In) -> io::Result<(A, B)> {
        Ok((A::load(input)?, B::load(input)?))
    }
}
