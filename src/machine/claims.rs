//! `xr` and `xs`: a process says that nobody else receives from, or sends to, a channel. Nothing relies on it; it is checked
//! at every such operation, against the processes that are there.

use super::memory::{Width, read};
use super::model::Model;
use super::scratch::Scratch;
use super::{Fallible, FaultKind, Pid, fault};
use promela_lite::program::{Place, Program, RecvId, SendId};

/// How the identity of a channel is stored.
const CHAN: Width = Width::U16;

/// A variable that holds a claimed channel.
#[derive(Copy, Clone, Debug)]
struct Claim {
    own: bool,
    offset: u32,
}

/// What the processes of each type claim: to send, and to receive.
#[derive(Clone, Debug, Default)]
pub(super) struct Claims {
    sends: Vec<Vec<Claim>>,
    recvs: Vec<Vec<Claim>>,
}

impl Claims {
    pub(super) fn new(program: &Program) -> Claims {
        if program.exclusive.is_empty() {
            return Claims::default();
        }
        let none = vec![Vec::new(); program.proctypes.len()];
        let mut claims = Claims {
            sends: none.clone(),
            recvs: none,
        };
        for claim in &program.exclusive {
            let own = match claim.via.place {
                Place::Own => true,
                Place::Global => false,
                Place::Hidden | Place::Remote(_) => continue,
            };
            let side = match claim.recv {
                true => &mut claims.recvs,
                false => &mut claims.sends,
            };
            side[claim.proctype.index()].push(Claim {
                own,
                offset: claim.via.lo,
            });
        }
        claims
    }
}

/// Fails if a process other than `pid` has claimed that only it sends to the channel.
#[inline]
pub(super) fn may_send(
    model: &Model,
    scratch: &Scratch,
    state: &[u8],
    pid: Pid,
    (send, channel): (SendId, u16),
) -> Fallible<()> {
    let claims = &model.claims.sends;
    if claims.is_empty() || !is_claimed(model, claims, scratch, state, pid, channel) {
        return Ok(());
    }
    let span = model.program.sends[send.index()].span;
    Err(fault(FaultKind::NotExclusive { recv: false }, span))
}

/// Fails if a receive takes a message out of a channel of which a process other than `pid` has claimed that only it does.
#[inline]
pub(super) fn may_receive(
    model: &Model,
    scratch: &Scratch,
    state: &[u8],
    pid: Pid,
    (recv, channel): (RecvId, u16),
) -> Fallible<()> {
    let claims = &model.claims.recvs;
    if claims.is_empty()
        || model.recvs[recv.index()].peek
        || !is_claimed(model, claims, scratch, state, pid, channel)
    {
        return Ok(());
    }
    let span = model.program.recvs[recv.index()].span;
    Err(fault(FaultKind::NotExclusive { recv: true }, span))
}

fn is_claimed(
    model: &Model,
    claims: &[Vec<Claim>],
    scratch: &Scratch,
    state: &[u8],
    pid: Pid,
    channel: u16,
) -> bool {
    let mut live = scratch.tables.live().iter().enumerate();
    live.any(|(other, process)| {
        claims[process.proctype.index()].iter().any(|claim| {
            let base = match claim.own {
                true => process.locals,
                false => model.layout.globals,
            };
            let at = base + claim.offset as usize;
            read(state, at, CHAN) == i32::from(channel) && other != usize::from(pid.0)
        })
    })
}
