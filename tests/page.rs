//! Pages and charts: what a browser makes of them, and that nothing of a model breaks out of its place.
//!
//! The tests that need a browser step aside where Chromium is not installed, unless `AMPLE_REQUIRE_CHROMIUM=1`. Screenshots are
//! written to the folder for temporary files of the build, `page_*.png`.

mod support;

use ltl::random::Rng;
use std::path::{Path, PathBuf};
use support::chromium::{chromium_is_there, dark_dom, dom, print, screenshot};
use support::cli::Dir;
use support::xml;

/// A run of about four steps for each message before the bad one.
const STREAM: &str = "#ifndef LAST\n#define LAST 2\n#endif\nchan q = [2] of { int }; int sent;
active proctype Sender() { do :: q!sent; sent++ od }
active proctype Receiver() { int got; do :: q?got; assert(got != LAST) od }";

const LASSO: &str = "chan c = [0] of { byte }; bit x; byte served;
active proctype Asks() { do :: c!1; x = 1 - x od }
active proctype Answers() { byte m; do :: c?m od }
proctype Short() { skip }
init { run Short() }
ltl served_once { <> (served == 1) }";

const HOLDS: &str = "byte x;\nactive proctype P() { do :: x < 3 -> x++ :: x == 3 -> break :: x > 5 ->\n  x = 9 od }";

/// Checks a model and gives the page.
fn page(dir: &Dir, options: &[&str], code: i32) -> PathBuf {
    let always = [
        "check",
        "m.pml",
        "--no-trail",
        "--no-warnings",
        "--report",
        "page.html",
    ];
    dir.ample(&[&always, options].concat()).exits(code);
    path(dir, "page.html")
}

fn path(dir: &Dir, name: &str) -> PathBuf {
    let text = dir.read(name);
    dir.put(name, &text)
}

/// The same page with a script of the test at its end, which the page would not let run.
fn with_script(dir: &Dir, page: &Path, script: &str) -> PathBuf {
    let text = std::fs::read_to_string(page).expect("a page");
    let forbids = text.find("<meta http-equiv").expect("a policy");
    let end = forbids + text[forbids..].find('>').expect("its end") + 1;
    let free = format!("{}{}", &text[..forbids], &text[end..]);
    dir.put(
        "tested.html",
        &free.replace("</body>", &format!("<script>{script}</script></body>")),
    )
}

/// A script that presses keys.
fn keys(keys: &[&str]) -> String {
    let press = |key: &&str| {
        format!(
            "document.body.dispatchEvent(new KeyboardEvent('keydown', {{ key: '{key}', bubbles: true }}));"
        )
    };
    keys.iter().map(press).collect()
}

/// The text of the element with that id, without tags.
fn text_of(dom: &str, id: &str) -> String {
    let start = dom
        .find(&format!("id=\"{id}\""))
        .unwrap_or_else(|| panic!("no {id} in {dom}"));
    let inside = &dom[start..];
    let from = inside.find('>').expect("a tag") + 1;
    let to = inside[from..].find("</").expect("an end") + from;
    inside[from..to].to_owned()
}

