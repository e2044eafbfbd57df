//! One batch in progress: the package as left by the operations so far, and where the places of the base revision are now.
//!
//! A place is followed by the byte at which its start tag began: every operation's splices say how bytes moved, so any address of the
//! base revision finds its element again, or is known to be gone.

use std::{cell::Cell, ops::Range, rc::Rc};

use super::{
    index::{Entry, EntryKind, StoryKind},
    numbering::Numbering,
    settings::{Protection, Settings},
    story::{Loaded, PartKind, StoryPart, load, story_parts},
    styles::Styles,
    tracking::Tracking,
};
use crate::{
    Applied, ApplyContext, Change, DocumentError, EditError, Warning,
    error::EditErrorKind,
    package::{Package, xml::Splices},
};

/// The moves of one operation in one part: replaced range and new length, in order.
type Step = Vec<(Range<usize>, usize)>;

struct PartState {
    part: StoryPart,
    base: Option<Rc<Loaded>>,
    current: Option<Rc<Loaded>>,
    steps: Vec<Step>,
    /// How many steps there were when the operation in progress began.
    before_op: usize,
}

/// An element that an operation is about.
#[derive(Clone)]
pub(super) struct Target {
    /// Which part.
    pub(super) part: usize,
    pub(super) loaded: Rc<Loaded>,
    /// Its position in the part's index as it is now.
    pub(super) entry: usize,
}

impl Target {
    pub(super) fn entry(&self) -> &Entry {
        &self.loaded.index.entries[self.entry]
    }

    pub(super) fn story_kind(&self) -> StoryKind {
        self.loaded.index.story_kind(self.entry())
    }
}

/// Where a reported change is to be found when the batch is done.
pub(super) enum Spotted {
    /// An element that stood at this byte of the part before the operation.
    Kept { part: usize, start: usize },
    /// Something new: `relative` bytes into what was inserted at `at`.
    New { part: usize, at: usize, relative: usize },
    /// Something removed, which stood at this byte before the operation and had this address then.
    Gone { part: usize, start: usize, at: String },
}

struct PendingChange {
    change: Change,
    /// Part, byte after the operation, and how many steps the part had then.
    follow: Option<(usize, usize, usize)>,
}

pub(super) struct Batch<'a> {
    pub(super) package: Package<'a>,
    pub(super) context: &'a ApplyContext<'a>,
    pub(super) op: usize,
    pub(super) settings: Settings,
    parts: Vec<PartState>,
    styles: Option<Rc<Styles>>,
    numbering: Option<Rc<Numbering>>,
    changes: Vec<PendingChange>,
    pub(super) warnings: Vec<Warning>,
    next_annotation: Cell<Option<u64>>,
}

impl<'a> Batch<'a> {
    pub(super) fn open(bytes: &'a [u8], context: &'a ApplyContext<'a>) -> Result<Self, EditError> {
        let package = Package::open(bytes, &context.limits)?;
        let parts = story_parts(&package)?;
        let settings = Settings::read(&package)?;
        Ok(Batch {
            package,
            context,
            op: 0,
            settings,
            parts: parts
                .into_iter()
                .map(|part| PartState { part, base: None, current: None, steps: Vec::new(), before_op: 0 })
                .collect(),
            styles: None,
            numbering: None,
            changes: Vec::new(),
            warnings: Vec::new(),
            next_annotation: Cell::new(None),
        })
    }

    /// Begins an operation.
    pub(super) fn begin(&mut self, op: usize) {
        self.op = op;
        for state in &mut self.parts {
            state.before_op = state.steps.len();
        }
    }

    pub(super) fn part_count(&self) -> usize {
        self.parts.len()
    }

    pub(super) fn part(&self, part: usize) -> &StoryPart {
        &self.parts[part].part
    }

    /// The part of a kind of which there is only one.
    pub(super) fn part_of(&self, kind: PartKind) -> Option<usize> {
        self.parts.iter().position(|state| state.part.kind == kind)
    }

