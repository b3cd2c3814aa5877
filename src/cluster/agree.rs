//! What all hosts must have in common before they begin: the protocol, the version, the model and the options.

use serde::{Deserialize, Serialize};

/// Changes whenever hosts of two versions could not work together.
pub(super) const PROTOCOL: u32 = 1;

/// What a host is about to do.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Agreement {
    protocol: u32,
    version: String,
    /// Number of hosts.
    hosts: usize,
    threads: usize,
    /// The digest of the preprocessed model.
    model: String,
    /// All options that matter, with their values.
    options: Vec<(String, String)>,
}

impl Agreement {
    /// That of this version.
    pub fn new(
        hosts: usize,
        threads: usize,
        model: &str,
        options: Vec<(String, String)>,
    ) -> Agreement {
        Agreement {
            protocol: PROTOCOL,
            version: env!("CARGO_PKG_VERSION").to_owned(),
            hosts,
            threads,
            model: model.to_owned(),
            options,
        }
    }

    /// How another host differs from this one.
    pub(super) fn difference(&self, other: &Agreement) -> Option<String> {
        let differ = |what: &str, theirs: &str, ours: &str| {
            Some(format!("has {what} {theirs}, and host 0 has {ours}"))
        };
        if (self.protocol, &self.version) != (other.protocol, &other.version) {
            return differ("version", &other.version, &self.version);
        }
        if self.hosts != other.hosts {
            return differ(
                "a number of hosts of",
                &other.hosts.to_string(),
                &self.hosts.to_string(),
            );
        }
        if self.threads != other.threads {
            return differ(
                "--threads",
                &other.threads.to_string(),
                &self.threads.to_string(),
            );
        }
        if self.model != other.model {
            return differ("a model with the digest", &other.model, &self.model);
        }
        if self.options == other.options {
            return None;
        }
        let theirs = other
            .options
            .iter()
            .map(Some)
            .chain(std::iter::repeat(None));
        let pairs = self.options.iter().map(Some).chain([None]).zip(theirs);
        let (ours, theirs) = pairs.into_iter().find(|(ours, theirs)| ours != theirs)?;
        let told = |option: Option<&(String, String)>| match option {
            Some((name, value)) => format!("{name}: {value}"),
            None => "nothing there".to_owned(),
        };
        differ("the option", &told(theirs), &told(ours))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn differences_are_named() {
        let options = |value: &str| vec![("plain".to_owned(), value.to_owned())];
        let ours = Agreement::new(2, 1, "aa", options("true"));
        assert_eq!(ours.difference(&ours.clone()), None);
        for (other, word) in [
            (
                Agreement::new(3, 1, "aa", options("true")),
                "number of hosts",
            ),
            (Agreement::new(2, 2, "aa", options("true")), "--threads 2"),
            (Agreement::new(2, 1, "bb", options("true")), "digest bb"),
            (Agreement::new(2, 1, "aa", options("false")), "plain: false"),
            (Agreement::new(2, 1, "aa", Vec::new()), "nothing there"),
        ] {
            let told = ours.difference(&other).expect("a difference");
            assert!(told.contains(word), "{told}");
            assert!(other.difference(&ours).is_some());
        }
    }
}
