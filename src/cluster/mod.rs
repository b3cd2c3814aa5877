//! The same check on several machines.
//!
//! ```text
//! Session      hosts meet, agree, live and end                session, door, auth, agree, control, fate
//!   goal       connections for states, workers                session, wire, run
//!     Worker   levels of states, ample sets                   safety, expand, part
//!       Mail   letters in rounds, back-pressure               mail, codec, owner
//!     Gathered figures and counterexamples at host 0          path, stops
//! ```
//!
//! Each state belongs to one worker of one host ([`owner`]). Letters go over the communication layer of timely dataflow
//! (`timely_communication`): its threads, its framing, its channels between threads and processes. What it lacks is added at its
//! two ends: connections are authenticated before timely gets them ([`auth`]) and watched while it has them ([`wire`]), and the
//! workers bound what is under way ([`mail`]). Timely's progress tracking is not used: levels end by counting, which takes one
//! letter per pair of workers and level.
//!
//! What comes out is a search like others: host 0 confirms every counterexample on the plain machine before it is reported, and
//! only a round in which nobody had anything to expand is evidence that nothing was left out.

mod agree;
mod auth;
mod codec;
mod control;
mod door;
mod expand;
mod fate;
mod mail;
mod owner;
mod part;
mod path;
mod run;
mod safety;
mod session;
mod stops;
mod wire;

pub use agree::Agreement;
pub use auth::{SHORTEST, Secret};
pub use control::HostProgress;
pub(crate) use run::initial;
pub use session::{Lost, Observer, Session, Setup};
pub(crate) use stops::decoded;
