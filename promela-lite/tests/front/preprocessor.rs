//! The preprocessor, as tables.

use crate::door::{check, files, read, show};
use promela_lite::{ExpansionKind, MemoryLoader};
use promela_random::Rng;
use std::io::Write;
use std::process::{Command, Stdio};

#[test]
fn macros_are_expanded_by_the_rules_of_c() {
    check(&[
        ("#define N 3\nN M N", "3 M 3"),
        ("#define N\na N b", "a b"),
        ("#define N 1 + \\\n 2\nN", "1 + 2"),
        (
            "#define F(x) (x)\nF(a) F (b) F\n(c) F d",
            "( a ) ( b ) ( c ) F d",
        ),
        ("#define F (x)\nF(a)", "( x ) ( a )"),
        ("#define F() a\nF() F( )", "a a"),
        (
            "#define F(x) [x]\nF() F((a, b)) F(\"a,b\")",
            "[ ] [ ( a , b ) ] [ \"a,b\" ]",
        ),
        ("#define F(x, y) y x\nF(1, 2) F(F(1, 2), 3)", "2 1 3 2 1"),
        ("#define A B\n#define B A\nA B", "A B"),
        ("#define f(x) f x\nf(1) f(f(2))", "f 1 f f 2"),
        ("#define f(x) f x g\n#define g f\nf(2)(9)", "f 2 f ( 9 )"),
        ("#define N() M\nN()", "M"),
        ("#define E\n#define f(x) x\nf E (3)", "f ( 3 )"),
        ("#define G f\n#define f(x) <x>\nG(1)", "< 1 >"),
        ("#define N 1\n#undef N\nN", "N"),
        ("#define bool byte\nbool x", "byte x"),
        (
            "#define S(x) #x\nprintf(S(a  b [] \"c\\n\"))",
            "printf ( \"a b [] \\\\\\\"c\\\\\\\\n\\\\\\\"\" )",
        ),
        ("#define N 0\n0..N", "0 .. 0"),
        ("#  define N 1\n  # define M 2\nN M", "1 2"),
    ]);
}

#[test]
fn definitions_may_be_wrong() {
    check(&[
        ("#define N 1\n#define N 1\nN", "1"),
        ("#define N 1\n#define N 2\nN", "2 !W0001"),
        ("#define F(x) x\n#define F(y) y\nF(1)", "1"),
        (
            "#define\n#define 1\n#undef\n#ifdef\n#endif",
            "!E0003 !E0003 !E0003 !E0003",
        ),
        ("#define F(x", "!E0003"),
        ("#define F(x, x) x", "!E0003"),
        ("#define F(..., x) x", "!E0005"),
        ("#define F(x... , y) x", "!E0005"),
        ("#define F(..) x", "!E0003"),
        ("#define F(x) __VA_ARGS__", "!E0005"),
        ("#define F(x...) __VA_ARGS__", "!E0005"),
        ("#define N __VA_ARGS__", "!E0005"),
        ("#define F(__VA_ARGS__) 1", "!E0005"),
        ("#define __VA_ARGS__ 1", "!E0005"),
        ("#define F(x) ## x", "!E0004"),
        ("#define F(x) x ##", "!E0004"),
        ("#define N ##", "!E0004"),
        (
            "#define F(x, y) x ## y\nF(a, +) F(+, a)",
            "a + + a !E0004 !E0004",
        ),
        (
            "#define F(x, y) x ## y\nF(/, /) F(/, *)",
            "/ / / * !E0004 !E0004",
        ),
        ("#define F(x) # y", "!E0004"),
        ("#define F(x) x #", "!E0004"),
        ("#define F(x, y, ...) x\nF(1) F()", "!E0006 !E0006"),
        ("#define F(x) x\nF(1, 2) F(1", "!E0006 !E0007"),
        ("#define F(x) x\nF(1\n#define N\n)", ") !E0007"),
        (
            "#nonsense\n#\n#pragma x\n#ident \"x\"\n#line",
            "!E0002 !E0003",
        ),
        ("#error no 'quotes\n#warning careful", "!E0012 !W0002"),
    ]);
}

