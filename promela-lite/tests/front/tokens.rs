//! Lexing, names, formulas, separators and inlines, each as a table.

use crate::door::{check, check_formulas, read, show};
use promela_lite::{Extra, MemoryLoader};

#[test]
fn words_numbers_and_signs() {
    check(&[
        ("", ""),
        ("a _b c3", "a _b c3"),
        ("0 7 42 2147483647", "0 7 42 2147483647"),
        ("-2147483648", "- -2147483648"),
        ("4294967295", "-1 !W0101"),
        ("4294967296", "0 !E0108"),
        ("99999999999999999999999", "0 !E0108"),
        ("010 007 00", "10 7 0 !W0102"),
        ("0x10", "0 !E0107"),
        ("3u", "0 !E0107"),
        ("0..n", "0 .. n"),
        (
            "'a' '\\n' '\\t' '\\r' '\\f' '\\\\' '\\'' '\\0' '\"'",
            "97 10 9 13 12 92 39 48 34",
        ),
        ("''", "0 !E0103"),
        ("'ab", "0 ab !E0103"),
        ("'ab'", "0 !E0103"),
        ("\"a \\\"b\\n\"", "\"a \\\\\\\"b\\\\n\""),
        ("\"a\\\nb\"", "\"ab\""),
        ("\"open\nx", "\"open\" x !E0102"),
        ("$text$", "\"text\""),
        (
            "( ) [ ] ; -> , : :: . .. @ = + - * / % & ^ | > < >= <= == != && || << >> ~ ! !! ? ?? ++ --",
            "( ) [ ] -> , : :: . .. @ = + - * / % & ^ | > < >= <= == != && || << >> ~ ! !! ? ?? ++ --",
        ),
        ("a->b--c", "a -> b -- c"),
        ("a /* x\n * y */ b // c\nd", "a b d"),
        ("a /**/ b /***/ c // d \\\n e\nf", "a b c f"),
        ("a /* open", "a !E0101"),
        ("a ` b", "a b !E0104"),
        ("a \u{e9} b", "a b !E0104"),
        ("/* \u{e9} */ \"\u{e9}\"", "\"\u{e9}\""),
        ("a \\ b", "a b !E0104"),
        ("a # b", "a b !E0109"),
        ("a\0b", "a b !E0106"),
    ]);
}

#[test]
fn bytes_that_are_no_text_matter_outside_comments_only() {
    for (bytes, expected) in [
        (&b"a /* \xe9 */ b // \xff\n"[..], "a b"),
        (b"a \xe9 b", "a b !E0105"),
        (b"\"\xe9\"", "\"\\u{1a}\""),
    ] {
        let mut loader = MemoryLoader::default().with("dir/model.pml", bytes);
        let (stream, session) = read(&mut loader, &[], &[]);
        assert_eq!(show(&stream, &session), expected);
    }
}

#[test]
fn names_have_kinds() {
    check(&[
        (
            "typedef T { byte a }; T t; t.T = 1",
            "typedef T { byte a } ; T:T t ; t . T = 1",
        ),
        (
            "proctype P() { skip } P@L",
            "proctype P ( ) { skip } ^ P:P @ L",
        ),
        (
            "D_proctype P() { run P() }",
            "D_proctype P ( ) { run P:P ( ) }",
        ),
        (
            "run P(); proctype P() { goto P }",
            "run P ( ) ; proctype P ( ) { goto P }",
        ),
        ("proctype P() { x@P }", "proctype P ( ) { x @ P }"),
        ("in for (a in b) in", "in for ( a in b ) in"),
        (
            "for (i : (1) .. f(2)) { in }",
            "for ( i : ( 1 ) .. f ( 2 ) ) { in }",
        ),
        ("np_ D_step d_step", "np_ D_step d_step"),
    ]);
}

