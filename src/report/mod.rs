//! What the user gets to see.

pub mod diagnostics;
