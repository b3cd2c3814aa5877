//! Hostile names and strings through every report format: what comes out is well-formed, and nothing of the model breaks out of
//! its place. Names come from files, line markers, formulas in files with such names, and strings of the model.
//!
//! More rounds with `AMPLE_HOSTILE_ROUNDS=200`, others with `AMPLE_SEED=7`.

mod support;

use ltl::random::Rng;
use serde_json::Value;
use support::cli::Dir;
use support::{number, xml};

/// Pieces that mean something to HTML, XML, JSON, DOT, URIs, terminals, scripts or printf.
const PIECES: [&str; 26] = [
    "</script>",
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "<!--",
    "-->",
    "]]>",
    "<![CDATA[",
    "&amp;",
    "&#x3c;",
    "\"",
    "'",
    "\\",
    "\\n",
    "\\\"",
    "\"];x->y[label=\"",
    "\u{2028}",
    "\u{202e}",
    "\u{1b}[2J",
    "\u{85}",
    "\u{7f}",
    "%s%n",
    "{{7*7}}",
    "javascript:alert(1)",
    "\u{feff}",
    "日本",
    " ",
];

/// A text of some pieces.
fn text(rng: &mut Rng) -> String {
    (0..=rng.below(3))
        .map(|_| PIECES[rng.below(PIECES.len())])
        .collect()
}

/// A name for a file: without slashes, and no option.
fn file(rng: &mut Rng, end: &str) -> String {
    format!("m{}{end}", text(rng).replace('/', "_"))
}

/// A model whose strings and line markers are hostile.
fn model(rng: &mut Rng) -> String {
    let quoted = |text: String| text.replace(['"', '\\', '\n'], "");
    let printed = quoted(text(rng)).replace('%', "%%");
    let line = quoted(text(rng));
    format!(
        "/* {} */\nchan q = [1] of {{ byte }};\n# 7 \"{line}\"\nactive proctype P() {{ byte x; printf(\"{printed}\"); q!3; q?x;\n\
         assert(x != 3) }}\n",
        text(rng).replace("*/", "")
    )
}

const CONTROL: [char; 6] = [
    '\u{1b}', '\u{85}', '\u{7f}', '\u{2028}', '\u{202e}', '\u{0}',
];

/// What is wrong with a page of ours: elements that it does not have, attributes that are handlers, tags that are not closed.
fn html_complaint(text: &str) -> Option<String> {
    const ELEMENTS: [&str; 30] = [
        "html",
        "head",
        "meta",
        "title",
        "style",
        "body",
        "header",
        "h1",
        "h2",
        "p",
        "section",
        "figure",
        "figcaption",
        "svg",
        "g",
        "path",
        "rect",
        "text",
        "table",
        "thead",
        "tbody",
        "tr",
        "th",
        "td",
        "br",
        "small",
        "span",
        "main",
        "code",
        "ul",
    ];
    let Some(mut rest) = text.strip_prefix("<!doctype html>") else {
        return Some("not a page".to_owned());
    };
    let mut open = Vec::new();
    while let Some(at) = rest.find('<') {
        let tag = &rest[at + 1..];
        let end = match tag.find('>') {
            Some(end) => end,
            None => return Some("a tag that does not end".to_owned()),
        };
        let (tag, behind) = (&tag[..end], &tag[end + 1..]);
        rest = behind;
        let name = tag
            .trim_start_matches('/')
            .split([' ', '/'])
            .next()
            .unwrap_or_default();
        if !ELEMENTS.contains(&name) {
            return Some(format!("<{tag}>"));
        }
        // What stands in quotes is text; we have no links.
        let names: String = tag.split('"').step_by(2).collect();
        let runs = |word: &str| {
            word.starts_with("on") || word.starts_with("href") || word.starts_with("src")
        };
        if names.split_whitespace().any(runs) {
            return Some(format!("a handler: <{tag}>"));
        }
        match (tag.strip_prefix('/'), tag.ends_with('/')) {
            (Some(name), _) if open.pop() == Some(name) => {}
            (Some(_), _) => return Some(format!("<{tag}> closes nothing")),
            (None, true) => {}
            (None, false) if ["meta", "br"].contains(&name) => {}
            (None, false) => open.push(name),
        }
    }
    open.pop().map(|name| format!("<{name}> is not closed"))
}

/// What is wrong with a graph in DOT: outside of quotes there are only our own words.
fn dot_complaint(text: &str) -> Option<String> {
    let mut outside = String::new();
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        if c != '"' {
            outside.push(c);
            continue;
        }
        loop {
            match chars.next() {
                Some('\\') => _ = chars.next(),
                Some('"') => break,
                Some('\n') | None => return Some("a string that does not end".to_owned()),
                Some(_) => {}
            }
        }
    }
    let ours = |c: char| c.is_ascii_alphanumeric() || " \n{}[]=->;,._".contains(c);
    outside
        .chars()
        .find(|c| !ours(*c))
        .map(|c| format!("{c:?} outside of a string"))
}

/// The same, said by somebody else's parser, where there is one.
fn python_complaint(dir: &Dir, parser: &str, text: &str) -> Option<String> {
    dir.put("document", text);
    let script = match parser {
        "xml" => "import xml.dom.minidom as x; x.parse(open('document', 'rb'))",
        _ => {
            "from html.parser import HTMLParser as H\nclass P(H):\n def handle_starttag(self, t, a):\n  \
             assert t != 'script' and not any(n.startswith('on') for n, v in a), t\nP().feed(open('document', encoding='utf-8').read())"
        }
    };
    let run = dir.other("python3", &["-c", script])?;
    (run.code != 0).then_some(run.err)
}

