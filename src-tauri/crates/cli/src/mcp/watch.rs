//! Tells a client that files below its folders came, went or changed, whoever changed them.
//!
//! The walk of the list is repeated every second and compared by size and time: bounded, the same on every system, and without a watch on
//! each folder of a large tree.

use std::{
    collections::{BTreeSet, HashMap},
    path::{Path, PathBuf},
    sync::{Arc, MutexGuard, PoisonError},
    time::Duration,
};

use rmcp::{Peer, RoleServer, model::ResourceUpdatedNotificationParam};

use super::{
    catalogue::{self, Found},
    resources,
    server::Server,
};

/// Between two looks.
const EVERY: Duration = Duration::from_secs(1);

impl Server {
    pub(super) fn subscriptions(&self) -> MutexGuard<'_, BTreeSet<String>> {
        self.subscribed.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Looks and tells until the client is gone.
pub(super) async fn watch(server: Server, peer: Peer<RoleServer>) {
    let mut before: Option<HashMap<PathBuf, Found>> = None;
    while !peer.is_transport_closed() {
        let fence = Arc::clone(&server.fence);
        let Ok(walk) = tokio::task::spawn_blocking(move || catalogue::walk(&fence)).await else { return };
        let now: HashMap<PathBuf, Found> =
            walk.files.into_iter().map(|found| (found.path.clone(), found)).collect();
        if let Some(before) = &before {
            let changed = differing(before, &now);
            if !changed.is_empty() {
                if peer.notify_resource_list_changed().await.is_err() {
                    return;
                }
                for uri in updated(&server, &changed) {
                    let _ = peer.notify_resource_updated(ResourceUpdatedNotificationParam::new(uri)).await;
                }
            }
        }
        before = Some(now);
        tokio::time::sleep(EVERY).await;
    }
}

/// The paths that came, went or changed.
fn differing(before: &HashMap<PathBuf, Found>, now: &HashMap<PathBuf, Found>) -> BTreeSet<PathBuf> {
    let changed = now.iter().filter(|(path, found)| before.get(*path) != Some(*found)).map(|(path, _)| path);
    let gone = before.keys().filter(|path| !now.contains_key(*path));
    changed.chain(gone).cloned().collect()
}

/// The subscribed resources that these files are.
fn updated(server: &Server, changed: &BTreeSet<PathBuf>) -> Vec<String> {
    let subscribed: Vec<String> = server.subscriptions().iter().cloned().collect();
    let is_changed = |uri: &String| {
        let Some(file_id) = resources::file_id_of(uri) else { return false };
        let known = server.shared.app.documents_known(&[file_id.to_owned()]).ok();
        known.into_iter().flatten().any(|document| changed.contains(Path::new(&document.path)))
    };
    subscribed.into_iter().filter(is_changed).collect()
}
