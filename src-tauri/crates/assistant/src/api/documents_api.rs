//! `documents.*`: opening, describing, editing, making and checking files.

use std::path::{Path, PathBuf};

use documents::{Warning, create::Source};

use super::{
    App, AppError, EventBody,
    answers::{
        ComparisonAnswer, DocumentInfo, DocumentState, Done, OutlineAnswer, Receipt, SearchAnswer,
        SearchMatch, TextDiff, VerifyAnswer,
    },
    outline_request,
    params::{Create, Diff, DocumentPath, Edit, FileId, OutlineOf, OutlineWindow, Relink, Search, Verify},
};
use crate::workspace::{Batch, Comparison, FileState, KnownFile, Origin, Outcome, Stop, WorkspaceError};

/// Matches of a search when the caller names no number.
const MATCHES_TOLD: usize = 50;
/// An outline for searching holds the whole document.
const SEARCH_BUDGET: usize = 64 << 20;

impl App {
    /// Opens a file by its path.
    pub fn documents_open(&self, params: &DocumentPath, stop: &Stop) -> Result<DocumentInfo, AppError> {
        let (file, _) = self.workspace.open_file(Path::new(&params.path), stop)?;
        let document = self.info(&file)?;
        self.told.is_news(&document);
        self.with_watcher(|watcher| watcher.watch(&file.file_id, &file.path));
        Ok(document)
    }

    /// Makes a file known without listing it as open, as the command line does.
    pub fn documents_register(&self, path: &Path, stop: &Stop) -> Result<DocumentInfo, AppError> {
        match self.workspace.register(path, stop) {
            // A file that is gone still has its history.
            Err(WorkspaceError::Missing(missing)) => match self.workspace.known_at(path)? {
                Some(file) => self.info(&file),
                None => Err(WorkspaceError::Missing(missing).into()),
            },
            registered => self.info(&registered?.0),
        }
    }

    /// The open files.
    pub fn documents_list(&self) -> Result<Vec<DocumentInfo>, AppError> {
        let files = self.workspace.open_files()?;
        files.iter().map(|file| self.info(file)).collect()
    }

    /// The named files as they are now, in that order, whether or not the window lists them: the files of a turn or a command.
    pub fn documents_known(&self, file_ids: &[String]) -> Result<Vec<DocumentInfo>, AppError> {
        file_ids.iter().map(|file_id| self.info(&self.workspace.known(file_id)?)).collect()
    }

    /// Takes a file from the list.
    pub fn documents_close(&self, params: &FileId) -> Result<Done, AppError> {
        self.workspace.close_file(&params.file_id)?;
        self.with_watcher(|watcher| watcher.forget(&params.file_id));
        self.tell(EventBody::DocumentGone { file_id: params.file_id.clone() });
        Ok(Done { ok: true })
    }

    /// Tells where a moved file is now.
    pub fn documents_relink(&self, params: &Relink, stop: &Stop) -> Result<DocumentInfo, AppError> {
        let relinked = self.workspace.relink(&params.file_id, Path::new(&params.path), stop);
        let file = relinked.map_err(|error| self.about(&params.file_id, error))?;
        self.with_watcher(|watcher| watcher.watch(&file.file_id, &file.path));
        self.tell_document(&file);
        self.info(&file)
    }

    /// The contract's outline; reads only.
    pub fn documents_outline(&self, params: &OutlineOf, stop: &Stop) -> Result<OutlineAnswer, AppError> {
        let window = OutlineWindow { range: params.range.clone(), budget: params.budget };
        self.outline_of(&params.file_id, &window, stop).map_err(|error| self.about(&params.file_id, error))
    }

    fn outline_of(
        &self,
        file_id: &str,
        window: &OutlineWindow,
        stop: &Stop,
    ) -> Result<OutlineAnswer, AppError> {
        let (file, mut outline) = self.workspace.outline(file_id, &outline_request(window), stop)?;
        if let Some(waiting) = self.workspace.proposals(Some(file_id))?.pop() {
            let message = format!(
                "{} waits for the user and is not part of this outline; positions mean revision {} as shown here.",
                waiting.id(),
                file.content_rev
            );
            outline.warnings.push(Warning::new("has_pending_proposal", message));
        }
        Ok(OutlineAnswer::of(file, outline))
    }

    /// The outline of another side of a file: `before`, `after` (of its proposal), or a snapshot id.
    pub fn documents_outline_at(
        &self,
        file_id: &str,
        side: &str,
        window: &OutlineWindow,
        stop: &Stop,
    ) -> Result<OutlineAnswer, AppError> {
        let bytes = self.side_bytes(file_id, side, None, stop)?;
        let file = self.workspace.known(file_id)?;
        let outlined = self.workspace.outline_bytes(&file, &bytes, &outline_request(window), stop);
        let outline = outlined.map_err(|error| self.about(file_id, error))?;
        Ok(OutlineAnswer::of(file, outline))
    }

