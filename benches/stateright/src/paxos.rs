//! Single-decree Paxos with three servers and some clients, each of which puts a value at one server, and gets it at the next
//! when that is done. Messages arrive in any order, each once; one that would change nothing stays where it is.

use crate::model::System;
use ample::{code_enum, code_struct};
use std::collections::{BTreeMap, BTreeSet};

const SERVERS: u8 = 3;
const MAJORITY: usize = 2;

/// A round and the server that leads it.
type Ballot = (u8, u8);
/// A request and the client it is from, which stands for the value.
type Proposal = (u8, u8);

#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Message {
    Put(u8),
    PutOk(u8),
    Get(u8),
    GetOk(u8, u8),
    Prepare(Ballot),
    Prepared(Ballot, Option<(Ballot, Proposal)>),
    Accept(Ballot, Proposal),
    Accepted(Ballot),
    Decided(Ballot, Proposal),
}
code_enum!(Message {
    Put(request), PutOk(request), Get(request), GetOk(request, value), Prepare(ballot), Prepared(ballot, last),
    Accept(ballot, proposal), Accepted(ballot), Decided(ballot, proposal)
});

#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Server {
    ballot: Ballot,
    proposal: Option<Proposal>,
    prepares: BTreeMap<u8, Option<(Ballot, Proposal)>>,
    accepts: BTreeSet<u8>,
    accepted: Option<(Ballot, Proposal)>,
    decided: bool,
}
code_struct!(Server {
    ballot,
    proposal,
    prepares,
    accepts,
    accepted,
    decided
});

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Client {
    awaiting: Option<u8>,
    operations: u8,
    /// What it got.
    got: Option<u8>,
}
code_struct!(Client {
    awaiting,
    operations,
    got
});

/// From whom, to whom, and what. No two like it are ever under way at a time.
type Envelope = (u8, u8, Message);

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct State {
    servers: Vec<Server>,
    clients: Vec<Client>,
    network: BTreeSet<Envelope>,
}
code_struct!(State {
    servers,
    clients,
    network
});

pub struct Paxos {
    pub clients: usize,
}

impl Server {
    /// Handles a message; says whether that changes anything.
    fn receive(&mut self, me: u8, from: u8, message: &Message, send: &mut impl FnMut(u8, Message)) -> bool {
        let others = || (0..SERVERS).filter(|&s| s != me);
        if self.decided {
            if let (Message::Get(request), Some((_, (_, value)))) = (message, self.accepted) {
                send(from, Message::GetOk(*request, value));
                return true;
            }
            return false;
        }
        match *message {
            Message::Put(request) if self.proposal.is_none() => {
                self.proposal = Some((request, from));
                self.ballot = (self.ballot.0 + 1, me);
                self.accepts.clear();
                self.prepares = [(me, self.accepted)].into();
                others().for_each(|to| send(to, Message::Prepare(self.ballot)));
            }
            Message::Prepare(ballot) if self.ballot < ballot => {
                self.ballot = ballot;
                send(from, Message::Prepared(ballot, self.accepted));
            }
            Message::Prepared(ballot, last) if ballot == self.ballot => {
                self.prepares.insert(from, last);
                if self.prepares.len() == MAJORITY {
                    let latest = self.prepares.values().max().copied().flatten().map(|(_, p)| p);
                    let Some(proposal) = latest.or(self.proposal) else {
                        return false;
                    };
                    self.proposal = Some(proposal);
                    self.accepted = Some((ballot, proposal));
                    self.accepts.insert(me);
                    others().for_each(|to| send(to, Message::Accept(ballot, proposal)));
                }
            }
            Message::Accept(ballot, proposal) if self.ballot <= ballot => {
                self.ballot = ballot;
                self.accepted = Some((ballot, proposal));
                send(from, Message::Accepted(ballot));
            }
            Message::Accepted(ballot) if ballot == self.ballot => {
                self.accepts.insert(from);
                if self.accepts.len() == MAJORITY {
                    self.decided = true;
                    let Some(proposal) = self.proposal else { return false };
                    others().for_each(|to| send(to, Message::Decided(ballot, proposal)));
                    send(proposal.1, Message::PutOk(proposal.0));
                }
            }
            Message::Decided(ballot, proposal) => {
                self.ballot = ballot;
                self.accepted = Some((ballot, proposal));
                self.decided = true;
            }
            _ => return false,
        }
        true
    }
}

impl Client {
    fn receive(&mut self, me: u8, message: &Message, send: &mut impl FnMut(u8, Message)) -> bool {
        match *message {
            Message::PutOk(request) if self.awaiting == Some(request) => {
                let next = (self.operations + 1) * me;
                send((me + self.operations) % SERVERS, Message::Get(next));
                self.awaiting = Some(next);
            }
            Message::GetOk(request, value) if self.awaiting == Some(request) => {
                self.awaiting = None;
                self.got = Some(value);
            }
            _ => return false,
        }
        self.operations += 1;
        true
    }
}

impl System for Paxos {
    type State = State;
    type Action = Envelope;

    fn initial(&self) -> State {
        let ids = SERVERS..SERVERS + self.clients as u8;
        State {
            servers: vec![Server::default(); usize::from(SERVERS)],
            clients: ids
                .clone()
                .map(|id| Client {
                    awaiting: Some(id),
                    operations: 1,
                    got: None,
                })
                .collect(),
            network: ids.map(|id| (id, id % SERVERS, Message::Put(id))).collect(),
        }
    }

    fn actions(&self, state: &State, out: &mut Vec<Envelope>) {
        out.extend(state.network.iter().cloned());
    }

    fn next(&self, state: &State, envelope: &Envelope) -> Option<State> {
        let mut next = state.clone();
        let State {
            servers,
            clients,
            network,
        } = &mut next;
        let (from, to, message) = envelope;
        network.remove(envelope);
        let mut send = |receiver: u8, message: Message| {
            assert!(
                network.insert((*to, receiver, message)),
                "the same message twice under way"
            );
        };
        let changes = match servers.get_mut(usize::from(*to)) {
            Some(server) => server.receive(*to, *from, message, &mut send),
            None => clients[usize::from(to - SERVERS)].receive(*to, message, &mut send),
        };
        changes.then_some(next)
    }

    /// Who got a value got one that was decided: all the same.
    fn holds(&self, state: &State) -> bool {
        let mut got = state.clients.iter().filter_map(|c| c.got);
        let first = got.next();
        got.all(|value| Some(value) == first)
    }
}
