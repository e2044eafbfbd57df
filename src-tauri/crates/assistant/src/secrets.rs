//! Keys of endpoints: in the operating system's keychain, or for this session only when there is none. Never in a file of ours.
//!
//! The only code that names keyring. A key leaves this module as `gateway::Secret`, which cannot be printed or serialised.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use gateway::Secret;
use keyring::{Entry, Error};
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// The name under which the keychain lists our keys.
const SERVICE: &str = "stet";

/// Which keychain to use.
#[derive(Clone, Default)]
pub enum Keychain {
    /// Keychain (macOS), Credential Manager (Windows), Secret Service (Linux).
    #[default]
    System,
    /// None at all, as on a server: keys last for the session.
    Absent,
    /// For tests: a keychain in memory that several apps can share.
    Memory(Arc<Mutex<HashMap<String, String>>>),
}

/// Where a provider's key is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum KeyPlace {
    Keychain,
    /// In this process's memory; gone when it ends.
    Session,
    None,
}

/// Why a key could not be kept, read or removed.
#[derive(Debug, thiserror::Error)]
pub enum SecretError {
    #[error("the key is empty")]
    Empty,
    #[error("the keychain refused: {0}")]
    Keychain(String),
}

/// The keys of one app.
pub struct Secrets {
    keychain: Keychain,
    session: Mutex<HashMap<String, Secret>>,
}

impl Secrets {
    /// No keychain is touched before the first question.
    pub fn new(keychain: Keychain) -> Secrets {
        Secrets { keychain, session: Mutex::default() }
    }

    /// Why there is no keychain, if there is none.
    pub fn unavailable(&self) -> Option<String> {
        match &self.keychain {
            Keychain::System => Entry::store_status().as_ref().err().map(ToString::to_string),
            Keychain::Absent => Some("No keychain is used here.".into()),
            Keychain::Memory(_) => None,
        }
    }

    /// Keeps a key in the keychain; without one, or with `session_only`, until this process ends. The answer says which it was.
    pub fn set(&self, provider: &str, key: &str, session_only: bool) -> Result<KeyPlace, SecretError> {
        let key = key.trim();
        if key.is_empty() {
            return Err(SecretError::Empty);
        }
        if session_only || self.unavailable().is_some() {
            self.session().insert(provider.to_owned(), Secret::new(key));
            return Ok(KeyPlace::Session);
        }
        match &self.keychain {
            Keychain::System => entry(provider)?.set_password(key).map_err(refused)?,
            Keychain::Absent => {}
            Keychain::Memory(keys) => {
                lock(keys).insert(provider.to_owned(), key.to_owned());
            }
        }
        self.session().remove(provider);
        Ok(KeyPlace::Keychain)
    }

    /// The key, wherever it is.
    pub fn key(&self, provider: &str) -> Result<Option<Secret>, SecretError> {
        if let Some(key) = self.session().get(provider) {
            return Ok(Some(key.clone()));
        }
        if self.unavailable().is_some() {
            return Ok(None);
        }
        match &self.keychain {
            Keychain::System => match entry(provider)?.get_password() {
                Ok(key) => Ok(Some(Secret::new(key))),
                Err(Error::NoEntry) => Ok(None),
                Err(error) => Err(refused(error)),
            },
            Keychain::Absent => Ok(None),
            Keychain::Memory(keys) => Ok(lock(keys).get(provider).map(|key| Secret::new(key.as_str()))),
        }
    }

    /// Removes the key from everywhere; whether there was one.
    pub fn clear(&self, provider: &str) -> Result<bool, SecretError> {
        let in_session = self.session().remove(provider).is_some();
        if self.unavailable().is_some() {
            return Ok(in_session);
        }
        let in_keychain = match &self.keychain {
            Keychain::System => match entry(provider)?.inner.delete_credential() {
                Ok(()) => true,
                Err(Error::NoEntry) => false,
                Err(error) => return Err(refused(error)),
            },
            Keychain::Absent => false,
            Keychain::Memory(keys) => lock(keys).remove(provider).is_some(),
        };
        Ok(in_session || in_keychain)
    }

    /// Where the key is, without handing it out.
    pub fn place(&self, provider: &str) -> Result<KeyPlace, SecretError> {
        if self.session().contains_key(provider) {
            return Ok(KeyPlace::Session);
        }
        Ok(if self.key(provider)?.is_some() { KeyPlace::Keychain } else { KeyPlace::None })
    }

    fn session(&self) -> MutexGuard<'_, HashMap<String, Secret>> {
        lock(&self.session)
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn entry(provider: &str) -> Result<Entry, SecretError> {
    Entry::new(SERVICE, provider).map_err(refused)
}

/// The keychain's own words; keyring puts no secret into its errors but for undecodable ones, whose bytes are not shown.
fn refused(error: Error) -> SecretError {
    match error {
        Error::BadEncoding(_) => SecretError::Keychain("what is stored there is not a key of ours".into()),
        other => SecretError::Keychain(other.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_a_keychain_a_key_lasts_for_the_session() {
        let secrets = Secrets::new(Keychain::Absent);
        assert_eq!(secrets.set("acme", " sk-1\n", false).unwrap(), KeyPlace::Session);
        assert_eq!(secrets.place("acme").unwrap(), KeyPlace::Session);
        assert_eq!(secrets.key("acme").unwrap(), Some(Secret::new("sk-1")));
        assert!(secrets.clear("acme").unwrap() && !secrets.clear("acme").unwrap());
        assert_eq!(Secrets::new(Keychain::Absent).place("acme").unwrap(), KeyPlace::None);
    }

    #[test]
    fn a_keychain_keeps_keys_over_sessions_unless_told_otherwise() {
        let keychain = Keychain::Memory(Arc::default());
        let first = Secrets::new(keychain.clone());
        assert_eq!(first.set("acme", "sk-1", false).unwrap(), KeyPlace::Keychain);
        assert_eq!(first.set("local", "sk-2", true).unwrap(), KeyPlace::Session);
        assert!(matches!(first.set("acme", "  ", false), Err(SecretError::Empty)));
        let second = Secrets::new(keychain);
        assert_eq!(second.place("acme").unwrap(), KeyPlace::Keychain);
        assert_eq!(second.place("local").unwrap(), KeyPlace::None);
        assert!(second.clear("acme").unwrap());
        assert_eq!(first.place("acme").unwrap(), KeyPlace::None);
    }
}
