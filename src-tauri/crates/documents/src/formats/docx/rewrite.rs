//! Hunks of a paragraph's visible text turned into splices of its bytes.
//!
//! Each touched run is written anew from its own raw pieces: characters that stand keep their bytes, elements without characters keep
//! their places, new characters join the run of what they replace. Borders that cannot be kept are refused before anything is written.

use std::collections::BTreeMap;

use super::{
    difference::Hunk,
    index::Index,
    markup::Names,
    properties::without_change,
    run::{RunEdits, write_run},
    tracking::Tracking,
    view::{AtomKind, ScopeKind, View},
};
use crate::{
    EditError,
    error::EditErrorKind,
    package::xml::{NodeId, Ns, Splices, Xml},
};

/// What an edit of a paragraph ran into, for the rules that lie above the text.
#[derive(Debug, Default)]
pub(super) struct Touched {
    /// Content controls around the changed text, by their `w:sdt`.
    pub(super) controls: Vec<NodeId>,
    /// Complex fields whose results changed.
    pub(super) fields: Vec<usize>,
    /// `fldSimple` elements whose results changed.
    pub(super) simple_fields: Vec<NodeId>,
}

/// A border inside a paragraph that new text must not blur.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Border {
    Scope(usize),
    Field(usize),
}

/// Where new characters go.
enum Spot {
    /// Into the run of an atom, at a byte of the visible text that the atom touches.
    Atom { atom: usize, at: usize },
    /// Into a run without visible text.
    EmptyRun(usize),
    /// A new run at a byte of the part.
    NewRun { at: usize, like: Option<usize> },
}

/// Plans all hunks of one paragraph (in order, not touching each other).
pub(super) fn rewrite(
    xml: &Xml,
    index: &Index,
    view: &View,
    hunks: &[Hunk],
    tracking: Option<&Tracking<'_>>,
    splices: &mut Splices,
) -> Result<Touched, EditError> {
    let mut plan = Plan { xml, index, view, tracking, runs: BTreeMap::new(), touched: Touched::default() };
    for hunk in hunks {
        plan.hunk(hunk, splices)?;
    }
    for (run, edits) in &plan.runs {
        write_run(xml, *run, edits, tracking, splices)?;
    }
    Ok(plan.touched)
}

struct Plan<'x> {
    xml: &'x Xml,
    index: &'x Index,
    view: &'x View,
    tracking: Option<&'x Tracking<'x>>,
    runs: BTreeMap<NodeId, RunEdits>,
    touched: Touched,
}

