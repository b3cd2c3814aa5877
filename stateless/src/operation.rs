//! Visible operations, what they do to communication objects, and which of them depend on each
//! other.
//!
//! An operation is a list of accesses to objects. The abstract value of an object is one `u64`: the
//! bits of a variable, the free units of a lock or semaphore, the two counters of a queue, the
//! number of waiting threads of a condition. Each access that was performed records this value
//! before and after it. With these records the explorer can say, without running the program,
//! whether an operation would be enabled in another order and what it would do there (`races`):
//! this is what makes the dependence relation *conditional* and the search nevertheless exact.
//!
//! Two accesses to the same object are independent if they are of the same class and the class
//! commutes (reads; shared locking and unlocking; releases of units; arrivals at a condition), or
//! if they are a send and a receive of different messages of which neither makes room for the
//! other. All other pairs are dependent. Two properties are needed for the search to be sound
//! (validity of happens-before, Abdulla et al., JACM 2017, Definition 3.1): independent neighbours
//! can be swapped without changing what either of them does, nor its recorded class; and an
//! independent operation in between never makes dependent operations independent. A class that does
//! not commute, or whose effect on guards does not commute, breaks the first; a class that depends
//! on the order of arrival breaks the second.

use smallvec::SmallVec;

/// An object through which threads communicate. Numbers are small and dense: they are indices of
/// tables.
///
/// The number of an object may differ between executions that are not equal step by step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Object(pub u32);

/// What an operation does with one object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// Does not touch the object.
    Nothing,
    /// Reads the value. Also what a failed attempt does.
    Read,
    /// Replaces the value without looking at it.
    Write,
    /// Replaces the value depending on what it was.
    Update,
    /// Replaces the value if it is this one; possible only then. Recorded as [`Kind::Update`].
    Compare(u64),
    /// Takes this many units; possible only while there are as many.
    Take(u32),
    /// Gives back units.
    Give(u32),
    /// Takes one unit together with others who share; possible only while there is one. The object
    /// must have more units than can be shared at a time: then only somebody who took all of them
    /// keeps others from sharing.
    Share,
    /// Gives back a shared unit.
    Unshare,
    /// Leaves the units; possible only while there are this many.
    Await(u32),
    /// Makes the value 1, whatever it was.
    Set,
    /// Appends a message to a queue of this capacity; possible only while there is room.
    Send(u32),
    /// Removes the first message; possible only while there is one.
    Receive,
    /// Joins those who wait for a condition.
    Enter,
    /// Leaves those who wait for a condition without having been notified.
    Leave,
    /// Notifies one who waits for a condition; possible only while somebody waits.
    NotifyOne,
    /// Notifies all who wait for a condition; possible only while somebody waits.
    NotifyAll,
}

/// Kinds that commute with their own class. Everything in `Exclusive` depends on everything.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Reading,
    Sharing,
    Giving,
    Setting,
    Waiting,
    Sending,
    Receiving,
    Exclusive,
}

/// The value of a queue: messages sent so far and messages received so far.
pub fn queue_value(sent: u32, received: u32) -> u64 {
    (u64::from(sent) << 32) | u64::from(received)
}

fn sent(value: u64) -> u32 {
    (value >> 32) as u32
}

fn received(value: u64) -> u32 {
    value as u32
}

impl Kind {
    #[inline]
    fn class(self) -> Class {
        match self {
            Kind::Nothing | Kind::Read | Kind::Await(_) => Class::Reading,
            Kind::Share | Kind::Unshare => Class::Sharing,
            Kind::Give(_) => Class::Giving,
            Kind::Set => Class::Setting,
            Kind::Enter | Kind::Leave => Class::Waiting,
            Kind::Send(_) => Class::Sending,
            Kind::Receive => Class::Receiving,
            Kind::Write
            | Kind::Update
            | Kind::Compare(_)
            | Kind::Take(_)
            | Kind::NotifyOne
            | Kind::NotifyAll => Class::Exclusive,
        }
    }

    /// As two numbers.
    pub(crate) fn code(self) -> (u32, u64) {
        match self {
            Kind::Nothing => (0, 0),
            Kind::Read => (1, 0),
            Kind::Write => (2, 0),
            Kind::Update => (3, 0),
            Kind::Compare(expected) => (4, expected),
            Kind::Take(units) => (5, units.into()),
            Kind::Give(units) => (6, units.into()),
            Kind::Share => (7, 0),
            Kind::Unshare => (8, 0),
            Kind::Await(units) => (9, units.into()),
            Kind::Set => (10, 0),
            Kind::Send(capacity) => (11, capacity.into()),
            Kind::Receive => (12, 0),
            Kind::Enter => (13, 0),
            Kind::Leave => (14, 0),
            Kind::NotifyOne => (15, 0),
            Kind::NotifyAll => (16, 0),
        }
    }

