//! What no model should look like: every such text is refused with a clear error, or accepted where it is legal, in
//! bounded time, without exhausting the stack or the memory.

use promela_lite::{Code, Input, MemoryLoader, compile};
use std::path::Path;
use std::time::{Duration, Instant};

/// The time that one input may take; generous, since the machine may be busy and the build not optimised.
const LIMIT: Duration = Duration::from_secs(30);

/// Compiles a text and compares the code of its first error with what is expected: `None` for a legal model.
fn check(name: &str, text: impl Into<Vec<u8>>, expected: Option<Code>) {
    let mut loader = MemoryLoader::default()
        .with("m", text)
        .with("loop", "#include \"loop\"\n")
        .with("ping", "#include \"pong\"\n")
        .with("pong", "#include \"ping\"\n");
    let begin = Instant::now();
    let compiled = compile(Path::new("m"), &Input::default(), &mut loader);
    let time = begin.elapsed();
    let errors: Vec<_> = compiled
        .diagnostics
        .sorted()
        .into_iter()
        .filter(|d| d.code.severity() == promela_lite::Severity::Error)
        .map(|d| (d.code, d.message.clone()))
        .collect();
    println!("{name}: {time:?}, {:?}", errors.first());
    assert!(time < LIMIT, "{name} took {time:?}");
    assert_eq!(
        compiled.program.is_some(),
        expected.is_none(),
        "{name}: {errors:?}"
    );
    if let Some(expected) = expected {
        assert!(
            errors.iter().any(|(code, _)| *code == expected),
            "{name}: {expected:?} is not among {errors:?}"
        );
    }
}

/// A model around the statements of one process.
fn body(statements: &str) -> String {
    format!("byte x; int y; chan c = [1] of {{ byte }};\ninit {{\n{statements}\n}}\n")
}

const DEEP: usize = 100_000;

fn nest(open: &str, middle: &str, close: &str) -> String {
    format!("{}{middle}{}", open.repeat(DEEP), close.repeat(DEEP))
}

fn list(count: usize, item: impl Fn(usize) -> String) -> String {
    (0..count).map(item).collect()
}

#[test]
fn nesting() {
    let deep = Some(Code::TooDeep);
    let syntax = Some(Code::Syntax);
    check(
        "parentheses",
        body(&format!("y = {}", nest("(", "1", ")"))),
        deep,
    );
    check(
        "unclosed parentheses",
        body(&format!("y = {}", "(".repeat(DEEP))),
        deep,
    );
    check(
        "closing parentheses",
        body(&format!("y = 1 {}", ")".repeat(DEEP))),
        syntax,
    );
    check(
        "brackets",
        body(&format!("y = {}", nest("x[", "1", "]"))),
        deep,
    );
    check("blocks", body(&nest("{", "skip", "}")), deep);
    check("unclosed blocks", body(&"{".repeat(DEEP)), deep);
    check("closing braces", body(&"}".repeat(DEEP)), syntax);
    check("atomic", body(&nest("atomic {", "skip", "}")), deep);
    check("d_step", body(&nest("d_step {", "skip", "}")), deep);
    check("if", body(&nest("if :: ", "skip", " fi ")), deep);
    check(
        "if in else",
        body(&nest("if :: x -> skip :: else -> ", "skip", " fi ")),
        deep,
    );
    check("do", body(&nest("do :: ", "break", " od ")), deep);
    check("for", body(&nest("for (x : 0 .. 1) {", "skip", "}")), deep);
    check(
        "unless",
        body(&nest("{ skip } unless {", "skip", "}")),
        deep,
    );
    check(
        "unless to the left",
        body(&nest("{", "skip", "} unless { x }")),
        deep,
    );
    check(
        "conditional",
        body(&format!("y = {}", nest("(x -> 1 : ", "1", ")"))),
        deep,
    );
    check("poll", body(&nest("c?[eval(", "1", ")]")), deep);
    check(
        "initialisers",
        format!("byte a[2] = {};", nest("{", "1", "}")),
        deep,
    );
    check(
        "comment marks",
        body(&format!("{} skip", "/*".repeat(DEEP))),
        Some(Code::UnterminatedComment),
    );
    check(
        "formula",
        format!(
            "byte x; init {{ skip }} ltl p {{ {} }}",
            nest("(", "x", ")")
        ),
        deep,
    );
    check("#if", nest("#if 1\n", "init { skip }\n", "#endif\n"), None);
    check(
        "#if condition",
        format!("#if {}\n#endif\ninit {{ skip }}", nest("(", "1", ")")),
        Some(Code::BadCondition),
    );
    check(
        "macro calls",
        format!("#define A(x) x\ninit {{ {} }}", nest("A(", "skip", ")")),
        Some(Code::ExpansionLimit),
    );
    let calls = format!("{}skip{}", "A(".repeat(1_000), ")".repeat(1_000));
    check(
        "1,000 macro calls",
        format!("#define A(x) x\ninit {{ {calls} }}"),
        Some(Code::MacroNesting),
    );
}