impl Plan<'_> {
    fn hunk(&mut self, hunk: &Hunk, splices: &mut Splices) -> Result<(), EditError> {
        let touched = self.view.touched(&hunk.old);
        self.refuse_walls(touched.clone())?;
        self.refuse_crossing(touched.clone(), hunk)?;
        for atom in touched.clone() {
            self.note(atom);
            let source = &self.view.atoms[atom];
            let from = hunk.old.start.max(source.range.start) - source.range.start;
            let to = hunk.old.end.min(source.range.end) - source.range.start;
            self.runs.entry(source.run).or_default().delete(source.node, from..to);
        }
        if hunk.new.is_empty() {
            return Ok(());
        }
        let spot = match touched.is_empty() {
            false => Spot::Atom { atom: touched.start, at: hunk.old.start },
            true => self.spot(hunk.old.start)?,
        };
        self.insert(spot, &hunk.new, splices)
    }

    fn insert(&mut self, spot: Spot, text: &str, splices: &mut Splices) -> Result<(), EditError> {
        match spot {
            Spot::Atom { atom, at } => {
                self.note(atom);
                let source = &self.view.atoms[atom];
                let within = at.saturating_sub(source.range.start).min(source.range.len());
                self.runs.entry(source.run).or_default().insert(source.node, within, text);
            }
            Spot::EmptyRun(position) => {
                let empty = &self.view.empty_runs[position];
                let (scope, field) = (empty.scope, empty.field);
                self.note_scopes(scope, field);
                self.runs.entry(empty.run).or_default().fill(text);
            }
            Spot::NewRun { at, like } => {
                let names = Names::at(self.xml, self.view.paragraph);
                let properties = self.properties_like(like);
                let run = match self.tracking {
                    None => names.revocable_run(&properties, text)?,
                    Some(tracking) => tracking.insertion(&names, &names.run(&properties, text)?),
                };
                if self.xml.is_empty_tag(self.view.paragraph) {
                    fill_empty_tag(self.xml, self.view.paragraph, &run, splices);
                } else {
                    splices.insert(at, run);
                }
            }
        }
        Ok(())
    }

    /// Remembers what surrounds an atom that changes.
    fn note(&mut self, atom: usize) {
        let source = &self.view.atoms[atom];
        self.note_scopes(source.scope, source.field);
    }

    fn note_scopes(&mut self, scope: Option<usize>, field: Option<usize>) {
        for scope in self.view.scopes_of(scope) {
            match scope.kind {
                ScopeKind::Control => push_new(&mut self.touched.controls, scope.node),
                ScopeKind::SimpleField => push_new(&mut self.touched.simple_fields, scope.node),
                ScopeKind::Hyperlink | ScopeKind::Insertion | ScopeKind::Plain => {}
            }
        }
        if let Some(field) = field {
            push_new(&mut self.touched.fields, field);
        }
    }

    fn refuse_walls(&self, touched: std::ops::Range<usize>) -> Result<(), EditError> {
        let wall = self.view.atoms[touched].iter().find(|atom| atom.kind == AtomKind::Wall);
        let Some(wall) = wall else { return Ok(()) };
        let what = match self.xml.local_name(wall.node) {
            "oMath" | "oMathPara" => "an equation",
            "ruby" => "text with a phonetic guide",
            _ => "alternate content",
        };
        let text = &self.view.text[wall.range.clone()];
        Err(would_damage(format!(
            "The change reaches into {what} (\"{text}\"), which is not edited as text."
        ))
        .hint("Keep that text as it is and change only what stands around it."))
    }

    /// All characters that are replaced must lie inside the same borders; deleting may also empty hyperlinks.
    fn refuse_crossing(&self, touched: std::ops::Range<usize>, hunk: &Hunk) -> Result<(), EditError> {
        let mut borders = self.view.atoms[touched].iter().map(|atom| self.borders(atom.scope, atom.field));
        let Some(first) = borders.next() else { return Ok(()) };
        for other in borders {
            let crossed = first.iter().chain(&other).find(|border| {
                first.contains(border) != other.contains(border)
                    && !(hunk.new.is_empty() && self.is_hyperlink(**border))
            });
            if let Some(border) = crossed {
                return Err(self.crossing(*border));
            }
        }
        Ok(())
    }

    fn is_hyperlink(&self, border: Border) -> bool {
        matches!(border, Border::Scope(scope) if self.view.scopes[scope].kind == ScopeKind::Hyperlink)
    }

    fn crossing(&self, border: Border) -> EditError {
        let what = match border {
            Border::Field(_) => "a field",
            Border::Scope(scope) => match self.view.scopes[scope].kind {
                ScopeKind::Hyperlink => "a hyperlink",
                ScopeKind::SimpleField => "a field",
                ScopeKind::Control => "a content control",
                ScopeKind::Insertion | ScopeKind::Plain => "a wrapper",
            },
        };
        let inside: String = self
            .view
            .atoms
            .iter()
            .filter(|atom| self.borders(atom.scope, atom.field).contains(&border))
            .map(|atom| &self.view.text[atom.range.clone()])
            .collect();
        would_damage(format!("The changed text crosses the border of {what} (\"{inside}\")."))
            .hint("Change the text inside it and the text outside it by operations of their own.")
    }

    /// Hyperlinks, controls and fields around a place, without fields that cover the whole paragraph.
    fn borders(&self, scope: Option<usize>, field: Option<usize>) -> Vec<Border> {
        let scopes = std::iter::successors(scope, |inner| self.view.scopes[*inner].parent);
        let hard = scopes.filter(|scope| match self.view.scopes[*scope].kind {
            ScopeKind::Hyperlink | ScopeKind::SimpleField | ScopeKind::Control => true,
            ScopeKind::Insertion | ScopeKind::Plain => false,
        });
        let fields = std::iter::successors(field, |inner| self.index.fields.all[*inner].parent);
        let covers =
            |field: &usize| self.view.open_before.contains(field) && self.view.open_after.contains(field);
        let mut borders: Vec<Border> = hard.map(Border::Scope).collect();
        borders.extend(fields.filter(|field| !covers(field)).map(Border::Field));
        borders
    }

    /// Where text goes that replaces nothing: left of the place by rule, but never into a hyperlink, field or control that only
    /// touches the place from one side.
    fn spot(&self, at: usize) -> Result<Spot, EditError> {
        let atoms = &self.view.atoms;
        let left = atoms.iter().rposition(|atom| atom.range.end <= at && atom.range.start < at);
        let inside = atoms.iter().position(|atom| atom.range.start < at && at < atom.range.end);
        if let Some(atom) = inside {
            self.refuse_walls(atom..atom + 1)?;
            return Ok(Spot::Atom { atom, at });
        }
        let right = atoms.iter().position(|atom| atom.range.start >= at);
        let borders = |atom: usize| self.borders(atoms[atom].scope, atoms[atom].field);
        let contains = |outer: &[Border], inner: &[Border]| inner.iter().all(|border| outer.contains(border));
        let is_open = |atom: usize| atoms[atom].kind != AtomKind::Wall;
        match (left, right) {
            (None, None) => self.spot_in_empty(),
            (Some(left), Some(right)) => {
                let (of_left, of_right) = (borders(left), borders(right));
                if is_open(left) && contains(&of_right, &of_left) {
                    Ok(Spot::Atom { atom: left, at })
                } else if is_open(right) && contains(&of_left, &of_right) {
                    Ok(Spot::Atom { atom: right, at })
                } else {
                    let only_left: Vec<Border> =
                        of_left.into_iter().filter(|border| !of_right.contains(border)).collect();
                    Ok(self.outside(left, &only_left, Side::After))
                }
            }
            (Some(left), None) if is_open(left) && borders(left).is_empty() => {
                Ok(Spot::Atom { atom: left, at })
            }
            (Some(left), None) => Ok(self.outside(left, &borders(left), Side::After)),
            (None, Some(right)) if is_open(right) && borders(right).is_empty() => {
                Ok(Spot::Atom { atom: right, at })
            }
            (None, Some(right)) => Ok(self.outside(right, &borders(right), Side::Before)),
        }
    }

    /// A new run beyond all the borders around an atom; inside them when a field has its other end elsewhere.
    fn outside(&self, atom: usize, borders: &[Border], side: Side) -> Spot {
        let source = &self.view.atoms[atom];
        let own = self.xml.span(source.run);
        let edge = |border: &Border| -> Option<usize> {
            let span = match border {
                Border::Scope(scope) => self.xml.span(self.view.scopes[*scope].node),
                Border::Field(field) => {
                    let field = &self.index.fields.all[*field];
                    let mark = match side {
                        Side::Before => Some(field.begin),
                        Side::After => field.end,
                    };
                    let run = mark.and_then(|mark| self.xml.parent(mark))?;
                    let paragraph = self.xml.span(self.view.paragraph);
                    let span = self.xml.span(run);
                    (paragraph.start < span.start && span.end < paragraph.end).then_some(span)?
                }
            };
            Some(match side {
                Side::Before => span.start,
                Side::After => span.end,
            })
        };
        let edges: Option<Vec<usize>> = borders.iter().map(edge).collect();
        let own_edge = match side {
            Side::Before => own.start,
            Side::After => own.end,
        };
        match edges {
            Some(edges) => {
                let all = edges.into_iter().chain([own_edge]);
                let at = match side {
                    Side::Before => all.min(),
                    Side::After => all.max(),
                };
                Spot::NewRun { at: at.unwrap_or(own_edge), like: self.nearest_plain(atom) }
            }
            None if source.kind == AtomKind::Wall => {
                Spot::NewRun { at: own_edge, like: self.nearest_plain(atom) }
            }
            None => Spot::Atom {
                atom,
                at: match side {
                    Side::Before => source.range.start,
                    Side::After => source.range.end,
                },
            },
        }
    }

    /// The nearest atom outside every border, whose formatting new text outside takes.
    fn nearest_plain(&self, atom: usize) -> Option<usize> {
        let is_plain = |position: &usize| {
            let candidate = &self.view.atoms[*position];
            candidate.kind != AtomKind::Wall && self.borders(candidate.scope, candidate.field).is_empty()
        };
        (0..atom).rev().find(is_plain).or_else(|| (atom + 1..self.view.atoms.len()).find(is_plain))
    }

    fn spot_in_empty(&self) -> Result<Spot, EditError> {
        let is_plain = |position: &usize| {
            let run = &self.view.empty_runs[*position];
            self.borders(run.scope, run.field).is_empty()
        };
        let empty = 0..self.view.empty_runs.len();
        if let Some(run) = empty.clone().find(is_plain).or_else(|| empty.clone().next()) {
            return Ok(Spot::EmptyRun(run));
        }
        if self.view.ends_in_code {
            return Err(would_damage(
                "The paragraph lies in the code of a field, where text is not shown.".into(),
            ));
        }
        Ok(Spot::NewRun { at: self.xml.content(self.view.paragraph).end, like: None })
    }

    /// The `w:rPr` for a new run: like an atom's, else like the paragraph mark's (which Word gives to text typed there).
    fn properties_like(&self, like: Option<usize>) -> String {
        match like {
            Some(atom) => without_change(run_properties(self.xml, self.view.atoms[atom].run)),
            None => mark_properties(self.xml, self.view.paragraph),
        }
    }
}