    /// The part as it is now.
    pub(super) fn load(&mut self, part: usize) -> Result<Rc<Loaded>, DocumentError> {
        if let Some(current) = &self.parts[part].current {
            return Ok(current.clone());
        }
        let first = self.first_text_box(part)?;
        let loaded = load(&self.package, &self.parts[part].part, first)?;
        let state = &mut self.parts[part];
        state.current = Some(loaded.clone());
        if state.steps.is_empty() {
            state.base = Some(loaded.clone());
        }
        Ok(loaded)
    }

    /// The part as the caller read it.
    fn load_base(&mut self, part: usize) -> Result<Rc<Loaded>, DocumentError> {
        match &self.parts[part].base {
            Some(base) => Ok(base.clone()),
            None => self.load(part),
        }
    }

    /// Text boxes are numbered through all parts; earlier parts are only read when this one has any.
    fn first_text_box(&mut self, part: usize) -> Result<usize, DocumentError> {
        let holds_boxes = |batch: &Self, part: usize| -> Result<bool, DocumentError> {
            let bytes = batch.package.require(&batch.parts[part].part.name)?;
            Ok(memchr::memmem::find(&bytes, b"txbxContent").is_some())
        };
        if part == 0 || !holds_boxes(self, part)? {
            return Ok(0);
        }
        let mut count = 0;
        for earlier in 0..part {
            if holds_boxes(self, earlier)? {
                count += self.load(earlier)?.index.text_boxes;
            }
        }
        Ok(count)
    }

    pub(super) fn styles(&mut self) -> Result<Rc<Styles>, DocumentError> {
        match &self.styles {
            Some(styles) => Ok(styles.clone()),
            None => {
                let styles = Rc::new(Styles::read(&self.package)?);
                self.styles = Some(styles.clone());
                Ok(styles)
            }
        }
    }

    pub(super) fn numbering(&mut self) -> Result<Rc<Numbering>, DocumentError> {
        match &self.numbering {
            Some(numbering) => Ok(numbering.clone()),
            None => {
                let numbering = Rc::new(Numbering::read(&self.package)?);
                self.numbering = Some(numbering.clone());
                Ok(numbering)
            }
        }
    }

    /// Forgets styles and numbering after one of their parts was changed.
    pub(super) fn forget_definitions(&mut self) {
        (self.styles, self.numbering) = (None, None);
    }

    /// Forgets which parts there are after one was added, keeping what is known of the others.
    pub(super) fn refresh_parts(&mut self) -> Result<(), DocumentError> {
        for part in story_parts(&self.package)? {
            if !self.parts.iter().any(|state| state.part.name.same(&part.name)) {
                self.parts.push(PartState {
                    part,
                    base: None,
                    current: None,
                    steps: Vec::new(),
                    before_op: 0,
                });
            }
        }
        Ok(())
    }

    /// Finds an address of the base revision in the document as it is now.
    pub(super) fn find(&mut self, at: &str) -> Result<Target, EditError> {
        let at = at.trim();
        for part in self.candidates(at) {
            let base = self.load_base(part)?;
            let Some(position) = base.index.position(at) else { continue };
            let start = base.index.entries[position].start;
            let gone = || {
                EditError::new(
                    EditErrorKind::OutOfRange,
                    format!("{at} was removed by an earlier operation of this batch."),
                )
            };
            let now = self.parts[part]
                .steps
                .iter()
                .try_fold(start, |start, step| moved(step, start))
                .ok_or_else(gone)?;
            let loaded = self.load(part)?;
            let entry = loaded.index.entry_at(now).ok_or_else(gone)?;
            return Ok(Target { part, loaded, entry });
        }
        Err(self.not_there(at))
    }

