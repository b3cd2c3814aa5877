//! Giving up: a translation asks now and then whether anybody still wants it.
//!
//! This crate reads no clock. Whoever has one says by [`Formulas::stop_when`](crate::Formulas::stop_when) when it is enough;
//! diagrams, in which all long work is done, ask ([`crate::bdd`]).

use std::fmt;
use std::sync::Arc;

/// Says whether to give up; by default, never.
#[derive(Clone, Default)]
pub(crate) struct Watch(Option<Arc<dyn Fn() -> bool + Send + Sync>>);

impl Watch {
    pub(crate) fn new(stop: impl Fn() -> bool + Send + Sync + 'static) -> Watch {
        Watch(Some(Arc::new(stop)))
    }

    pub(crate) fn says_stop(&self) -> bool {
        self.0.as_ref().is_some_and(|stop| stop())
    }
}

impl fmt::Debug for Watch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Watch").field(&self.0.is_some()).finish()
    }
}