#[test]
fn formulas_have_their_own_operators() {
    check(&[
        ("ltl { []p }", "ltl { [] p }"),
        ("ltl f { [] (p -> <> q) }", "ltl f { [] ( p => <> q ) }"),
        ("ltl X { X p U q V r W s }", "ltl X { X p U q V r W s }"),
        ("ltl { p <-> q }", "ltl { p <-> q }"),
        ("ltl { a[i] < b && x<-1 }", "ltl { a [ i ] < b && x < - 1 }"),
        ("ltl { p /\\ q \\/ r }", "ltl { p && q || r }"),
        (
            "ltl { always p implies eventually q }",
            "ltl { [] p => <> q }",
        ),
        (
            "ltl { p until q stronguntil r weakuntil s }",
            "ltl { p U q U r W s }",
        ),
        (
            "ltl { next p release q equivalent r }",
            "ltl { X p V q <-> r }",
        ),
        ("ltl { <> at(P, L) && at }", "ltl { <> at ( P , L ) && at }"),
        ("ltl { []p; };", "ltl { [] p } ;"),
        (
            "ltl { <> P@L } proctype P() { L: skip }",
            "ltl { <> P:P @ L } proctype P ( ) { L : skip }",
        ),
        ("ltl { s.X }", "ltl { s . X }"),
        ("x = (c -> a : b); U V W X", "x = ( c -> a : b ) ; U V W X"),
        ("#define p (x > 0)\nltl { []p }", "ltl { [] ( x > 0 ) }"),
        ("ltl f", "ltl f"),
        ("ltl f { [] p", "ltl f { [] p"),
    ]);
    let model = "#define p (x > 0)\nproctype P() { skip }";
    check_formulas(
        model,
        &[
            ("[]p", "[] ( x > 0 )"),
            ("<> P@L -> q", "<> P:P @ L => q"),
            ("c_expr { x }", "1 !E0701"),
            ("", ""),
        ],
    );
}

#[test]
fn newlines_end_statements_where_spin_says_so() {
    check(&[
        ("init { a\nb\n}", "init { a ^ b }"),
        ("init { a;\nb;\n}", "init { a ; b }"),
        (
            "init { 1\n(a)\na[1]\nbreak\nx++\nx--\nskip\ntrue\n}",
            "init { 1 ^ ( a ) ^ a [ 1 ] ^ break ^ x ++ ^ x -- ^ skip ^ true }",
        ),
        ("init { a +\nb }", "init { a + b }"),
        ("init { a\n+ b }", "init { a ^ + b }"),
        ("init { (a\n&& b\n) }", "init { ( a && b ) }"),
        ("init { a[1\n] }", "init { a [ 1 ^ ] }"),
        ("init { timeout\na }", "init { timeout ^ a }"),
        ("init { np_\na }", "init { np_ a }"),
        (
            "init { do\n:: a\n:: b\nod\nc }",
            "init { do :: a ^ :: b ^ od ^ c }",
        ),
        ("init { a ->\nb }", "init { a -> b }"),
        ("init { a\n-> b }", "init { a -> b }"),
        ("init { a\n; b }", "init { a ; b }"),
        (
            "init { { a }\nunless { b }\nc }",
            "init { { a } unless { b } ^ c }",
        ),
        ("init { { a }\nuse }", "init { { a } ^ use }"),
        ("init { a /* x\n */ b }", "init { a ^ b }"),
        ("byte x\nbyte y", "byte x byte y"),
        (
            "typedef T {\nbyte a\nbyte b\n}",
            "typedef T { byte a ^ byte b }",
        ),
        (
            "mtype = { a,\nb }\nmtype { c }\nx",
            "mtype = { a , b } ^ mtype { c } ^ x",
        ),
        (
            "proctype P(byte a\n) { x\ny }",
            "proctype P ( byte a ) { x ^ y }",
        ),
        ("#define M(x) x\ninit { M(a,\nb) c }", "init { c } !E0006"),
        ("#define M(x) x\ninit { M(\na\n) c }", "init { a ^ c }"),
        ("#define EMPTY\ninit { a\nEMPTY b }", "init { a ^ b }"),
        ("#define M(x) x\ninit { M\nb }", "init { M ^ b }"),
    ]);
}

