//! What is read: files of every kind, hostile or merely large, are refused with a message or used, promptly.

mod support;

use std::time::{Duration, Instant};
use support::cli::{Dir, Run};

const HOLDS: &str = "byte x; active proctype P() { x = 1 }";

/// A run that must end soon, without a crash.
fn soon(dir: &Dir, words: &[&str]) -> Run {
    let start = Instant::now();
    let run = dir.ample(words);
    assert!(start.elapsed() < Duration::from_secs(10), "{words:?}");
    assert!(
        (0..=3).contains(&run.code),
        "{words:?}: {}",
        &run.err[..run.err.len().min(2000)]
    );
    run
}

#[test]
fn only_regular_files_are_read() {
    let dir = Dir::with_model("input-kinds", HOLDS);
    dir.shell("mkfifo pipe; mkdir folder; : >empty.trail")
        .exits(0);
    for file in ["pipe", "folder", "/dev/zero", "/dev/null", "missing"] {
        for words in [
            &["check", file][..],
            &["simulate", file],
            &["explain", file],
            &["check", "m.pml", "--never", file],
            &["check", "m.pml", "--hoa", file],
            &["check", "m.pml", "--ltl-file", file],
            &["replay", "m.pml", file],
            &["bench", file],
        ] {
            let run = soon(&dir, words).exits(2);
            assert!(run.err.contains("cannot read"), "{run:?}");
        }
        dir.put("includes.pml", &format!("#include \"{file}\"\n{HOLDS}"));
        soon(&dir, &["check", "includes.pml"]).exits(2);
    }
    // A file that only says it is huge.
    dir.shell("truncate -s 1T sparse").exits(0);
    let run = soon(&dir, &["check", "sparse"]).exits(2);
    assert!(run.err.contains("larger than 64 MiB"), "{run:?}");
}

#[test]
fn the_model_may_come_from_standard_input() {
    let dir = Dir::new("input-stdin");
    for words in [
        "check -",
        "simulate -",
        "explain -",
        "check --syntax-only -",
    ] {
        let words: Vec<&str> = words.split(' ').collect();
        dir.ample_reading(&words, HOLDS).exits(0);
    }
    let run = dir
        .ample_reading(&["check", "-"], "active proctype P() { y = 1 }")
        .exits(2);
    assert!(run.err.contains("`y` is not declared"), "{run:?}");
    dir.ample_reading(&["simulate", "-", "--interactive"], HOLDS)
        .exits(2);
    // It is a name on the command line only.
    dir.put(
        "includes.pml",
        "#include \"-\"\nactive proctype P() { skip }",
    );
    dir.ample_reading(&["check", "includes.pml"], HOLDS)
        .exits(2);
}

#[test]
fn includes_can_be_confined() {
    let dir = Dir::new("input-root");
    dir.shell("mkdir -p confined/sub").exits(0);
    let model = dir.put(
        "confined/m.pml",
        "#include \"sub/inner.pml\"\nactive proctype P() { skip }",
    );
    dir.put("confined/sub/inner.pml", "#include \"../other.pml\"\n");
    dir.put("confined/other.pml", "byte inside;\n");
    let secret = dir.put("secret.pml", "byte outside;\n");
    let check = |include: &str| {
        dir.put("confined/other.pml", include);
        let open = dir.ample(&["check", "confined/m.pml"]).code;
        let run = dir.ample(&["check", "--include-root", "confined", "confined/m.pml"]);
        (open, run)
    };
    assert_eq!(check("byte inside;\n").1.code, 0);
    let absolute = secret.display().to_string();
    dir.shell("ln -s ../secret.pml confined/link.pml; ln -s .. confined/up")
        .exits(0);
    for name in [
        "../secret.pml",
        "../confined/../secret.pml",
        &absolute,
        "link.pml",
        "up/secret.pml",
    ] {
        let (open, run) = check(&format!("#include \"{name}\"\n"));
        assert_eq!(open, 0, "{name}");
        let run = run.exits(2);
        assert!(run.err.contains("outside of the folder"), "{name}: {run:?}");
        assert!(!run.err.contains("byte outside"), "{name}: {run:?}");
    }
    // The model itself is what the user names, wherever it is.
    dir.put("elsewhere.pml", HOLDS);
    dir.ample(&["check", "--include-root", "confined", "elsewhere.pml"])
        .exits(0);
    dir.ample(&[
        "check",
        "--include-root",
        "missing",
        &model.display().to_string(),
    ])
    .exits(2);
}

#[test]
fn a_claim_file_has_a_claim_and_nothing_else() {
    let dir = Dir::with_model("input-never", HOLDS);
    for (text, message) in [
        ("", "has no never claim"),
        ("/* nothing */\n#define p x\n", "has no never claim"),
        ("active proctype Q() { assert(false) }", "and nothing else"),
        ("byte y; never { true }", "and nothing else"),
        ("never { true } init { skip }", "and nothing else"),
        ("never { do :: true od", ""),
    ] {
        dir.put("c", text);
        let run = dir.ample(&["check", "--never", "c", "m.pml"]).exits(2);
        assert!(run.err.contains(message), "{text}: {run:?}");
    }
    for text in [
        "never { do :: x == 7 -> break :: else od }",
        "#define p (x == 7)\nnever c { do :: p -> break :: else od }\n",
    ] {
        dir.put("c", text);
        dir.ample(&["check", "--never", "c", "m.pml"]).exits(0);
    }
}