#[test]
fn nesting_that_is_legal() {
    let deep = |open: &str, middle: &str, close: &str| {
        let n = 1_900;
        body(&format!("{}{middle}{}", open.repeat(n), close.repeat(n)))
    };
    check("parentheses", deep("(", "1", ")"), None);
    check("blocks", deep("{", "skip", "}"), None);
    check("atomic", deep("atomic {", "skip", "}"), None);
    check("d_step", deep("d_step {", "skip", "}"), None);
    check("if", deep("if :: ", "skip", " fi "), None);
    check(
        "if in else",
        deep("if :: x -> skip :: else -> ", "skip", " fi "),
        None,
    );
    check("do", deep("do :: ", "break", " od "), None);
    check("for", deep("for (x : 0 .. 1) {", "skip", "}"), None);
    check("unless", deep("{ skip } unless {", "skip", "}"), None);
    check(
        "unless to the left",
        deep("{", "skip", "} unless { x }"),
        Some(Code::TooDeep),
    );
    let n = 90;
    let left = format!("{}skip{}", "{".repeat(n), "} unless { x }".repeat(n));
    check("unless to the left, less", body(&left), None);
}

#[test]
fn operators() {
    let deep = Some(Code::TooDeep);
    for operator in ["+", "-", "*", "|", "&&", "||", "==", "<", "<<"] {
        let chain = format!("y = 1 {}", format!("{operator} x ").repeat(DEEP));
        check(operator, body(&chain), deep);
        let legal = format!("y = 1 {}", format!("{operator} x ").repeat(15_000));
        check(operator, body(&legal), None);
    }
    for operator in ["!", "-", "~", "- - ~ !"] {
        check(
            operator,
            body(&format!("y = {}x", format!("{operator} ").repeat(DEEP))),
            deep,
        );
    }
    for operator in ["[]", "<>", "!"] {
        let formula = format!("{operator} ").repeat(DEEP);
        check(
            operator,
            format!("byte x; init {{ x = 1 }} ltl p {{ {formula} x }}"),
            deep,
        );
    }
    for operator in ["U", "W", "V", "&&", "->", "<->"] {
        let formula = format!("x {operator} ").repeat(DEEP);
        check(
            operator,
            format!("byte x; init {{ x = 1 }} ltl p {{ {formula} x }}"),
            deep,
        );
    }
    check(
        "minus signs",
        body(&format!("y = {}1", "- ".repeat(DEEP))),
        None,
    );
    check(
        "#if operators",
        format!("#if 1 {}\n#endif\ninit {{ skip }}", "+ 1".repeat(DEEP)),
        None,
    );
    check(
        "#if signs",
        format!("#if {} 1\n#endif\ninit {{ skip }}", "!".repeat(DEEP)),
        Some(Code::BadCondition),
    );
}

