//! What no model should look like: every such text is refused with a clear error, or accepted where it is legal, in
//! bounded time, without exhausting the stack or the memory.

mod door;
mod nesting;
mod sizes;
mod text;
