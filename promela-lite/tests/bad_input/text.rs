//! Bytes that are no text, and what the preprocessor makes of it.

use crate::door::{DEEP, body, check, list};
use promela_lite::Code;

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
    check("a byte order mark", "\u{feff}init { skip }", None);
    check(
        "a byte order mark in the middle",
        "init { \u{feff}skip }",
        Some(Code::StrayCharacter),
    );
    check("NUL", "init { skip\0 }", Some(Code::NulByte));
    check("many NULs", vec![0; 10 << 20], Some(Code::NulByte));
    check("high bytes", vec![0xff; 10 << 20], Some(Code::InvalidUtf8));
    let mut garbage = promela_random::Rng::seeded(1);
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
