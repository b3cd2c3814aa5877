//! `ample ltl`.

mod support;

use support::cli::Dir;

#[test]
fn a_formula_becomes_its_never_claim() {
    let dir = Dir::new("ltl_never");
    let run = dir.ample(&["ltl", "[] (p -> <> q)", "--negate"]).exits(0);
    insta::assert_snapshot!(run.out);
    assert_eq!(
        run.err,
        "2 states, 3 edges, nondeterministic; class: persistence; stutter-invariant\n"
    );
}

#[test]
fn properties_are_told_apart() {
    let dir = Dir::new("ltl_facts");
    for (formula, class, invariant, deterministic) in [
        ("[] p", "safety", true, true),
        ("<> p", "guarantee", true, true),
        ("[] <> p", "recurrence", true, true),
        ("<> [] p", "persistence", true, false),
        ("X p", "safety and guarantee", false, true),
    ] {
        let json = dir
            .ample(&["ltl", formula, "--format", "json"])
            .exits(0)
            .json();
        assert_eq!(json["class"], class, "{formula}");
        assert_eq!(json["stutter_invariant"], invariant, "{formula}");
        assert_eq!(json["deterministic"], deterministic, "{formula}");
        let states = json["states"].as_array().unwrap();
        let edges: usize = states
            .iter()
            .map(|s| s["edges"].as_array().unwrap().len())
            .sum();
        assert_eq!(json["state_count"], states.len(), "{formula}");
        assert_eq!(json["edge_count"], edges, "{formula}");
    }
}

#[test]
fn every_notation_is_written() {
    let dir = Dir::new("ltl_notations");
    for (notation, begins, ends) in [
        ("never", "never { /* [] (x > 3) */\n", "}\n"),
        ("hoa", "HOA: v1\n", "--END--\n"),
        ("dot", "digraph buchi {\n", "}\n"),
        ("json", "{\n", "}\n"),
    ] {
        let run = dir
            .ample(&["ltl", "[] \"x > 3\"", "--format", notation])
            .exits(0);
        assert!(
            run.out.starts_with(begins) && run.out.ends_with(ends),
            "{run:?}"
        );
        assert!(run.out.contains("x > 3"), "{run:?}");
        assert_eq!(run.err.is_empty(), notation == "json", "{run:?}");
    }
}

#[test]
fn the_hoa_text_can_be_read_back() {
    let dir = Dir::new("ltl_hoa");
    let run = dir
        .ample(&["ltl", "(p U q) || [] <> \"x > 3\"", "--format", "hoa"])
        .exits(0);
    let mut atoms = ltl::Atoms::new();
    let read = ltl::hoa::read(&run.out, &mut atoms).unwrap();
    assert!(
        run.err.starts_with(&format!(
            "{} states, {} edges",
            read.len(),
            read.edge_count()
        )),
        "{run:?}"
    );
}

#[test]
fn a_wrong_formula_is_marked() {
    let dir = Dir::new("ltl_wrong");
    let run = dir.ample(&["ltl", "[] p -> <"]).exits(2);
    assert_eq!(run.out, "");
    insta::assert_snapshot!(run.err);
    dir.ample(&["ltl"]).exits(2);
    dir.ample(&["ltl", "p", "--format", "text"]).exits(2);
}

#[test]
fn the_claim_is_a_model_that_can_be_read() {
    let dir = Dir::with_model(
        "ltl_claim",
        "byte x;\nactive proctype P() { do :: x < 5 -> x++ :: else -> x = 0 od }\n",
    );
    for (formula, code) in [("[] <> \"x == 5\"", 0), ("<> [] \"x == 5\"", 1)] {
        let claim = dir.ample(&["ltl", formula, "--negate"]).exits(0);
        dir.put("claim.never", &claim.out);
        dir.ample(&[
            "check",
            "m.pml",
            "--no-trail",
            "--check",
            "properties",
            "--never",
            "claim.never",
        ])
        .exits(code);
    }
}
