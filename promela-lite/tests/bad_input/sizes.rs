//! Large things, and many things.

use crate::door::{DEEP, body, check, list};
use promela_lite::Code;

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
