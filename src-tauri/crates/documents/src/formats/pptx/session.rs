//! One batch on one deck: the package as left by the operations so far, and what they changed, located when all is done.
//!
//! A slide number always means the revision the caller read; it is looked up by the slide's identity, so slides that earlier
//! operations moved, added or removed do not shift it.

use std::{cell::RefCell, rc::Rc, sync::Arc};

use super::deck::{Deck, SlideEntry, SlideKey};
use crate::{
    ApplyContext, Change, EditError, Warning,
    error::EditErrorKind,
    package::{Package, PartBytes, PartName, xml::Ns},
};

/// The batch under way.
pub(super) struct Session<'c, 'a> {
    pub(super) package: Package<'a>,
    pub(super) ctx: &'c ApplyContext<'c>,
    base: Vec<SlideKey>,
    /// The operation under way.
    pub(super) op: usize,
    changes: Vec<(Spot, Change)>,
    warnings: Vec<(Option<Spot>, Warning)>,
    /// Above every slide id that ever was in this batch, so that none is used twice.
    pub(super) next_slide_id: u32,
    /// The deck as last read, with the bytes of the presentation and of its relationships that it was read from.
    read: RefCell<Option<([PartBytes; 2], Rc<Deck>)>>,
}

/// A place on a slide, whose number is known only at the end.
#[derive(Debug, Clone)]
pub(super) struct Spot {
    pub(super) slide: SlideKey,
    /// `.shape5`, or nothing for the slide itself.
    pub(super) inside: String,
}

impl Spot {
    pub(super) fn new(slide: &SlideKey, inside: impl Into<String>) -> Spot {
        Spot { slide: slide.clone(), inside: inside.into() }
    }
}

impl<'c, 'a> Session<'c, 'a> {
    /// Opens the deck.
    pub(super) fn open(bytes: &'a [u8], ctx: &'c ApplyContext<'c>) -> Result<Self, EditError> {
        let mut session = Session {
            package: Package::open(bytes, &ctx.limits)?,
            ctx,
            base: Vec::new(),
            op: 0,
            changes: Vec::new(),
            warnings: Vec::new(),
            next_slide_id: 0,
            read: RefCell::default(),
        };
        let deck = session.deck()?;
        session.next_slide_id =
            deck.slides.iter().map(|slide| slide.key.id).max().unwrap_or(0).max(255).saturating_add(1);
        session.base = deck.slides.iter().map(|slide| slide.key.clone()).collect();
        session.check_protection()?;
        Ok(session)
    }

    /// A deck with a password for modifying is read-only without it (`p:modifyVerifier`, 19.2.1.19).
    fn check_protection(&mut self) -> Result<(), EditError> {
        let main = self.package.main_part()?;
        let bytes = self.package.require(&main)?;
        let is_wide = bytes.starts_with(&[0xFF, 0xFE]) || bytes.starts_with(&[0xFE, 0xFF]);
        if memchr::memmem::find(&bytes, b"modifyVerifier").is_none() && !is_wide {
            return Ok(());
        }
        let xml = self.package.xml(&main)?;
        if xml.child(xml.root(), Ns::P, "modifyVerifier").is_some() {
            self.override_or_refuse(None, "The presentation needs a password to be modified.")?;
        }
        Ok(())
    }

    /// Refuses as protected, or warns when the batch overrides protection.
    pub(super) fn override_or_refuse(&mut self, spot: Option<Spot>, message: &str) -> Result<(), EditError> {
        if !self.ctx.override_protection {
            return Err(EditError::new(EditErrorKind::ReadOnly, message)
                .hint("Say `override_protection: true` in the batch if the user wants it all the same."));
        }
        self.warn(spot, "protection_overridden", message);
        Ok(())
    }

    /// The deck as it is now; read anew only when the presentation or its relationships changed.
    pub(super) fn deck(&self) -> Result<Rc<Deck>, EditError> {
        let main = self.package.main_part()?;
        let sources = [
            self.package.require(&main)?,
            self.package.read(&main.relationships_part())?.unwrap_or_default(),
        ];
        let mut read = self.read.borrow_mut();
        if let Some((old, deck)) = read.as_ref()
            && old.iter().zip(&sources).all(|(old, new)| Arc::ptr_eq(old, new))
        {
            return Ok(deck.clone());
        }
        let deck = Rc::new(Deck::read(&self.package)?);
        *read = Some((sources, deck.clone()));
        Ok(deck)
    }

    /// How many slides the caller saw.
    pub(super) fn base_count(&self) -> usize {
        self.base.len()
    }

    /// Whether the deck that the caller read had a slide of this id.
    pub(super) fn was_listed(&self, id: u32) -> bool {
        self.base.iter().any(|key| key.id == id)
    }

    /// The slide that the caller knows by this number.
    pub(super) fn slide(&self, deck: &Deck, number: usize) -> Result<SlideEntry, EditError> {
        let Some(key) = number.checked_sub(1).and_then(|index| self.base.get(index)) else {
            let message = format!("There is no slide {number}; the deck has {}.", self.base.len());
            return Err(EditError::new(EditErrorKind::OutOfRange, message).hint(
                "Slide numbers are those of the revision you read; give a new slide its text in the operation that adds it.",
            ));
        };
        let position = deck.position(key).ok_or_else(|| {
            let message = format!("An earlier operation of the batch deleted slide {number}.");
            EditError::new(EditErrorKind::OutOfRange, message)
        })?;
        let entry = deck.slides[position].clone();
        if !self.package.has(&entry.part) {
            let message = format!("Slide {number} is listed in the deck, but its part is missing.");
            return Err(EditError::new(EditErrorKind::Damaged, message));
        }
        Ok(entry)
    }

    /// How the caller knows a slide: by its number in the revision that was read, or now when it is new.
    pub(super) fn label(&self, deck: &Deck, slide: &SlideKey) -> String {
        let known = self.base.iter().position(|key| key == slide);
        let number = known.or_else(|| deck.position(slide)).map_or(0, |index| index + 1);
        format!("s{number}")
    }

    pub(super) fn record(
        &mut self,
        spot: Spot,
        before: Option<String>,
        after: Option<String>,
        detail: Option<&str>,
    ) {
        let detail = detail.map(str::to_owned);
        self.changes.push((spot, Change { op: self.op, location: String::new(), before, after, detail }));
    }

    pub(super) fn warn(&mut self, spot: Option<Spot>, code: &str, message: impl Into<String>) {
        self.warnings.push((spot, Warning::new(code, message)));
    }

    /// Puts written parts into the package.
    pub(super) fn write(&mut self, written: Vec<(PartName, Vec<u8>)>) -> Result<(), EditError> {
        for (part, bytes) in written {
            self.package.replace(&part, bytes)?;
        }
        Ok(())
    }

    /// What changed, with the numbers that slides have now; a slide that is gone keeps the number it had.
    pub(super) fn located(self) -> Result<(Package<'a>, Vec<Change>, Vec<Warning>), EditError> {
        let deck = self.deck()?;
        let base = self.base;
        let locate = |spot: &Spot| {
            let position =
                deck.position(&spot.slide).or_else(|| base.iter().position(|key| *key == spot.slide));
            format!("s{}{}", position.map_or(0, |index| index + 1), spot.inside)
        };
        let changes = self
            .changes
            .into_iter()
            .map(|(spot, change)| Change { location: locate(&spot), ..change })
            .collect();
        let warnings = self
            .warnings
            .into_iter()
            .map(|(spot, warning)| Warning { location: spot.as_ref().map(locate), ..warning })
            .collect();
        Ok((self.package, changes, warnings))
    }
}