#[test]
fn trails_that_do_not_fit_are_errors() {
    let model = "byte x; active proctype P() { do :: x < 3 -> x++ :: x == 3 -> assert(false) od }
        active proctype Q() { do :: skip od } ltl p { <> (x == 9) }";
    let dir = Dir::with_model("input-trails", model);
    dir.ample(&["check", "m.pml"]).exits(1);
    let (fault, cycle) = (dir.read("m.pml.trail.json"), dir.read("m.pml.p.trail.json"));
    let spins = dir.read("m.pml.trail");
    for name in [
        "m.pml.trail.json",
        "m.pml.p.trail.json",
        "m.pml.trail",
        "m.pml.p.trail",
    ] {
        dir.ample(&["replay", "m.pml", name]).exits(1);
    }
    let steps = |text: &str| {
        let trail: serde_json::Value = serde_json::from_str(text).expect("JSON");
        (
            trail["choices"].as_array().map_or(0, Vec::len),
            trail["cycle"].to_string(),
        )
    };
    let (length, start) = steps(&cycle);
    let mut bad = vec![
        String::new(),
        "\n\n".to_owned(),
        "{}".to_owned(),
        "\0\0".to_owned(),
        "1:0:0:0\n".to_owned(),
        "1:-9223372036854775808:0\n".to_owned(),
        "-2:0:-2\n1:-9223372036854775808:0\n".to_owned(),
        "1:65536:0\n".to_owned(),
        "1:0:4294967296\n".to_owned(),
        "1:77:0\n".to_owned(),
        "1:0:99999\n".to_owned(),
        "1:1:0\n-1:-1:-1\n".to_owned(),
        "-1:-1:-1\n".to_owned(),
        spins.trim_end().to_owned(),
        fault.replace("\"cycle\":null", "\"cycle\":99999"),
        fault.replace("\"cycle\":null", "\"cycle\":0"),
        fault.replace("\"kind\":\"assertion\"", "\"kind\":\"end-state\""),
        fault.replace("\"pid\":0", "\"pid\":9"),
        fault.replace("\"edge\":0", "\"edge\":4000000000"),
        fault.replace("\"edge\":0", "\"edge\":-1"),
        fault.replace("\"choices\":[", "\"choices\":[],\"more\":["),
        cycle.replace(&format!("\"cycle\":{start}"), "\"cycle\":null"),
        cycle.replace(
            &format!("\"cycle\":{start}"),
            &format!("\"cycle\":{length}"),
        ),
        "{\"choices\":".to_owned() + &"[".repeat(100_000),
    ];
    bad.extend([fault.len() / 2, fault.len() - 1].map(|end| fault[..end].to_owned()));
    for text in bad {
        dir.put("bad", &text);
        for words in [
            ["replay", "m.pml", "bad"],
            ["simulate", "m.pml", "--trail=bad"],
        ] {
            let run = soon(&dir, &words);
            assert_eq!(run.code, 2, "{}: {run:?}", &text[..text.len().min(300)]);
            assert!(run.err.starts_with("error: "), "{run:?}");
        }
    }
}

#[test]
fn a_limit_of_the_checker_is_no_violation() {
    let dir = Dir::new("input-limits");
    let channels =
        "proctype Q() { chan c[250] = [0] of { bit }; false } init { atomic { do :: run Q() od } }";
    dir.put("channels.pml", channels);
    dir.put(
        "vector.pml",
        "chan c[1100] = [65535] of { int, int, int, int }; init { skip }",
    );
    for (model, reason) in [
        (
            "channels.pml",
            "more than 65535 channels at channels.pml:1:",
        ),
        (
            "vector.pml",
            "a state vector of more than 1 GiB in the initial state",
        ),
    ] {
        let run = dir.ample(&["check", "--no-warnings", model]).exits(3);
        assert!(
            run.out.starts_with("INCONCLUSIVE") && run.out.contains(reason),
            "{run:?}"
        );
        dir.ample(&["simulate", "--no-warnings", "--seed", "1", model])
            .exits(3);
    }
}

