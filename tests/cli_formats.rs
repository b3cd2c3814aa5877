//! What machines read: SARIF, JUnit's XML, traces in ITF, one line; and what JSON says beside words.

mod support;

use serde_json::{Map, Value};
use support::cli::Dir;
use support::xml;

const MODEL: &str = "mtype = { red, green }; typedef T { byte a[2]; bit b };
mtype light; T t; chan q = [2] of { mtype, byte }; bool on; short low = -3; unsigned u : 3 = 7;
active proctype P() { byte l = 4; t.a[1] = l; light = red; q!green, 9; on = true; assert(low == 0) }
ltl never_on { [] !on }
ltl fine { [] (u == 7) }
";
const LASSO: &str =
    "byte x; active proctype P() { x = 5; do :: x = 6; x = 7 od } ltl back { []<> (x == 5) }";
const ENDS: &str = "byte x; active proctype P() { x = 1 } ltl more { <> (x == 2) }";

/// The results of the only run of a SARIF log, whose shape is checked on the way, as the standard says.
fn sarif(text: &str) -> Vec<Value> {
    let log: Value = serde_json::from_str(text).expect("JSON");
    assert_eq!(log["version"], "2.1.0");
    assert!(
        log["$schema"]
            .as_str()
            .expect("a schema")
            .ends_with("sarif-2.1.0.json")
    );
    let runs = log["runs"].as_array().expect("runs");
    assert_eq!(runs.len(), 1);
    let driver = &runs[0]["tool"]["driver"];
    assert_eq!(driver["name"], "ample");
    let rules = driver["rules"].as_array().expect("rules");
    assert!(runs[0]["invocations"][0]["executionSuccessful"].is_boolean());
    let results = runs[0]["results"].as_array().expect("results");
    for result in results {
        let index = result["ruleIndex"].as_u64().expect("a rule") as usize;
        assert_eq!(result["ruleId"], rules[index]["id"]);
        assert!(result["message"]["text"].is_string());
        let (kind, level) = (result["kind"].as_str(), result["level"].as_str());
        // Section 3.27.10: a level other than none is for failures only.
        assert_eq!(kind == Some("fail"), level == Some("error"), "{result}");
        assert!(["fail", "pass", "open"].contains(&kind.expect("a kind")));
        let flows = result["codeFlows"].as_array();
        let steps = flows.map(|flows| flows[0]["threadFlows"][0]["locations"].as_array());
        let steps = steps.map(|steps| steps.expect("locations"));
        assert!(steps.is_none_or(|steps| !steps.is_empty()));
        let inner = steps.into_iter().flatten().map(|step| &step["location"]);
        for location in result["locations"]
            .as_array()
            .expect("locations")
            .iter()
            .chain(inner)
        {
            let place = &location["physicalLocation"];
            if place.is_null() {
                continue;
            }
            let uri = place["artifactLocation"]["uri"].as_str().expect("a URI");
            assert!(
                uri.bytes()
                    .all(|b| b.is_ascii_graphic() && !b"\"<>\\^`{|}".contains(&b)),
                "{uri}"
            );
            let region = &place["region"];
            assert!(
                region.is_null() || region["startLine"].as_u64() >= Some(1),
                "{region}"
            );
            assert!(
                region.is_null() || region["startColumn"].as_u64() >= Some(1),
                "{region}"
            );
        }
    }
    results.clone()
}

/// The states of a trace in ITF, whose shape is checked on the way.
fn itf(text: &str) -> (Value, Vec<Map<String, Value>>) {
    let trace: Value = serde_json::from_str(text).expect("JSON");
    assert_eq!(trace["#meta"]["format"], "ITF");
    let vars: Vec<&str> = trace["vars"]
        .as_array()
        .expect("vars")
        .iter()
        .map(|name| name.as_str().expect("a name"))
        .collect();
    let states = trace["states"].as_array().expect("states");
    let states: Vec<Map<String, Value>> = states
        .iter()
        .map(|state| state.as_object().expect("a state").clone())
        .collect();
    for (index, state) in states.iter().enumerate() {
        assert_eq!(state["#meta"]["index"], index);
        let names: Vec<&str> = state
            .keys()
            .map(String::as_str)
            .filter(|n| *n != "#meta")
            .collect();
        assert_eq!(names, vars, "every state has every variable");
    }
    if let Some(start) = trace.get("loop") {
        assert!((start.as_u64().expect("a number") as usize) < states.len());
    }
    (trace, states)
}

