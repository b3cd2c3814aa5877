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
    E0001 CannotRead "a file cannot be read" "The model, or a file that it includes, does not exist or cannot be opened. A name in `#include` is relative to the file that contains the line.";
    E0002 UnknownDirective "unknown preprocessor directive" "A line that begins with `#` must be one of define, undef, include, if, ifdef, ifndef, elif, else, endif, line, error, warning, pragma, ident, or a line marker such as `# 12 \"file\"`.";
    E0003 MalformedDirective "malformed preprocessor directive" "The directive lacks the name, the file or the number that it needs, or its list of parameters is broken.";
    E0004 TokenPasting "`##`, or `#` without a parameter, in a macro body" "Gluing tokens together is not supported: write the name out. `#` makes a string of the parameter behind it.";
    E0005 VariadicMacro "variadic macro" "Macros with `...` are not supported: no Promela statement takes a variable number of arguments but printf.";
    E0006 MacroArguments "wrong number of macro arguments" "A call of a macro must give as many arguments as its definition has parameters. Commas inside parentheses do not separate arguments.";
    E0007 UnterminatedMacroCall "a macro call is never closed" "The file, or the text before the next directive, ended inside the parentheses of a macro call.";
    E0008 SystemInclude "`#include <...>`" "Models have no system headers. Only `#include \"file\"` is supported.";
    E0010 UnbalancedConditional "unbalanced conditional text" "Every #if, #ifdef and #ifndef needs one #endif in the same file; #elif and #else come between them, #else last.";
    E0011 BadCondition "bad condition in #if" "The condition of #if and #elif is a constant integer expression. Names that are not macros count as zero.";
    E0012 ErrorDirective "#error" "The model itself refuses to be read in this configuration.";

    E0101 UnterminatedComment "a comment is never closed" "A comment that begins with `/*` goes on to the next `*/`. Comments do not nest.";
    E0102 UnterminatedString "a string is never closed" "A string must end on the line on which it begins.";
    E0103 BadCharacterConstant "bad character constant" "A character constant is one character, or a backslash and one character, between single quotes.";
    E0104 StrayCharacter "a character that means nothing in Promela" "The character is not part of the language. It is allowed in comments and strings only.";
    E0105 InvalidUtf8 "text that is not UTF-8" "Outside comments and strings, a model is plain text. Save the file as UTF-8 or remove the bytes.";
    E0106 NulByte "a zero byte" "The file contains a zero byte; it may be damaged or not be a text at all.";
    E0107 BadNumber "malformed number" "Numbers are decimal, without a base prefix and without a suffix.";
    E0108 NumberTooLarge "a number does not fit 32 bits" "Promela's largest type, int, has 32 bits.";
    E0109 StrayHash "`#` that does not begin a line" "A preprocessor directive must be the first thing on its line.";

    E0201 Syntax "unexpected token" "The text does not follow the grammar of Promela at this place.";

    E0351 InlineRedefined "an inline is defined twice" "Two inlines have the same name. Remove one, or rename it.";
    E0352 InlineArguments "wrong number of inline arguments" "A call of an inline must give as many arguments as its definition has parameters, and none may be empty.";
    E0353 InlineRecursion "an inline calls itself" "An inline is replaced by its body, so it cannot call itself, directly or through others. Use a proctype or a loop.";
    E0354 InlineBeforeDefinition "an inline is called before its definition" "Move the definition of the inline above its first call.";
    E0355 MalformedInline "malformed inline definition" "An inline is written `inline name(parameter, ...) { statements }`, outside every proctype.";
    E0356 InlineShadowsResult "an inline declares a variable of the name that its result goes to" "In `x = f(...)`, `return e` becomes `x = e` inside the body of f. If f declares its own x, that would assign to the wrong variable. Rename one of the two.";
    E0357 InlineInitializer "an inline call as an initial value" "Declare the variable first, and assign the result in a statement of its own.";

    E0551 ReturnOutsideInline "`return` without a caller that takes a value" "`return e` is allowed only in an inline that is called as `x = name(...)`.";

    E0601 ExpansionLimit "macro expansion is too large" "Macros that call each other several times multiply the text exponentially. There is a bound, so that such a model is refused and does not fill the memory.";
    E0602 IncludeDepth "#include nests too deeply" "A file includes itself, or the chain of files is longer than any model needs.";
    E0603 TextTooLarge "the text is too large" "All files of a model together must be smaller than 4 GB.";
    E0604 MacroNesting "macro calls nest too deeply" "There is a bound on macro calls inside the arguments of macro calls.";
    E0605 InlineLimit "inline expansion is too large" "Inlines that call each other several times multiply the text exponentially. There is a bound, so that such a model is refused and does not fill the memory.";

    E0701 EmbeddedC "embedded C code" "c_code, c_expr, c_decl, c_state and c_track carry C text that only SPIN's generated verifier can run. Express the computation in Promela.";

    W0001 MacroRedefined "a macro is redefined" "The new definition differs from the earlier one and holds from here on.";
    W0002 WarningDirective "#warning" "The model itself asks for attention.";
    W0101 NumberWraps "a number wraps around" "The number is too large for a signed 32-bit value and is read as a negative one, as in SPIN.";
    W0102 LeadingZero "a decimal number with a leading zero" "Unlike in C, a leading zero does not make a number octal.";
    W0351 UnusedInline "an inline is never called" "The definition has no effect.";
    W0352 CapturedArgument "an argument means another variable inside an inline" "The argument names a variable, and the inline declares one of the same name; inside the inline its own variable is meant.";
}