#[test]
fn a_run_opens_and_steps_at_every_length() {
    if !chromium_is_there() {
        return;
    }
    for (last, name) in [(2, "short"), (250, "long"), (2500, "very_long")] {
        let dir = Dir::with_model(&format!("page_{name}"), STREAM);
        let define = format!("-DLAST={last}");
        let page = page(&dir, &[&define, "--workers", "1"], 1);
        let size = std::fs::metadata(&page).expect("a page").len();
        assert!(size < 10 << 20, "{size} bytes");
        let steps = 4 * last;
        let opened = dom(&page, "#step=5");
        assert!(opened.contains("data-ready=\"true\""), "{name}: {opened}");
        assert!(opened.contains("data-step=\"5\""), "{name}");
        let count = text_of(&opened, "count");
        let all: usize = count
            .split(" / ")
            .nth(1)
            .and_then(|n| n.parse().ok())
            .expect("a number");
        assert!(all >= steps, "{count}");
        // What is drawn is what is in view, however long the run is.
        assert!(opened.matches("role=\"option\"").count() < 80, "{name}");
        assert!(opened.contains("class=\"message"), "{name}");
        let mut fastest = u64::MAX;
        // Keys: two on, one back, to the end, one back.
        for (pressed, expected) in [
            (&["ArrowRight", "ArrowRight", "ArrowLeft"][..], 6),
            (&["End"], all),
            (&["End", "k", "k"], all - 2),
            (&["End", "Home", "j"], 1),
        ] {
            let script = format!(
                "{}document.documentElement.dataset.opened = Math.round(performance.now());",
                keys(pressed)
            );
            let tested = with_script(&dir, &page, &script);
            let stepped = dom(&tested, "#step=5");
            let count = text_of(&stepped, "count");
            assert_eq!(count, format!("{expected} / {all}"), "{name} {pressed:?}");
            assert!(
                stepped.contains(&format!("id=\"row-{expected}\"")),
                "{name} {pressed:?}"
            );
            let opened = stepped
                .split("data-opened=\"")
                .nth(1)
                .and_then(|t| t.split('"').next());
            let opened: u64 = opened.and_then(|t| t.parse().ok()).expect("milliseconds");
            fastest = fastest.min(opened);
        }
        println!("{all} steps, {size} bytes: open after {fastest} ms");
        // Of several, the fastest: the machine may be busy.
        assert!(fastest < 2000, "{fastest} ms to open {all} steps");
        // The state at the end is that of the run, whichever way it is reached.
        let end = dom(&page, &format!("#step={all}"));
        let tested = with_script(&dir, &page, &keys(&["End"]));
        let by_key = dom(&tested, "#step=3");
        let values = |dom: &str| {
            dom.split("id=\"values\"")
                .nth(1)
                .map(|t| t.split("</tbody>").next().map(str::to_owned))
        };
        assert_eq!(values(&end), values(&by_key), "{name}");
        assert!(end.contains(&format!("<td>{last}</td>")), "{name}");
        let picture = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("page_{name}.png"));
        screenshot(&page, "#step=7", &picture, "1400,1600");
        assert!(std::fs::metadata(picture).is_ok_and(|m| m.len() > 10_000));
    }
}

#[test]
fn a_cycle_is_framed_and_the_automaton_goes_along() {
    if !chromium_is_there() {
        return;
    }
    let dir = Dir::with_model("page_lasso", LASSO);
    let page = page(&dir, &["--check", "properties"], 1);
    let opened = dom(&page, "#step=9999");
    assert!(opened.contains("class=\"loop\""), "{opened}");
    assert!(opened.contains("forever</text>"));
    assert!(
        opened.contains("Back to where the cycle begins"),
        "{}",
        text_of(&opened, "now")
    );
    assert!(
        opened.contains("class=\"node") && opened.contains(" now\""),
        "the automaton's state"
    );
    assert!(opened.contains("what is due never happens: served==1"));
    assert!(!text_of(&opened, "now").contains("whatever happens"));
    // Processes that start and end.
    let first = dom(&page, "#step=1");
    assert!(first.contains("class=\"born\""), "{first}");
    let picture = Path::new(env!("CARGO_TARGET_TMPDIR")).join("page_lasso.png");
    screenshot(&page, "#step=6", &picture, "1400,1600");
}

#[test]
fn what_is_decided_and_runs_that_end_are_said_to_be() {
    if !chromium_is_there() {
        return;
    }
    for (name, model, step, said) in [
        (
            "decided",
            "byte x; active proctype P() { do :: x = (x + 1) % 6 od }\nltl low { [] (x < 4) }",
            4,
            "whatever happens, the property is violated",
        ),
        (
            "ended",
            "byte n; active proctype P() { n = 2; n = 3 }\nltl one { <> (n == 1) }",
            99,
            "Here the run ends",
        ),
    ] {
        let dir = Dir::with_model(&format!("page_{name}"), model);
        let page = page(&dir, &["--check", "properties"], 1);
        let now = text_of(&dom(&page, &format!("#step={step}")), "now");
        assert!(now.contains(said), "{now}");
        let before = text_of(&dom(&page, "#step=1"), "now");
        assert!(!before.contains(said), "{before}");
    }
}

/// What a script finds out about a page: the value of an attribute that it sets.
fn found(dom: &str, attribute: &str) -> String {
    let after = dom.split(&format!("data-{attribute}=\"")).nth(1);
    let value = after.and_then(|text| text.split('"').next());
    value
        .unwrap_or_else(|| panic!("no {attribute} in {dom}"))
        .to_owned()
}

