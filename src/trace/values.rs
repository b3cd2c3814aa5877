//! Names and values of a state, and what changed between two.

use crate::machine::{ChannelView, Machine};
use promela_lite::code::Scalar;
use std::collections::HashMap;

/// A name with its value, both as people write them.
pub type Named = (String, String);

/// Everything in a state: globals, channels that are in use, and the variables of every process as
/// `name(pid):variable`. A global channel variable shows what is in the channel.
pub fn values(machine: &Machine, state: &[u8]) -> Vec<Named> {
    let view = machine.view(state);
    let mut all = Vec::new();
    let mut named = Vec::new();
    for value in view.globals() {
        let channel = (value.cell.ty == Scalar::Chan)
            .then(|| view.channels().find(|c| i32::from(c.id()) == value.value))
            .flatten();
        match channel {
            None => all.push((value.name(), value.to_string())),
            Some(channel) => {
                named.push(channel.id());
                if channel.template().capacity > 0 {
                    all.push((value.name(), contents(&channel)));
                }
            }
        }
    }
    let others = || {
        let buffered = view.channels().filter(|c| c.template().capacity > 0);
        buffered.filter(|c| !named.contains(&c.id()))
    };
    let mut count: HashMap<&str, u32> = HashMap::new();
    for channel in others() {
        *count.entry(&channel.template().name).or_default() += 1;
    }
    for channel in others() {
        // Channels of several instances of a proctype share a name.
        let name = &channel.template().name;
        let name = match count.get(name.as_str()) {
            Some(2..) => format!("{name}#{}", channel.id()),
            _ => name.clone(),
        };
        all.push((name, contents(&channel)));
    }
    for process in view.processes() {
        let who = format!("{}({})", process.proctype().name, process.pid.0);
        for value in process.locals() {
            all.push((format!("{who}:{}", value.name()), value.to_string()));
        }
    }
    all
}

fn contents(channel: &ChannelView<'_>) -> String {
    match channel.is_empty() {
        true => "[]".to_owned(),
        false => channel.to_string(),
    }
}

/// What is in `after` and was not so in `before`.
pub fn changes(before: &[Named], after: &[Named]) -> Vec<Named> {
    let old: HashMap<&str, &str> = before
        .iter()
        .map(|(n, v)| (n.as_str(), v.as_str()))
        .collect();
    let changed = |(name, value): &&Named| old.get(name.as_str()) != Some(&value.as_str());
    after.iter().filter(changed).cloned().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_differs_is_a_change() {
        let named = |pairs: &[(&str, &str)]| -> Vec<Named> {
            pairs
                .iter()
                .map(|(n, v)| (n.to_string(), v.to_string()))
                .collect()
        };
        let before = named(&[("x", "1"), ("y", "2"), ("P(1):i", "0")]);
        let after = named(&[("x", "1"), ("y", "3"), ("Q(2):j", "0")]);
        assert_eq!(
            changes(&before, &after),
            named(&[("y", "3"), ("Q(2):j", "0")])
        );
        assert_eq!(changes(&after, &after), []);
    }
}