#[test]
fn braces_and_else_need_no_separator() {
    check(&[
        ("init { {a} b }", "init { { a } ^ b }"),
        ("init { {a} ; b }", "init { { a } ; b }"),
        ("init { {a} -> b }", "init { { a } -> b }"),
        ("init { if :: a :: else fi }", "init { if :: a :: else fi }"),
        (
            "init { if :: a :: else b fi }",
            "init { if :: a :: else ^ b fi }",
        ),
        ("init { do :: else od }", "init { do :: else ^ od }"),
        (
            "init { if :: {a} :: {b} fi }",
            "init { if :: { a } :: { b } fi }",
        ),
        ("init { skip } init { skip }", "init { skip } init { skip }"),
        ("init { skip } active", "init { skip } ^ active"),
    ]);
}

#[test]
fn superfluous_separators_are_dropped_as_in_spin() {
    check(&[
        ("init { a; }", "init { a }"),
        ("init { a -> }", "init { a }"),
        ("init { a;; b }", "init { a ; b }"),
        ("init { a;;; b }", "init { a ; ; b }"),
        ("init { a; -> b }", "init { a -> b }"),
        ("init { a -> ; b }", "init { a ; b }"),
        ("byte x;", "byte x ;"),
    ]);
}

/// SPIN puts a semicolon between `}` and a comma and then refuses it; we do not.
#[test]
fn a_comma_may_follow_a_brace() {
    check(&[
        (
            "chan a = [1] of {byte}, b = [1] of {byte};",
            "chan a = [ 1 ] of { byte } , b = [ 1 ] of { byte } ;",
        ),
        (
            "init { int a[2] = {1, 2}\n, b }",
            "init { int a [ 2 ] = { 1 , 2 } , b }",
        ),
    ]);
}

#[test]
fn inlines_are_replaced_by_their_bodies() {
    check(&[
        ("inline f() { a } init { f() }", "init { { a } }"),
        (
            "inline f(x, y) { x = y }\ninit { f(a[i], b + 1); c }",
            "init { { a [ i ] = b + 1 } ; c }",
        ),
        (
            "inline f(x) {\nx++\n}\ninit { f(a)\nf(b) }",
            "init { { a ++ } ^ { b ++ } }",
        ),
        (
            "inline g(x) { x }\ninline f(y) { g(y); g(z) }\ninit { f(a) }",
            "init { { { a } ; { z } } }",
        ),
        (
            "inline f(x, y) { x = y }\ninit { f(y, x) }",
            "init { { y = x } }",
        ),
        (
            "inline f(x) { s.x = x }\ninit { f(a) }",
            "init { { s . a = a } }",
        ),
        (
            "inline f(x) { x }\ninit { f(g(a, b)) }",
            "init { { g ( a , b ) } }",
        ),
        ("inline f(x) { x }\ninit { f }", "init { f } !W0351"),
        (
            "#define N 3\ninline f(x) { x = N }\ninit { f(N) }",
            "init { { 3 = 3 } }",
        ),
        ("inline f(x) {}\ninit { f(1) }", "init { { } }"),
        (
            "inline f(x) { x }\ninit { if :: f(a) :: else f(b) fi }",
            "init { if :: { a } :: else ^ { b } fi }",
        ),
    ]);
}