    /// Finds text in one open file or in all of them, ignoring case.
    pub fn documents_search(&self, params: &Search, stop: &Stop) -> Result<SearchAnswer, AppError> {
        let files = match &params.file_id {
            Some(file_id) => vec![self.workspace.known(file_id)?],
            None => self.workspace.open_files()?,
        };
        let max = params.max.unwrap_or(MATCHES_TOLD);
        let query = params.query.to_lowercase();
        if query.is_empty() {
            return Err(AppError::invalid_arguments("`query` is empty."));
        }
        let mut matches = Vec::new();
        for file in files {
            // Workbooks are searched where they lie, formulas included; the others by their whole outline.
            let range = (file.format() == documents::Format::Xlsx).then(|| format!("find:{}", params.query));
            let is_searched = range.is_some();
            let request = documents::OutlineRequest { range, budget: SEARCH_BUDGET };
            let outline = match self.workspace.outline(&file.file_id, &request, stop) {
                Ok((_, outline)) => outline,
                // One unreadable file must not hide what the others hold.
                Err(_) if params.file_id.is_none() => continue,
                Err(error) => return Err(self.about(&file.file_id, error)),
            };
            let hits = outline
                .nodes
                .into_iter()
                .filter(|node| is_searched || node.text.to_lowercase().contains(&query));
            matches.extend(hits.map(|node| SearchMatch {
                file_id: file.file_id.clone(),
                at: node.at,
                text: node.text,
            }));
        }
        let truncated = matches.len() > max;
        matches.truncate(max);
        Ok(SearchAnswer { ok: true, matches, truncated })
    }

    /// Applies a batch: commits, stages or only shows it.
    pub fn documents_edit(&self, params: &Edit, stop: &Stop) -> Result<Receipt, AppError> {
        let batch = Batch {
            ops: params.ops.clone(),
            override_protection: params.override_protection.unwrap_or(false),
            track_changes: params.track_changes,
            summary: params.summary.clone(),
            model: params.model.clone(),
            origin: params.by_user.unwrap_or(false).then_some(Origin::User),
        };
        let file_id = params.file_id.as_str();
        let outcome = self.workspace.edit(file_id, params.expected_content_rev, &batch, params.mode, stop);
        self.told(outcome.map_err(|error| self.about(file_id, error))?)
    }

    /// Makes a file that does not exist yet.
    pub fn documents_create(&self, params: &Create, stop: &Stop) -> Result<Receipt, AppError> {
        let path = PathBuf::from(&params.path);
        let format = documents::Format::of_name(&params.path);
        if params.format.as_deref().is_some_and(|word| word != format.as_str()) {
            let message = format!("A file named {} is a {} document.", params.path, format.as_str());
            return Err(AppError::invalid_arguments(message));
        }
        if params.path.ends_with(std::path::is_separator) {
            return Err(AppError::invalid_arguments(format!("{} names a folder, not a file.", params.path)));
        }
        if documents::Format::is_foreign_name(&params.path) {
            let message = format!("{} would be a text under the name of another format.", params.path);
            return Err(AppError::invalid_arguments(message)
                .hint("Stet makes .docx, .xlsx, .pptx, and text such as .md, .txt or .csv."));
        }
        let source = Source { text: params.text.clone(), rows: params.rows.clone() };
        self.told(self.workspace.create(&path, &source, stop)?)
    }

    /// Checks a document, alone or against another.
    pub fn documents_verify(&self, params: &Verify, stop: &Stop) -> Result<VerifyAnswer, AppError> {
        self.verified(params, stop).map_err(|error| self.about(&params.file_id, error))
    }

    fn verified(&self, params: &Verify, stop: &Stop) -> Result<VerifyAnswer, AppError> {
        let against =
            params.against.as_deref().map(|other| self.workspace.read_known(other, stop)).transpose()?;
        let verified = self.workspace.verify(&params.file_id, against.as_deref(), stop)?;
        Ok(VerifyAnswer {
            ok: true,
            well_formed: verified.well_formed,
            relationships: verified.relationships,
            problems: verified.problems,
            findings: verified.findings,
            package: verified.package,
        })
    }

    /// What a batch would change, or what changed since a snapshot or by a proposal.
    pub fn documents_diff(&self, params: &Diff, stop: &Stop) -> Result<ComparisonAnswer, AppError> {
        self.diff(params, stop).map_err(|error| self.about(&params.file_id, error))
    }