    /// The other way round.
    pub(crate) fn decode(code: u32, argument: u64) -> Option<Kind> {
        let units = u32::try_from(argument);
        Some(match code {
            0 => Kind::Nothing,
            1 => Kind::Read,
            2 => Kind::Write,
            3 => Kind::Update,
            4 => Kind::Compare(argument),
            5 => Kind::Take(units.ok()?),
            6 => Kind::Give(units.ok()?),
            7 => Kind::Share,
            8 => Kind::Unshare,
            9 => Kind::Await(units.ok()?),
            10 => Kind::Set,
            11 => Kind::Send(units.ok()?),
            12 => Kind::Receive,
            13 => Kind::Enter,
            14 => Kind::Leave,
            15 => Kind::NotifyOne,
            16 => Kind::NotifyAll,
            _ => return None,
        })
    }

    /// Whether it depends on every other access to the same object.
    #[inline]
    pub(crate) fn is_exclusive(self) -> bool {
        self.class() == Class::Exclusive
    }

    /// Whether it is possible while the object has this value.
    #[inline]
    pub fn is_possible(self, value: u64) -> bool {
        match self {
            Kind::Compare(expected) => value == expected,
            Kind::Take(units) | Kind::Await(units) => value >= u64::from(units),
            Kind::Share => value >= 1,
            Kind::Send(capacity) => sent(value).wrapping_sub(received(value)) < capacity,
            Kind::Receive => sent(value) != received(value),
            Kind::NotifyOne | Kind::NotifyAll => value > 0,
            _ => true,
        }
    }

    /// The value after the access. For writes, `stored` is what is written.
    #[inline]
    fn apply(self, value: u64, stored: u64) -> u64 {
        match self {
            Kind::Nothing | Kind::Read | Kind::Await(_) => value,
            Kind::Write | Kind::Update | Kind::Compare(_) => stored,
            Kind::Take(units) => value.wrapping_sub(u64::from(units)),
            Kind::Give(units) => value.wrapping_add(u64::from(units)),
            Kind::Share | Kind::Leave | Kind::NotifyOne => value.wrapping_sub(1),
            Kind::Unshare | Kind::Enter => value.wrapping_add(1),
            Kind::Set => 1,
            Kind::Send(_) => queue_value(sent(value).wrapping_add(1), received(value)),
            Kind::Receive => queue_value(sent(value), received(value).wrapping_add(1)),
            Kind::NotifyAll => 0,
        }
    }

    /// Whether it is possible whatever the value.
    #[inline]
    fn is_unconditional(self) -> bool {
        matches!(
            self,
            Kind::Nothing
                | Kind::Read
                | Kind::Write
                | Kind::Update
                | Kind::Give(_)
                | Kind::Unshare
                | Kind::Set
                | Kind::Enter
                | Kind::Leave
        )
    }

    /// Whether the value after it does not depend on the value before it.
    #[inline]
    pub(crate) fn is_absolute(self) -> bool {
        matches!(
            self,
            Kind::Write | Kind::Update | Kind::Compare(_) | Kind::Set | Kind::NotifyAll
        )
    }
}

/// An access to an object, with the object's value around it once it was performed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Access {
    /// What is accessed.
    pub object: Object,
    /// How.
    pub kind: Kind,
    /// The value before.
    pub before: u64,
    /// The value after.
    pub after: u64,
}

impl Access {
    /// An access that was not performed yet.
    #[inline]
    pub fn new(object: Object, kind: Kind) -> Self {
        Access {
            object,
            kind,
            before: 0,
            after: 0,
        }
    }

    /// Whether the order of two performed accesses matters.
    #[inline]
    pub fn depends_on(&self, other: &Access) -> bool {
        if self.object != other.object || self.kind == Kind::Nothing || other.kind == Kind::Nothing
        {
            return false;
        }
        match (self.kind, other.kind) {
            (Kind::Send(capacity), Kind::Receive) => same_message(self, other, capacity),
            (Kind::Receive, Kind::Send(capacity)) => same_message(other, self, capacity),
            (a, b) => {
                let class = a.class();
                class != b.class()
                    || matches!(class, Class::Exclusive | Class::Sending | Class::Receiving)
            }
        }
    }
}

/// Whether the receive takes the message of the send, or makes the room that the send needs.
fn same_message(send: &Access, receive: &Access, capacity: u32) -> bool {
    let distance = sent(send.before).wrapping_sub(received(receive.before));
    distance == 0 || distance == capacity
}

