//! What cannot be translated into a network, by name and with its place.

use super::body::graphs;
use promela_lite::code::Instr;
use promela_lite::program::{Action, Program};
use promela_lite::source::Span;

/// Something that is not supported.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Refused {
    /// Its name.
    pub(crate) what: String,
    /// Where it stands; [`Span::NONE`] if that is not known.
    pub(crate) span: Span,
}

pub(super) fn refuse<T, E: From<Refused>>(what: &str, span: Span) -> Result<T, E> {
    let what = what.to_owned();
    Err(Refused { what, span }.into())
}

/// The first thing in a program that is not supported wherever it stands.
pub(super) fn first(program: &Program) -> Option<Refused> {
    let found = |what: &str, span: Span| {
        let what = what.to_owned();
        Some(Refused { what, span })
    };
    if let Some(trace) = &program.trace {
        return found("a trace or notrace automaton", trace.span);
    }
    if let Some(exclusive) = program.exclusive.first() {
        return found("xr or xs", exclusive.span);
    }
    for proctype in &program.proctypes {
        if program.features.priorities {
            return found("priorities", proctype.span);
        }
        if let Some(code) = proctype.provided {
            let mut names = program.instrs[code.range()].iter().filter_map(name);
            if let Some(name) = names.next() {
                return found(name, proctype.span);
            }
            if !program.procedures.is_empty() {
                return found("provided beside procedures", proctype.span);
            }
        }
        if proctype.deterministic {
            return found("D_proctype", proctype.span);
        }
        if proctype.channels > 0 {
            return found("a channel that a process makes for itself", proctype.span);
        }
    }
    for edge in graphs(program).flat_map(|graph| &graph.edges) {
        let code = match edge.action {
            Action::Guard(code)
            | Action::Effect(code)
            | Action::DStep(code)
            | Action::Return(code) => code,
            Action::Call(call) => program.calls[call.index()].args,
            _ => edge.then,
        };
        let instrs = program.instrs[code.range()].iter();
        let mut names = instrs
            .chain(&program.instrs[edge.then.range()])
            .filter_map(name);
        if let Some(name) = names.next() {
            return found(name, edge.span);
        }
    }
    // Operands of sends; those of receives are met when they are executed.
    for send in &program.sends {
        for code in send.args.iter().chain([&send.chan]) {
            let mut names = program.instrs[code.range()].iter().filter_map(name);
            if let Some(name) = names.next() {
                return found(name, send.span);
            }
        }
    }
    None
}

/// What an instruction is called that is not supported.
fn name(instr: &Instr) -> Option<&'static str> {
    Some(match instr {
        Instr::Timeout => "timeout",
        Instr::Last => "_last",
        Instr::NonProgress => "np_",
        Instr::Enabled => "enabled()",
        Instr::PcValue(_) => "pc_value()",
        Instr::GetPriority(_) | Instr::SetPriority(_) | Instr::OwnPriority => "a priority",
        Instr::RemoteAt { .. } | Instr::AnywhereAt(_) => "a reference to a label of a process",
        Instr::RemoteLoad { .. } | Instr::RemoteLoadAt { .. } => {
            "a reference to a variable of another process"
        }
        Instr::PidOf(_) => "the pid of a process that is named by its type",
        _ => return None,
    })
}