#[test]
fn everything_that_can_be_used_has_a_name_and_a_key() {
    if !chromium_is_there() {
        return;
    }
    let dir = Dir::with_model("page_names", LASSO);
    let page = page(&dir, &[], 1);
    let script = r#"
        const all = [...document.querySelectorAll("button, select, input, [tabindex], summary")];
        const named = e => e.getAttribute("aria-label") || e.labels?.length || e.textContent.trim();
        const root = document.documentElement.dataset;
        root.controls = all.length;
        root.nameless = all.filter(e => !named(e)).map(e => e.outerHTML.slice(0, 60)).join();
        root.unreachable = all.filter(e => e.tabIndex < 0).map(e => e.id).join();
        const list = document.querySelector("[role=listbox]");
        const active = document.getElementById(list.getAttribute("aria-activedescendant"));
        root.active = active?.getAttribute("aria-selected");
        root.language = document.documentElement.lang;
        root.live = document.getElementById("now").getAttribute("aria-live");
        // Keys belong to a field while something is typed there.
        const filter = document.getElementById("filter");
        filter.focus();
        filter.dispatchEvent(new KeyboardEvent("keydown", { key: "j", bubbles: true }));
        root.typed = document.getElementById("count").textContent;"#;
    let opened = dom(&with_script(&dir, &page, script), "#step=3");
    assert!(
        found(&opened, "controls")
            .parse::<usize>()
            .is_ok_and(|n| n >= 9)
    );
    for (attribute, expected) in [
        ("nameless", ""),
        ("unreachable", ""),
        ("active", "true"),
        ("language", "en"),
        ("live", "polite"),
    ] {
        assert_eq!(found(&opened, attribute), expected, "{attribute}");
    }
    assert!(found(&opened, "typed").starts_with("3 / "), "{opened}");
}

#[test]
fn pages_are_light_and_dark_and_can_be_printed() {
    if !chromium_is_there() {
        return;
    }
    let dir = Dir::with_model("page_colours", LASSO);
    let page = page(&dir, &["--check", "properties"], 1);
    let script = r#"
        const style = getComputedStyle(document.body);
        document.documentElement.dataset.colours = style.color + style.backgroundColor;"#;
    let tested = with_script(&dir, &page, script);
    // The first number of a colour: of light text on dark paper, or the other way round.
    let contrast = |dom: &str| -> Vec<u32> {
        let colours = found(dom, "colours");
        let first = |text: &str| text.split(',').next().and_then(|n| n.trim().parse().ok());
        colours.split("rgb(").filter_map(first).collect()
    };
    let (light, dark) = (contrast(&dom(&tested, "")), contrast(&dark_dom(&tested)));
    assert!(light[0] < 80 && light[1] > 200, "{light:?}");
    assert!(dark[0] > 200 && dark[1] < 80, "{dark:?}");
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join("page_lasso.pdf");
    print(&page, &file);
    let printed = std::fs::read(&file).expect("printed");
    assert!(printed.starts_with(b"%PDF") && printed.len() > 20_000);
    // On paper, where nothing can be stepped, the run is a list.
    let script = r#"
        window.dispatchEvent(new Event("beforeprint"));
        document.documentElement.dataset.listed = document.querySelectorAll(".paper li").length;"#;
    let opened = dom(&with_script(&dir, &page, script), "");
    let count = text_of(&opened, "count");
    assert!(
        count.ends_with(&format!(" / {}", found(&opened, "listed"))),
        "{count}"
    );
}

#[test]
fn a_model_that_holds_shows_its_coverage() {
    let dir = Dir::with_model("page_holds", HOLDS);
    let page = page(&dir, &[], 0);
    let text = std::fs::read_to_string(&page).expect("a page");
    assert!(text.contains("<span class=\"verdict\">holds</span>"));
    assert!(text.contains("Statistics"));
    if !chromium_is_there() {
        return;
    }
    let opened = dom(&page, "");
    assert!(opened.contains("data-ready=\"true\""));
    assert!(
        opened.contains("line unreached\" title=\"never reached: x = 9\""),
        "{opened}"
    );
}

#[test]
fn variables_of_procedures_are_gone_after_the_return() {
    let text = "int sum; procedure add(int n) { sum = sum + n }\nactive proctype P() { add(3); assert(sum == 0) }";
    let dir = Dir::with_model("page_procedures", text);
    let page = page(&dir, &[], 1);
    let html = std::fs::read_to_string(&page).expect("a page");
    assert!(html.contains("add (from line 2)"), "{html}");
    assert_eq!(html.matches("\"gone\":[").count(), 1, "{html}");
}

#[test]
fn a_replay_has_the_same_page() {
    let dir = Dir::with_model("page_replay", LASSO);
    dir.ample(&[
        "check",
        "m.pml",
        "--trail",
        "t",
        "--no-warnings",
        "--check",
        "properties",
    ])
    .exits(1);
    dir.ample(&[
        "replay", "m.pml", "t.json", "--report", "r.html", "--msc", "r.svg",
    ])
    .exits(1);
    let text = dir.read("r.html");
    assert!(text.contains("served_once") && text.contains("what is due never happens"));
    assert_eq!(xml::complaint(&dir.read("r.svg")), None);
    assert!(dir.read("r.svg").contains("forever"));
}