#[test]
fn sarif_has_a_result_for_every_goal() {
    let dir = Dir::with_model("formats_sarif", MODEL);
    let run = dir.ample(&["check", "m.pml", "--format", "sarif"]).exits(1);
    let results = sarif(&run.out);
    let of = |goal: &str| {
        let mut found = results.iter().filter(|r| r["properties"]["goal"] == goal);
        found.next().unwrap_or_else(|| panic!("no {goal}")).clone()
    };
    assert_eq!(results.len(), 3);
    let safety = of("safety");
    assert_eq!(safety["ruleId"], "assertion");
    let place = &safety["locations"][0]["physicalLocation"];
    assert_eq!(place["artifactLocation"]["uri"], "m.pml");
    assert_eq!(place["region"]["startLine"], 3);
    assert_eq!(safety["properties"]["trailFile"], "m.pml.trail.json");
    let flow = &safety["codeFlows"][0]["threadFlows"][0]["locations"];
    let told = flow[0]["location"]["message"]["text"].as_str();
    assert!(told.is_some_and(|t| t.starts_with("P(0): t.a[1] = l")));
    assert_eq!(flow[0]["state"]["t.a[1]"]["text"], "4");
    assert_eq!(of("fine")["kind"], "pass");
    assert_eq!(of("fine")["properties"]["reasonCode"], "complete");
    // The same violation has the same fingerprint when lines are added above it.
    let fingerprint = |result: &Value| result["partialFingerprints"]["ample/v1"].clone();
    dir.put("m.pml", &format!("\n\n{MODEL}"));
    let moved = sarif(
        &dir.ample(&["check", "m.pml", "--format", "sarif"])
            .exits(1)
            .out,
    );
    let moved = moved
        .iter()
        .find(|r| r["properties"]["goal"] == "safety")
        .expect("safety");
    assert_eq!(fingerprint(moved), fingerprint(&safety));
    assert_eq!(
        moved["locations"][0]["physicalLocation"]["region"]["startLine"],
        5
    );
    let open = dir.ample(&[
        "check", "m.pml", "--claim", "fine", "--plain", "--states", "2", "--format", "sarif",
    ]);
    let open = sarif(&open.exits(3).out);
    assert_eq!(open[0]["kind"], "open");
    assert_eq!(open[0]["properties"]["reasonCode"], "states-limit");
}

#[test]
fn long_runs_are_shortened_in_sarif() {
    let model =
        "int x; active proctype P() { do :: x < 3000 -> x++ :: else -> break od; assert(false) }";
    let dir = Dir::with_model("formats_long", model);
    let run = dir
        .ample(&[
            "check",
            "m.pml",
            "--plain",
            "--no-trail",
            "--format",
            "sarif",
        ])
        .exits(1);
    let results = sarif(&run.out);
    let steps = results[0]["properties"]["steps"].as_u64().expect("steps");
    assert!(steps > 6000, "{steps}");
    let told = results[0]["codeFlows"][0]["threadFlows"][0]["locations"]
        .as_array()
        .expect("steps");
    assert_eq!(told.len(), 1000);
    assert!(
        run.out
            .contains(&format!("(after {} steps that are left out)", steps - 1000))
    );
}

#[test]
fn junit_has_a_test_for_every_goal() {
    let dir = Dir::with_model("formats_junit", MODEL);
    let run = dir
        .ample(&["check", "m.pml", "--no-trail", "--format", "junit"])
        .exits(1);
    let document = run.out.split_once("?>\n").expect("a declaration").1;
    assert_eq!(xml::complaint(document), None);
    assert!(
        document.contains("tests=\"3\" failures=\"2\" errors=\"0\" skipped=\"0\""),
        "{document}"
    );
    for part in [
        "classname=\"m.pml\" name=\"fine\"",
        "<failure message=\"assertion violated\">safety: assertion violated",
        "[] !on",
    ] {
        assert!(document.contains(part), "{part}: {document}");
    }
    let run = dir.ample(&[
        "check", "m.pml", "--claim", "fine", "--plain", "--states", "2", "--format", "junit",
    ]);
    assert!(run.exits(3).out.contains("errors=\"1\""));
}