    fn diff(&self, params: &Diff, stop: &Stop) -> Result<ComparisonAnswer, AppError> {
        let workspace = &self.workspace;
        match (&params.ops, &params.snapshot, &params.proposal_id) {
            (Some(ops), None, None) => {
                let batch = Batch {
                    ops: ops.clone(),
                    override_protection: params.override_protection.unwrap_or(false),
                    track_changes: params.track_changes,
                    ..Batch::default()
                };
                let (file, before, applied) = workspace.try_batch(&params.file_id, &batch, stop)?;
                let (changes, package, warnings) = (applied.changes, applied.package, applied.warnings);
                let compared = match file.format() {
                    documents::Format::Text => {
                        workspace.compare(file.format(), &before, &applied.bytes, stop)?
                    }
                    _ => Comparison::default(),
                };
                Ok(ComparisonAnswer { changes, package, warnings, ..comparison_answer(compared) })
            }
            (None, Some(snapshot), None) => {
                let (_, from) = workspace.snapshot_bytes(&params.file_id, snapshot)?;
                let (file, to) = match &params.to_snapshot {
                    Some(to) => {
                        (workspace.known(&params.file_id)?, workspace.snapshot_bytes(&params.file_id, to)?.1)
                    }
                    None => workspace
                        .current(&workspace.known(&params.file_id)?, stop)
                        .map(|(file, now)| (file, now.bytes))?,
                };
                Ok(comparison_answer(workspace.compare(file.format(), &from, &to, stop)?))
            }
            (None, None, Some(proposal)) => {
                let proposal = workspace.proposal(proposal)?;
                let before = workspace.proposal_base(&proposal)?;
                let after = workspace.proposal_bytes(&proposal)?;
                let format = workspace.known(&params.file_id)?.format();
                let compared = workspace.compare(format, &before, &after, stop)?;
                let (package, warnings) = (proposal.package, proposal.warnings);
                Ok(ComparisonAnswer {
                    changes: proposal.changes,
                    package,
                    warnings,
                    ..comparison_answer(compared)
                })
            }
            _ => Err(AppError::invalid_arguments("Give exactly one of `ops`, `snapshot` and `proposal_id`.")),
        }
    }

    /// A receipt, and the events that go with what happened.
    pub(crate) fn told(&self, outcome: Outcome) -> Result<Receipt, AppError> {
        let is_committed = outcome.status == crate::workspace::Status::Committed;
        if is_committed {
            self.tell_document(&outcome.file);
            self.tidy_daily();
        }
        if let Some(proposal) = &outcome.proposal {
            self.tell(EventBody::ProposalChanged { proposal: proposal.into() });
        }
        Ok(receipt(outcome))
    }

    /// What a host shows of a file.
    pub(crate) fn info(&self, file: &KnownFile) -> Result<DocumentInfo, AppError> {
        let (state, state_detail) = match self.workspace.state(file) {
            FileState::Ok => (DocumentState::Ok, None),
            FileState::ChangedOutside => (DocumentState::ChangedOutside, None),
            FileState::Missing => (DocumentState::Missing, None),
            FileState::ReadOnly => (DocumentState::ReadOnly, None),
            FileState::Locked(owner) => (DocumentState::Locked, Some(owner.describe())),
        };
        let waiting = self.workspace.proposals(Some(&file.file_id))?.pop();
        Ok(DocumentInfo {
            file_id: file.file_id.clone(),
            path: file.path.to_string_lossy().into_owned(),
            name: file.name(),
            format: file.format(),
            content_rev: file.content_rev,
            size: file.size,
            state,
            state_detail,
            moved_to: (state == DocumentState::Missing).then(|| self.workspace.moved_to(file)).flatten(),
            pending_proposal: waiting.map(|proposal| proposal.id()),
            warnings: Vec::new(),
        })
    }
}

/// An outcome in the contract's words.
pub(crate) fn receipt(outcome: Outcome) -> Receipt {
    Receipt {
        ok: true,
        status: outcome.status,
        path: outcome.file.path.to_string_lossy().into_owned(),
        content_rev: outcome.file.content_rev,
        file_id: outcome.file.file_id,
        previous_rev: outcome.previous_rev,
        snapshot: outcome.snapshot,
        proposal_id: outcome.proposal.map(|proposal| proposal.id()),
        changes: outcome.changes,
        package: outcome.package,
        warnings: outcome.warnings,
    }
}

pub(crate) fn comparison_answer(comparison: Comparison) -> ComparisonAnswer {
    ComparisonAnswer {
        ok: true,
        changes: comparison.changes,
        package: comparison.package,
        text_diff: comparison.text_diff.map(TextDiff::from),
        unified: comparison.unified,
        warnings: Vec::new(),
    }
}
