//! Shared formulas (18.3.1.40): a group stays a group while all its members still read the same, else each gets its own text.

use std::collections::{BTreeMap, HashMap};

use super::cells::CellChange;
use crate::{
    DocumentError, EditError,
    formats::xlsx::{
        address::{Area, CellRef},
        formula::{
            Form, LineEdit, TokenKind, Verb,
            rewrite::{OffSheet, Scope, translate},
            tokens,
        },
        grid::{
            Grid,
            lex::{self, FormulaKind},
        },
    },
};

/// What becomes of a member of a group that changes.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::formats::xlsx) enum Fate {
    /// It gets a formula of its own.
    Own(String),
    /// It holds the group's text from now on.
    Master { text: String, area: Area, group: u32 },
}

/// What the change does to the relative references of a group.
#[derive(Clone, Copy)]
pub(in crate::formats::xlsx) enum GroupRule<'s> {
    /// The same to every member (sheets renamed, columns renamed).
    Uniform,
    /// References into a sheet move with its lines.
    Lines(LineEdit, Scope<'s>),
}

/// A group: its number, its master's text and all its cells in row order.
#[derive(Debug, Clone)]
pub(in crate::formats::xlsx) struct Group {
    pub(in crate::formats::xlsx) number: u32,
    pub(in crate::formats::xlsx) master: CellRef,
    pub(in crate::formats::xlsx) text: String,
    pub(in crate::formats::xlsx) area: Area,
    pub(in crate::formats::xlsx) members: Vec<CellRef>,
}

impl Group {
    /// The formula of a member in its own words.
    pub(in crate::formats::xlsx) fn text_at(&self, member: CellRef) -> String {
        let rows = i64::from(member.row) - i64::from(self.master.row);
        let cols = i64::from(member.col) - i64::from(self.master.col);
        translate(&self.text, rows, cols, OffSheet::Wrap)
    }
}

/// Which group a cell belongs to; a sheet may have a hundred thousand members.
pub(in crate::formats::xlsx) struct Membership {
    groups: Vec<Group>,
    by_cell: HashMap<CellRef, usize>,
}

impl Membership {
    pub(in crate::formats::xlsx) fn read(grid: &Grid) -> Result<Membership, DocumentError> {
        let groups = groups(grid)?;
        let numbered = groups.iter().enumerate();
        let by_cell = numbered
            .flat_map(|(number, group)| group.members.iter().map(move |cell| (*cell, number)))
            .collect();
        Ok(Membership { groups, by_cell })
    }

    /// The group whose member a cell is.
    pub(in crate::formats::xlsx) fn of(&self, cell: CellRef) -> Option<&Group> {
        self.by_cell.get(&cell).map(|number| &self.groups[*number])
    }
}

/// All groups of a sheet. A master that comes again under the same number begins a new group.
pub(in crate::formats::xlsx) fn groups(grid: &Grid) -> Result<Vec<Group>, DocumentError> {
    let bytes = grid.bytes();
    let mut groups: Vec<Group> = Vec::new();
    if memchr::memmem::find(bytes, b"shared").is_none() {
        return Ok(groups);
    }
    let mut current: BTreeMap<u32, usize> = BTreeMap::new();
    for row in grid.rows() {
        if memchr::memmem::find(&bytes[row.content()], b"shared").is_none() {
            continue;
        }
        for cell in grid.cells(row) {
            let cell = cell?;
            let Some(formula) = cell.formula.as_ref().filter(|f| f.kind == FormulaKind::Shared) else {
                continue;
            };
            let number = formula.shared.unwrap_or(0);
            let text = lex::text(&bytes[formula.text.start as usize..formula.text.end as usize]);
            if !text.is_empty() {
                let written = formula.reference.as_ref().map(|r| &bytes[r.start as usize..r.end as usize]);
                let area =
                    written.and_then(|raw| Area::parse(&lex::text(raw))).unwrap_or(Area::cell(cell.at));
                current.insert(number, groups.len());
                groups.push(Group {
                    number,
                    master: cell.at,
                    text: text.into_owned(),
                    area,
                    members: vec![cell.at],
                });
            } else if let Some(&index) = current.get(&number) {
                groups[index].members.push(cell.at);
            }
        }
    }
    Ok(groups)
}

/// What becomes of every shared formula that changes; members that are not named keep their bytes.
pub(super) fn plan(grid: &Grid, change: &mut CellChange<'_>) -> Result<HashMap<CellRef, Fate>, EditError> {
    let mut fates = HashMap::new();
    for group in groups(grid)? {
        plan_group(&group, change, &mut fates);
    }
    Ok(fates)
}

