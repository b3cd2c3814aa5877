//! Shared memory, cut into objects: what two processes must both touch for their steps to depend on each other.
//!
//! Every scalar of a global variable is an object; a large array is one object as a whole, to keep sets small.

use super::bits::Bits;
use promela_lite::program::{Access, Frame, Place, Program, Var};

/// Arrays with more scalars than this are one object.
const MAX_CELLS: usize = 64;

/// Which bytes belong to which object.
#[derive(Debug)]
pub(super) struct Objects {
    /// Ranges of the global frame, then of the hidden one, each sorted by position.
    global: Vec<(u32, u32)>,
    hidden: Vec<(u32, u32)>,
}

impl Objects {
    pub(super) fn new(program: &Program) -> Objects {
        Objects {
            global: ranges(&program.globals),
            hidden: ranges(&program.hidden),
        }
    }

    /// How many there are.
    pub(super) fn count(&self) -> u32 {
        (self.global.len() + self.hidden.len()) as u32
    }

    /// Adds the shared objects that an access may touch.
    pub(super) fn add(&self, access: &Access, out: &mut Bits) {
        let (ranges, base) = match access.place {
            Place::Global => (&self.global, 0),
            Place::Hidden => (&self.hidden, self.global.len()),
            Place::Own | Place::Remote(_) => return,
        };
        let first = ranges.partition_point(|&(_, hi)| hi <= access.lo);
        for (index, &(lo, _)) in ranges.iter().enumerate().skip(first) {
            if lo >= access.hi {
                break;
            }
            out.insert(base + index);
        }
    }
}

/// The name of an object, for messages.
pub(super) fn name(program: &Program, object: usize) -> String {
    let globals = ranges(&program.globals);
    let (frame, (lo, hi)) = match object.checked_sub(globals.len()) {
        None => (&program.globals, globals[object]),
        Some(index) => (&program.hidden, ranges(&program.hidden)[index]),
    };
    name_of(frame, lo, hi)
}

/// The name of a range of bytes of a frame, for messages.
pub(super) fn name_of(frame: &Frame, lo: u32, hi: u32) -> String {
    let holds = |v: &&Var| v.offset <= lo && hi <= v.offset + v.size;
    let Some(var) = frame.vars.iter().find(holds) else {
        return "_".to_owned();
    };
    let cell = var.cells.iter().find(|c| c.offset == lo);
    match cell.filter(|c| c.offset + c.ty.size() == hi) {
        Some(cell) => format!("{}{}", var.name, cell.path),
        None => format!("{}[…]", var.name),
    }
}

fn ranges(frame: &Frame) -> Vec<(u32, u32)> {
    let mut ranges = Vec::new();
    for var in &frame.vars {
        if var.cells.len() > MAX_CELLS {
            ranges.push((var.offset, var.offset + var.size));
        } else {
            ranges.extend(var.cells.iter().map(|c| (c.offset, c.offset + c.ty.size())));
        }
    }
    // What `_` is assigned lies behind all variables.
    let end = ranges.last().map_or(0, |&(_, hi)| hi);
    if end < frame.size {
        ranges.push((end, frame.size));
    }
    ranges
}