    /// The parts that an address may lie in, by its first word.
    fn candidates(&self, at: &str) -> Vec<usize> {
        let word = at.split('.').next().unwrap_or_default();
        let name = word.trim_end_matches(|character: char| character.is_ascii_digit());
        let number: usize = word[name.len()..].parse().unwrap_or(0);
        let of_kind = |kind: PartKind| -> Vec<usize> {
            (0..self.parts.len()).filter(|part| self.parts[*part].part.kind == kind).collect()
        };
        let numbered = |kind: PartKind| -> Vec<usize> {
            of_kind(kind).into_iter().filter(|part| self.parts[*part].part.number == number).collect()
        };
        match name {
            "p" | "t" => vec![0],
            "header" => numbered(PartKind::Header),
            "footer" => numbered(PartKind::Footer),
            "footnote" => of_kind(PartKind::Footnotes),
            "endnote" => of_kind(PartKind::Endnotes),
            "comment" => of_kind(PartKind::Comments),
            "textbox" => (0..self.parts.len()).collect(),
            _ => Vec::new(),
        }
    }

    fn not_there(&mut self, at: &str) -> EditError {
        let body = self
            .load_base(0)
            .map_or(0, |body| body.index.entries.iter().filter_map(|entry| entry.index).max().unwrap_or(0));
        EditError::new(
            EditErrorKind::OutOfRange,
            format!("There is no {at} in this document; the body has {body} paragraphs."),
        )
        .hint("Use an address that the outline shows, such as p12, t1.r2.c3.p1 or header1.p1.")
    }

    /// Finds the paragraph that `index` or `at` names.
    pub(super) fn paragraph(&mut self, index: Option<usize>, at: Option<&str>) -> Result<Target, EditError> {
        let target = match (index, at) {
            (Some(index), None) => self.find(&format!("p{index}"))?,
            (None, Some(at)) => self.find(at)?,
            _ => {
                let message = "Give either `index` or `at`, not both and not neither.";
                return Err(EditError::new(EditErrorKind::InvalidArguments, message));
            }
        };
        if target.entry().kind != EntryKind::Paragraph {
            let found = &target.entry().at;
            return Err(EditError::new(EditErrorKind::OutOfRange, format!("{found} is no paragraph."))
                .hint(format!("Name a paragraph in it, such as {found}.p1.")));
        }
        Ok(target)
    }

    /// Writes an operation's splices to a part and remembers how its bytes moved.
    pub(super) fn commit(&mut self, part: usize, loaded: &Loaded, splices: Splices) -> Result<(), EditError> {
        if splices.is_empty() {
            self.parts[part].steps.push(Vec::new());
            return Ok(());
        }
        let mut step: Step = splices.ranges().collect();
        step.sort_by_key(|(range, _)| (range.start, range.end));
        let bytes = loaded.xml.write(splices)?;
        self.load_base(part)?;
        let name = self.parts[part].part.name.clone();
        self.package.replace(&name, bytes)?;
        let state = &mut self.parts[part];
        state.current = None;
        state.steps.push(step);
        if !loaded.index.fields.all.is_empty() && loaded.index.fields.are_balanced() {
            let now = self.load(part)?;
            if !now.index.fields.are_balanced() {
                return Err(super::rewrite::would_damage(
                    "The change would leave a field with only one of its ends.".into(),
                ));
            }
        }
        Ok(())
    }

    /// Reports a change; call it after the operation's `commit`.
    pub(super) fn report(
        &mut self,
        spotted: Spotted,
        before: Option<String>,
        after: Option<String>,
        detail: Option<&str>,
    ) {
        let follow = match &spotted {
            Spotted::Kept { part, start } => {
                let steps = self.parts[*part].steps.len();
                self.where_now(*part, *start).map(|now| (*part, now, steps))
            }
            Spotted::New { part, at, relative } => {
                let steps = &self.parts[*part].steps;
                let shift = steps.last().map_or(0, |step| shift_before(step, *at));
                Some((*part, at.wrapping_add_signed(shift) + relative, steps.len()))
            }
            Spotted::Gone { .. } => None,
        };
        let location = match spotted {
            Spotted::Gone { part, start, at } => self.base_address(part, start).unwrap_or(at),
            Spotted::Kept { .. } | Spotted::New { .. } => String::new(),
        };
        let change = Change { op: self.op, location, before, after, detail: detail.map(str::to_owned) };
        self.changes.push(PendingChange { change, follow });
    }

