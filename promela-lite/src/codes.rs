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
    E0004 TokenPasting "wrong use of `##` or `#` in a macro body" "`##` glues the tokens on its two sides together, and the result must be one token: a name, a number or an operator. `#` makes a string of the parameter behind it.";
    E0005 VariadicMacro "wrong use of `...` or `__VA_ARGS__`" "`...` ends the list of parameters of a macro that takes any number of arguments. In the body of that macro, `__VA_ARGS__` stands for those arguments, or the name before the dots does, if there is one.";
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

    E0301 UndeclaredName "a name is not known" "The name is not declared, or declared later: a variable must be declared before the place where it is used.";
    E0302 DuplicateName "a name is declared twice" "Two things in the same scope have the same name. Rename one of them.";
    E0303 UnknownLabel "a label does not exist" "A `goto` needs a label in the same process; a remote reference needs one in the process that it names.";
    E0304 NoSuchField "a structure has no such field" "The field is not part of the typedef, or the variable is not a structure.";
    E0305 NotAVariable "a constant is used as a variable" "Constants of an mtype cannot be assigned to, indexed or received into.";

    E0351 InlineRedefined "an inline is defined twice" "Two inlines have the same name. Remove one, or rename it.";
    E0352 InlineArguments "wrong number of inline arguments" "A call of an inline must give as many arguments as its definition has parameters, and none may be empty.";
    E0353 InlineRecursion "an inline calls itself" "An inline is replaced by its body, so it cannot call itself, directly or through others. Use a proctype or a loop.";
    E0354 InlineBeforeDefinition "an inline is called before its definition" "Move the definition of the inline above its first call.";
    E0355 MalformedInline "malformed inline definition" "An inline is written `inline name(parameter, ...) { statements }`, outside every proctype.";
    E0356 InlineShadowsResult "an inline declares a variable of the name that its result goes to" "In `x = f(...)`, `return e` becomes `x = e` inside the body of f. If f declares its own x, that would assign to the wrong variable. Rename one of the two.";
    E0357 InlineInitializer "an inline call as an initial value" "Declare the variable first, and assign the result in a statement of its own.";

    E0401 NotConstant "a constant is needed" "Sizes of arrays, capacities of channels and numbers of processes must be known before the model runs.";
    E0402 BadArraySize "an array without elements" "The size of an array must be at least one.";
    E0403 BadWidth "an impossible width" "An `unsigned` variable has a width from 1 to 31 bits, written `unsigned x : 5`.";
    E0404 NotAChannel "something else is used as a channel" "Sends, receives, polls and questions such as `len` need a variable of type chan.";
    E0405 NotAnArray "something else is used as an array" "Only an array has elements: only an array can be indexed, or initialised by a list of values.";
    E0406 MissingIndex "an array is used as a whole" "An array has no value of its own: choose an element by its index.";
    E0407 IncompleteStructure "a structure is used as a whole" "Structures are assigned and compared field by field. Only as a message or an argument of `run` can a structure stand as a whole.";
    E0408 MessageShape "a message has too many fields" "A message cannot have more fields than its channel is declared with.";
    E0409 WrongArity "wrong number of arguments" "A process is started with as many arguments as its proctype has parameters, a procedure called with as many as it has. A structure counts as all of its fields.";
    E0410 BadFieldType "a type that cannot travel in a message" "Message fields are bit, bool, byte, pid, short, int, mtype, chan or a typedef.";
    E0411 BadCapacity "an impossible capacity" "A channel holds from 0 (rendezvous) to 65535 messages.";
    E0412 ChannelArithmetic "a channel is used as a number" "Channels can be assigned, compared, sent and passed on, but there is no arithmetic on them.";
    E0414 TooManyConstants "too many constants in one mtype" "An mtype has one byte, so it can have at most 255 constants.";
    E0415 BadPriority "an impossible priority" "Priorities are from 1 to 255.";
    E0416 BadActiveCount "an impossible number of processes" "At most 65535 processes can exist at once.";
    E0417 ReadsScratch "`_` is read" "`_` is a place to throw values away. It cannot be read.";
    E0418 ReadOnly "a predefined variable is assigned to" "_pid, _nr_pr and _last are kept by the system and cannot be changed.";
    E0419 BadCounter "a loop variable that is not a number" "The variable of `for` and `select` must be a number.";
    E0420 BadForRange "`for ... in` over something else" "`for (i in a)` goes through the indices of an array, `for (m in c)` through the messages of a channel.";
    E0421 EmptyRange "an empty range" "The first value of the range is larger than the last.";
    E0422 MtypeMismatch "a constant of another mtype" "A variable of a named mtype can only be given constants of its own set.";
    E0423 FieldsOverlap "a variable receives two fields of one message" "Each field of a message needs a variable of its own, or `_`.";
    E0424 BadVisibility "`hidden` or `show` where it cannot be" "Only global variables can be hidden, and neither channels nor bits. Constants cannot be shown.";

    E0501 BreakOutsideLoop "`break` outside of a loop" "`break` leaves the innermost loop around it; here there is none.";
    E0502 DuplicateElse "two `else` in one selection" "`else` is taken when no other option can be, so there can be only one.";
    E0503 MisplacedLabel "a label where no process can rest" "A label names a place between two steps. The first statement inside atomic, d_step, unless or a block is not such a place: put the label in front.";
    E0504 EmptySequence "a sequence without a statement" "Bodies, blocks and options need at least one statement.";
    E0505 JumpIntoDStep "a jump into a d_step" "A d_step is one step: it can only be entered at its start.";
    E0506 JumpOutOfDStep "a jump out of a d_step" "A d_step is one step: it can only be left at its end.";
    E0507 CircularJumps "jumps that run in a circle" "A `goto` leads to itself, directly or through others, so that the process would never come to rest.";
    E0508 OutsideProctype "something that only a process can do" "`run`, `_pid`, `xr` and `xs` have a meaning only inside of a proctype or init.";
    E0509 LateChannel "a channel made in the middle of a body" "Channels of a process are made when it starts: declare them before its first statement.";
    E0510 InitialisedParameter "a parameter with an initialiser" "Parameters get their values from `run`.";
    E0511 ArrayParameter "an array as a parameter" "Parameters are scalars or structures.";
    E0512 RunInInitialiser "`run` in an initialiser" "A process cannot be started by a declaration: use an assignment.";
    E0513 ClaimSideEffect "a never claim that sends or receives" "A never claim observes the system; it cannot take part in it.";
    E0514 NotAnEvent "a trace with something other than an event" "Traces consist of sends and receives.";
    E0515 TemporalOutsideLtl "a temporal operator inside a state condition" "Temporal operators can only be combined by the boolean operators.";
    E0516 NotAStateCondition "a formula with something other than conditions on states" "`run` does something; it does not say something about one state.";
    E0517 NegatedProbe "a negated or compared channel question" "`full`, `empty`, `nfull` and `nempty` can be combined by && and || only, so that the reduction can rely on them. Each has its negation.";
    E0518 RunInExpression "`run` as a part of a condition or message" "Starting a process changes the state, so `run` stands alone as a statement or on the right of an assignment.";
    E0519 BadProvided "a `provided` clause that cannot be evaluated" "The clause is evaluated before every step of the process. It can read global variables and `_pid`, but no local variables, no parameters and no other process.";
    E0520 ForbiddenInDStep "something that a d_step cannot do" "A d_step is one indivisible step: it cannot be escaped from, and it cannot start a process. Use atomic.";
    E0521 NoProcess "a model without a process" "Nothing happens: write `init { ... }`, or put `active` before a proctype.";
    E0522 ElseWithExclusive "`else` beside a send or receive in a model with xr or xs" "With xr and xs, what other processes do with a channel is promised not to matter; `else` beside a send or receive depends on just that.";
    E0523 ConflictingExclusive "two processes claim one end of a channel" "`xr` and `xs` say that only this proctype receives from, or sends to, the channel.";
    E0524 ClaimOnly "something that only a claim can ask" "`np_` speaks about all processes at once and belongs into never claims and formulas.";
    E0525 CallForbidden "a call where none can be" "A call takes several steps. It cannot be part of a d_step, which is one step, and it cannot be covered by `unless`.";
    E0526 MissingReturn "a procedure that may end without its result" "A procedure with a result ends with `return e` on every path.";
    E0527 ResultMismatch "a result where there is none, or none where there is one" "A procedure has a result if its head names a type: `procedure f(int a) : int { ... }`.";
    E0528 ForbiddenInProcedure "something that a procedure cannot do" "Channels belong to a process or to all, `xr` and `xs` are said by a proctype, and the labels that properties name are those of proctypes.";
    E0529 UnknownProcedure "a call of something that is no procedure" "Only procedures and inlines can be called; a process is started by `run`.";

    E0551 ReturnOutsideInline "`return` without a caller that takes a value" "`return e` is allowed only in a procedure, and in an inline that is called as `x = name(...)`.";

    E0601 ExpansionLimit "macro expansion is too large" "Macros that call each other several times multiply the text exponentially. There is a bound, so that such a model is refused and does not fill the memory.";
    E0602 IncludeDepth "#include nests too deeply" "A file includes itself, or the chain of files is longer than any model needs.";
    E0603 TextTooLarge "the text is too large" "All files of a model together must be smaller than 4 GB.";
    E0604 MacroNesting "macro calls nest too deeply" "There is a bound on macro calls inside the arguments of macro calls.";
    E0605 InlineLimit "inline expansion is too large" "Inlines that call each other several times multiply the text exponentially. There is a bound, so that such a model is refused and does not fill the memory.";
    E0606 TooDeep "nesting is too deep" "Brackets, blocks or operators are nested deeper than any model needs; the limit keeps the compiler safe.";
    E0607 TooLarge "a variable or type is too large" "The variables of a model must fit in memory many times over: each state has them.";
    E0608 TooMany "too many of something" "There is a bound on the number of proctypes in a model, of steps in a control-flow graph, of parameters, and of values to be printed.";

    E0701 EmbeddedC "embedded C code" "c_code, c_expr, c_decl, c_state and c_track carry C text that only SPIN's generated verifier can run. Express the computation in Promela.";

    W0001 MacroRedefined "a macro is redefined" "The new definition differs from the earlier one and holds from here on.";
    W0002 WarningDirective "#warning" "The model itself asks for attention.";
    W0101 NumberWraps "a number wraps around" "The number is too large for a signed 32-bit value and is read as a negative one, as in SPIN.";
    W0102 LeadingZero "a decimal number with a leading zero" "Unlike in C, a leading zero does not make a number octal.";
    W0103 StrayCommentEnd "`*/` outside of a comment" "The comment that it seems to end was closed before, or never opened. As in SPIN, the two characters are skipped.";
    W0351 UnusedInline "an inline is never called" "The definition has no effect.";
    W0352 CapturedArgument "an argument means another variable inside an inline" "The argument names a variable, and the inline declares one of the same name; inside the inline its own variable is meant.";
    W0301 UnusedVariable "a variable is never used" "It only makes the states larger.";
    W0302 UnknownMtypeSet "a set of constants that is never declared" "The variable can hold any number of one byte, but no constant belongs to its set.";
    W0303 LabelTakenOver "a label that an inline declares again" "As in SPIN, a jump to this name leads to the label that comes last in the text, also from places outside of the inline. Rename one of the labels.";
    W0401 VariableAsBound "a variable is used as a constant" "SPIN accepts a variable as the size of an array and takes its initial value. A macro says so.";
    W0403 IndexAlwaysOutside "an index outside of the array" "The statement ends the run with an error when it is executed.";
    W0404 AlwaysFails "an operation that is always an error" "The statement ends the run with an error when it is executed.";
    W0406 MessageShapeDiffers "a message with the wrong number of fields" "It is an error of the model once such a message is sent, or received.";
    W0407 ValueTruncated "a value that does not fit" "Only the lower bits of the value are stored.";
    W0408 PrintfArguments "arguments that do not fit the format" "Each conversion of the format needs one argument.";
    W0409 VisibilityIgnored "`hidden`, `show` or `local` without meaning" "The word has no meaning at this place and is ignored.";
    W0410 TooManyValues "too many initial values" "The list has more values than the array has elements; the others are ignored.";
    W0411 StructureInitialiser "an initial value for a whole structure" "As in SPIN, the value is ignored. Give the fields their values in the typedef, or by assignments.";
    W0412 EmptyLoop "a range without values" "The first value is larger than the last: a `for` over this range runs zero times, and a `select` gives the first value.";
    W0501 LabelOnOption "a label on the first statement of an option" "A process never rests between the choice of an option and its first statement, so the label names no place.";
    W0502 ElseWithChannels "`else` beside a send, a receive, or a question of room" "Whether a message can be sent or received may change at any time; `else` looks at this very state.";
    W0503 ConstantGuard "a condition that is always true or never true" "The condition does not depend on the state.";
    W0504 ConstantAssertion "an assertion that can never fail" "It says nothing about the model.";
    W0505 ClaimAssigns "a never claim that changes the state" "A claim should only observe.";
    W0506 InitialisedOnce "an array that is initialised only once" "The declaration stands in the middle of a body, but an array is initialised only when the process starts.";
    W0507 UnreachableStatement "a statement that cannot be reached" "No path of control leads to the statement: it stands behind a jump or an endless loop.";
    W0508 OutsideClaim "`enabled` or `pc_value` outside of a claim" "They ask about the control flow of other processes. Claims and formulas may; in a process they make every step depend on all others.";
    W0509 TimeoutInDStep "`timeout` inside of a d_step" "Between two statements of a d_step there is no state, so nothing can be waited for.";
    W0510 TimeoutInFormula "`timeout` in a formula" "Whether nothing else can happen is no condition on the variables and places of one state. The property is not checked; all others are.";
    W0511 ResultUnused "a result that is not used" "The procedure has a result, and the call throws it away. `_ = f(...)` says that this is meant.";
    W0512 UnusedProcedure "a procedure that is never called" "The definition has no effect.";
}
