//! Fitting what waits for the user to a file that changed meanwhile.
//!
//! Operations are placed anew from the content they were made for to the present one, and applied there in memory. What still fits is
//! shown as rebased; what does not, as a conflict with its reason. Nothing is written and nothing is dropped.

use documents::{Applied, Change};
use serde_json::Value;

use super::{
    Stop, Workspace, WorkspaceError,
    blobs::hash_of,
    edit::parse_ops,
    files::{Content, KnownFile},
    placing::Places,
    proposals::{PlacedOp, Proposal, ProposalConflict, ProposalState},
};

impl Workspace {
    /// Fits every proposal on a file to its present content; returns those that changed by it.
    pub fn fit_proposals(&self, file_id: &str, stop: &Stop) -> Result<Vec<Proposal>, WorkspaceError> {
        if self.proposals(Some(file_id))?.is_empty() {
            return Ok(Vec::new());
        }
        // The look completes what a crash interrupted, which may have decided some of them.
        let (file, now) = self.current(&self.known(file_id)?, stop)?;
        let waiting = self.proposals(Some(file_id))?;
        let mut fitted = Vec::new();
        for mut proposal in waiting {
            if proposal.onto_hash != now.hash {
                self.fit(&mut proposal, &file, &now, stop)?;
                self.save_proposal(&mut proposal)?;
                fitted.push(proposal);
            } else if proposal.onto_rev != file.content_rev {
                // The content went away and came back: only the number is new.
                proposal.onto_rev = file.content_rev;
                self.save_proposal(&mut proposal)?;
            }
        }
        Ok(fitted)
    }

    fn fit(
        &self,
        proposal: &mut Proposal,
        file: &KnownFile,
        now: &Content,
        stop: &Stop,
    ) -> Result<(), WorkspaceError> {
        let base = self.stored(&proposal.base_hash)?;
        let is_back = now.hash == proposal.base_hash;
        let places = Places::between(file.format(), &base, &now.bytes, &self.options.limits, stop);
        let mut conflicts = proposal.stranded.clone();
        let mut placed = Vec::new();
        for op in undecided(proposal) {
            let Some(edit) = proposal.ops.get(op) else { continue };
            match &places {
                Ok(places) => match places.place(edit) {
                    Ok(edit) => placed.push(PlacedOp { op, edit }),
                    Err(message) => conflicts.push(ProposalConflict { op, message }),
                },
                Err(error) => conflicts.push(ProposalConflict { op, message: error.to_string() }),
            }
        }
        let applied = self.apply_what_fits(proposal, file, now, &mut placed, &mut conflicts, stop)?;
        conflicts.sort_by_key(|conflict| conflict.op);
        proposal.state = match (conflicts.is_empty(), is_back && proposal.accepted.is_empty()) {
            (false, _) => ProposalState::Conflict,
            (true, true) => ProposalState::Pending,
            (true, false) => ProposalState::Rebased,
        };
        proposal.onto_rev = file.content_rev;
        proposal.onto_hash.clone_from(&now.hash);
        proposal.conflicts = conflicts;
        proposal.placed = Some(placed);
        match applied {
            Some(applied) => {
                proposal.result_hash = hash_of(&applied.bytes);
                self.blobs.put(&proposal.result_hash, &applied.bytes)?;
                proposal.changes = applied.changes;
                proposal.warnings = applied.warnings;
                proposal.package = applied.package;
            }
            None => {
                proposal.result_hash.clone_from(&now.hash);
                (proposal.changes, proposal.warnings, proposal.package) = (Vec::new(), Vec::new(), None);
            }
        }
        Ok(())
    }

    /// Applies the placed operations, moving those that do not fit to the conflicts, until the rest applies as planned.
    fn apply_what_fits(
        &self,
        proposal: &Proposal,
        file: &KnownFile,
        now: &Content,
        placed: &mut Vec<PlacedOp>,
        conflicts: &mut Vec<ProposalConflict>,
        stop: &Stop,
    ) -> Result<Option<Applied>, WorkspaceError> {
        while !placed.is_empty() {
            let ops: Vec<Value> = placed.iter().map(|placed| placed.edit.clone()).collect();
            let edits = parse_ops(&ops)?;
            let (at, message) = match self.apply(file, &now.bytes, &edits, &proposal.batch(ops), stop) {
                Ok(mut applied) => {
                    for change in &mut applied.changes {
                        change.op = placed.get(change.op).map_or(change.op, |placed| placed.op);
                    }
                    match placed
                        .iter()
                        .position(|placed| !is_as_planned(placed, &proposal.planned, &applied.changes))
                    {
                        None => return Ok(Some(applied)),
                        Some(at) => (at, "What it would replace was changed meanwhile.".to_owned()),
                    }
                }
                Err(WorkspaceError::Edit(error)) => (error.op.unwrap_or(0), error.message),
                Err(other) => return Err(other),
            };
            let misfit = placed.remove(at.min(placed.len() - 1));
            conflicts.push(ProposalConflict { op: misfit.op, message });
        }
        Ok(None)
    }
}

/// The operations that the user has not decided on and that are not stranded.
fn undecided(proposal: &Proposal) -> Vec<usize> {
    let is_out = |op: &usize| {
        proposal.settled.contains(op)
            || proposal.accepted.contains(op)
            || proposal.stranded.iter().any(|conflict| conflict.op == *op)
    };
    (0..proposal.ops.len()).filter(|op| !is_out(op)).collect()
}

/// Operations that name what they replace are right wherever they find it; the others must find what they found on the base.
fn is_as_planned(placed: &PlacedOp, planned: &[Change], applied: &[Change]) -> bool {
    let name = placed.edit.get("op").and_then(Value::as_str).unwrap_or_default();
    let finds = ["replace_text", "delete_text", "replace_on_slide", "replace_lines_containing"];
    if finds.iter().any(|find| name.ends_with(find)) {
        return true;
    }
    let before = |changes: &[Change]| -> Vec<Option<String>> {
        changes.iter().filter(|change| change.op == placed.op).map(|change| change.before.clone()).collect()
    };
    before(planned) == before(applied)
}
