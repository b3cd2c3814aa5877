//! `xr` and `xs`: a process asserts that no other process receives from, or sends to, a channel. Nothing relies on it; it is
//! checked at every such operation, against the processes that exist.

use super::compiled::CompiledModel;
use super::memory::{Width, read};
use super::scratch::Scratch;
use super::{Fallible, FaultKind, Pid, fault};
use promela_lite::program::{Place, Program, RecvId, SendId};

/// How the identity of a channel is stored.
const CHAN: Width = Width::U16;

/// A variable that holds an exclusive channel.
#[derive(Copy, Clone, Debug)]
struct ExclusiveChannel {
    own: bool,
    offset: u32,
}

/// The channels of each proctype that are exclusive, for sending and for receiving.
#[derive(Clone, Debug, Default)]
pub(super) struct Exclusives {
    sends: Vec<Vec<ExclusiveChannel>>,
    recvs: Vec<Vec<ExclusiveChannel>>,
}

impl Exclusives {
    pub(super) fn new(program: &Program) -> Exclusives {
        if program.exclusive.is_empty() {
            return Exclusives::default();
        }
        let none = vec![Vec::new(); program.proctypes.len()];
        let mut exclusive = Exclusives {
            sends: none.clone(),
            recvs: none,
        };
        for assertion in &program.exclusive {
            let own = match assertion.via.place {
                Place::Own => true,
                Place::Global => false,
                Place::Hidden | Place::Remote(_) => continue,
            };
            let side = match assertion.recv {
                true => &mut exclusive.recvs,
                false => &mut exclusive.sends,
            };
            side[assertion.proctype.index()].push(ExclusiveChannel {
                own,
                offset: assertion.via.lo,
            });
        }
        exclusive
    }
}

/// Fails if a process other than `pid` has asserted that only it sends to the channel.
#[inline]
pub(super) fn may_send(
    model: &CompiledModel,
    scratch: &Scratch,
    state: &[u8],
    pid: Pid,
    (send, channel): (SendId, u16),
) -> Fallible<()> {
    let exclusive = &model.exclusive.sends;
    if exclusive.is_empty()
        || !is_exclusive_to_another(model, exclusive, scratch, state, pid, channel)
    {
        return Ok(());
    }
    let span = model.program.sends[send.index()].span;
    Err(fault(FaultKind::NotExclusive { recv: false }, span))
}

/// Fails if a receive takes a message out of a channel of which a process other than `pid` has asserted that only it does.
#[inline]
pub(super) fn may_receive(
    model: &CompiledModel,
    scratch: &Scratch,
    state: &[u8],
    pid: Pid,
    (recv, channel): (RecvId, u16),
) -> Fallible<()> {
    let exclusive = &model.exclusive.recvs;
    if exclusive.is_empty()
        || model.recvs[recv.index()].peek
        || !is_exclusive_to_another(model, exclusive, scratch, state, pid, channel)
    {
        return Ok(());
    }
    let span = model.program.recvs[recv.index()].span;
    Err(fault(FaultKind::NotExclusive { recv: true }, span))
}

fn is_exclusive_to_another(
    model: &CompiledModel,
    exclusive: &[Vec<ExclusiveChannel>],
    scratch: &Scratch,
    state: &[u8],
    pid: Pid,
    channel: u16,
) -> bool {
    let mut live = scratch.tables.live().iter().enumerate();
    live.any(|(other, process)| {
        exclusive[process.proctype.index()].iter().any(|assertion| {
            let base = match assertion.own {
                true => process.locals,
                false => model.layout.globals,
            };
            let at = base + assertion.offset as usize;
            read(state, at, CHAN) == i32::from(channel) && other != usize::from(pid.0)
        })
    })
}
