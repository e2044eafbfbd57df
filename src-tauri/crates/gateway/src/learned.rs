//! Which of our optional keys an endpoint has rejected, so that each is rejected only once.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, PoisonError};

use serde::{Deserialize, Serialize};

use crate::endpoint::Endpoint;

/// Shared by all turns of a process; a host may store what [`Learned::rows`] gives and bring it back with [`Learned::from_rows`].
#[derive(Debug, Default)]
pub struct Learned {
    rejected: Mutex<BTreeMap<(String, String), BTreeSet<String>>>,
}

/// One rejected key.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LearnedKey {
    pub base_url: String,
    pub model: String,
    pub key: String,
}

impl Learned {
    pub fn from_rows(rows: impl IntoIterator<Item = LearnedKey>) -> Learned {
        let mut rejected: BTreeMap<(String, String), BTreeSet<String>> = BTreeMap::new();
        for row in rows {
            rejected.entry((row.base_url, row.model)).or_default().insert(row.key);
        }
        Learned { rejected: Mutex::new(rejected) }
    }

    pub fn rows(&self) -> Vec<LearnedKey> {
        let rejected = self.rejected.lock().unwrap_or_else(PoisonError::into_inner);
        let row = |base_url: &str, model: &str, key: &str| LearnedKey {
            base_url: base_url.to_owned(),
            model: model.to_owned(),
            key: key.to_owned(),
        };
        rejected
            .iter()
            .flat_map(|((base, model), keys)| keys.iter().map(|key| row(base, model, key)))
            .collect()
    }

    pub(crate) fn remember(&self, endpoint: &Endpoint, key: &str) {
        let mut rejected = self.rejected.lock().unwrap_or_else(PoisonError::into_inner);
        rejected
            .entry((endpoint.base_url.clone(), endpoint.model.clone()))
            .or_default()
            .insert(key.to_owned());
    }

    pub(crate) fn rejected_by(&self, endpoint: &Endpoint) -> BTreeSet<String> {
        let rejected = self.rejected.lock().unwrap_or_else(PoisonError::into_inner);
        rejected.get(&(endpoint.base_url.clone(), endpoint.model.clone())).cloned().unwrap_or_default()
    }
}
