//! The JSON of a report fits its schema, whatever the exploration came to.

use ample_stateless::program::{Code, Program, Running, known};
use ample_stateless::{Algorithm, Options, explore};
use serde_json::Value;

fn validator() -> jsonschema::Validator {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/schema/explore.json");
    let text = std::fs::read_to_string(path).unwrap();
    let schema: Value = serde_json::from_str(&text).unwrap();
    jsonschema::draft202012::meta::validate(&schema).unwrap();
    jsonschema::draft202012::new(&schema).unwrap()
}

fn document(program: Program, options: &Options) -> Value {
    let report = explore(&mut Running::new(program), options, |_, _| {});
    serde_json::from_str(&report.to_json()).unwrap()
}

#[test]
fn reports_fit_their_schema() {
    let validator = validator();
    let mut fails = Program::new();
    let x = fails.variable();
    fails.thread([Code::Read(x, 0), Code::Assert(0, 1)]);
    let bounded = Options {
        depth: Some(2),
        ..Options::default()
    };
    let random = Options {
        algorithm: Algorithm::FairRandom(1),
        ..Options::default()
    };
    for (program, options, path, expected) in [
        (known::readers(2), Options::default(), "/verdict", "holds"),
        (known::readers(2), bounded, "/because", "depth"),
        (known::readers(2), random, "/because", "random"),
        (
            known::philosophers(3),
            Options::default(),
            "/findings/0/kind",
            "deadlock",
        ),
        (fails, Options::default(), "/findings/0/schedule", "0"),
    ] {
        let document = document(program, &options);
        assert_eq!(document.pointer(path).unwrap(), expected, "{document:#}");
        let wrong: Vec<String> = validator
            .iter_errors(&document)
            .map(|e| e.to_string())
            .collect();
        assert!(wrong.is_empty(), "{wrong:?}\n{document:#}");
        let mut changed = document;
        changed["verdict"] = "perhaps".into();
        assert!(!validator.is_valid(&changed));
    }
}
