//! `xr` and `xs` are promises of the model: they are checked, in every way to search, and nothing relies on them.

mod support;

use support::cli::Dir;

/// Name, model, and what is said; nothing when the promise is kept.
const CASES: &[(&str, &str, &str)] = &[
    (
        "another receiver",
        "chan c = [2] of { byte }; byte g;\n\
         active proctype S() { c!1; c!2 }\n\
         active proctype R() { xr c; byte v; c?v }\n\
         active proctype Q() { byte v; g = 1; c?v }\n",
        "`xr`",
    ),
    (
        "another sender",
        "chan c = [2] of { byte }; byte g;\n\
         active proctype S() { xs c; c!1 }\n\
         active proctype T() { g = 1; c!2 }\n\
         active proctype R() { byte v; c?v; c?v }\n",
        "`xs`",
    ),
    (
        "two of a kind",
        "chan c = [1] of { byte };\n\
         active [2] proctype S() { xs c; c!1 }\n\
         active proctype R() { byte v; c?v; c?v }\n",
        "`xs`",
    ),
    (
        "the other end is free",
        "chan c = [2] of { byte };\n\
         active proctype S() { xs c; c!1; c!2 }\n\
         active proctype R() { byte v; c?v }\n\
         active proctype Q() { byte v; c?v }\n",
        "",
    ),
    (
        "each has a channel of its own",
        "proctype R(chan c) { xr c; byte v; c?v }\n\
         init { chan a = [1] of { byte }; chan b = [1] of { byte };\n\
         atomic { run R(a); run R(b) } a!1; b!1 }\n",
        "",
    ),
    (
        "the same channel by two names",
        "proctype R(chan c) { xr c; byte v; c?v }\n\
         init { chan a = [2] of { byte };\n\
         atomic { run R(a); run R(a) } a!1; a!2 }\n",
        "`xr`",
    ),
    (
        "only if the one that claims it starts early enough",
        "chan c = [2] of { byte }; byte g;\n\
         proctype R() { xr c; byte v; g = 1 }\n\
         active proctype Q() { byte v; c?v }\n\
         init { c!1; run R() }\n",
        "`xr`",
    ),
    (
        "only while the one that claims it is there",
        "chan c = [2] of { byte }; byte g;\n\
         active proctype Q() { byte v; byte l; l = 1; c?v; g = 1 }\n\
         active proctype S() { c!1 }\n\
         active proctype R() { xr c; byte l; l = 1; l = 2 }\n",
        "`xr`",
    ),
    (
        "a rendezvous",
        "chan c = [0] of { byte };\n\
         active proctype S() { c!1; c!2 }\n\
         active proctype R() { xr c; byte v; c?v }\n\
         active proctype Q() { byte v; c?v }\n",
        "`xr`",
    ),
    (
        "looking is not receiving",
        "chan c = [2] of { byte };\n\
         active proctype S() { c!1 }\n\
         active proctype R() { xr c; byte v; c?v; v = 0 }\n\
         active proctype Q() { end: c?<1> }\n",
        "",
    ),
];

#[test]
fn broken_promises_are_found() {
    for (name, model, says) in CASES {
        let dir = Dir::with_model("exclusive", model);
        for reduction in ["none", "ample"] {
            let args = [
                "check",
                "m.pml",
                "--check",
                "safety",
                "--no-trail",
                "--no-warnings",
            ];
            let run =
                dir.ample(&[&args[..], &["--no-end-check", "--reduction", reduction]].concat());
            let code = i32::from(!says.is_empty());
            let run = run.exits(code);
            assert!(run.out.contains(says), "{name}, {reduction}: {}", run.out);
            assert!(
                says.is_empty() || run.out.contains("only it"),
                "{name}, {reduction}: {}",
                run.out
            );
        }
    }
}