/// A visible operation: accesses that happen in one step.
///
/// The first `alternatives` accesses exclude each other: the first possible one is performed, those
/// before it only look at their object, those after it do nothing. All other accesses are
/// performed. The operation is enabled if one alternative (should it have any) and every other
/// access is possible. An attempt that may fail is an alternative followed by [`Kind::Nothing`].
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Operation {
    /// The accesses, alternatives first.
    pub accesses: SmallVec<[Access; 2]>,
    /// How many of them are alternatives.
    pub alternatives: u8,
}

impl Clone for Operation {
    #[inline]
    fn clone(&self) -> Self {
        Operation {
            // Accesses are copied as a whole, not one by one.
            accesses: SmallVec::from_slice(&self.accesses),
            alternatives: self.alternatives,
        }
    }

    #[inline]
    fn clone_from(&mut self, other: &Self) {
        self.accesses.clear();
        self.accesses.extend_from_slice(&other.accesses);
        self.alternatives = other.alternatives;
    }
}

impl Operation {
    /// An operation that touches no object, such as a choice of data.
    #[inline]
    pub fn local() -> Self {
        Operation::default()
    }

    /// An operation with one access.
    #[inline]
    pub fn one(object: Object, kind: Kind) -> Self {
        Operation::all([Access::new(object, kind)])
    }

    /// An operation with several accesses in one step.
    pub fn all(accesses: impl IntoIterator<Item = Access>) -> Self {
        Operation {
            accesses: accesses.into_iter().collect(),
            alternatives: 0,
        }
    }

    /// One access that is performed if it is possible.
    #[inline]
    pub fn attempt(object: Object, kind: Kind) -> Self {
        let nothing = Access::new(object, Kind::Nothing);
        Operation {
            accesses: [Access::new(object, kind), nothing].into_iter().collect(),
            alternatives: 2,
        }
    }

    /// What it does while objects have these values: kinds and values before, but no values of
    /// writes. `None` if it is disabled.
    pub fn resolve(&self, mut value: impl FnMut(Object) -> u64) -> Option<Operation> {
        let mut resolved = self.clone();
        let alternatives = usize::from(self.alternatives);
        let mut chosen = alternatives == 0;
        for (index, access) in resolved.accesses.iter_mut().enumerate() {
            access.before = value(access.object);
            let possible = access.kind.is_possible(access.before);
            if index < alternatives {
                access.kind = match (chosen, possible) {
                    (true, _) => Kind::Nothing,
                    (false, true) => access.kind,
                    (false, false) => Kind::Read,
                };
                chosen |= possible;
            } else if !possible {
                return None;
            }
            access.after = access.kind.apply(access.before, access.before);
            if let Kind::Compare(_) = access.kind {
                access.kind = Kind::Update;
            }
        }
        resolved.alternatives = 0;
        chosen.then_some(resolved)
    }

    /// Whether it is enabled and does the same whatever the values are.
    #[inline]
    pub(crate) fn is_unconditional(&self) -> bool {
        self.alternatives == 0 && self.accesses.iter().all(|a| a.kind.is_unconditional())
    }

    /// Whether the order of two performed operations of different threads matters.
    #[inline]
    pub fn depends_on(&self, other: &Operation) -> bool {
        self.accesses
            .iter()
            .any(|a| other.accesses.iter().any(|b| a.depends_on(b)))
    }
}

/// The values of all objects, for systems that let the explorer's own rules decide what is enabled.
#[derive(Clone, Debug, Default)]
pub struct Values(Vec<u64>);

impl Values {
    /// The value of an object; 0 if it was never set.
    #[inline]
    pub fn get(&self, object: Object) -> u64 {
        self.0.get(object.0 as usize).copied().unwrap_or(0)
    }

    /// Gives an object a value, as when it is created.
    #[inline]
    pub fn set(&mut self, object: Object, value: u64) {
        let index = object.0 as usize;
        if index >= self.0.len() {
            self.0.resize(index + 1, 0);
        }
        self.0[index] = value;
    }

    /// Forgets everything.
    #[inline]
    pub fn clear(&mut self) {
        self.0.clear();
    }

    /// All values, in the order of objects.
    pub fn as_slice(&self) -> &[u64] {
        &self.0
    }

    /// Whether an operation is enabled.
    #[inline]
    pub fn enables(&self, operation: &Operation) -> bool {
        let alternatives = usize::from(operation.alternatives);
        let possible = |access: &Access| access.kind.is_possible(self.get(access.object));
        let (some, all) = operation.accesses.split_at(alternatives);
        (some.is_empty() || some.iter().any(possible)) && all.iter().all(possible)
    }