    /// The address in the base revision of what stands at a byte before this operation; nothing for what the batch itself brought.
    fn base_address(&self, part: usize, start: usize) -> Option<String> {
        let state = &self.parts[part];
        let earlier = &state.steps[..state.before_op];
        let now = |entry: &Entry| earlier.iter().try_fold(entry.start, |start, step| moved(step, start));
        let base = state.base.as_ref()?;
        base.index.entries.iter().find(|entry| now(entry) == Some(start)).map(|entry| entry.at.clone())
    }

    /// Where an element that stood at a byte before the operation is now.
    fn where_now(&self, part: usize, start: usize) -> Option<usize> {
        let state = &self.parts[part];
        state.steps[state.before_op..].iter().try_fold(start, |start, step| moved(step, start))
    }

    /// The entry of what stood at a byte before the operation, in the part as it is now.
    pub(super) fn target_now(&mut self, part: usize, start: usize) -> Result<Option<Target>, EditError> {
        let Some(now) = self.where_now(part, start) else { return Ok(None) };
        let loaded = self.load(part)?;
        let entry = loaded.index.entry_at(now);
        Ok(entry.map(|entry| Target { part, loaded, entry }))
    }

    /// What a paragraph (or row) that stood at a byte before the operation shows now; `None` when it is gone.
    pub(super) fn text_now(&mut self, part: usize, start: usize) -> Result<Option<String>, EditError> {
        let target = self.target_now(part, start)?;
        Ok(target.map(|target| match target.entry().kind {
            EntryKind::Paragraph => {
                super::view::text_of(&target.loaded.xml, &target.loaded.index, target.entry().node)
            }
            EntryKind::Table | EntryKind::Row | EntryKind::Cell => String::new(),
        }))
    }

    /// Settling changes is itself no tracked change, which some protection asks for.
    pub(super) fn check_untracked_allowed(&mut self) -> Result<(), EditError> {
        if self.settings.protection == Protection::TrackedOnly && !self.context.override_protection {
            return Err(EditError::new(
                EditErrorKind::ReadOnly,
                "The document is protected so that tracked changes can be made but not settled.",
            )
            .hint("Ask the user; with `override_protection` it is done all the same."));
        }
        Ok(())
    }

