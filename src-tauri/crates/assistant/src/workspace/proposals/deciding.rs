//! Accepting and rejecting a proposal, whole or change by change.

use super::{
    super::{
        Stop, Workspace, WorkspaceError,
        blobs::hash_of,
        edit::{Outcome, Status},
    },
    Proposal, ProposalState,
};

impl Workspace {
    /// Commits a proposal, or the chosen changes of it; the others go on waiting.
    pub fn accept(
        &self,
        id: &str,
        changes: Option<&[usize]>,
        stop: &Stop,
    ) -> Result<Outcome, WorkspaceError> {
        let file_id = self.undecided(id)?.file_id;
        let (file, now) = self.current(&self.known(&file_id)?, stop)?;
        // Read after the look at the file, which completes what a crash interrupted: that may have been this very decision.
        let mut proposal = self.undecided(id)?;
        if now.hash != proposal.onto_hash {
            self.fit_proposals(&file.file_id, stop)?;
            let why = format!(
                "the file is at revision {} now, and the proposal was fitted to it",
                file.content_rev
            );
            return Err(WorkspaceError::ProposalConflict { id: id.to_owned(), why });
        }
        proposal.settle_on_present();
        let open = proposal.open_ops();
        let chosen = match changes {
            Some(changes) => proposal.ops_of(changes)?,
            None => open.clone(),
        };
        if chosen.is_empty() {
            return Err(WorkspaceError::bad_arguments("No change is chosen."));
        }
        let is_whole = open.iter().all(|op| chosen.contains(op)) && proposal.conflicts.is_empty();
        let mut applying: Vec<usize> = proposal.accepted.iter().chain(&chosen).copied().collect();
        applying.sort_unstable();
        let base_bytes = self.stored(&proposal.base_hash)?;
        let applied = self.apply_some(&file, &base_bytes, &proposal, &applying, stop)?;
        let batch = proposal.batch(chosen.iter().filter_map(|&op| proposal.ops.get(op).cloned()).collect());
        let told = applied.changes.iter().filter(|change| chosen.contains(&change.op)).cloned().collect();
        let is_changed = applied.bytes != now.bytes;
        if is_whole {
            proposal.state = ProposalState::Accepted;
        } else {
            proposal.onto_rev = file.content_rev + u64::from(is_changed);
            proposal.onto_hash = hash_of(&applied.bytes);
        }
        proposal.changes.retain(|change| is_whole || !applying.contains(&change.op));
        proposal.accepted = applying;
        let outcome = if is_changed {
            let decided = Some(proposal.row()?);
            let committed = self.commit_batch(&file, &now, &applied.bytes, &batch, decided, stop)?;
            Outcome::committed(committed, told, applied.package, applied.warnings)
        } else {
            self.save_proposal(&mut proposal)?;
            Outcome::without_write(Status::Unchanged, file, told, applied.package, applied.warnings)
        };
        Ok(Outcome { proposal: Some(proposal), ..outcome })
    }

    /// Drops a proposal, or the chosen changes of it.
    pub fn reject(
        &self,
        id: &str,
        changes: Option<&[usize]>,
        stop: &Stop,
    ) -> Result<Proposal, WorkspaceError> {
        let mut proposal = self.undecided(id)?;
        let Some(changes) = changes else {
            proposal.state = ProposalState::Rejected;
            self.save_proposal(&mut proposal)?;
            return Ok(proposal);
        };
        let dropped = proposal.ops_of(changes)?;
        proposal.settle_on_present();
        proposal.settled.extend(dropped);
        if proposal.open_ops().is_empty() && proposal.conflicts.is_empty() {
            proposal.state = ProposalState::Rejected;
        } else {
            let file = self.known(&proposal.file_id)?;
            let base_bytes = self.stored(&proposal.base_hash)?;
            let standing = proposal.standing();
            let applied = self.apply_some(&file, &base_bytes, &proposal, &standing, stop)?;
            proposal.take_result(&applied);
            self.blobs.put(&proposal.result_hash, &applied.bytes)?;
        }
        self.save_proposal(&mut proposal)?;
        Ok(proposal)
    }

    fn undecided(&self, id: &str) -> Result<Proposal, WorkspaceError> {
        let proposal = self.proposal(id)?;
        match proposal.state.is_decided() {
            true => Err(WorkspaceError::ProposalDecided {
                id: id.to_owned(),
                state: proposal.state.as_str().to_owned(),
            }),
            false => Ok(proposal),
        }
    }
}