#[test]
fn a_reason_to_hold_says_what_was_left_out() {
    let model =
        "byte x; active [3] proctype P() { byte l; l = 1; l = 2; x++ } ltl p { [] (x < 9) }";
    let dir = Dir::with_model("input-claims", model);
    let reasons = |options: &[&str]| {
        let run = dir.ample(&[&["check", "--format", "json", "m.pml"], options].concat());
        let json = run.exits(0).json();
        [0, 1].map(|n| {
            json["results"][n]["reason"]
                .as_str()
                .unwrap_or_default()
                .to_owned()
        })
    };
    for reason in reasons(&[]) {
        assert!(reason.contains("left out by ample sets"), "{reason}");
        assert!(reason.contains("cannot change the verdict"), "{reason}");
        assert!(!reason.contains("all "), "{reason}");
    }
    for reason in reasons(&["--reduction", "none"]) {
        assert!(reason.contains("statement merging"), "{reason}");
    }
    let [safety, property] = reasons(&["--plain"]);
    assert!(
        safety.contains("all ") && safety.contains(" reachable states visited"),
        "{safety}"
    );
    assert!(
        property.contains("reachable states of the product"),
        "{property}"
    );
}

/// Texts made of one thing many times: each is refused or used, within seconds and a bounded stack.
#[test]
fn large_texts_are_used_or_refused() {
    let many = |text: &str, n: usize| text.repeat(n);
    let body = |text: &str| format!("byte x; active proctype P() {{ {text} }}");
    let nested = |open: &str, middle: &str, close: &str, n: usize| {
        body(&(many(open, n) + middle + &many(close, n)))
    };
    let name = many("a", 200_000);
    let chain = |from: usize, to: usize, line: &dyn Fn(usize) -> String| {
        (from..to).map(line).collect::<String>()
    };
    let texts = [
        format!("byte {name}; active proctype P() {{ {name}b = 1 }}"),
        format!("byte {name}; active proctype P() {{ {name} = 1; assert({name} == 0) }}"),
        format!("proctype {name}() {{ skip }} init {{ run {name}b() }}"),
        body(&format!("x = {}", many("9", 200_000))),
        nested("x = (", "1", ")", 1),
        body(&format!("x = {}1{}", many("(", 1_900), many(")", 1_900))),
        body(&format!(
            "x = {}1{}",
            many("(", 200_000),
            many(")", 200_000)
        )),
        body(&format!("x = x{}", many(" + x", 19_000))),
        body(&format!("x = {}x", many("~", 200_000))),
        nested("{ x = 1; ", "skip", " }", 1_900),
        nested("if :: ", "skip", " fi", 1_900),
        nested("do :: ", "break", " od", 1_900),
        nested("atomic { ", "skip", " }", 1_900),
        nested("{ skip } unless { ", "skip", " }", 1_900),
        nested("{ ", "x = 1", " } unless { x == 3 }", 900),
        "inline f() { f() } active proctype P() { f() }".to_owned(),
        chain(0, 5_000, &|i| format!("inline f{i}() {{ f{}() }}\n", i + 1))
            + "inline f5000() { skip } active proctype P() { f0() }",
        "inline f0(a) { skip }\n".to_owned()
            + &chain(0, 40, &|i| {
                format!("inline f{}(a) {{ f{i}(a); f{i}(a) }}\n", i + 1)
            })
            + &body("f40(1)"),
        chain(0, 60, &|i| format!("#define m{i} m{n} m{n}\n", n = i + 1)) + &body("m0"),
        "#define m0 1\n".to_owned()
            + &chain(0, 1_500, &|i| format!("#define m{} (m{i})\n", i + 1))
            + &body("x = m1500"),
        format!(
            "#define f(x) x\n{}",
            body(&format!(
                "x = {}1{}",
                many("f(", 200_000),
                many(")", 200_000)
            ))
        ),
        format!("#include \"m.pml\"\n{HOLDS}"),
        format!(
            "{}{}{HOLDS}",
            many("#if 1\n", 200_000),
            many("#endif\n", 200_000)
        ),
        format!(
            "#if {}1{}\n#endif\n{HOLDS}",
            many("(", 200_000),
            many(")", 200_000)
        ),
        "byte x[999999999]; init { skip }".to_owned(),
        "typedef T0 { byte x };".to_owned()
            + &chain(0, 40, &|i| format!("typedef T{} {{ T{i} a[2] }};", i + 1))
            + "T40 t; init { skip }",
        body(&format!("printf(\"{}\\n\")", many("x", 1_000_000))),
        format!("{HOLDS} ltl p {{ {}(x == 0) }}", many("!", 200_000)),
        format!("{HOLDS} ltl p {{ {}(x == 0) }}", many("[] <> ", 400)),
        format!(
            "# 4294967295 \"x\"\n# 99999999999999999999 \"y\"\n{}",
            body("y = 1")
        ),
        many("/*", 200_000),
        many("\0", 10_000),
        many("active proctype P() { ", 50_000),
        many("}", 500_000),
    ];
    let dir = Dir::new("input-large");
    for text in &texts {
        dir.put("m.pml", text);
        for words in [
            &[
                "check",
                "--no-trail",
                "--time",
                "2s",
                "--memory",
                "500M",
                "m.pml",
            ][..],
            &["explain", "m.pml"],
        ] {
            soon(&dir, words);
        }
    }
    for formula in [
        many("!", 200_000) + "p",
        many("(", 200_000) + "p",
        many("[]", 400) + "p",
        many("p", 200_000),
    ] {
        soon(&dir, &["ltl", &formula[..formula.len().min(100_000)]]);
    }
}