    /// The author and time of tracked changes when this operation is to be tracked.
    pub(super) fn tracking(&self) -> Result<Option<Tracking<'a>>, EditError> {
        let forced = self.settings.protection == Protection::TrackedOnly && !self.context.override_protection;
        let wanted = self.context.track_changes.unwrap_or(self.settings.track_revisions);
        if forced && !wanted && self.context.track_changes == Some(false) {
            return Err(EditError::new(
                EditErrorKind::ReadOnly,
                "The document is protected so that every edit must be a tracked change.",
            )
            .hint("Leave `track_changes` out, or set `override_protection`."));
        }
        if !(wanted || forced) {
            return Ok(None);
        }
        let author = if self.context.author.is_empty() { "Stet" } else { self.context.author };
        Ok(Some(Tracking::new(author, self.context.now, self.next_annotation_id()?)?))
    }

    /// Above every annotation id of every part (their scope is the document, ECMA-376-1, 17.13.1).
    pub(super) fn next_annotation_id(&self) -> Result<u64, EditError> {
        let mut highest = self.next_annotation.get().unwrap_or(0);
        for state in &self.parts {
            if let Some(bytes) = self.package.read(&state.part.name)? {
                highest = highest.max(highest_id(&bytes));
            }
        }
        Ok(highest + 1)
    }

    /// Refuses what the document's protection does not allow to an edit of this kind.
    pub(super) fn check_protection(&mut self, kind: EditKind) -> Result<(), EditError> {
        let reason = match (self.settings.protection, kind) {
            (Protection::None | Protection::TrackedOnly, _)
            | (Protection::CommentsOnly, EditKind::Comment) => {
                return Ok(());
            }
            (Protection::ReadOnly, _) => "is protected as read-only",
            (Protection::CommentsOnly, EditKind::Text) => "is protected so that only comments may be added",
            (Protection::FormsOnly, _) => "is protected so that only its form fields may be filled in",
        };
        if !self.context.override_protection {
            return Err(EditError::new(EditErrorKind::ReadOnly, format!("The document {reason}."))
                .hint("Ask the user; with `override_protection` the edit is made all the same."));
        }
        self.warn_once(
            "protection_overridden",
            format!("The document {reason}; it was edited all the same."),
        );
        Ok(())
    }

    pub(super) fn warn_once(&mut self, code: &str, message: String) {
        if !self.warnings.iter().any(|warning| warning.code == code && warning.message == message) {
            self.warnings.push(Warning::new(code, message));
        }
    }

    pub(super) fn warn_at(&mut self, code: &str, at: &str, message: &str) {
        let warning = Warning::at(code, at, message);
        if !self.warnings.contains(&warning) {
            self.warnings.push(warning);
        }
    }

    /// Writes and proves the package, and gives every change its address in the result.
    pub(super) fn finish(mut self) -> Result<Applied, EditError> {
        let pending = std::mem::take(&mut self.changes);
        let mut changes = Vec::with_capacity(pending.len());
        for PendingChange { mut change, follow } in pending {
            if let Some((part, start, steps)) = follow {
                change.location = self.address_of(part, start, steps)?;
            }
            changes.push(change);
        }
        if self.package.is_changed()
            && self.package.notices()?.iter().any(|notice| notice.code == "has_signature")
        {
            self.warn_once(
                "signature_invalidated",
                "The document is digitally signed; with this edit the signature is no longer valid.".into(),
            );
        }
        let saved = self.package.finish()?;
        Ok(Applied { bytes: saved.bytes, changes, package: Some(saved.report), warnings: self.warnings })
    }

    fn address_of(&mut self, part: usize, start: usize, steps: usize) -> Result<String, EditError> {
        let later = &self.parts[part].steps[steps..];
        let now = later.iter().try_fold(start, |start, step| moved(step, start));
        let loaded = self.load(part)?;
        let entry = now.and_then(|now| loaded.index.entry_at(now));
        Ok(entry.map_or_else(|| "removed".to_owned(), |entry| loaded.index.entries[entry].at.clone()))
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum EditKind {
    Text,
    Comment,
}

/// Where a byte is after a step; `None` when it was replaced.
fn moved(step: &Step, start: usize) -> Option<usize> {
    let mut shift = 0_isize;
    for (range, length) in step {
        if range.start > start {
            break;
        }
        if range.end > start {
            return None;
        }
        shift += *length as isize - range.len() as isize;
    }
    Some(start.wrapping_add_signed(shift))
}

/// How far everything before `at` grew, without what was inserted at `at` itself.
fn shift_before(step: &Step, at: usize) -> isize {
    let before = step.iter().take_while(|(range, _)| range.start < at);
    before.map(|(range, length)| *length as isize - range.len() as isize).sum()
}

/// The highest number in any attribute whose local name is `id`.
fn highest_id(bytes: &[u8]) -> u64 {
    let found = memchr::memmem::find_iter(bytes, b":id=");
    let numbers = found.filter_map(|at| {
        let digits = bytes.get(at + 5..)?;
        let length = digits.iter().take_while(|byte| byte.is_ascii_digit()).count();
        // Longer numbers are identifiers of other kinds (content controls), which may be negative or large.
        std::str::from_utf8(&digits[..length]).ok()?.parse::<u64>().ok().filter(|id| *id < 1 << 30)
    });
    numbers.max().unwrap_or(0)
}