#[test]
fn bytes() {
    check("nothing", "", Some(Code::NoProcess));
    check(
        "not UTF-8",
        b"byte x\xff\xfe; init { skip }".to_vec(),
        Some(Code::InvalidUtf8),
    );
    check(
        "not UTF-8 in a comment",
        b"/* \xff\xfe */ init { skip }".to_vec(),
        None,
    );
    check("NUL", "init { skip\0 }", Some(Code::NulByte));
    check("many NULs", vec![0; 10 << 20], Some(Code::NulByte));
    check("high bytes", vec![0xff; 10 << 20], Some(Code::InvalidUtf8));
    let mut garbage = promela_lite::random::Rng::seeded(1);
    let bytes: Vec<u8> = (0..10 << 20).map(|_| garbage.next_u64() as u8).collect();
    check("10 MB of random bytes", bytes, Some(Code::UnknownDirective));
    let printable: Vec<u8> = (0..10 << 20)
        .map(|_| 32 + garbage.below(95) as u8)
        .collect();
    check(
        "10 MB of random characters",
        printable,
        Some(Code::StrayCharacter),
    );
    let words = [
        "do ", ":: ", "x ", "; ", "od ", "} ", "{ ", "if ", "1 ", "byte ", "= ", "init ", "\n",
    ];
    let text: String = (0..3 << 20)
        .map(|_| words[garbage.below(words.len())])
        .collect();
    check("10 MB of random words", text, Some(Code::TooDeep));
    let words = ["x ", "; ", "1 ", "= ", "-> ", ": ", "byte ", "else ", "\n"];
    let text: String = (0..3 << 20)
        .map(|_| words[garbage.below(words.len())])
        .collect();
    check("random words without brackets", text, Some(Code::Syntax));
    check("a 1 MB line", body(&"x = 1; ".repeat(150_000)), None);
    check(
        "a 1 MB name",
        format!("byte {0}; init {{ {0} = 1 }}", "a".repeat(1 << 20)),
        None,
    );
    check(
        "a 1 MB comment",
        format!("/*{}*/ init {{ skip }}", "*".repeat(1 << 20)),
        None,
    );
    check(
        "a 1 MB string",
        body(&format!("printf(\"{}\")", "a".repeat(1 << 20))),
        None,
    );
    check(
        "a 1 MB directive",
        format!("#define A {}\ninit {{ skip }}", "1 ".repeat(1 << 19)),
        None,
    );
    check(
        "1 MB of continued lines",
        format!("#define A {}\ninit {{ skip }}", "\\\n".repeat(1 << 19)),
        None,
    );
    check(
        "1 MB of empty lines",
        format!("{}init {{ skip }}", "\n".repeat(1 << 20)),
        None,
    );
    check(
        "an open comment",
        "init { skip } /* ",
        Some(Code::UnterminatedComment),
    );
    check(
        "an open string",
        "init { printf(\"abc\n) }",
        Some(Code::UnterminatedString),
    );
    check(
        "an open string at the end",
        "init { printf(\"abc",
        Some(Code::UnterminatedString),
    );
    check(
        "an open character",
        "init { assert('a",
        Some(Code::BadCharacterConstant),
    );
    check(
        "backslash at the end",
        "init { skip }\\",
        Some(Code::StrayCharacter),
    );
    check(
        "a large number",
        body("y = 99999999999"),
        Some(Code::NumberTooLarge),
    );
    check(
        "33 bits",
        body("y = 4294967296"),
        Some(Code::NumberTooLarge),
    );
    check("32 bits", body("y = 4294967295"), None);
    check(
        "a number of 1 MB",
        body(&format!("y = {}", "9".repeat(1 << 20))),
        Some(Code::NumberTooLarge),
    );
}

