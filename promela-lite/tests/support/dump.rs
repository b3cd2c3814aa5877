//! A compiled program as compact text, complete enough that a change of anything in it shows: frames, channels,
//! locations with SPIN's numbers, edges with their code disassembled, footprints, formulas.
//!
//! An edge reads `-> 3 #7 A u1 x = (x+1) | effect { load g0:byte; const 1; add; store g0:byte }`: it leads to state 3,
//! is SPIN's step 7, keeps control (`A`), stands at level 1 of an `unless`. Addresses are a region (`g`lobal,
//! `h`idden, `l`ocal) and an offset; jumps name a position in their own code.

use promela_lite::code::{Cell, Code, Instr, Region, Scalar};
use promela_lite::program::{
    Access, Action, CallId, Edge, Footprint, Formula, Frame, Graph, Place, Program, RecvArg,
    RecvId, SendId,
};
use std::fmt::Write;

/// The whole program.
pub(crate) fn dump(program: &Program) -> String {
    let mut out = String::new();
    frame(&mut out, "globals", &program.globals);
    frame(&mut out, "hidden", &program.hidden);
    for (index, set) in program.mtypes.iter().enumerate() {
        if !set.names.is_empty() {
            let _ = writeln!(out, "mtype {index} {}: {}", set.name, set.names.join(" "));
        }
    }
    for template in &program.templates {
        let fields: Vec<String> = template.fields.iter().map(|&f| scalar(f)).collect();
        let _ = writeln!(
            out,
            "channel {} [{}] of {{ {} }}",
            template.name,
            template.capacity,
            fields.join(", ")
        );
    }
    if !program.init.is_empty() {
        let _ = writeln!(out, "init {}", code(program, program.init));
    }
    for exclusive in &program.exclusive {
        let word = if exclusive.recv { "xr" } else { "xs" };
        let who = &program.proctypes[exclusive.proctype.index()].name;
        let _ = writeln!(out, "{word} {} by {who}", access(&exclusive.via));
    }
    let features = format!("{:?}", program.features);
    let words = features.trim_end_matches(" }").split([',', '{']);
    let present = words.filter_map(|word| word.trim().strip_suffix(": true"));
    for feature in present {
        let _ = writeln!(out, "feature {feature}");
    }
    proctypes(&mut out, program);
    for claim in &program.claims {
        let _ = writeln!(out, "\nnever {}", claim.name);
        graph(&mut out, program, &claim.graph);
    }
    if let Some(trace) = &program.trace {
        let channels: Vec<String> = trace.channels.iter().map(cell).collect();
        let word = if trace.negated { "notrace" } else { "trace" };
        let _ = writeln!(out, "\n{word} of {}", channels.join(", "));
        graph(&mut out, program, &trace.graph);
    }
    for property in &program.ltl {
        let _ = writeln!(
            out,
            "\nltl {}: {}",
            property.name,
            formula(&property.formula)
        );
    }
    for (index, atom) in program.atoms.iter().enumerate() {
        let _ = writeln!(
            out,
            "  p{index} = {} | {}{}",
            atom.text,
            code(program, atom.code),
            footprint(&atom.footprint)
        );
    }
    out
}

fn proctypes(out: &mut String, program: &Program) {
    let active: Vec<&str> = program
        .active
        .iter()
        .map(|id| program.proctypes[id.index()].name.as_str())
        .collect();
    let _ = writeln!(out, "active {}", active.join(" "));
    for proctype in &program.proctypes {
        let parameters: Vec<String> = proctype.parameters.iter().map(cell).collect();
        let _ = write!(
            out,
            "\nproctype {}({})",
            proctype.name,
            parameters.join(", ")
        );
        if proctype.priority != 1 {
            let _ = write!(out, " priority {}", proctype.priority);
        }
        if proctype.deterministic {
            out.push_str(" deterministic");
        }
        if proctype.channels > 0 {
            let _ = write!(out, " channels {}", proctype.channels);
        }
        if let Some(provided) = proctype.provided {
            let _ = write!(out, " provided {}", code(program, provided));
        }
        out.push('\n');
        frame(out, "  locals", &proctype.frame);
        if !proctype.init.is_empty() {
            let _ = writeln!(out, "  init {}", code(program, proctype.init));
        }
        graph(out, program, &proctype.graph);
    }
    for procedure in &program.procedures {
        let _ = write!(out, "procedure {}", procedure.name);
        if let Some(result) = procedure.result {
            let _ = write!(out, " : {}", scalar(result));
        }
        out.push('\n');
        frame(out, "  locals", &procedure.frame);
        if !procedure.init.is_empty() {
            let _ = writeln!(out, "  init {}", code(program, procedure.init));
        }
        graph(out, program, &procedure.graph);
    }
}

