//! The tokens the grammar eats, and the one table of the words of the language.
//!
//! A word is looked up by the index of its symbol: `words` lists all of them in the order in which a new interner
//! takes them in, keywords first. Words that mean something only inside an `ltl` block, to the preprocessor or in front of
//! the name of a procedure stay plain names elsewhere.

use crate::source::Span;
use crate::symbol::Symbol;

/// A token and where it was written.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct Token {
    /// What it is.
    pub kind: TokenKind,
    /// Where it stands.
    pub span: Span,
}

macro_rules! token_kinds {
    (
        keywords { $($kw:ident $text:literal,)* }
        contextual { $($fw:ident $shown:literal,)* }
        punctuation { $($pu:ident $sign:literal,)* }
    ) => {
        /// The terminal symbols of the grammar.
        #[derive(Copy, Clone, Debug, PartialEq, Eq)]
        #[allow(missing_docs, reason = "each keyword and sign is documented by its text in the table below")]
        pub enum TokenKind {
            /// An identifier.
            Name(Symbol),
            /// An identifier that an earlier `typedef` introduced.
            TypeName(Symbol),
            /// An identifier that an earlier `proctype` introduced.
            ProcName(Symbol),
            /// An integer or character constant.
            Number(i32),
            /// A string, without its quotes, escapes as written.
            Str(Symbol),
            $($kw,)* $($fw,)* $($pu,)*
        }

        /// Keywords in the order of their symbols.
        const KEYWORDS: &[(&str, TokenKind)] = &[$(($text, TokenKind::$kw),)*];

        impl TokenKind {
            /// How the token is written, for messages; names and numbers give their class.
            pub fn text(self) -> &'static str {
                match self {
                    TokenKind::Name(_) => "a name",
                    TokenKind::TypeName(_) => "a type name",
                    TokenKind::ProcName(_) => "a proctype name",
                    TokenKind::Number(_) => "a number",
                    TokenKind::Str(_) => "a string",
                    $(TokenKind::$kw => $text,)*
                    $(TokenKind::$fw => $shown,)*
                    $(TokenKind::$pu => $sign,)*
                }
            }
        }
    };
}

token_kinds! {
    keywords {
        Active "active", Assert "assert", Atomic "atomic", Bit "bit", Bool "bool", Break "break", Byte "byte",
        Chan "chan", DProctype "D_proctype", Do "do", DStep "d_step", Else "else", Empty "empty", Enabled "enabled",
        Eval "eval", False "false", Fi "fi", For "for", Full "full", GetPriority "get_priority", Goto "goto",
        Hidden "hidden", If "if", In "in", Init "init", Int "int", Len "len", Local "local", Ltl "ltl", Mtype "mtype",
        Nempty "nempty", Never "never", Nfull "nfull", Notrace "notrace", NonProgress "np_", Od "od", Of "of",
        PcValue "pc_value", Pid "pid", Printf "printf", Printm "printm", Priority "priority", Proctype "proctype",
        Provided "provided", Return "return", Run "run", Select "select", SetPriority "set_priority", Short "short",
        Show "show", Skip "skip", Timeout "timeout", Trace "trace", True "true", Typedef "typedef", Unless "unless",
        Unsigned "unsigned", Xr "xr", Xs "xs",
    }
    contextual {
        Procedure "procedure",
        Always "[]", Eventually "<>", Until "U", WeakUntil "W", Release "V", Next "X", Implies "->", Equiv "<->",
        AtLabel "at",
    }
    punctuation {
        LParen "(", RParen ")", LBracket "[", RBracket "]", LBrace "{", RBrace "}", Semi ";", Arrow "->", Comma ",",
        Colon ":", DoubleColon "::", Dot ".", DotDot "..", At "@", Assign "=", Plus "+", Minus "-", Star "*",
        Slash "/", Percent "%", Amp "&", Caret "^", Pipe "|", Gt ">", Lt "<", Ge ">=", Le "<=", EqEq "==", NotEq "!=",
        AndAnd "&&", OrOr "||", Shl "<<", Shr ">>", Tilde "~", Bang "!", BangBang "!!", Query "?", QueryQuery "??",
        PlusPlus "++", MinusMinus "--",
    }
}

macro_rules! other_words {
    ($($name:ident $text:literal,)*) => {
        const OTHER_WORDS: &[&str] = &[$($text,)*];
        #[allow(non_camel_case_types, clippy::upper_case_acronyms, reason = "only numbers the constants below")]
        #[repr(u32)]
        enum Position { $($name,)* }
        /// Symbols of the words that are no keywords but that some pass knows.
        pub(crate) mod word {
            use super::{KEYWORDS, Position, Symbol};
            $(pub(crate) const $name: Symbol = Symbol::from_index(KEYWORDS.len() as u32 + Position::$name as u32);)*
        }
    };
}

other_words! {
    INLINE "inline", C_CODE "c_code", C_DECL "c_decl", C_EXPR "c_expr", C_STATE "c_state", C_TRACK "c_track",
    DEFINE "define", UNDEF "undef", IFDEF "ifdef", IFNDEF "ifndef", ELIF "elif", ENDIF "endif", INCLUDE "include",
    LINE "line", ERROR "error", WARNING "warning", PRAGMA "pragma", IDENT "ident", ONCE "once", DEFINED "defined",
    VA_ARGS "__VA_ARGS__", PROCEDURE "procedure",
    U "U", V "V", W "W", X "X", ALWAYS "always", EVENTUALLY "eventually", UNTIL "until", STRONGUNTIL "stronguntil",
    WEAKUNTIL "weakuntil", RELEASE "release", NEXT "next", IMPLIES "implies", EQUIVALENT "equivalent", AT "at",
}

/// Every word of the language, in the order of its symbol.
pub(crate) fn words() -> impl Iterator<Item = &'static str> {
    KEYWORDS
        .iter()
        .map(|&(text, _)| text)
        .chain(OTHER_WORDS.iter().copied())
}

/// The keyword that `symbol` is, if it is one.
pub(crate) fn keyword(symbol: Symbol) -> Option<TokenKind> {
    KEYWORDS.get(symbol.index()).map(|&(_, kind)| kind)
}

/// Whether a keyword names a basic type.
pub(crate) fn is_type(kind: TokenKind) -> bool {
    use TokenKind::*;
    matches!(
        kind,
        Bit | Bool | Byte | Chan | Int | Mtype | Pid | Short | Unsigned
    )
}
