//! Prints control-flow graphs, one edge a line.
use promela_lite::*;
fn main() {
    let path = std::env::args().nth(1).unwrap_or_default();
    let compiled = compile(
        std::path::Path::new(&path),
        &Input::default(),
        &mut FsLoader,
    );
    for d in compiled.diagnostics.sorted() {
        let at = compiled.sources.locate(d.primary.span);
        eprintln!(
            "{}:{}:{}: {} {} {}",
            at.file,
            at.line,
            at.column,
            d.code.name(),
            d.message,
            d.primary.text
        );
    }
    let Some(program) = compiled.program else {
        std::process::exit(2)
    };
    let dump = |name: &str, graph: &program::Graph| {
        println!("{name}");
        for l in &graph.locations {
            for e in &graph.edges[l.edges()] {
                let to = if e.action == program::Action::End {
                    0
                } else {
                    graph.locations[e.to.index()].number
                };
                println!(
                    "{} {} {} {}{}{}{} | {}",
                    l.number,
                    to,
                    e.step,
                    if e.atomic { "A" } else { "-" },
                    if l.progress { "p" } else { "-" },
                    if l.end { "e" } else { "-" },
                    if l.accept { "a" } else { "-" },
                    e.text
                );
            }
        }
    };
    for p in &program.proctypes {
        dump(&p.name, &p.graph);
    }
    for c in &program.claims {
        dump(&c.name, &c.graph);
    }
    if let Some(t) = &program.trace {
        dump("trace", &t.graph);
    }
}
