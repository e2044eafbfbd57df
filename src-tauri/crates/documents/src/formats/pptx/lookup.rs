//! Which shape a caller means: by id, name, outline address or placeholder type; never one of several.

use super::shapes::{Shape, ShapeKind};
use crate::{EditError, Place, edit::ShapeRef, error::EditErrorKind};

/// The shape that a reference names on the slide `label`.
pub(super) fn find_shape<'s>(
    shapes: &'s [Shape],
    wanted: &ShapeRef,
    label: &str,
) -> Result<&'s Shape, EditError> {
    let found = match wanted {
        ShapeRef::Id(id) => with_id(shapes, *id),
        ShapeRef::Name(name) => named(shapes, name, label),
    };
    match found.as_slice() {
        [only] => Ok(only),
        [] => {
            let message = format!("There is no shape {} on {label}.", worded(wanted));
            Err(EditError::new(EditErrorKind::OutOfRange, message)
                .hint("Use the id, name or placeholder type that the outline gives.")
                .matches(places(shapes.iter(), label)))
        }
        several => {
            let message = format!("{} shapes on {label} are called {}.", several.len(), worded(wanted));
            Err(EditError::new(EditErrorKind::MultipleMatches, message)
                .hint("Use the id of the one that is meant.")
                .matches(places(several.iter().copied(), label)))
        }
    }
}

/// The table that a reference names, or the only one of the slide.
pub(super) fn find_table<'s>(
    shapes: &'s [Shape],
    wanted: Option<&ShapeRef>,
    label: &str,
) -> Result<&'s Shape, EditError> {
    if let Some(wanted) = wanted {
        let tables: Vec<Shape> =
            shapes.iter().filter(|shape| shape.kind == ShapeKind::Table).cloned().collect();
        let is_table_there = find_shape(&tables, wanted, label).is_ok();
        let shape = match is_table_there {
            // Of several shapes of one name the table is meant.
            true => {
                let id = find_shape(&tables, wanted, label)?.element;
                shapes.iter().find(|shape| shape.element == id)
            }
            false => Some(find_shape(shapes, wanted, label)?),
        };
        return shape.filter(|shape| shape.kind == ShapeKind::Table).ok_or_else(|| {
            let message = format!("The shape {} on {label} is no table.", worded(wanted));
            EditError::new(EditErrorKind::UnsupportedOp, message)
        });
    }
    let tables: Vec<&Shape> = shapes.iter().filter(|shape| shape.kind == ShapeKind::Table).collect();
    match tables.as_slice() {
        [only] => Ok(only),
        [] => Err(EditError::new(EditErrorKind::OutOfRange, format!("There is no table on {label}."))),
        several => {
            let message = format!("There are {} tables on {label}.", several.len());
            Err(EditError::new(EditErrorKind::MultipleMatches, message)
                .hint("Say which one with `shape`.")
                .matches(places(several.iter().copied(), label)))
        }
    }
}

fn with_id(shapes: &[Shape], id: u64) -> Vec<&Shape> {
    shapes.iter().filter(|shape| shape.id == id).collect()
}

/// Exact names first, then placeholder types, outline addresses, ids written as text, and names without case.
fn named<'s>(shapes: &'s [Shape], name: &str, label: &str) -> Vec<&'s Shape> {
    let filtered = |keep: &dyn Fn(&Shape) -> bool| -> Vec<&'s Shape> {
        shapes.iter().filter(|shape| keep(shape)).collect()
    };
    let address = name.strip_prefix(&format!("{label}.")).unwrap_or(name);
    let id = address.strip_prefix("shape").unwrap_or(address).parse::<u64>().ok();
    let ladder = [
        filtered(&|shape| shape.name == name),
        filtered(&|shape| shape.placeholder.as_ref().is_some_and(|ph| ph.word() == name || ph.kind == name)),
        id.map(|id| with_id(shapes, id)).unwrap_or_default(),
        filtered(&|shape| shape.name.to_lowercase() == name.to_lowercase()),
        filtered(&|shape| shape.placeholder.as_ref().is_some_and(|ph| ph.word().eq_ignore_ascii_case(name))),
    ];
    ladder.into_iter().find(|found| !found.is_empty()).unwrap_or_default()
}

fn worded(wanted: &ShapeRef) -> String {
    match wanted {
        ShapeRef::Id(id) => id.to_string(),
        ShapeRef::Name(name) => format!("{name:?}"),
    }
}

fn places<'s>(shapes: impl Iterator<Item = &'s Shape>, label: &str) -> Vec<Place> {
    let place = |shape: &Shape| Place {
        location: format!("{label}.shape{}", shape.id),
        text: match &shape.placeholder {
            Some(placeholder) => format!("{} ({})", shape.name, placeholder.word()),
            None => shape.name.clone(),
        },
    };
    shapes.map(place).collect()
}

/// How a shape is called in a sentence.
pub(super) fn shape_label(shape: &Shape) -> String {
    format!("The shape {} ({:?})", shape.id, shape.name)
}
