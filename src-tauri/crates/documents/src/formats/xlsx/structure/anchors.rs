//! Anchors of drawings, controls and notes: from and to, in cells counted from 0, with offsets that stay.

use crate::{
    EditError,
    formats::xlsx::{address::Axis, formula::LineEdit, patch::Patch},
    package::xml::{NodeId, Ns},
};

/// How an object follows cells (20.5.2.33 `editAs`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::formats::xlsx) enum Follow {
    /// Moves and is sized with cells.
    MoveAndSize,
    /// Moves only.
    Move,
    Stay,
}

/// A marker afterwards: its line from 0, and whether its offset into the line still counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::formats::xlsx) struct Marker {
    pub(in crate::formats::xlsx) line: u32,
    pub(in crate::formats::xlsx) keeps_offset: bool,
}

/// Where a marker on a line (from 0) goes; on a deleted line it moves to the beginning of the first one behind.
pub(in crate::formats::xlsx) fn marker(edit: &LineEdit, line: u32) -> Marker {
    match edit.line(line + 1) {
        Some(moved) => Marker { line: moved - 1, keeps_offset: true },
        None if line + 1 >= edit.at && edit.verb == crate::formats::xlsx::formula::Verb::Delete => {
            Marker { line: edit.at - 1, keeps_offset: false }
        }
        None => Marker { line: edit.axis.last() - 1, keeps_offset: true },
    }
}

/// From and to afterwards.
pub(in crate::formats::xlsx) fn markers(
    edit: &LineEdit,
    follow: Follow,
    from: u32,
    to: Option<u32>,
) -> (Marker, Option<Marker>) {
    let same = |line| Marker { line, keeps_offset: true };
    match follow {
        Follow::Stay => (same(from), to.map(same)),
        Follow::MoveAndSize => (marker(edit, from), to.map(|to| marker(edit, to))),
        Follow::Move => {
            let moved = marker(edit, from);
            let last = edit.axis.last() - 1;
            let end = to.map(|to| (to + moved.line).saturating_sub(from).min(last));
            (moved, end.map(same))
        }
    }
}

/// Moves one anchor element of a drawing part or a worksheet: its `from` and `to` children.
pub(in crate::formats::xlsx) fn shift_anchor(
    patch: &mut Patch<'_>,
    anchor: NodeId,
    edit: &LineEdit,
    follow: Follow,
) -> Result<(), EditError> {
    let child = |name: &str| patch.xml.children(anchor).find(|node| patch.xml.local_name(*node) == name);
    let (Some(from), to) = (child("from"), child("to")) else { return Ok(()) };
    let (line_name, offset_name) = match edit.axis {
        Axis::Rows => ("row", "rowOff"),
        Axis::Cols => ("col", "colOff"),
    };
    let field = |marker: NodeId, name: &str| {
        patch.xml.children(marker).find(|node| patch.xml.local_name(*node) == name)
    };
    let line = |marker: NodeId| {
        let node = field(marker, line_name)?;
        Some((node, patch.xml.text(node).trim().parse::<u32>().ok()?))
    };
    let Some((from_node, from_line)) = line(from) else { return Ok(()) };
    let to_line = to.and_then(line);
    let (new_from, new_to) = markers(edit, follow, from_line, to_line.map(|(_, line)| line));
    let mut writes = vec![(from_node, new_from, field(from, offset_name))];
    if let (Some((node, _)), Some(marker), Some(to)) = (to_line, new_to, to) {
        writes.push((node, marker, field(to, offset_name)));
    }
    for (node, marker, offset) in writes {
        patch.set_text(node, &marker.line.to_string())?;
        if let Some(offset) = offset.filter(|_| !marker.keeps_offset) {
            patch.set_text(offset, "0")?;
        }
    }
    Ok(())
}

/// The anchor of a control or embedded object inside a worksheet; both flags are off unless said (18.3.1.2).
pub(in crate::formats::xlsx) fn worksheet_anchor(
    patch: &mut Patch<'_>,
    anchor: NodeId,
    edit: &LineEdit,
) -> Result<(), EditError> {
    let flag = |name| matches!(patch.value(anchor, name).as_deref(), Some("1" | "true"));
    let follow = match (flag("moveWithCells"), flag("sizeWithCells")) {
        (_, true) => Follow::MoveAndSize,
        (true, false) => Follow::Move,
        (false, false) => Follow::Stay,
    };
    shift_anchor(patch, anchor, edit, follow)
}

/// All anchors of a drawing part.
pub(in crate::formats::xlsx) fn shift_drawing(
    patch: &mut Patch<'_>,
    edit: &LineEdit,
) -> Result<(), EditError> {
    let anchors: Vec<(NodeId, Follow)> = patch
        .xml
        .descendants(patch.xml.root())
        .filter_map(|node| {
            if patch.xml.is(node, Ns::Xdr, "oneCellAnchor") {
                return Some((node, Follow::Move));
            }
            if !patch.xml.is(node, Ns::Xdr, "twoCellAnchor") {
                return None;
            }
            let follow = match patch.value(node, "editAs").as_deref() {
                Some("oneCell") => Follow::Move,
                Some("absolute") => Follow::Stay,
                _ => Follow::MoveAndSize,
            };
            Some((node, follow))
        })
        .collect();
    anchors.into_iter().try_for_each(|(anchor, follow)| shift_anchor(patch, anchor, edit, follow))
}
