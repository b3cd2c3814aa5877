//! Promela front end: text to control-flow graphs.
pub mod code;
pub mod program;
/// Source positions (interface placeholder).
pub mod source {
    /// A range of source text.
    #[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
    pub struct Span {
        /// First byte.
        pub lo: u32,
        /// One past the last.
        pub hi: u32,
        /// Expansion.
        pub expn: u32,
    }
}