/// Macro texts in which `#`, `##` and `...` matter, and what becomes of them.
const GLUED: &[(&str, &str)] = &[
    ("#define F(x) a ## x\nF(b) F(1) F()", "ab a1 a"),
    (
        "#define F(x, y) x ## y\nF(a b, c d) F(, c) F(a,) F(,)",
        "a bc d c a",
    ),
    (
        "#define F(x, y) [x ## y]\nF(1, 2) F(<, <) F(-, >)",
        "[ 12 ] [ << ] [ -> ]",
    ),
    (
        "#define F(x, y, z) x ## y ## z\nF(a, , c) F(, , c) F(a, b, c)",
        "ac c abc",
    ),
    ("#define N a ## b ## 1\nN", "ab1"),
    ("#define N a ## ## b\nN", "ab"),
    ("#define A 1\n#define F(x) x ## A x\nF(A)", "AA 1"),
    ("#define AB 7\n#define F(x, y) x ## y\nF(A, B)", "7"),
    (
        "#define C(x, y) x ## y\n#define D(x, y) C(x, y)\n#define N 3\nC(p, N) D(p, N)",
        "pN p3",
    ),
    (
        "#define C(x, y) x ## y\nC(C, )(a, b) C(C(a, b), c)",
        "C ( a , b ) C ( a , b ) c !E0004",
    ),
    (
        "#define F(x) F ## x\n#define FF(x) F(x) FF\nF(F)(1)",
        "F1 FF",
    ),
    (
        "#define F(...) [__VA_ARGS__]\nF() F(1) F(1, (2, 3), 4)",
        "[ ] [ 1 ] [ 1 , ( 2 , 3 ) , 4 ]",
    ),
    (
        "#define F(x, ...) __VA_ARGS__ x\nF(1) F(1, 2) F(1, 2, 3)",
        "1 2 1 2 , 3 1",
    ),
    ("#define F(x, r...) x r\nF(1, 2, 3)", "1 2 , 3"),
    ("#define F(r...) r\nF(1, 2)", "1 , 2"),
    (
        "#define F(x, ...) x, ## __VA_ARGS__\nF(1) F(1,) F(1, 2, 3)",
        "1 1 , 1 , 2 , 3",
    ),
    ("#define F(x, r...) x, ## r\nF(1) F(1, 2)", "1 1 , 2"),
    ("#define F(...) a, ## __VA_ARGS__\nF() F(1)", "a a , 1"),
    (
        "#define N 3\n#define F(x, ...) x, ## __VA_ARGS__\nF(N, N)",
        "3 , 3",
    ),
    (
        "#define G(_1, _2, _3, NAME, ...) NAME\n#define F(...) G(__VA_ARGS__, F3, F2, F1)(__VA_ARGS__)\n\
         #define F1(x) one x\n#define F2(x, y) two x y\n#define F3(x, y, z) three x y z\nF(a) F(a, b) F(a, b, c)",
        "one a two a b three a b c",
    ),
    (
        "#define S(...) #__VA_ARGS__\nS(a,b ,  c) S()",
        "\"a,b , c\" \"\"",
    ),
    (
        "#define S(x) #x\n#define X(x) S(x)\n#define C(x, y) x ## y\nX(C(a, b)+C(0, 7)) S(C(a, b))",
        "\"ab+07\" \"C(a, b)\"",
    ),
    (
        "#define S(x) #x\n#define X(x) S(x)\n#define E\n#define I(x) x\nX(a E b) X((E)) X( I( a)b) X(- I(-)-)",
        "\"a b\" \"()\" \"ab\" \"- --\"",
    ),
    (
        "#define S(x) #x\n#define X(x) S(x)\nX(S(a)) S(a\n b)",
        "\"\\\\\\\"a\\\\\\\"\" \"a b\"",
    ),
    ("#define V(x) 1 ## x\n#if V(0) == 10\nyes\n#endif", "yes"),
];

#[test]
fn tokens_are_glued_and_arguments_are_many() {
    check(GLUED);
    check(&[("#define H #\nH", "!E0109")]);
}

