//! Coverage as text.

use super::text::line;
use crate::coverage::{ProctypeCoverage, Statement};

/// Statements never reached, where some could be.
pub(super) fn short_coverage(out: &mut String, coverage: &[ProctypeCoverage]) {
    let mut lines = Vec::new();
    for proctype in coverage {
        let name = &proctype.proctype;
        if !proctype.started && proctype.procedure {
            lines.push(format!("  {name}: this procedure is never called"));
            continue;
        }
        if !proctype.started {
            lines.push(format!("  {name}: no process of this type is ever started"));
            continue;
        }
        let told = |s: &Statement| format!("  {}:{}  {name}  {}", s.file, s.line, s.text);
        lines.extend(proctype.notable().map(told));
    }
    if !lines.is_empty() {
        line(out, format_args!("\nnever reached:\n{}", lines.join("\n")));
    }
}

/// What was not reached of one proctype or procedure, as SPIN writes it.
pub(super) fn render_coverage(out: &mut String, proctype: &ProctypeCoverage) {
    match proctype.proctype.as_str() {
        ":init:" => line(out, format_args!("unreached in init")),
        name if proctype.procedure => line(out, format_args!("unreached in procedure {name}")),
        name => line(out, format_args!("unreached in proctype {name}")),
    }
    let statement = |out: &mut String, s: &Statement| {
        line(
            out,
            format_args!("\t{}:{}, state {}, \"{}\"", s.file, s.line, s.state, s.text),
        );
    };
    for s in &proctype.unreached {
        statement(out, s);
    }
    line(
        out,
        format_args!(
            "\t({} of {} states)",
            proctype.unreached_states, proctype.states
        ),
    );
    if !proctype.never_true.is_empty() {
        line(out, format_args!("never true in {}", proctype.proctype));
        for s in &proctype.never_true {
            statement(out, s);
        }
    }
}
