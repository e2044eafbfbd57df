//! Verified results that wait for the user: staged, stacked, accepted whole or in part, rejected.
//!
//! A proposal is one batch on one base revision; staging again on the same file adds to the batch, so that positions keep meaning the
//! revision the caller read. Accepting applies the chosen operations anew and commits; the store keeps everything over a crash.

mod deciding;
mod staging;

use documents::{Applied, Change, PackageReport, Warning};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{
    Workspace, WorkspaceError,
    blobs::hash_of,
    edit::Batch,
    history::Origin,
    store::{DecidedProposal, ProposalRow},
};

/// Where a proposal stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ts_rs::TS)]
#[serde(rename_all = "snake_case")]
pub enum ProposalState {
    Pending,
    /// The file changed and everything fits the new content.
    Rebased,
    /// The file changed and something does not fit any more.
    Conflict,
    Accepted,
    Rejected,
}

impl ProposalState {
    /// The word at every boundary.
    pub fn as_str(self) -> &'static str {
        match self {
            ProposalState::Pending => "pending",
            ProposalState::Rebased => "rebased",
            ProposalState::Conflict => "conflict",
            ProposalState::Accepted => "accepted",
            ProposalState::Rejected => "rejected",
        }
    }

    fn is_decided(self) -> bool {
        matches!(self, ProposalState::Accepted | ProposalState::Rejected)
    }
}

/// An operation that does not fit the file any more.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ts_rs::TS)]
pub struct ProposalConflict {
    pub op: usize,
    pub message: String,
}

/// An operation with new positions, and its index in the proposal.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PlacedOp {
    pub op: usize,
    pub edit: Value,
}

/// Operations on a base, with their result.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Proposal {
    /// The number in `prop-000003`; 0 until the store gave one.
    pub number: u64,
    pub file_id: String,
    pub state: ProposalState,
    /// The revision that the operations' positions mean.
    pub base_rev: u64,
    pub base_hash: String,
    /// The revision that the result would follow.
    pub onto_rev: u64,
    pub onto_hash: String,
    pub result_hash: String,
    pub ops: Vec<Value>,
    pub override_protection: bool,
    pub track_changes: Option<bool>,
    /// Operations that are part of `onto` already, after a partial acceptance.
    pub accepted: Vec<usize>,
    /// Operations that are out of the question: rejected, or accepted before the base moved.
    pub settled: Vec<usize>,
    /// Operations that do not fit `onto`.
    pub conflicts: Vec<ProposalConflict>,
    /// Conflicts whose base is gone; they can only be read and rejected.
    pub stranded: Vec<ProposalConflict>,
    /// The operations as they must be said for `onto`, when the file moved away from the base.
    pub placed: Option<Vec<PlacedOp>>,
    /// What the operations change on the base, by which it is told whether they still fit.
    pub planned: Vec<Change>,
    /// What accepting it would change.
    pub changes: Vec<Change>,
    pub warnings: Vec<Warning>,
    pub package: Option<PackageReport>,
    pub summary: String,
    pub origin: Origin,
    pub model: Option<String>,
    pub created_at: String,
}

impl Proposal {
    /// The id used at every boundary.
    pub fn id(&self) -> String {
        format!("prop-{:06}", self.number)
    }

    pub(super) fn batch(&self, ops: Vec<Value>) -> Batch {
        Batch {
            ops,
            override_protection: self.override_protection,
            track_changes: self.track_changes,
            summary: None,
            model: self.model.clone(),
            origin: Some(self.origin),
        }
    }

    /// The operations that count, as indices.
    pub(super) fn standing(&self) -> Vec<usize> {
        let is_conflict = |op: &usize| self.conflicts.iter().any(|conflict| conflict.op == *op);
        (0..self.ops.len()).filter(|op| !self.settled.contains(op) && !is_conflict(op)).collect()
    }

    /// Those that the user has not decided on yet.
    pub(super) fn open_ops(&self) -> Vec<usize> {
        self.standing().into_iter().filter(|op| !self.accepted.contains(op)).collect()
    }

    /// Makes the content that the operations were fitted to their base. What does not fit is stranded: its base is gone.
    fn settle_on_present(&mut self) {
        let Some(placed) = self.placed.take() else { return };
        for PlacedOp { op, edit } in placed {
            if let Some(slot) = self.ops.get_mut(op) {
                *slot = edit;
            }
        }
        self.settled.append(&mut self.accepted);
        self.stranded.clone_from(&self.conflicts);
        self.base_rev = self.onto_rev;
        self.base_hash.clone_from(&self.onto_hash);
        self.planned.clone_from(&self.changes);
    }