#[test]
fn an_inline_may_return_a_value() {
    check(&[
        (
            "inline f(a) { return a + 1 }\ninit { x = f(2) }",
            "init { { x = 2 + 1 } }",
        ),
        (
            "inline f(a) { return a }\ninit { b; t[i].x[j] = f(2); c }",
            "init { b ; { t [ i ] . x [ j ] = 2 } ; c }",
        ),
        (
            "inline f(a) { g;\nreturn a\nh }\ninit { b\nx = f(2) }",
            "init { b ^ { g ; x = 2 ^ h } }",
        ),
        (
            "inline f(a) { return a }\ninit { f(2) }",
            "init { { 2 } } !E0551",
        ),
        ("init { return 1 }", "init { 1 } !E0551"),
        (
            "inline f(a) { return a }\ninit { int x = f(2) }",
            "init { int x = 1 } !E0357",
        ),
        (
            "inline f(a) { int x; return a }\ninit { x = f(2) }",
            "init { { int x ; x = 2 } } !E0356",
        ),
        (
            "inline f(a) { int t; t = a }\ninit { f(t) }",
            "init { { int t ; t = t } } !W0352",
        ),
        (
            "inline f(a) { int t, u = 2\nb = a }\ninit { f(b + u); f(b) }",
            "init { { int t , u = 2 ^ b = b + u } ; { int t , u = 2 ^ b = b } } !W0352",
        ),
    ]);
}

#[test]
fn wrong_inlines_are_refused() {
    check(&[
        ("inline f(x) { x }\ninit { f() }", "init { 1 } !E0352"),
        ("inline f(x) { x }\ninit { f(1, 2) }", "init { 1 } !E0352"),
        ("inline f(x, y) { x }\ninit { f(1, ) }", "init { 1 } !E0352"),
        ("inline f() { x }\ninit { f( }", "init { 1 !E0352"),
        ("inline f() { f() }\ninit { f() }", "init { { 1 } } !E0353"),
        (
            "inline f() { g() }\ninline g() { f() }\ninit { f() }",
            "init { { { 1 } } } !E0353",
        ),
        ("init { f() }\ninline f() { x }", "init { { x } } !E0354"),
        (
            "inline f() { x }\ninline f() { y }\ninit { f() }",
            "init { { x } } !E0351",
        ),
        ("inline f { x }\ninit { a }", "init { a } !E0355"),
        ("inline f(1) { x }\ninit { a }", "init { a } !E0355"),
        ("inline", "!E0355"),
        ("init { inline f() { x }\n f() }", "init { { x } } !E0355"),
    ]);
}

#[test]
fn inlines_that_explode_are_stopped() {
    let mut text = String::from("inline f0() { a; a }\n");
    for n in 1..40 {
        text += &format!("inline f{n}() {{ f{}(); f{}() }}\n", n - 1, n - 1);
    }
    text += "init { f39() }";
    let (_, session) = read(&mut crate::door::files(&text), &[], &[]);
    let codes: Vec<_> = session
        .diagnostics
        .sorted()
        .iter()
        .map(|d| d.code.name())
        .collect();
    assert_eq!(codes, ["E0605"]);
}

#[test]
fn embedded_c_is_named_and_removed() {
    check(&[
        ("c_decl { int x; don't }\ninit { a }", "init { a } !E0701"),
        ("c_state \"int x\" \"Global\"\nbyte b", "byte b !E0701"),
        ("c_track \"&x\" \"sizeof(int)\" \"UnMatched\";", "; !E0701"),
        (
            "init { c_code { if (x) { y = '{'; } } ; a }",
            "init { 1 ; a } !E0701",
        ),
        ("init { c_code [x > 0] { y; }\na }", "init { 1 ^ a } !E0701"),
        (
            "init { if :: c_expr { x == '\"' } -> a fi }",
            "init { if :: 1 -> a fi } !E0701",
        ),
        ("c_code { open", "!E0701"),
    ]);
}

#[test]
fn extra_texts_follow_the_model() {
    let extra = [
        Extra::Text {
            name: "<claim>".to_owned(),
            text: "never { P@L }".to_owned(),
        },
        Extra::Claim("dir/none".into()),
    ];
    let (stream, session) = read(
        &mut crate::door::files("proctype P() { skip }"),
        &extra,
        &[],
    );
    assert_eq!(
        show(&stream, &session),
        "proctype P ( ) { skip } never { P:P @ L } !E0001"
    );
}
