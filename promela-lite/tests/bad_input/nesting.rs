//! Nesting and chains.

use crate::door::{DEEP, body, check, nest};
use promela_lite::Code;

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
