//! Adding a batch to what waits for the user, and applying a proposal's operations to its base.

use documents::{Applied, Change, Warning, error::EditErrorKind};
use serde_json::Value;

use super::{
    super::{
        Stop, Workspace, WorkspaceError,
        edit::{Batch, Outcome, Status, parse_ops, summary_of},
        files::{Content, KnownFile},
        history::Origin,
    },
    Proposal, ProposalState,
};

impl Workspace {
    /// Adds a batch to what waits for the user on this file.
    pub(in super::super) fn stage(
        &self,
        file: &KnownFile,
        base: &Content,
        batch: &Batch,
        stop: &Stop,
    ) -> Result<Outcome, WorkspaceError> {
        let (outcome, proposal) = self.staged(file, base, batch, stop)?;
        let Some(mut proposal) = proposal else { return Ok(outcome) };
        self.save_proposal(&mut proposal)?;
        Ok(Outcome { proposal: Some(proposal), ..outcome })
    }

    /// The same without keeping the proposal yet; none when the batch changes nothing.
    pub(in super::super) fn staged(
        &self,
        file: &KnownFile,
        base: &Content,
        batch: &Batch,
        stop: &Stop,
    ) -> Result<(Outcome, Option<Proposal>), WorkspaceError> {
        self.fit_proposals(&file.file_id, stop)?;
        let waiting = self.proposals(Some(&file.file_id))?.pop();
        let mut proposal = match waiting {
            Some(waiting) => stacked(waiting, batch)?,
            None => fresh(file, &base.hash, batch, self.now()),
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
            let (package, warnings) = (applied.package, applied.warnings);
            let outcome = Outcome::without_write(Status::Unchanged, file.clone(), changes, package, warnings);
            return Ok((outcome, None));
        }
        self.blobs.put(&base.hash, &base.bytes)?;
        proposal.take_result(&applied);
        self.blobs.put(&proposal.result_hash, &applied.bytes)?;
        let (package, warnings) = (applied.package, applied.warnings);
        let outcome = Outcome::without_write(Status::Staged, file.clone(), changes, package, warnings);
        Ok((outcome, Some(proposal)))
    }

    /// Keeps a batch that a crash prevented as a proposal on the content it was made for; the next look fits it to the present one.
    /// None when something else waits on the file.
    pub(in super::super) fn stage_interrupted(
        &self,
        file: &KnownFile,
        base_hash: &str,
        batch: &Batch,
        warning: Warning,
    ) -> Result<Option<String>, WorkspaceError> {
        if batch.ops.is_empty() || !self.proposals(Some(&file.file_id))?.is_empty() {
            return Ok(None);
        }
        let base = self.stored(base_hash)?;
        let mut proposal = fresh(file, base_hash, batch, self.now());
        let standing = proposal.standing();
        let applied = self.apply_some(file, &base, &proposal, &standing, &Stop::default())?;
        proposal.take_result(&applied);
        proposal.warnings.push(warning);
        self.blobs.put(&proposal.result_hash, &applied.bytes)?;
        self.save_proposal(&mut proposal)?;
        Ok(Some(proposal.id()))
    }

    /// Applies some of a proposal's operations in their order; the answer names them by their index in the proposal.
    pub(in super::super) fn apply_some(
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
}

fn fresh(file: &KnownFile, base_hash: &str, batch: &Batch, now: String) -> Proposal {
    Proposal {
        number: 0,
        file_id: file.file_id.clone(),
        state: ProposalState::Pending,
        base_rev: file.content_rev,
        base_hash: base_hash.to_owned(),
        onto_rev: file.content_rev,
        onto_hash: base_hash.to_owned(),
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
