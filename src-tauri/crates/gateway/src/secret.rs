//! A key that can be used but not shown: it has no `Display`, no `Serialize`, and its `Debug` is a fixed word.
//!
//! Only this crate can read it, and only to write the `Authorization` header. Text that came from an endpoint is passed through
//! [`Secret::scrub`] before it is put into an error, because some endpoints repeat the key in their refusal.

use std::fmt;

use zeroize::Zeroizing;

/// Stands where a key was removed from a text.
const REMOVED: &str = "[key]";

/// The shortest key that [`Secret::scrub`] looks for; anything shorter would hit ordinary words.
const SHORTEST_SCRUBBED: usize = 6;

/// An endpoint's key or a proxy token.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(Zeroizing<String>);

impl Secret {
    /// Takes a key; white space around it (a pasted line end) is not part of it.
    pub fn new(key: impl Into<String>) -> Secret {
        let key: Zeroizing<String> = Zeroizing::new(key.into());
        Secret(Zeroizing::new(key.trim().to_owned()))
    }

    /// Whether there is nothing in it.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The text with every occurrence of this key taken out.
    pub fn scrub(&self, text: &str) -> String {
        if self.0.len() < SHORTEST_SCRUBBED {
            return text.to_owned();
        }
        text.replace(self.0.as_str(), REMOVED)
    }

    pub(crate) fn expose(&self) -> &str {
        &self.0
    }

    /// Compares with what a client sent, taking the same time wherever the first difference is.
    pub(crate) fn matches(&self, candidate: &str) -> bool {
        let (ours, theirs) = (self.0.as_bytes(), candidate.as_bytes());
        let difference = ours
            .iter()
            .zip(theirs)
            .fold(ours.len() ^ theirs.len(), |difference, (a, b)| difference | usize::from(a ^ b));
        difference == 0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Secret(hidden)")
    }
}

impl From<String> for Secret {
    fn from(key: String) -> Secret {
        Secret::new(key)
    }
}

impl From<&str> for Secret {
    fn from(key: &str) -> Secret {
        Secret::new(key)
    }
}

#[cfg(test)]
mod tests {
    use super::Secret;

    #[test]
    fn a_key_is_never_printed() {
        let key = Secret::new(" sk-very-secret\n");
        assert_eq!(format!("{key:?}"), "Secret(hidden)");
        assert_eq!(key.expose(), "sk-very-secret");
        assert_eq!(key.scrub("Incorrect API key: sk-very-secret."), "Incorrect API key: [key].");
    }

    #[test]
    fn only_the_whole_token_matches() {
        let token = Secret::new("abcdef");
        assert!(token.matches("abcdef"));
        for wrong in ["abcdeg", "abcde", "abcdefg", ""] {
            assert!(!token.matches(wrong), "{wrong}");
        }
    }
}