    /// Takes over what applying the standing operations gave.
    fn take_result(&mut self, applied: &Applied) {
        self.result_hash = hash_of(&applied.bytes);
        self.planned.clone_from(&applied.changes);
        let is_open = |change: &&Change| !self.accepted.contains(&change.op);
        self.changes = applied.changes.iter().filter(is_open).cloned().collect();
        self.warnings.clone_from(&applied.warnings);
        self.package.clone_from(&applied.package);
    }

    /// As the store keeps it.
    fn row(&self) -> Result<DecidedProposal, WorkspaceError> {
        Ok(DecidedProposal {
            number: self.number,
            state: self.state.as_str().to_owned(),
            body: serde_json::to_string(self)?,
        })
    }

    /// The operations behind the chosen changes; refused when a change cannot be had without its sisters.
    fn ops_of(&self, changes: &[usize]) -> Result<Vec<usize>, WorkspaceError> {
        let mut ops = Vec::new();
        for &index in changes {
            let change = self.changes.get(index).ok_or_else(|| {
                WorkspaceError::bad_arguments(format!(
                    "There is no change {index}; the proposal has {}.",
                    self.changes.len()
                ))
            })?;
            if !ops.contains(&change.op) {
                ops.push(change.op);
            }
        }
        for (index, change) in self.changes.iter().enumerate() {
            if ops.contains(&change.op) && !changes.contains(&index) {
                let message = format!(
                    "Change {index} ({}) belongs to the same operation as a chosen one; they can only be decided together.",
                    change.location
                );
                return Err(WorkspaceError::bad_arguments(message));
            }
        }
        ops.sort_unstable();
        Ok(ops)
    }
}

impl Workspace {
    /// Proposals that wait for the user, oldest first.
    pub fn proposals(&self, file_id: Option<&str>) -> Result<Vec<Proposal>, WorkspaceError> {
        let rows = self.store().waiting_proposals(file_id)?;
        rows.iter().map(parse_row).collect()
    }

    /// One proposal, decided or not.
    pub fn proposal(&self, id: &str) -> Result<Proposal, WorkspaceError> {
        let unknown = || WorkspaceError::UnknownProposal(id.to_owned());
        let number = id.strip_prefix("prop-").and_then(|digits| digits.parse().ok()).ok_or_else(unknown)?;
        let row = self.store().proposal(number)?.ok_or_else(unknown)?;
        parse_row(&row)
    }

    /// What the file would be after the proposal.
    pub fn proposal_bytes(&self, proposal: &Proposal) -> Result<Vec<u8>, WorkspaceError> {
        self.stored(&proposal.result_hash)
    }

    /// What the file was when the proposal was shown.
    pub fn proposal_base(&self, proposal: &Proposal) -> Result<Vec<u8>, WorkspaceError> {
        self.stored(&proposal.onto_hash)
    }

    pub(super) fn save_proposal(&self, proposal: &mut Proposal) -> Result<(), WorkspaceError> {
        if proposal.number == 0 {
            let row = proposal.row()?;
            proposal.number = self.store().add_proposal(&proposal.file_id, &row.state, &row.body)?;
        }
        self.store().update_proposal(&proposal.row()?)
    }

    /// The same for several, all of them or none.
    pub(super) fn save_proposals(&self, proposals: &mut [Proposal]) -> Result<(), WorkspaceError> {
        let row = |proposal: &Proposal| Ok((proposal.file_id.clone(), proposal.row()?));
        let rows = proposals.iter().map(row).collect::<Result<Vec<_>, WorkspaceError>>()?;
        let numbers = self.store().save_proposals(&rows)?;
        for (proposal, number) in proposals.iter_mut().zip(numbers) {
            proposal.number = number;
        }
        Ok(())
    }

    pub(super) fn stored(&self, hash: &str) -> Result<Vec<u8>, WorkspaceError> {
        let damaged =
            |why| WorkspaceError::DamagedSnapshot { snapshot: hash.chars().take(12).collect(), why };
        self.blobs.get(hash).map_err(damaged)
    }
}

fn parse_row(row: &ProposalRow) -> Result<Proposal, WorkspaceError> {
    let mut proposal: Proposal = serde_json::from_str(&row.body)?;
    proposal.number = row.number;
    Ok(proposal)
}
