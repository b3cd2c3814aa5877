//! What happens to what a search has found: it is confirmed, by code that shares nothing with the search.

mod confirm;
mod fair;

pub use confirm::{Confirmed, Denied, Refuted, confirm};
pub use fair::{Treated, Treatment, treatment};