/// Every string in a JSON document.
fn strings<'v>(value: &'v Value, into: &mut Vec<&'v str>) {
    match value {
        Value::String(text) => into.push(text),
        Value::Array(list) => list.iter().for_each(|v| strings(v, into)),
        Value::Object(object) => object.iter().for_each(|(name, v)| {
            into.push(name);
            strings(v, into);
        }),
        _ => {}
    }
}

#[test]
fn texts_stay_texts() {
    let rounds = number("AMPLE_HOSTILE_ROUNDS", 12);
    let mut rng = Rng::seeded(number("AMPLE_SEED", 41));
    let dir = Dir::new("hostile");
    let mut named = 0;
    for round in 0..rounds {
        let (name, formula) = (file(&mut rng, ".pml"), file(&mut rng, ".ltl"));
        let text = model(&mut rng);
        dir.put(&name, &text);
        dir.put(&formula, "[] (!(P[0]:x == 3))");
        dir.put("trail", "");
        std::fs::remove_file(dir.path().join("trail")).expect("removed");
        let about = format!("round {round}: {name:?} {formula:?}\n{text}");
        let check = |format: &str| {
            let options = [
                "check",
                &name,
                "--no-config",
                "--no-trail",
                "--ltl-file",
                &formula,
                "--format",
                format,
            ];
            let run = dir.ample(&options).exits(1);
            assert!(!run.text().contains(CONTROL), "{format}: {about}\n{run:?}");
            run.out
        };
        for format in ["json", "sarif"] {
            let out = check(format);
            let value: Value =
                serde_json::from_str(&out).unwrap_or_else(|e| panic!("{format}: {e}: {about}"));
            let mut all = Vec::new();
            strings(&value, &mut all);
            named += usize::from(all.iter().any(|text| *text == formula));
        }
        check("text");
        let junit = check("junit");
        let document = junit.split_once("?>\n").expect("a declaration").1;
        assert_eq!(xml::complaint(document), None, "{about}\n{junit}");
        assert_eq!(
            python_complaint(&dir, "xml", &junit),
            None,
            "{about}\n{junit}"
        );
        let graph = |format: &str| {
            let run = dir
                .ample(&["graph", &name, "--no-config", "--format", format])
                .exits(0);
            assert!(!run.text().contains(CONTROL), "{format}: {about}\n{run:?}");
            run.out
        };
        serde_json::from_str::<Value>(&graph("json")).unwrap_or_else(|e| panic!("{e}: {about}"));
        graph("text");
        let (svg, html, dot) = (graph("svg"), graph("html"), graph("dot"));
        assert_eq!(xml::complaint(&svg), None, "{about}\n{svg}");
        assert_eq!(python_complaint(&dir, "xml", &svg), None, "{about}\n{svg}");
        assert_eq!(html_complaint(&html), None, "{about}\n{html}");
        assert_eq!(
            python_complaint(&dir, "html", &html),
            None,
            "{about}\n{html}"
        );
        assert_eq!(dot_complaint(&dot), None, "{about}\n{dot}");
        let explained = dir
            .ample(&["explain", &name, "--no-config", "--format", "dot"])
            .exits(0)
            .out;
        assert_eq!(dot_complaint(&explained), None, "{about}\n{explained}");
        let options = [
            "check",
            &name,
            "--no-config",
            "--ltl-file",
            &formula,
            "--trail",
            "trail",
            "--report",
            "page.html",
            "--msc",
            "chart.svg",
            "--itf",
            "itf.json",
        ];
        for file in ["page.html", "chart.svg", "itf.json"] {
            dir.put(file, "");
        }
        dir.ample(&options).exits(1);
        serde_json::from_str::<Value>(&dir.read("itf.json"))
            .unwrap_or_else(|e| panic!("{e}: {about}"));
        assert_eq!(xml::complaint(&dir.read("chart.svg")), None, "{about}");
        let page = dir.read("page.html");
        assert_eq!(page.matches("<script").count(), 2, "{about}");
        assert!(
            !page.contains("<img") && !page.contains("<!--") && !page.contains(CONTROL),
            "{about}"
        );
        let replayed = dir
            .ample(&[
                "replay",
                &name,
                "trail.json",
                "--no-config",
                "--format",
                "itf",
            ])
            .exits(1);
        serde_json::from_str::<Value>(&replayed.out).unwrap_or_else(|e| panic!("{e}: {about}"));
        for file in ["trail", "trail.json"] {
            std::fs::remove_file(dir.path().join(file)).expect("written");
        }
        let suite = dir.ample(&["test", &name, "--no-config", "--format", "junit"]);
        let document = suite.out.split_once("?>\n").expect("a declaration").1;
        assert_eq!(xml::complaint(document), None, "{about}\n{suite:?}");
        for name in [&name, &formula] {
            std::fs::remove_file(dir.path().join(name)).expect("removed");
        }
    }
    assert!(named > 0, "no document names what was checked");
}

/// The checkers notice what they are there for.
#[test]
fn broken_documents_are_noticed() {
    let page =
        |inner: &str| html_complaint(&format!("<!doctype html><html><body>{inner}</body></html>"));
    assert_eq!(page("<p>fine &lt;b&gt;<br></p>"), None);
    for bad in [
        "<script>",
        "<p onclick=x>",
        "<p>",
        "</p>",
        "<img>",
        "<p",
        "<svg><path d=\"M0\"/><p></svg>",
    ] {
        assert!(page(bad).is_some(), "{bad}");
    }
    assert_eq!(
        dot_complaint("digraph g {\n s0 [label=\"a\\\"b\"];\n}\n"),
        None
    );
    for bad in [
        "digraph g { \"a }",
        "digraph g { <b> }",
        "s [label=\"a\nb\"]",
    ] {
        assert!(dot_complaint(bad).is_some(), "{bad}");
    }
}