#[test]
fn spans_survive_gluing() {
    let text = "#define GLUE(p, q) p ## q\n#define OUTER(q) GLUE(q, 1)\nOUTER(x)";
    let (stream, session) = read(&mut files(text), &[], &[]);
    let [x1] = stream.tokens[..] else {
        panic!("{}", show(&stream, &session))
    };
    assert_eq!(session.sources.snippet(x1.span), "p ## q");
    let mut chain = Vec::new();
    let mut span = x1.span;
    while let Some(expansion) = session.sources.expansion(span.expn) {
        chain.push(session.symbols.text(expansion.name));
        span = expansion.call_site;
    }
    assert_eq!(chain, ["GLUE", "OUTER"]);
    assert_eq!(
        session.sources.snippet(session.sources.root(x1.span)),
        "OUTER(x)"
    );
}

/// What `cpp -P` prints, and whether it was content.
fn cpp(text: &str) -> (String, bool) {
    let mut child = Command::new("cpp")
        .args(["-P", "-undef", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("cpp starts");
    let mut stdin = child.stdin.take().expect("a pipe");
    stdin.write_all(text.as_bytes()).expect("cpp reads");
    drop(stdin);
    let output = child.wait_with_output().expect("cpp ends");
    let printed = String::from_utf8(output.stdout).expect("text");
    (printed, output.status.success())
}

/// The tokens of `text`, without semicolons that only line ends made.
fn tokens_of(text: &str) -> String {
    let (stream, session) = read(&mut files(text), &[], &[]);
    let shown = show(&stream, &session);
    // A number like `1a` is complained about once for each place, and a body is one place for all its calls.
    let words: Vec<&str> = shown
        .split(' ')
        .filter(|word| !["^", "!E0107"].contains(word))
        .collect();
    words.join(" ")
}

/// Macros of all kinds that call each other, and calls of them.
fn random_macros(seed: u64) -> String {
    let mut rng = Rng::seeded(seed);
    let space = |rng: &mut Rng| rng.word(["", " ", " "]);
    let mut text = String::new();
    for name in ["A", "B", "F", "G", "H", "V"] {
        let parameters: &[&str] = match name {
            "A" | "B" => &[],
            "F" => &["x"],
            "G" | "H" => &["x", "y"],
            _ => &["x", "__VA_ARGS__"],
        };
        let list = match name {
            "V" => "(x, ...)".to_owned(),
            _ if parameters.is_empty() => String::new(),
            _ => format!("({})", parameters.join(", ")),
        };
        text += &format!("#define {name}{list} ");
        let length = rng.within(usize::from(name > "B"), 5);
        for at in 0..length {
            if at > 0 {
                text += match rng.below(10) {
                    0 | 1 => " ## ",
                    _ => " ",
                };
            }
            match (rng.below(10), rng.pick(parameters)) {
                (0..5, Some(parameter)) => text += parameter,
                (5, Some(parameter)) => text += &format!("#{parameter}"),
                (6, Some(_)) if name == "V" => text += "a, ## __VA_ARGS__ b",
                (6, _) => text += &format!("F({})", rng.word(["a", "A", "1", ""])),
                (7, _) => text += &format!("G{}(b, A)", space(&mut rng)),
                _ => text += rng.word(["a", "b", "1", "+", "<", "A", "B", "F", "V(a)"]),
            }
        }
        text += "\n";
    }
    for _ in 0..4 {
        let argument = |rng: &mut Rng| {
            let mut words = String::new();
            for _ in 0..rng.below(4) {
                words += rng.word([
                    "a", "1", "+", "A", "B", "F(b)", "(a, b)", "G(a, B)", "\"s\"", "V(1, 2)",
                ]);
                words += rng.word([" ", "  "]);
            }
            words
        };
        let name = rng.word(["F", "G", "H", "V"]);
        let count = match name {
            "F" => 1,
            "V" => rng.within(1, 3),
            _ => 2,
        };
        let arguments: Vec<String> = (0..count).map(|_| argument(&mut rng)).collect();
        text += &format!("{name}{}({});\n", space(&mut rng), arguments.join(","));
    }
    text
}

#[test]
fn a_c_preprocessor_agrees() {
    if Command::new("cpp").arg("--version").output().is_err() {
        eprintln!("no cpp: not compared");
        return;
    }
    let random: Vec<String> = (0..400).map(random_macros).collect();
    let written = GLUED.iter().map(|(text, _)| text.to_string());
    let mut accepted = 0;
    for text in written.chain(random) {
        let (printed, content) = cpp(&text);
        let ours = tokens_of(&text);
        if content {
            accepted += 1;
            assert_eq!(ours, tokens_of(&printed), "\n{text}\ncpp:\n{printed}");
        } else {
            let refused = ["!E0004", "!E0006", "!E0007"];
            let wrong = refused.iter().any(|code| ours.contains(code));
            assert!(wrong, "cpp refuses, we read {ours}\n{text}");
        }
    }
    assert!(accepted >= 150, "only {accepted} texts compared");
}

#[test]
fn conditions_choose_text() {
    let table = [
        ("1", true),
        ("0", false),
        ("N", true),
        ("undefined", false),
        ("defined N && !defined(M)", true),
        ("defined(M) || defined M", false),
        ("N == 3 && F(2) == 4", true),
        ("-1 < 0 && ~0 == -1 && !0", true),
        ("1 + 2 * 3 - 4 / 2 % 3 == 5", true),
        ("1 << 3 | 1 == 9", true),
        ("(1 ^ 3) == 2 && (6 & 3) == 2", true),
        ("0x10 == 16 && 010 == 8 && 10UL == 10 && 0b11 == 3", true),
        ("'a' == 97", true),
        ("0 && 1 / 0", false),
        ("1 || 1 % 0", true),
        ("1 ? 2 : 1 / 0", true),
        ("0 ? 1 : 0 ? 1 : 5 > 4 >= 1", true),
        ("(1, 0)", false),
        ("9223372036854775807 + 1 < 0", true),
        ("!!5 == 1", true),
    ];
    for (condition, holds) in table {
        let text =
            format!("#define N 3\n#define F(x) x * x\n#if {condition}\nyes\n#else\nno\n#endif");
        let (stream, session) = read(&mut files(&text), &[], &[]);
        assert_eq!(
            show(&stream, &session),
            if holds { "yes" } else { "no" },
            "{condition}"
        );
    }
}

#[test]
fn wrong_conditions_are_refused() {
    for condition in [
        "",
        "1 +",
        "(1",
        "1 2",
        "1 / 0",
        "1 % 0",
        "\"a\"",
        "1 ? 2",
        "defined",
        "defined(1)",
        "09",
        "= 1",
    ] {
        let (stream, session) = read(
            &mut files(&format!("#if {condition}\nyes\n#endif")),
            &[],
            &[],
        );
        assert_eq!(show(&stream, &session), "!E0011", "{condition}");
    }
    let deep = format!("#if {}1\nyes\n#endif", "(".repeat(100_000));
    let (stream, session) = read(&mut files(&deep), &[], &[]);
    assert_eq!(show(&stream, &session), "!E0011");
}

#[test]
fn conditional_regions_nest() {
    check(&[
        ("#ifdef N\na\n#else\nb\n#endif\n#ifndef N\nc\n#endif", "b c"),
        ("#if 0\na\n#elif 1\nb\n#elif 1\nc\n#else\nd\n#endif", "b"),
        ("#if 1\na\n#elif 1 / 0\nb\n#endif", "a"),
        ("#if 0\n#if 1\na\n#else\nb\n#endif\n#else\nc\n#endif", "c"),
        (
            "#if 0\ndon't \" #error `\n#nonsense\n#define N 1\n#endif\nN",
            "N",
        ),
        ("#if 0\n#elif\n#endif", "!E0011"),
        ("#endif\n#else\n#elif 1", "!E0010 !E0010 !E0010"),
        ("#if 1\n#else\n#else\n#elif 1\n#endif", "!E0010 !E0010"),
        ("#if 1\na", "a !E0010"),
        ("#if 0\n/* open", "!E0010 !E0101"),
    ]);
}

#[test]
fn files_include_files() {
    check(&[
        ("#include \"a\"\nend@@ a\nin", "in end"),
        (
            "#include \"sub/a\"\nN@@ sub/a\n#include \"b\"\n@@ sub/b\n#define N 7\n",
            "7",
        ),
        (
            "#include \"a\"\n#include \"a\"@@ a\n#ifndef A\n#define A\nonce\n#endif\n",
            "once",
        ),
        (
            "#include \"a\"\n#include \"a\"@@ a\n#pragma once\nonce\n",
            "once",
        ),
        ("#include \"a\"\nx@@ a\n#if 1\n", "x !E0010"),
        ("#include \"a\"@@ a\n#include \"a\"\n", "!E0602"),
        ("#include \"none\"", "!E0001"),
        ("#include <stdio.h>", "!E0008"),
        ("#include", "!E0003"),
    ]);
}

#[test]
fn the_command_line_defines() {
    let defines = [("A", None), ("B", Some("2 + A")), ("F(x)", Some("x"))];
    let (stream, session) = read(&mut files("A B F(3)"), &[], &defines);
    assert_eq!(show(&stream, &session), "1 2 + 1 3");
    let (stream, session) = read(&mut files("x"), &[], &[("1", Some("a\n#error"))]);
    assert_eq!(show(&stream, &session), "x !E0003");
}

#[test]
fn line_markers_name_the_place() {
    for (text, file, line) in [
        ("\n\n@here", "dir/model.pml", 3),
        ("# 12 \"other.pml\" 1 2\n\n@here", "other.pml", 13),
        ("#line 7\n@here", "dir/model.pml", 7),
        ("# 5 \"a\"\n# 9\n@here", "a", 9),
        ("@here\n# 5 \"a\"\n", "dir/model.pml", 1),
        // A line number of zero, which C compilers do write, counts as one.
        ("# 0 \"a\"\n@here", "a", 1),
        ("/* \u{e9}\n */ @here", "dir/model.pml", 2),
    ] {
        let (stream, session) = read(&mut files(text), &[], &[]);
        let at = stream
            .tokens
            .iter()
            .find(|token| token.kind == promela_lite::TokenKind::At)
            .unwrap();
        let place = session.sources.locate(at.span);
        assert_eq!((place.file.as_str(), place.line), (file, line), "{text}");
    }
    let (stream, session) = read(&mut files("/* \u{e9}\u{20ac} */ x"), &[], &[]);
    assert_eq!(session.sources.locate(stream.tokens[0].span).column, 10);
}

#[test]
fn spans_survive_expansion() {
    let text = "#define INNER(p) p + oops\n#define OUTER(q) INNER(q)\ninline f(a) { OUTER(a) }\ninit { f(x) }";
    let (stream, session) = read(&mut files(text), &[], &[]);
    let oops = stream
        .tokens
        .iter()
        .find(|token| session.sources.snippet(token.span) == "oops")
        .unwrap();
    let mut chain = Vec::new();
    let mut span = oops.span;
    while let Some(expansion) = session.sources.expansion(span.expn) {
        chain.push((expansion.kind, session.symbols.text(expansion.name)));
        span = expansion.call_site;
    }
    use ExpansionKind::{Inline, Macro};
    assert_eq!(chain, [(Macro, "INNER"), (Macro, "OUTER"), (Inline, "f")]);
    assert_eq!(
        session.sources.snippet(session.sources.root(oops.span)),
        "f(x)"
    );
    let x = stream
        .tokens
        .iter()
        .find(|token| session.sources.snippet(token.span) == "x")
        .unwrap();
    assert_eq!(
        session.sources.snippet(session.sources.root(x.span)),
        "f(x)"
    );
}

#[test]
fn macros_that_explode_are_stopped() {
    let mut bomb = String::from("#define m0 a a\n");
    for n in 1..64 {
        bomb += &format!("#define m{n} m{} m{}\n", n - 1, n - 1);
    }
    let nested = format!(
        "#define f(x) x\n{}1{}",
        "f(".repeat(5_000),
        ")".repeat(5_000)
    );
    let mut files_of_files = MemoryLoader::default();
    for n in 0..40 {
        let line = format!("#include \"{}\"\n#include \"{}\"\n", n + 1, n + 1);
        files_of_files = files_of_files.with(format!("dir/{n}"), line);
    }
    files_of_files = files_of_files
        .with("dir/40", "")
        .with("dir/model.pml", "#include \"0\"");
    for (mut loader, code) in [
        (files(&(bomb + "m63")), "E0601"),
        (files(&nested), "E0604"),
        (files_of_files, "E0601"),
    ] {
        let (_, session) = read(&mut loader, &[], &[]);
        let codes: Vec<_> = session
            .diagnostics
            .sorted()
            .iter()
            .map(|d| d.code.name())
            .collect();
        assert_eq!(codes, [code]);
    }
}