fn frame(out: &mut String, title: &str, frame: &Frame) {
    if frame.size == 0 {
        return;
    }
    let _ = writeln!(out, "{title} {} bytes", frame.size);
    for var in &frame.vars {
        let cells: Vec<String> = var
            .cells
            .iter()
            .map(|c| format!("{}@{}:{}", c.path, c.offset, scalar(c.ty)))
            .collect();
        let mark = if var.parameter { " parameter" } else { "" };
        let _ = writeln!(
            out,
            "    {}{} {}{mark} {:?}",
            var.name,
            var.scope,
            cells.join(" "),
            var.visibility
        );
    }
}

fn graph(out: &mut String, program: &Program, graph: &Graph) {
    for (index, location) in graph.locations.iter().enumerate() {
        let _ = write!(out, "  state {}", location.number);
        for label in &location.labels {
            let _ = write!(out, " {label}:");
        }
        for (set, word) in [
            (graph.start.index() == index, " start"),
            (location.end, " end"),
            (location.accept, " accept"),
            (location.progress, " progress"),
        ] {
            if set {
                out.push_str(word);
            }
        }
        out.push('\n');
        for edge in &graph.edges[location.edges()] {
            let to = match edge.action {
                Action::End | Action::Return(_) => 0,
                _ => graph.locations[edge.to.index()].number,
            };
            let _ = write!(out, "    -> {to} #{}", edge.step);
            if edge.atomic {
                out.push_str(" A");
            }
            if edge.level > 0 {
                let _ = write!(out, " u{}", edge.level);
            }
            let _ = writeln!(out, " {} | {}", edge.text, does(program, edge));
        }
    }
}

fn does(program: &Program, edge: &Edge) -> String {
    let mut out = match &edge.action {
        Action::Skip => "skip".to_string(),
        Action::Else => "else".to_string(),
        Action::End => "end".to_string(),
        Action::Guard(c) => format!("guard {}", code(program, *c)),
        Action::Effect(c) => format!("effect {}", code(program, *c)),
        Action::DStep(c) => format!("d_step {}", code(program, *c)),
        Action::Send(id) => send(program, *id),
        Action::Recv(id) => recv(program, *id),
        Action::Call(id) => call(program, *id),
        Action::Return(c) => format!("return {}", code(program, *c)),
    };
    if !edge.then.is_empty() {
        let _ = write!(out, " then {}", code(program, edge.then));
    }
    out + &footprint(&edge.footprint)
}

fn call(program: &Program, id: CallId) -> String {
    let op = &program.calls[id.index()];
    let name = &program.procedures[op.procedure.index()].name;
    let mut out = format!("call {name} args {}", code(program, op.args));
    for (set, word) in [(op.result, " result"), (op.atomic, " atomic")] {
        if set {
            out.push_str(word);
        }
    }
    out
}

fn send(program: &Program, id: SendId) -> String {
    let op = &program.sends[id.index()];
    let sign = if op.sorted { "!!" } else { "!" };
    let args: Vec<String> = op.args.iter().map(|&c| code(program, c)).collect();
    format!(
        "send {}{sign} {} args {}",
        op.chan_text,
        code(program, op.chan),
        args.join(" ")
    )
}

fn recv(program: &Program, id: RecvId) -> String {
    let op = &program.recvs[id.index()];
    let sign = if op.random { "??" } else { "?" };
    let peek = if op.peek { "<>" } else { "" };
    let args: Vec<String> = op
        .args
        .iter()
        .map(|arg| match arg {
            RecvArg::Ignore => "_".to_string(),
            RecvArg::Match(c) => format!("={}", code(program, *c)),
            RecvArg::Bind(at) => cell(at),
            RecvArg::BindAt(c, r, ty) => {
                format!("{}{}:{}", region(*r), code(program, *c), scalar(*ty))
            }
        })
        .collect();
    format!(
        "recv {}{sign}{peek} {} args {}",
        op.chan_text,
        code(program, op.chan),
        args.join(" ")
    )
}

/// Disassembles a piece of code.
fn code(program: &Program, code: Code) -> String {
    let words: Vec<String> = program.instrs[code.range()]
        .iter()
        .map(|&i| instr(program, i, code.start))
        .collect();
    format!("{{ {} }}", words.join("; "))
}

