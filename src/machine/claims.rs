//! `xr` and `xs`: a process says that nobody else receives from, or sends to, a channel. Nothing relies on it; it is checked
//! at every such operation, against the processes that are there.

use super::memory::{Width, read};
use super::model::Model;
use super::scratch::Scratch;
use super::{Fallible, FaultKind, Pid, fault};
use promela_lite::code::Scalar;
use promela_lite::program::{Place, Program};
use promela_lite::source::Span;

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

/// Fails if a process other than `pid` has claimed that end of the channel.
#[inline]
pub(super) fn check(
    model: &Model,
    scratch: &Scratch,
    state: &[u8],
    pid: Pid,
    (channel, recv): (u16, bool),
    span: Span,
) -> Fallible<()> {
    let claims = match recv {
        true => &model.claims.recvs,
        false => &model.claims.sends,
    };
    if claims.is_empty() {
        return Ok(());
    }
    let is_claimed = scratch
        .tables
        .live()
        .iter()
        .enumerate()
        .any(|(other, process)| {
            claims[process.proctype.index()].iter().any(|claim| {
                let base = match claim.own {
                    true => process.locals,
                    false => model.layout.globals,
                };
                let at = base + claim.offset as usize;
                read(state, at, Width::of(Scalar::Chan)) == i32::from(channel)
                    && other != usize::from(pid.0)
            })
        });
    match is_claimed {
        true => Err(fault(FaultKind::NotExclusive { recv }, span)),
        false => Ok(()),
    }
}
