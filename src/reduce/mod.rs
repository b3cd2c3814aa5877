//! The reduction: in most states the moves of some of the processes suffice.
//!
//! [`obstacles`] says for which models the reduction may be used at all; [`visible`] which steps a property can tell apart;
//! [`facts`] what each place of the program touches now and later; [`ample`] puts these together, state by state.

mod ample;
mod bits;
mod facts;
mod objects;
mod obstacles;
mod visible;

pub use ample::Ample;
pub use obstacles::obstacle;
pub use visible::Visible;