#[test]
fn other_files_are_not_written_over() {
    let dir = Dir::with_model("page_over", STREAM);
    for option in ["--report", "--msc"] {
        let run = dir
            .ample(&["check", "m.pml", "--no-trail", option, "m.pml"])
            .exits(2);
        assert!(run.err.contains("not written over"), "{run:?}");
        assert_eq!(dir.read("m.pml"), STREAM);
        dir.ample(&["check", "m.pml", "--no-trail", option, "out"])
            .exits(1);
        dir.ample(&["check", "m.pml", "--no-trail", option, "out"])
            .exits(1);
        std::fs::remove_file(path(&dir, "out")).expect("written");
    }
}

/// Texts that mean something to HTML, XML, JSON, scripts, style sheets, terminals or printf.
const HOSTILE: [&str; 16] = [
    "</script><script>document.documentElement.dataset.taken='1'</script>",
    "<img src=x onerror=document.documentElement.dataset.taken='1'>",
    "<!--",
    "]]>",
    "--></style>",
    "&amp;lt;",
    "&#x3c;b&#x3e;",
    "\u{2028}\u{2029}",
    "\u{202e}abc",
    "\u{1b}[2J",
    "\u{85}",
    "{{7*7}}${x}`",
    "' onload='x",
    "%s%d%n",
    "\u{feff}\u{fffd}",
    "日本語 <ü>",
];

/// A model in which hostile texts stand wherever a model has room for a text.
fn hostile_model(rng: &mut Rng) -> (String, String) {
    let mut pick = || HOSTILE[rng.below(HOSTILE.len())];
    let (comment, printed, line, file) = (pick(), pick(), pick(), pick());
    let quoted = |text: &str| text.replace(['"', '\\', '\n'], "");
    let shown = quoted(printed).replace('%', "%%");
    let model = format!(
        "/* {} */\nchan q = [1] of {{ byte }};\n#define SAY(x) printf(\"{shown}\")\n# 7 \"{}\"\n\
         active proctype P() {{ byte x; SAY(1); q!3; q?x; assert(x != 3) }}\nltl p {{ [] !(P[0]:x == 3) }}\n",
        comment.replace("*/", ""),
        quoted(line),
    );
    // Names of files have no slashes, and are no options.
    (format!("m{}.pml", file.replace(['/', '\0'], "_")), model)
}

#[test]
fn hostile_texts_stay_texts_in_every_format() {
    let mut rng = Rng::seeded(23);
    let dir = Dir::new("page_hostile");
    let browser = chromium_is_there();
    for round in 0..24 {
        let (name, model) = hostile_model(&mut rng);
        dir.put(&name, &model);
        for file in ["p.html", "p.svg"] {
            let _ = std::fs::remove_file(dir.put(file, ""));
        }
        let args = [
            "check",
            &name,
            "--no-trail",
            "--report",
            "p.html",
            "--msc",
            "p.svg",
        ];
        let run = dir
            .ample(&[&args[..], &["--format", "json"]].concat())
            .exits(1);
        let about = format!("round {round}: {name:?}\n{model}");
        run.json();
        let text = dir
            .ample(&["check", &name, "--no-trail", "--full"])
            .exits(1)
            .text();
        let control = |c: char| c.is_control() && c != '\n' && c != '\t';
        assert!(!text.contains(control), "{about}");
        for svg in [
            dir.read("p.svg"),
            dir.ample(&["explain", &name, "--format", "svg"])
                .exits(0)
                .out,
        ] {
            assert_eq!(xml::complaint(&svg), None, "{about}\n{svg}");
        }
        let page = dir.read("p.html");
        for raw in [
            "<img",
            "<script>document",
            "</script><script>d",
            "<!--",
            "\u{2028}",
            "\u{1b}",
        ] {
            assert!(!page.contains(raw), "{raw:?} in {about}");
        }
        assert_eq!(page.matches("<script").count(), 2, "{about}");
        let data = page
            .split("id=\"data\">")
            .nth(1)
            .and_then(|t| t.split("</script>").next());
        let data: serde_json::Value = serde_json::from_str(data.expect("data")).expect(&about);
        assert_eq!(data["runs"].as_array().map(Vec::len), Some(2), "{about}");
        if browser && round < 4 {
            // Even without the policy that forbids other scripts.
            let free = with_script(&dir, &path(&dir, "p.html"), "");
            let opened = dom(&free, "#step=4");
            assert!(opened.contains("data-ready=\"true\""), "{about}");
            assert!(!opened.contains("data-taken"), "{about}");
        }
    }
}