    /// Performs an enabled operation and returns its record. `stored` gives the value that a write
    /// leaves behind.
    ///
    /// # Panics
    /// If the operation is disabled.
    pub fn perform(
        &mut self,
        operation: &Operation,
        mut stored: impl FnMut(&Access) -> u64,
    ) -> Operation {
        let resolved = operation.resolve(|object| self.get(object));
        let mut performed = resolved.expect("only enabled operations are performed");
        for access in &mut performed.accesses {
            // An object may occur twice in one operation.
            access.before = self.get(access.object);
            let stored = if matches!(access.kind, Kind::Write | Kind::Update) {
                stored(access)
            } else {
                0
            };
            access.after = access.kind.apply(access.before, stored);
            if access.after != access.before {
                self.set(access.object, access.after);
            }
        }
        performed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const KINDS: [Kind; 17] = [
        Kind::Nothing,
        Kind::Read,
        Kind::Write,
        Kind::Update,
        Kind::Compare(1),
        Kind::Take(1),
        Kind::Give(1),
        Kind::Share,
        Kind::Unshare,
        Kind::Await(1),
        Kind::Set,
        Kind::Send(2),
        Kind::Receive,
        Kind::Enter,
        Kind::Leave,
        Kind::NotifyOne,
        Kind::NotifyAll,
    ];

    /// Runs two attempts in a row; what each did, and the value in the end. Writes store different
    /// constants.
    fn run(value: u64, order: [(usize, Kind); 2]) -> ([Option<Kind>; 2], u64) {
        let mut values = Values::default();
        values.set(Object(0), value);
        let mut did = [None; 2];
        for (who, kind) in order {
            let operation = Operation::one(Object(0), kind);
            if values.enables(&operation) {
                let performed = values.perform(&operation, |access| match kind {
                    Kind::Update => access.before * 2 + 7 + who as u64,
                    _ => 3 + who as u64,
                });
                did[who] = Some(performed.accesses[0].kind);
            }
        }
        (did, values.get(Object(0)))
    }

    #[test]
    fn independent_accesses_commute_and_do_not_disable_each_other() {
        let mut independent = 0;
        for value in [
            0,
            1,
            2,
            3,
            queue_value(3, 2),
            queue_value(4, 2),
            queue_value(2, 2),
        ] {
            for a in KINDS {
                for b in KINDS {
                    let mut values = Values::default();
                    values.set(Object(0), value);
                    let first = Operation::one(Object(0), a);
                    let second = Operation::one(Object(0), b);
                    if !values.enables(&first) {
                        continue;
                    }
                    let first = values.perform(&first, |_| 3);
                    let Some(second) = second.resolve(|o| values.get(o)) else {
                        continue;
                    };
                    // Those who share never use up all units.
                    let shares = |kind| matches!(kind, Kind::Share | Kind::Unshare);
                    if first.depends_on(&second) || value < 2 && shares(a) && shares(b) {
                        continue;
                    }
                    independent += 1;
                    let there = run(value, [(0, a), (1, b)]);
                    let back = run(value, [(1, b), (0, a)]);
                    assert_eq!(there, back, "{a:?} and {b:?} from {value}");
                }
            }
        }
        assert!(independent > 100, "{independent}");
    }

    #[test]
    fn a_send_and_a_receive_depend_on_each_other_at_the_ends_of_the_queue_only() {
        let access = |kind, sent, received| Access {
            before: queue_value(sent, received),
            ..Access::new(Object(1), kind)
        };
        let receive = access(Kind::Receive, 2, 1);
        assert!(access(Kind::Send(3), 1, 0).depends_on(&receive));
        assert!(!access(Kind::Send(3), 2, 0).depends_on(&receive));
        assert!(!access(Kind::Send(3), 3, 0).depends_on(&receive));
        assert!(access(Kind::Send(3), 4, 1).depends_on(&receive));
    }

    #[test]
    fn kinds_are_what_their_numbers_say() {
        for kind in KINDS {
            let (code, argument) = kind.code();
            assert_eq!(Kind::decode(code, argument), Some(kind));
        }
        assert_eq!(Kind::decode(KINDS.len() as u32, 0), None);
    }

    #[test]
    fn a_failed_attempt_reads() {
        let operation = Operation::attempt(Object(0), Kind::Take(1));
        let failed = operation.resolve(|_| 0).unwrap();
        assert_eq!(failed.accesses[0].kind, Kind::Read);
        assert_eq!(failed.accesses[1].kind, Kind::Nothing);
        let succeeded = operation.resolve(|_| 1).unwrap();
        assert_eq!(succeeded.accesses[0].kind, Kind::Take(1));
        assert!(failed.depends_on(&succeeded));
        assert!(!failed.depends_on(&failed));
    }
}
