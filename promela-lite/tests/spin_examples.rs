//! The models that come with SPIN: we accept those that it accepts, embedded C aside, and refuse those that it
//! refuses. Needs Debian's package `spin`; see `support/spin.rs` for what happens without it.

#[path = "support/spin.rs"]
mod spin;

use promela_lite::{Code, FsLoader, Input, compile};
use std::path::Path;

/// What we say about a model.
enum Ours {
    Accepted,
    Refused(String),
    EmbeddedC,
}

fn ours(model: &Path) -> Ours {
    let compiled = compile(model, &Input::default(), &mut FsLoader);
    let all = compiled.diagnostics.sorted();
    if all.iter().any(|d| d.code == Code::EmbeddedC) {
        return Ours::EmbeddedC;
    }
    match compiled.program {
        Some(_) => Ours::Accepted,
        None => Ours::Refused(
            all.iter()
                .map(|d| format!("{}: {}\n", d.code.name(), d.message))
                .collect(),
        ),
    }
}

#[test]
fn we_accept_what_spin_accepts_and_refuse_what_it_refuses() {
    if !spin::available(&["spin"]) {
        return;
    }
    let models = spin::examples();
    let verdicts = spin::in_parallel(&models, |model| {
        let folder = spin::Folder::new();
        (spin::generate(&folder, model, &[]), ours(model))
    });
    let (mut accepted, mut refused, mut embedded, mut wrong) = (0, 0, 0, Vec::new());
    for (model, verdict) in models.iter().zip(verdicts) {
        match verdict {
            (_, Ours::EmbeddedC) => embedded += 1,
            (Ok(_), Ours::Accepted) => accepted += 1,
            (Err(_), Ours::Refused(_)) => refused += 1,
            (Ok(_), Ours::Refused(why)) => {
                wrong.push(format!("{}: we refuse it:\n{why}", model.display()))
            }
            (Err(why), Ours::Accepted) => {
                wrong.push(format!("{}: SPIN refuses it:\n{why}", model.display()))
            }
        }
    }
    println!(
        "SPIN's examples: {} models, {accepted} accepted by both, {refused} refused by both, {embedded} with embedded C",
        models.len()
    );
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
