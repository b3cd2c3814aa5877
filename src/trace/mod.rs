//! Counterexamples: the choices that lead to a violation.
//!
//! A [`Trail`] holds scheduling choices, not states: who moves, along which edge of the plain program, with
//! whom. Anything else (values, texts, SPIN's numbers) is found by executing it again, which is also the check
//! that it is genuine. It names the model by a digest, so that a trail is not replayed on something else.

mod expand;
mod inert;
mod itf;
mod json;
mod message;
mod replay;
mod spin;
mod story;
mod values;

pub use expand::expand;
pub use inert::inert;
pub use itf::{ItfHead, itf};
pub use json::{ReadError, from_json, to_json};
pub use message::{Direction, Message, messages};
pub use replay::{Ending, Lost, Moment, Rest, replay};
pub use spin::{Followed, SpinError, SpinLine, SpinTrail, follow, parse, render};
pub use story::{Actor, Call, Show, Site, Teller, Told, spin_steps, tell};
pub use values::{NamedValue, changes, values};

use crate::check::Variant;
use crate::machine::Move;
use crate::verdict::ViolationKind;
use sha2::{Digest, Sha256};

/// A counterexample.
#[derive(Clone, Debug, PartialEq)]
pub struct Trail {
    /// The model's name, for messages.
    pub model: String,
    /// Digest of the model: see [`digest`].
    pub digest: String,
    /// How deep calls of recursive procedures were expanded, if the model has any.
    pub call_depth: Option<u32>,
    /// What of the model meant something else than usual.
    pub variant: Variant,
    /// What is violated: `safety`, or the name of a property.
    pub property: String,
    /// The formula, if it is not part of the model.
    pub formula: Option<String>,
    /// How.
    pub kind: ViolationKind,
    /// In words.
    pub message: String,
    /// The choices, from the initial state.
    pub choices: Vec<Move>,
    /// For a cycle: the number of choices before it.
    pub cycle: Option<usize>,
}

/// Names a model: `sha256:` and the hexadecimal SHA-256 of its preprocessed text. Properties from outside the model (`--ltl`,
/// `--never`) are no part of it: a trail has only steps of the model, and can be replayed without them.
pub fn digest(text: &[u8]) -> String {
    let mut out = String::from("sha256:");
    for byte in Sha256::digest(text) {
        out.push_str(&format!("{byte:02x}"));
    }
    out
}