fn instr(program: &Program, instr: Instr, start: u32) -> String {
    let name = |id: promela_lite::program::ProctypeId| program.proctypes[id.index()].name.clone();
    match instr {
        Instr::Const(v) => format!("const {v}"),
        Instr::Address(v) => format!("address {v}"),
        Instr::Load(at) => format!("load {}", cell(&at)),
        Instr::Store(at) => format!("store {}", cell(&at)),
        Instr::Index { len, stride, .. } => format!("index {len}x{stride}"),
        Instr::LoadAt(r, ty) => format!("load {}[]:{}", region(r), scalar(ty)),
        Instr::StoreAt(r, ty) => format!("store {}[]:{}", region(r), scalar(ty)),
        Instr::Unary(op) => format!("{op:?}").to_lowercase(),
        Instr::Binary(op, _) => format!("{op:?}").to_lowercase(),
        Instr::AndThen(t) => format!("and {}", t - start),
        Instr::OrElse(t) => format!("or {}", t - start),
        Instr::Jump(t) | Instr::JumpBack(t, _) => format!("jump {}", t - start),
        Instr::JumpIfZero(t) => format!("jump0 {}", t - start),
        Instr::SendOr(id, t) => format!("({}) or {}", send(program, id), t - start),
        Instr::RecvOr(id, t) => format!("({}) or {}", recv(program, id), t - start),
        Instr::Run {
            proctype,
            args,
            priority,
            ..
        } => {
            format!("run {} args {args} priority {priority}", name(proctype))
        }
        Instr::NewChan(id) => format!("newchan {}", program.templates[id.index()].name),
        Instr::Query(query, _) => format!("{query:?}").to_lowercase(),
        Instr::Poll(id) => format!("poll ({})", recv(program, id)),
        Instr::RemoteAt { proctype, set, .. } => {
            let numbers: Vec<String> = program.label_sets[set as usize]
                .iter()
                .map(|loc| program.proctypes[proctype.index()].graph.locations[loc.index()].number)
                .map(|number| number.to_string())
                .collect();
            format!("at {}@{}", name(proctype), numbers.join(","))
        }
        Instr::RemoteLoad {
            proctype,
            offset,
            ty,
            ..
        } => {
            format!("remote {}:{offset}:{}", name(proctype), scalar(ty))
        }
        Instr::RemoteLoadAt { proctype, ty, .. } => {
            format!("remote {}:[]:{}", name(proctype), scalar(ty))
        }
        Instr::PidOf(proctype) => format!("pidof {}", name(proctype)),
        Instr::Print { format, args } => {
            format!("print {:?} args {args}", program.formats[format as usize])
        }
        Instr::PrintMtype(set) => format!("printm {set}"),
        // What has only a span, or nothing, is its own name.
        other => {
            let text = format!("{other:?}");
            text.split('(').next().unwrap_or(&text).to_lowercase()
        }
    }
}

fn formula(f: &Formula) -> String {
    let two = |op: &str, a: &Formula, b: &Formula| format!("({} {op} {})", formula(a), formula(b));
    match f {
        Formula::True => "true".to_string(),
        Formula::False => "false".to_string(),
        Formula::Atom(id) => format!("p{}", id.index()),
        Formula::Not(a) => format!("!{}", formula(a)),
        Formula::Next(a) => format!("X {}", formula(a)),
        Formula::Always(a) => format!("[]{}", formula(a)),
        Formula::Eventually(a) => format!("<>{}", formula(a)),
        Formula::And(a, b) => two("&&", a, b),
        Formula::Or(a, b) => two("||", a, b),
        Formula::Implies(a, b) => two("->", a, b),
        Formula::Equiv(a, b) => two("<->", a, b),
        Formula::Until(a, b) => two("U", a, b),
        Formula::WeakUntil(a, b) => two("W", a, b),
        Formula::Release(a, b) => two("V", a, b),
    }
}

fn footprint(f: &Footprint) -> String {
    let mut parts = Vec::new();
    let mut list = |title: &str, items: Vec<String>| {
        if !items.is_empty() {
            parts.push(format!("{title} {}", items.join(" ")));
        }
    };
    list("reads", f.reads.iter().map(access).collect());
    list("writes", f.writes.iter().map(access).collect());
    let uses = f
        .chans
        .iter()
        .map(|c| format!("{:?}({})", c.how, access(&c.via)));
    list("uses", uses.collect());
    list(
        "also",
        f.specials.names().iter().map(|s| s.to_string()).collect(),
    );
    if parts.is_empty() {
        return String::new();
    }
    format!("  -- {}", parts.join(", "))
}

fn access(a: &Access) -> String {
    let place = match a.place {
        Place::Global => "g".to_string(),
        Place::Hidden => "h".to_string(),
        Place::Own => "l".to_string(),
        Place::Remote(id) => format!("r{}:", id.index()),
    };
    format!("{place}{}..{}", a.lo, a.hi)
}

fn cell(c: &Cell) -> String {
    format!("{}{}:{}", region(c.region), c.offset, scalar(c.ty))
}

fn region(r: Region) -> &'static str {
    match r {
        Region::Global => "g",
        Region::Hidden => "h",
        Region::Local => "l",
    }
}

fn scalar(ty: Scalar) -> String {
    match ty {
        Scalar::Unsigned(n) => format!("u{n}"),
        other => format!("{other:?}").to_lowercase(),
    }
}