/// What becomes of the other members when the one that holds the text leaves.
pub(super) fn without_master(group: &Group) -> HashMap<CellRef, Fate> {
    let others: Vec<CellRef> = group.members.iter().copied().filter(|cell| *cell != group.master).collect();
    let one_line = group.area.rows() == 1 || group.area.cols() == 1;
    match others.first() {
        Some(&next) if one_line => {
            let text = group.text_at(next);
            let area = Area { first: next, last: group.area.last };
            HashMap::from([(next, Fate::Master { text, area, group: group.number })])
        }
        _ => others.into_iter().map(|member| (member, Fate::Own(group.text_at(member)))).collect(),
    }
}

fn plan_group(group: &Group, change: &mut CellChange<'_>, fates: &mut HashMap<CellRef, Fate>) {
    let moves = change.lines;
    let moved = |cell: CellRef| moves.map_or(Some(cell), |edit| edit.cell(cell));
    let survivors: Vec<CellRef> =
        group.members.iter().copied().filter(|cell| moved(*cell).is_some()).collect();
    let Some(&master) = survivors.first() else { return };
    let one_line = group.area.rows() == 1 || group.area.cols() == 1;
    let promoted = master != group.master;
    if is_uniform(group, &survivors, change.group) && (!promoted || one_line) {
        let old = group.text_at(master);
        let new = (change.formula)(&old, master);
        let area = moves.map_or(Some(group.area), |edit| edit.area(group.area)).unwrap_or(group.area);
        if !promoted && new.is_none() && area == group.area {
            return;
        }
        let text = new.unwrap_or(old);
        fates.insert(master, Fate::Master { text, area, group: group.number });
        return;
    }
    for member in survivors {
        let own = group.text_at(member);
        let text = (change.formula)(&own, member).unwrap_or(own);
        fates.insert(member, Fate::Own(text));
    }
}

/// Whether every relative reference of the group keeps its distance to the cell that holds it.
fn is_uniform(group: &Group, members: &[CellRef], rule: GroupRule<'_>) -> bool {
    let GroupRule::Lines(edit, scope) = rule else { return true };
    let lines = members.iter().map(|cell| cell.on(edit.axis));
    let (Some(first), Some(last)) = (lines.clone().min(), lines.max()) else { return true };
    let members_straddle = scope.at_home && straddles(&edit, i64::from(first), i64::from(last));
    tokens(&group.text).iter().all(|token| {
        let TokenKind::Reference(reference) = &token.kind else { return true };
        let followed = scope.holds(reference.prefix.as_ref());
        let corners = reference.form.corners_on(edit.axis);
        corners.iter().all(|corner| {
            let distance = i64::from(corner.on(edit.axis)) - i64::from(group.master.on(edit.axis));
            match (corner.is_fixed(edit.axis), followed) {
                // A fixed corner moves alike for all, but where it dies or is trimmed its partner may not.
                (true, _) => {
                    !followed
                        || corners.iter().all(|c| c.is_fixed(edit.axis))
                        || !in_band(&edit, corner.on(edit.axis))
                }
                (false, false) => !members_straddle,
                (false, true) => {
                    keeps_distance(&edit, scope.at_home, first, last, distance)
                        && whole_axis_safe(&reference.form)
                }
            }
        })
    })
}

fn whole_axis_safe(form: &Form) -> bool {
    let whole = form.area().is_some_and(|area| area.is_columns() || area.is_rows());
    !(whole && matches!(form, Form::Area(..)))
}

fn in_band(edit: &LineEdit, line: u32) -> bool {
    edit.verb == Verb::Delete && (edit.at..=edit.end()).contains(&line)
}

/// Whether lines lie on both sides of the edit (or in what is deleted).
fn straddles(edit: &LineEdit, first: i64, last: i64) -> bool {
    let (at, end) = (i64::from(edit.at), i64::from(edit.end()));
    match edit.verb {
        Verb::Insert => first < at && at <= last,
        Verb::Delete => first <= end && at <= last,
    }
}

/// Whether members on lines `first..=last` and what they point to, `distance` lines away, move alike.
fn keeps_distance(edit: &LineEdit, at_home: bool, first: u32, last: u32, distance: i64) -> bool {
    let (first, last) = (i64::from(first), i64::from(last));
    let (to_first, to_last) = (first + distance, last + distance);
    if to_first < 1 || to_last > i64::from(edit.axis.last()) {
        return false;
    }
    if !at_home {
        return !straddles(edit, to_first, to_last);
    }
    // With distance zero a member and its target lie on one line and move, or go, together.
    distance == 0 || (!straddles(edit, first, last) && !straddles(edit, to_first, to_last))
}
