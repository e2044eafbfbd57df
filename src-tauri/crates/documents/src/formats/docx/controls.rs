//! Content controls (ECMA-376-1, 17.5.2): what else must follow when text inside one changes, and when that is refused.

use super::{
    batch::{Batch, Target},
    difference::Hunk,
    rewrite::Touched,
    view::View,
};
use crate::{EditError, package::xml::Splices};

/// Makes the controls around a changed text follow it.
pub(super) fn follow(
    _batch: &mut Batch<'_>,
    _target: &Target,
    _view: &View,
    _hunks: &[Hunk],
    _touched: &Touched,
    _splices: &mut Splices,
) -> Result<(), EditError> {
    Ok(())
}