#[test]
fn itf_has_typed_values() {
    let dir = Dir::with_model("formats_itf", MODEL);
    let options = [
        "check",
        "m.pml",
        "--plain",
        "--check",
        "safety",
        "--itf",
        "m.itf.json",
    ];
    dir.ample(&options).exits(1);
    let (trace, states) = itf(&dir.read("m.itf.json"));
    let replayed = dir
        .ample(&["replay", "m.pml", "m.pml.trail.json", "--format", "itf"])
        .exits(1);
    assert_eq!(itf(&replayed.out).1, states);
    assert_eq!(trace["#meta"]["status"], "violation");
    assert!(trace.get("loop").is_none());
    let (first, last) = (&states[0], &states[states.len() - 1]);
    assert_eq!(first["low"], -3);
    assert_eq!(first["u"], 7);
    assert_eq!(first["light"], 0);
    assert_eq!(first["q"], serde_json::json!([]));
    assert_eq!(last["light"], "red");
    assert_eq!(last["on"], 1);
    assert_eq!(last["t"], serde_json::json!({ "a": [0, 4], "b": 0 }));
    assert_eq!(last["q"], serde_json::json!([{ "#tup": ["green", 9] }]));
    let process = &last["$processes"]["#map"][0];
    assert_eq!(
        (&process[0], &process[1]["proctype"]),
        (&0.into(), &"P".into())
    );
    assert_eq!(process[1]["locals"]["l"], 4);
    assert_eq!(states[1]["#meta"]["action"], "t.a[1] = l");
    // A file that holds something else is not written over.
    let run = dir.ample(&["check", "m.pml", "--itf", "m.pml"]).exits(2);
    assert!(run.err.contains("--itf: m.pml exists"), "{run:?}");
}

#[test]
fn cycles_are_closed_in_itf() {
    let dir = Dir::with_model("formats_lasso", LASSO);
    dir.ample(&["check", "m.pml", "--plain", "--itf", "l.json"])
        .exits(1);
    let (trace, states) = itf(&dir.read("l.json"));
    let start = trace["loop"].as_u64().expect("a loop") as usize;
    let values = |at: usize| states[at]["x"].as_u64().expect("a number");
    let cycle: Vec<u64> = (start..states.len()).map(values).collect();
    assert!(
        cycle.contains(&6) && cycle.contains(&7) && !cycle.contains(&5),
        "{cycle:?}"
    );
    // The step behind the last state leads back to the first state of the loop.
    let action = trace["#meta"]["loop-step"]["action"]
        .as_str()
        .expect("a step");
    assert_eq!(action, format!("x = {}", values(start)), "{trace}");
    dir.put("ends.pml", ENDS);
    dir.ample(&["check", "ends.pml", "--itf", "e.json"])
        .exits(1);
    let (trace, states) = itf(&dir.read("e.json"));
    assert_eq!(trace["loop"], states.len() - 1, "the last state repeats");
}

#[test]
fn one_line_is_enough() {
    let dir = Dir::with_model("formats_quiet", MODEL);
    dir.put("bad.pml", "active proctype P() { y = 1 }");
    for (args, code, line) in [
        (
            &["check", "-q", "m.pml"][..],
            1,
            "VIOLATED  m.pml: 2 of 3 goals violated\n",
        ),
        (
            &["check", "--quiet", "m.pml", "--claim", "fine"],
            0,
            "HOLDS  m.pml: 1 goal holds\n",
        ),
        (
            &[
                "check", "-q", "m.pml", "--claim", "fine", "--plain", "--states", "2",
            ],
            3,
            "INCONCLUSIVE  m.pml: 1 of 1 goal inconclusive\n",
        ),
    ] {
        let run = dir.ample(args).exits(code);
        assert_eq!((run.out.as_str(), run.err.as_str()), (line, ""), "{args:?}");
    }
    let run = dir.ample(&["check", "-q", "bad.pml"]).exits(2);
    assert!(
        run.out.is_empty() && run.err.contains("bad.pml:1"),
        "{run:?}"
    );
    dir.ample(&["check", "-q", "m.pml", "--format", "json"])
        .exits(2);
}

#[test]
fn json_has_types_and_codes() {
    let dir = Dir::with_model("formats_json", MODEL);
    let report = dir
        .ample(&["check", "m.pml", "--no-trail", "--format", "json"])
        .exits(1)
        .json();
    let results = report["results"].as_array().expect("results");
    let codes: Vec<&str> = results
        .iter()
        .map(|r| r["reason_code"].as_str().expect("a code"))
        .collect();
    assert_eq!(codes, ["assertion", "acceptance-cycle", "complete"]);
    let explanation = &results[0]["violations"][0]["explanation"];
    assert_eq!(explanation["required"]["text"], "assert(low == 0)");
    let types: Map<String, Value> = explanation["initial"]
        .as_array()
        .expect("values")
        .iter()
        .map(|v| {
            (
                v["name"].as_str().expect("a name").to_owned(),
                v["type"].clone(),
            )
        })
        .collect();
    for (name, ty) in [
        ("light", "mtype"),
        ("t.a[1]", "byte"),
        ("q", "chan"),
        ("on", "bit"),
        ("low", "short"),
        ("u", "unsigned"),
        ("P(0):l", "byte"),
    ] {
        assert_eq!(types[name], ty, "{name}");
    }
}
