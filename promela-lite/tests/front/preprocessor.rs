//! The preprocessor, as tables.

use crate::door::{check, files, read, show};
use promela_lite::{ExpansionKind, MemoryLoader};

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
        ("#define F(...) x", "!E0005"),
        ("#define F(x, ...) x", "!E0005"),
        ("#define F(x) a ## x", "!E0004"),
        ("#define F(x) # y", "!E0004"),
        ("#define H #", "!E0004"),
        ("#define F(x) x\nF(1, 2) F(1", "!E0006 !E0007"),
        ("#define F(x) x\nF(1\n#define N\n)", ") !E0007"),
        (
            "#nonsense\n#\n#pragma x\n#ident \"x\"\n#line",
            "!E0002 !E0003",
        ),
        ("#error no 'quotes\n#warning careful", "!E0012 !W0002"),
    ]);
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
