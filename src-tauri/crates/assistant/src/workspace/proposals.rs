//! Verified results that wait for the user: staged, stacked, accepted whole or in part, rejected.
//!
//! A proposal is one batch on one base revision; staging again on the same file adds to the batch, so that positions keep meaning the
//! revision the caller read. Accepting applies the chosen operations anew and commits; the store keeps everything over a crash.

use documents::{Applied, Change, PackageReport, Warning, error::EditErrorKind};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{
    Stop, Workspace, WorkspaceError,
    blobs::hash_of,
    edit::{Batch, Outcome, Status, parse_ops, summary_of},
    files::{Content, KnownFile},
    history::Origin,
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

    /// Adds a batch to what waits for the user on this file.
    pub(super) fn stage(
        &self,
        file: &KnownFile,
        base: &Content,
        batch: &Batch,
        stop: &Stop,
    ) -> Result<Outcome, WorkspaceError> {
        self.fit_proposals(&file.file_id, stop)?;
        let waiting = self.proposals(Some(&file.file_id))?.pop();
        let mut proposal = match waiting {
            Some(waiting) => stacked(waiting, batch)?,
            None => fresh(file, base, batch, self.now()),
        };
        let first_new = proposal.ops.len() - batch.ops.len();
        let base_bytes = if proposal.base_hash == base.hash {
            base.bytes.clone()
        } else {
            self.stored(&proposal.base_hash)?
        };
        let standing = proposal.standing();
        let applied = self
            .apply_some(file, &base_bytes, &proposal, &standing, stop)
            .map_err(|error| shift(error, first_new))?;
        let changes: Vec<Change> = applied
            .changes
            .iter()
            .filter(|change| change.op >= first_new)
            .map(|change| Change { op: change.op - first_new, ..change.clone() })
            .collect();
        if applied.bytes == base.bytes && first_new == 0 {
            return Ok(Outcome::without_write(
                Status::Unchanged,
                file.clone(),
                changes,
                applied.package,
                applied.warnings,
            ));
        }
        self.blobs.put(&base.hash, &base.bytes)?;
        take_result(&mut proposal, &applied);
        self.blobs.put(&proposal.result_hash, &applied.bytes)?;
        self.save_proposal(&mut proposal)?;
        let (package, warnings) = (applied.package, applied.warnings);
        let outcome = Outcome::without_write(Status::Staged, file.clone(), changes, package, warnings);
        Ok(Outcome { proposal: Some(proposal), ..outcome })
    }

    /// Commits a proposal, or the chosen changes of it; the others go on waiting.
    pub fn accept(
        &self,
        id: &str,
        changes: Option<&[usize]>,
        stop: &Stop,
    ) -> Result<Outcome, WorkspaceError> {
        let mut proposal = self.undecided(id)?;
        let (file, now) = self.current(&self.known(&proposal.file_id)?, stop)?;
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
        let outcome = match applied.bytes == now.bytes {
            true => Outcome::without_write(Status::Unchanged, file, told, applied.package, applied.warnings),
            false => {
                let committed = self.commit_batch(&file, &now, &applied.bytes, &batch, stop)?;
                Outcome::committed(committed, told, applied.package, applied.warnings)
            }
        };
        if is_whole {
            proposal.state = ProposalState::Accepted;
        } else {
            proposal.onto_rev = outcome.file.content_rev;
            proposal.onto_hash = outcome.file.hash.clone();
        }
        proposal.changes.retain(|change| is_whole || !applying.contains(&change.op));
        proposal.accepted = applying;
        self.save_proposal(&mut proposal)?;
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
            take_result(&mut proposal, &applied);
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

    /// Applies some of a proposal's operations in their order; the answer names them by their index in the proposal.
    pub(super) fn apply_some(
        &self,
        file: &KnownFile,
        base: &[u8],
        proposal: &Proposal,
        chosen: &[usize],
        stop: &Stop,
    ) -> Result<Applied, WorkspaceError> {
        let ops: Vec<Value> = chosen.iter().filter_map(|&op| proposal.ops.get(op).cloned()).collect();
        let index_of = |op: usize| chosen.get(op).copied().unwrap_or(op);
        let named = |error| match error {
            WorkspaceError::Edit(mut edit) => {
                edit.op = edit.op.map(index_of);
                WorkspaceError::Edit(edit)
            }
            WorkspaceError::BadArguments { op, message } => {
                WorkspaceError::BadArguments { op: op.map(index_of), message }
            }
            other => other,
        };
        let edits = parse_ops(&ops).map_err(named)?;
        let mut applied = self.apply(file, base, &edits, &proposal.batch(ops), stop).map_err(named)?;
        for change in &mut applied.changes {
            change.op = index_of(change.op);
        }
        Ok(applied)
    }

    pub(super) fn save_proposal(&self, proposal: &mut Proposal) -> Result<(), WorkspaceError> {
        if proposal.number == 0 {
            let body = serde_json::to_string(proposal)?;
            proposal.number = self.store().add_proposal(&proposal.file_id, proposal.state.as_str(), &body)?;
        }
        let body = serde_json::to_string(proposal)?;
        self.store().update_proposal(proposal.number, proposal.state.as_str(), &body)
    }

    pub(super) fn stored(&self, hash: &str) -> Result<Vec<u8>, WorkspaceError> {
        let damaged =
            |why| WorkspaceError::DamagedSnapshot { snapshot: hash.chars().take(12).collect(), why };
        self.blobs.get(hash).map_err(damaged)
    }
}

fn parse_row(row: &super::store::ProposalRow) -> Result<Proposal, WorkspaceError> {
    let mut proposal: Proposal = serde_json::from_str(&row.body)?;
    proposal.number = row.number;
    Ok(proposal)
}

fn fresh(file: &KnownFile, base: &Content, batch: &Batch, now: String) -> Proposal {
    Proposal {
        number: 0,
        file_id: file.file_id.clone(),
        state: ProposalState::Pending,
        base_rev: file.content_rev,
        base_hash: base.hash.clone(),
        onto_rev: file.content_rev,
        onto_hash: base.hash.clone(),
        result_hash: String::new(),
        ops: batch.ops.clone(),
        override_protection: batch.override_protection,
        track_changes: batch.track_changes,
        accepted: Vec::new(),
        settled: Vec::new(),
        conflicts: Vec::new(),
        stranded: Vec::new(),
        placed: None,
        planned: Vec::new(),
        changes: Vec::new(),
        warnings: Vec::new(),
        package: None,
        summary: batch.summary.clone().unwrap_or_else(|| summary_of(&batch.ops)),
        origin: batch.origin.unwrap_or(Origin::Assistant),
        model: batch.model.clone(),
        created_at: now,
    }
}

fn stacked(mut waiting: Proposal, batch: &Batch) -> Result<Proposal, WorkspaceError> {
    if waiting.track_changes != batch.track_changes {
        let message = format!("{} waits with another `track_changes`; decide on it first.", waiting.id());
        return Err(WorkspaceError::bad_arguments(message));
    }
    waiting.settle_on_present();
    waiting.override_protection |= batch.override_protection;
    waiting.ops.extend(batch.ops.iter().cloned());
    waiting.summary = summary_of(&waiting.ops);
    Ok(waiting)
}

fn take_result(proposal: &mut Proposal, applied: &Applied) {
    proposal.result_hash = hash_of(&applied.bytes);
    proposal.planned.clone_from(&applied.changes);
    proposal.changes =
        applied.changes.iter().filter(|change| !proposal.accepted.contains(&change.op)).cloned().collect();
    proposal.warnings = applied.warnings.clone();
    proposal.package = applied.package.clone();
}

/// An error of a stacked batch, told in the numbers of the batch that the caller sent.
fn shift(error: WorkspaceError, first_new: usize) -> WorkspaceError {
    match error {
        WorkspaceError::Edit(mut edit) => {
            let is_older = edit.op.is_some_and(|op| op < first_new);
            edit.op = edit.op.and_then(|op| op.checked_sub(first_new));
            if is_older && edit.kind != EditErrorKind::Cancelled {
                edit.hint = Some("An earlier batch that waits for the user stands in the way.".into());
            }
            WorkspaceError::Edit(edit)
        }
        other => other,
    }
}
