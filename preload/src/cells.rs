//! Variables in memory, found by how they are accessed.
//!
//! A cell is a piece of memory that is always accessed as a whole. When an access overlaps a cell
//! without being it, both become one cell; because objects that were told apart before are one now,
//! the exploration begins again. The cells only grow, so that this comes to an end.

use std::collections::BTreeMap;

/// The cells of all processes and regions.
#[derive(Debug, Default)]
pub(crate) struct Cells {
    /// Owner and first address to the address after the last.
    cells: BTreeMap<(u64, u64), u64>,
    changed: bool,
}

impl Cells {
    /// The cell of an access: its first address, and whether the access is to the whole cell.
    pub(crate) fn find(&mut self, owner: u64, address: u64, bytes: u64) -> (u64, bool) {
        let end = address.saturating_add(bytes.max(1));
        if self.cells.get(&(owner, address)) == Some(&end) {
            return (address, true);
        }
        let (mut first, mut last) = (address, end);
        let before = self.cells.range((owner, 0)..(owner, address)).next_back();
        let inside = self.cells.range((owner, address)..(owner, end));
        let mut overlapped = Vec::new();
        for (&(_, start), &stop) in before.into_iter().chain(inside) {
            if stop > address {
                overlapped.push(start);
                first = first.min(start);
                last = last.max(stop);
            }
        }
        if overlapped.len() == 1 && overlapped[0] == first && self.cells[&(owner, first)] == last {
            return (first, false);
        }
        for start in overlapped {
            self.cells.remove(&(owner, start));
            self.changed = true;
        }
        self.cells.insert((owner, first), last);
        (first, first == address && last == end)
    }

    /// The cells, as three numbers each.
    pub(crate) fn remember(&self) -> Vec<u64> {
        let cells = self.cells.iter();
        cells
            .flat_map(|(&(owner, first), &last)| [owner, first, last])
            .collect()
    }

    /// Takes over what another one remembered. `false` if it makes no sense.
    pub(crate) fn recall(&mut self, memory: &[u64]) -> bool {
        let (all, rest) = memory.as_chunks::<3>();
        let cells = all
            .iter()
            .map(|&[owner, first, last]| ((owner, first), last));
        self.cells = cells.collect();
        rest.is_empty()
    }

    /// Whether cells were merged since this was asked last.
    pub(crate) fn take_changed(&mut self) -> bool {
        std::mem::take(&mut self.changed)
    }

    pub(crate) fn has_changed(&self) -> bool {
        self.changed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn overlapping_accesses_become_one_cell() {
        let mut cells = Cells::default();
        assert_eq!(cells.find(0, 8, 4), (8, true));
        assert_eq!(cells.find(0, 12, 4), (12, true));
        assert_eq!(cells.find(1, 8, 8), (8, true));
        assert_eq!(cells.find(0, 8, 4), (8, true));
        assert!(!cells.take_changed());
        // A larger access merges both.
        assert_eq!(cells.find(0, 8, 8), (8, true));
        assert!(cells.take_changed());
        // Parts of it are the same cell from then on.
        assert_eq!(cells.find(0, 12, 4), (8, false));
        assert_eq!(cells.find(0, 9, 1), (8, false));
        assert!(!cells.take_changed());
        // One that goes beyond it makes it grow.
        assert_eq!(cells.find(0, 14, 4), (8, false));
        assert!(cells.take_changed());
        assert_eq!(cells.find(0, 17, 1), (8, false));
        assert_eq!(cells.find(0, 18, 1), (18, true));
        assert!(!cells.take_changed());
    }
}