#[test]
fn preprocessor() {
    let bomb = |n: usize| -> String {
        let lines = list(n, |i| format!("#define A{} A{i} A{i}\n", i + 1));
        format!("#define A0 skip;\n{lines}init {{ A{n} }}")
    };
    check("a small macro bomb", bomb(10), None);
    check("a macro bomb", bomb(64), Some(Code::ExpansionLimit));
    let arguments = list(64, |i| {
        format!("#define B{}(x) B{i}(x, x)\n", i + 1).replace("(x, x)", "(x x)")
    });
    check(
        "a bomb of arguments",
        format!("#define B0(x) x\n{arguments}init {{ B64(skip;) }}"),
        Some(Code::ExpansionLimit),
    );
    let chain = list(DEEP, |i| format!("#define C{} C{i}\n", i + 1));
    check(
        "a chain of macros",
        format!("#define C0 skip\n{chain}init {{ C{DEEP} }}"),
        None,
    );
    check(
        "a macro that names itself",
        "#define A A\ninit { A: skip }",
        None,
    );
    check(
        "macros that name each other",
        "#define A B\n#define B A\ninit { A: skip }",
        None,
    );
    check(
        "an include loop",
        "#include \"loop\"\ninit { skip }",
        Some(Code::IncludeDepth),
    );
    check(
        "an include loop of two",
        "#include \"ping\"\ninit { skip }",
        Some(Code::IncludeDepth),
    );
    check(
        "including itself",
        "#include \"m\"\ninit { skip }",
        Some(Code::IncludeDepth),
    );
    check(
        "a missing file",
        "#include \"none\"\ninit { skip }",
        Some(Code::CannotRead),
    );
    let many = list(DEEP, |i| format!("#define N{i} {i}\n"));
    check("100,000 macros", format!("{many}init {{ skip }}"), None);
    let inlines = list(64, |i| {
        format!("inline f{}() {{ f{i}(); f{i}() }}\n", i + 1)
    });
    check(
        "an inline bomb",
        format!("inline f0() {{ skip }}\n{inlines}init {{ f64() }}"),
        Some(Code::InlineLimit),
    );
    check(
        "an inline that calls itself",
        "inline f() { f() }\ninit { f() }",
        Some(Code::InlineRecursion),
    );
    let inlines = list(10_000, |i| format!("inline f{i}() {{ skip }}\n"));
    check(
        "10,000 inlines",
        format!("{inlines}init {{ f9999() }}"),
        None,
    );
    check(
        "100,000 calls",
        format!("inline f() {{ skip }}\n{}", body(&"f(); ".repeat(DEEP))),
        None,
    );
}

#[test]
fn sizes() {
    let large = Some(Code::TooLarge);
    check(
        "an enormous array",
        "byte a[2000000000]; init { a[0] = 1 }",
        large,
    );
    check(
        "an enormous array of structures",
        "typedef T { int a[30000] } T t[30000]; init { t[0].a[0] = 1 }",
        large,
    );
    check(
        "an enormous local array",
        "init { int a[1000000000]; a[0] = 1 }",
        large,
    );
    check(
        "an enormous initialised array",
        "int a[1000000000] = 1; init { a[0] = 1 }",
        large,
    );
    check(
        "an enormous array of channels",
        "chan c[100000000] = [1] of { byte }; init { c[0]!1 }",
        large,
    );
    check(
        "a negative array",
        "byte a[-1]; init { a[0] = 1 }",
        Some(Code::BadArraySize),
    );
    check(
        "an enormous channel",
        "chan c = [2000000000] of { byte }; init { c!1 }",
        Some(Code::BadCapacity),
    );
    check(
        "a negative channel",
        "chan c = [-1] of { byte }; init { c!1 }",
        Some(Code::BadCapacity),
    );
    check(
        "too many processes",
        "active [2000000000] proctype P() { skip }",
        Some(Code::BadActiveCount),
    );
    let nested = list(100, |i| {
        format!("typedef T{} {{ T{i} a[2]; T{i} b[2] }}\n", i + 1)
    });
    check(
        "typedefs that double",
        format!("typedef T0 {{ byte x }}\n{nested}T100 t; init {{ skip }}"),
        large,
    );
    let nested = list(10_000, |i| format!("typedef T{} {{ T{i} a }}\n", i + 1));
    check(
        "typedefs in a row",
        format!("typedef T0 {{ byte x }}\n{nested}T10000 t; init {{ skip }}"),
        None,
    );
    check(
        "a typedef of itself",
        "typedef T { T a } T t; init { skip }",
        Some(Code::UndeclaredName),
    );
    let fields = list(DEEP, |_| ", byte".to_string());
    check(
        "100,000 message fields",
        format!("chan c = [1] of {{ byte{fields} }}; init {{ c!1 }}"),
        None,
    );
    check(
        "1,000 messages of 100,000 fields",
        format!("chan c = [1000] of {{ byte{fields} }}; init {{ c!1 }}"),
        large,
    );
    check(
        "a million bytes",
        "byte a[1000000] = 1; init { a[0] = 1 }",
        None,
    );
    let terms = " + x".repeat(10_000);
    check(
        "a long initial value, often",
        format!("byte x; init {{ byte a[100000] = x{terms}; a[0] = 1 }}"),
        None,
    );
    check(
        "large arrays together",
        list(DEEP, |i| format!("byte a{i}[1000000];\n")),
        large,
    );
    let values = ", 1".repeat(DEEP);
    check(
        "100,000 values sent",
        body(&format!("c!1{values}")),
        Some(Code::MessageShape),
    );
    check(
        "100,000 values received",
        body(&format!("c?1{values}")),
        None,
    );
    check(
        "100,000 arguments",
        format!(
            "proctype P(byte x) {{ skip }}\n{}",
            body(&format!("run P(1{values})"))
        ),
        Some(Code::WrongArity),
    );
    check(
        "100,000 values printed",
        body(&format!("printf(\"\"{values})")),
        Some(Code::TooMany),
    );
    check(
        "100,000 initial values",
        format!("byte a[3] = {{ 1{values} }}; init {{ a[0] = 1 }}"),
        None,
    );
    let parameters = list(DEEP, |i| format!("byte p{i}; "));
    check(
        "100,000 parameters",
        format!("proctype P({parameters} byte q) {{ skip }} init {{ skip }}"),
        Some(Code::TooMany),
    );
    let fields = list(DEEP, |i| format!("byte f{i}; "));
    check(
        "100,000 fields",
        format!("typedef T {{ {fields} byte x }} T t; init {{ t.f7 = 1 }}"),
        None,
    );
}