#[derive(Clone, Copy)]
enum Side {
    Before,
    After,
}

fn push_new<T: PartialEq>(list: &mut Vec<T>, item: T) {
    if !list.contains(&item) {
        list.push(item);
    }
}

/// Gives content to an element written `<name/>`.
pub(super) fn fill_empty_tag(xml: &Xml, element: NodeId, content: &str, splices: &mut Splices) {
    let end = xml.span(element).end;
    splices.replace(end - 2..end, format!(">{content}</{}>", xml.qualified_name(element)));
}

pub(super) fn would_damage(message: String) -> EditError {
    EditError::new(EditErrorKind::WouldDamage, message)
}

/// A run's `w:rPr` as written, or nothing.
pub(super) fn run_properties(xml: &Xml, run: NodeId) -> &str {
    xml.child(run, Ns::W, "rPr").map_or("", |properties| xml.raw(properties))
}

/// A paragraph mark's `w:rPr` without its revision marks, or nothing.
pub(super) fn mark_properties(xml: &Xml, paragraph: NodeId) -> String {
    let mark = xml.child(paragraph, Ns::W, "pPr").and_then(|properties| xml.child(properties, Ns::W, "rPr"));
    let Some(mark) = mark else { return String::new() };
    let is_kept = |child: &NodeId| {
        !matches!(xml.local_name(*child), "ins" | "del" | "moveFrom" | "moveTo" | "rPrChange")
    };
    let kept: String = xml.children(mark).filter(is_kept).map(|child| xml.raw(child)).collect();
    if kept.is_empty() {
        return String::new();
    }
    let name = xml.qualified_name(mark);
    format!("<{name}>{kept}</{name}>")
}
