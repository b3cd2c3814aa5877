//! A state graph as one HTML file without scripts: the full graph beside the reduced one, and the same as a table.

use super::svg::drawing;
use super::{Part, label, lines, title};
use crate::check::StateGraph;
use crate::page::draw::STYLE as PICTURE;
use crate::page::markup::text;
use std::fmt::Write;

const STYLE: &str = "body{margin:0;font:15px/1.5 system-ui,sans-serif;background:#fbfcfe;color:#1d2430}\
header,section{padding:.8rem 1.2rem}h1{font-size:1.1rem;margin:0;overflow-wrap:anywhere}h2{font-size:1rem;margin:0 0 .4rem}\
.beside{display:flex;gap:1rem;align-items:flex-start}.beside figure{margin:0;flex:1 1 0;min-width:0;overflow:auto;\
max-height:85vh;background:#fff;border:1px solid #dfe5ee;border-radius:8px}figcaption{padding:.4rem .8rem;color:#66738a;\
position:sticky;left:0;top:0;background:#fff}table{border-collapse:collapse;font:13px ui-monospace,monospace}\
th,td{text-align:left;vertical-align:top;padding:.2rem .8rem .2rem 0;border-bottom:1px solid #dfe5ee;font-weight:400}\
tr.out{color:#9aa5b5}tr.bad th{color:#c0392b}svg{background:none}@media(max-width:60rem){.beside{display:block}}";

/// The page.
pub(crate) fn render(model: &str, graph: &StateGraph) -> String {
    let title = text(&title(model, graph));
    let mut out = format!(
        "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\">\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\
         <meta name=\"viewport\" content=\"width=device-width\"><title>{title}</title><style>{PICTURE}{STYLE}</style></head>\
         <body><header><h1>{title}</h1>"
    );
    for note in &graph.notes {
        let _ = write!(out, "<p>{}</p>", text(note));
    }
    out.push_str("</header><section class=\"beside\">");
    let parts = match graph.reduced {
        Some(_) => &[
            (Part::Full, "full"),
            (
                Part::Both,
                "reduced; what the reduction leaves out is in grey",
            ),
        ][..],
        None => &[(Part::Full, "full; nothing is reduced")],
    };
    for (part, caption) in parts {
        let picture = drawing(model, graph, *part).svg(false);
        let _ = write!(
            out,
            "<figure tabindex=\"0\"><figcaption>{caption}</figcaption>{picture}</figure>"
        );
    }
    out.push_str(
        "</section><section><h2>States and steps</h2><table><thead><tr><th>state</th><th>there</th><th>steps</th></tr></thead><tbody>",
    );
    let mut steps = graph.steps.iter().peekable();
    for (number, state) in graph.states.iter().enumerate() {
        let class = match (state.violation.is_some(), state.reduced) {
            (true, _) => "bad",
            (false, false) => "out",
            (false, true) => "",
        };
        let there: Vec<String> = lines(number, state)[1..].iter().map(|l| text(l)).collect();
        let _ = write!(
            out,
            "<tr class=\"{class}\"><th scope=\"row\">s{number}</th><td>{}</td><td>",
            there.join("<br>")
        );
        while let Some(step) = steps.next_if(|step| step.from == number) {
            let to = step.to.map_or("error".to_owned(), |to| format!("s{to}"));
            let left_out = if step.reduced { "" } else { " (pruned)" };
            let _ = write!(out, "{to}: {}{left_out}<br>", text(&label(step)));
        }
        out.push_str("</td></tr>");
    }
    out.push_str("</tbody></table></section></body></html>\n");
    out
}