#[test]
fn numbers_of_things() {
    let many = |item: fn(usize) -> String| list(DEEP, item);
    check(
        "globals",
        format!("{}init {{ skip }}", many(|i| format!("byte g{i};\n"))),
        None,
    );
    check(
        "globals in one line",
        format!("byte g{}; init {{ skip }}", many(|i| format!(", g{i}"))),
        None,
    );
    check(
        "locals",
        body(&format!("{} skip", many(|i| format!("byte g{i}; ")))),
        None,
    );
    check(
        "locals between statements",
        body(&many(|i| format!("byte g{i}; g{i} = 1; "))),
        None,
    );
    check("assignments", body(&many(|_| "x = 1;\n".to_string())), None);
    check("skips", body(&many(|_| "skip;\n".to_string())), None);
    check(
        "skips in an option",
        body(&format!(
            "if :: {} :: skip fi",
            many(|_| "skip;\n".to_string())
        )),
        None,
    );
    check(
        "prints in an option",
        body(&format!(
            "if :: {} :: skip fi",
            many(|_| "printf(\"\");\n".to_string())
        )),
        None,
    );
    check(
        "options",
        body(&format!("if {} fi", many(|_| ":: x = 1\n".to_string()))),
        None,
    );
    check(
        "options with else",
        body(&format!(
            "do :: else -> skip {} od",
            many(|_| ":: x -> break\n".to_string())
        )),
        None,
    );
    check(
        "selections",
        body(&many(|_| "if :: x :: else fi;\n".to_string())),
        None,
    );
    check(
        "loops",
        body(&many(|_| "do :: x -> break :: else od;\n".to_string())),
        None,
    );
    check(
        "for loops",
        body(&many(|_| "for (x : 0 .. 1) { skip };\n".to_string())),
        None,
    );
    check(
        "blocks",
        body(&many(|_| "{ byte z; z = 1 };\n".to_string())),
        None,
    );
    check(
        "atomics",
        body(&many(|_| "atomic { x = 1; x = 2 };\n".to_string())),
        None,
    );
    check(
        "d_steps",
        body(&many(|_| "d_step { x = 1; x = 2 };\n".to_string())),
        None,
    );
    check(
        "a long d_step",
        body(&format!(
            "d_step {{ {} }}",
            many(|_| "x = 1;\n".to_string())
        )),
        None,
    );
    check(
        "selections in a d_step",
        body(&format!(
            "d_step {{ {} }}",
            many(|_| "if :: x :: else fi;\n".to_string())
        )),
        None,
    );
    check(
        "a long atomic",
        body(&format!(
            "atomic {{ {} }}",
            many(|_| "x = 1;\n".to_string())
        )),
        None,
    );
    check(
        "unlesses",
        body(&many(|_| "{ x = 1 } unless { x };\n".to_string())),
        None,
    );
    let ways = list(2_000, |_| ":: x\n".to_string());
    let main = list(2_000, |_| "x = 1;\n".to_string());
    check(
        "many ways out of many statements",
        body(&format!("{{ {main} }} unless {{ if {ways} fi }}")),
        Some(Code::TooMany),
    );
    check(
        "a long unless",
        body(&format!(
            "{{ {} }} unless {{ x }}",
            many(|_| "x = 1;\n".to_string())
        )),
        None,
    );
    check("sends", body(&many(|_| "c!1;\n".to_string())), None);
    check("labels", body(&many(|i| format!("L{i}: x = 1;\n"))), None);
    check(
        "labels of one statement",
        body(&format!("{} skip", many(|i| format!("L{i}: ")))),
        None,
    );
    check(
        "labels and jumps",
        body(&many(|i| {
            format!("L{i}: if :: x -> goto L{i} :: else fi;\n")
        })),
        None,
    );
    check(
        "jumps to nowhere",
        body(&many(|i| format!("goto L{i};\n"))),
        Some(Code::UnknownLabel),
    );
    check(
        "a chain of jumps",
        body(&format!(
            "goto L0; {} L{DEEP}: skip",
            many(|i| format!("L{i}: goto L{};\n", i + 1))
        )),
        Some(Code::CircularJumps),
    );
    check(
        "the same label",
        body(&many(|_| "L: x = 1;\n".to_string())),
        Some(Code::DuplicateName),
    );
    check(
        "unknown names",
        body(&many(|i| format!("u{i} = 1;\n"))),
        Some(Code::UndeclaredName),
    );
    let globals = many(|i| format!("byte g{i};\n"));
    let unknown = many(|i| format!("h{i} = 1;\n"));
    check(
        "unknown names among many",
        format!("{globals}{}", body(&unknown)),
        Some(Code::UndeclaredName),
    );
    check(
        "constants",
        format!(
            "mtype = {{ m{} }}; init {{ skip }}",
            many(|i| format!(", n{i}"))
        ),
        Some(Code::TooManyConstants),
    );
    check(
        "sets of constants",
        format!(
            "{}init {{ skip }}",
            list(20_000, |i| format!("mtype:t{i} = {{ n{i} }};\n"))
        ),
        None,
    );
    check(
        "typedefs",
        format!(
            "{}init {{ skip }}",
            many(|i| format!("typedef T{i} {{ byte x }}\n"))
        ),
        None,
    );
    check(
        "channels",
        format!(
            "{}init {{ skip }}",
            many(|i| format!("chan c{i} = [1] of {{ byte }};\n"))
        ),
        None,
    );
    check(
        "formulas",
        format!(
            "byte x; init {{ x = 1 }}\n{}",
            list(10_000, |i| format!("ltl p{i} {{ [] (x == {i}) }}\n"))
        ),
        None,
    );
    check(
        "proctypes",
        format!(
            "{}init {{ skip }}",
            list(60_000, |i| format!("proctype P{i}() {{ skip }}\n"))
        ),
        None,
    );
    check(
        "too many proctypes",
        format!(
            "{}init {{ skip }}",
            list(70_000, |i| format!("proctype P{i}() {{ skip }}\n"))
        ),
        Some(Code::TooMany),
    );
    check(
        "remote references",
        format!(
            "proctype P() {{ skip; L: skip }} byte x; init {{ skip }}\nnever {{ do {} od }}",
            many(|_| ":: P[1]@L\n".to_string())
        ),
        None,
    );
    check(
        "semicolons",
        body(&format!("skip {} skip", ";".repeat(DEEP))),
        None,
    );
    check(
        "arrows",
        body(&format!("x {} skip", "-> ".repeat(DEEP))),
        None,
    );
    check(
        "errors",
        many(|_| "proctype ;\n".to_string()),
        Some(Code::Syntax),
    );
    check(
        "errors in a body",
        body(&many(|_| "x = ;\n".to_string())),
        Some(Code::Syntax),
    );
}
