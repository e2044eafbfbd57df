//! `proposals.*`: what waits for the user's decision.

use super::{
    App, AppError, EventBody,
    answers::{Done, ProposalInfo, Receipt},
    params::{ProposalChoice, ProposalOf, ProposalsOf},
};
use crate::agent::metrics::kind;
use crate::workspace::{Proposal, Stop};

impl App {
    /// What waits, oldest first.
    pub fn proposals_list(&self, params: &ProposalsOf) -> Result<Vec<ProposalInfo>, AppError> {
        let waiting = self.workspace.proposals(params.file_id.as_deref())?;
        let mut files: Vec<&str> = waiting.iter().map(|proposal| proposal.file_id.as_str()).collect();
        files.dedup();
        for file_id in files {
            self.fit_proposals(file_id);
        }
        let waiting = self.workspace.proposals(params.file_id.as_deref())?;
        Ok(waiting.iter().map(ProposalInfo::from).collect())
    }

    /// Commits a proposal, or the chosen changes of it.
    pub fn proposals_accept(&self, params: &ProposalChoice, stop: &Stop) -> Result<Receipt, AppError> {
        let started = std::time::Instant::now();
        let accepted = self.workspace.accept(&params.proposal_id, params.changes.as_deref(), stop);
        let accepted = accepted.map_err(|error| self.about_proposal(&params.proposal_id, error.into()))?;
        self.count_decision(&params.proposal_id, kind::ACCEPTED, Some(started.elapsed()));
        self.told(accepted)
    }

    /// Drops a proposal, or the chosen changes of it.
    pub fn proposals_reject(&self, params: &ProposalChoice, stop: &Stop) -> Result<Done, AppError> {
        let rejected = self.workspace.reject(&params.proposal_id, params.changes.as_deref(), stop);
        let proposal = rejected.map_err(|error| self.about_proposal(&params.proposal_id, error.into()))?;
        self.count_decision(&params.proposal_id, kind::REJECTED, None);
        self.tell(EventBody::ProposalChanged { proposal: (&proposal).into() });
        Ok(Done { ok: true })
    }

    /// Fits a proposal to the file as it is now, as happens by itself when a change is noticed.
    pub fn proposals_rebase(&self, params: &ProposalOf) -> Result<ProposalInfo, AppError> {
        let proposal = self.workspace.proposal(&params.proposal_id)?;
        let stop = Stop::after(self.options.time_limit);
        let fitted = self.workspace.fit_proposals(&proposal.file_id, &stop);
        for proposal in fitted.map_err(|error| self.about(&proposal.file_id, error))? {
            self.tell(EventBody::ProposalChanged { proposal: (&proposal).into() });
        }
        Ok((&self.workspace.proposal(&params.proposal_id)?).into())
    }

    fn about_proposal(&self, id: &str, error: AppError) -> AppError {
        match self.workspace.proposal(id) {
            Ok(proposal) => self.about(&proposal.file_id, error),
            Err(_) => error,
        }
    }
}

impl From<&Proposal> for ProposalInfo {
    fn from(proposal: &Proposal) -> ProposalInfo {
        ProposalInfo {
            proposal_id: proposal.id(),
            file_id: proposal.file_id.clone(),
            base_rev: proposal.onto_rev,
            state: proposal.state,
            changes: proposal.changes.clone(),
            conflicts: proposal.conflicts.clone(),
            warnings: proposal.warnings.clone(),
            package: proposal.package.clone(),
            ops: proposal.ops.clone(),
            summary: proposal.summary.clone(),
            origin: proposal.origin,
            created_at: proposal.created_at.clone(),
        }
    }
}
