//! Every diagnostic code, in one table.
//!
//! Ranges: E00xx preprocessor, E01xx lexer, E02xx syntax, E03xx names, E04xx types, E05xx misuse of statements, E06xx
//! limits, E07xx unsupported constructs, W0xxx warnings. A code never changes its meaning; a code that is no longer
//! used is not given to something else. To add one, add one line.

use crate::diagnostic::Severity;

macro_rules! codes {
    ($($code:ident $name:ident $summary:literal $explanation:literal;)*) => {
        /// A diagnostic code.
        #[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub enum Code {
            $(#[doc = concat!(stringify!($code), ": ", $summary)] $name,)*
        }

        impl Code {
            /// Every code, in the order of the table.
            pub const ALL: &[Code] = &[$(Code::$name,)*];

            /// The stable name, such as `E0101`.
            pub const fn name(self) -> &'static str {
                match self { $(Code::$name => stringify!($code),)* }
            }

            /// One line: what the code stands for.
            pub const fn summary(self) -> &'static str {
                match self { $(Code::$name => $summary,)* }
            }

            /// A longer text: why this is refused and what to do.
            pub const fn explanation(self) -> &'static str {
                match self { $(Code::$name => $explanation,)* }
            }
        }
    };
}

impl Code {
    /// Error or warning, by the first letter of the name.
    pub const fn severity(self) -> Severity {
        if self.name().as_bytes()[0] == b'W' {
            Severity::Warning
        } else {
            Severity::Error
        }
    }

    /// The code with this name.
    pub fn from_name(name: &str) -> Option<Code> {
        Code::ALL.iter().copied().find(|code| code.name() == name)
    }
}

codes! {
    E0001 CannotRead "a file cannot be read" "The model or a file it includes does not exist or cannot be opened.";
    E0201 Syntax "unexpected token" "The text does not follow the grammar of Promela at this place.";
    E0601 TooDeep "nesting is too deep" "Brackets, blocks or operators are nested deeper than any model needs; the limit keeps the compiler safe.";
}
