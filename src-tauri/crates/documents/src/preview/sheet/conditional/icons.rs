//! Icon sets (18.3.1.49): which icon a value gets. Drawing them is the page's.

use super::stops::Stop;

/// The icons of a rule.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Icons {
    /// From the least on: where each icon begins, and whether that value itself belongs to it.
    pub(super) steps: Vec<(Stop, bool)>,
    /// From the least on: a set and an icon of it; `None` is no icon.
    pub(super) icons: Vec<Option<(String, u32)>>,
    pub(super) value_hidden: bool,
}

impl Icons {
    /// Icons of one set in their order, or turned round.
    pub(super) fn of_set(set: &str, count: usize, reversed: bool) -> Vec<Option<(String, u32)>> {
        let count = count as u32;
        let icon = |index: u32| if reversed { count - 1 - index } else { index };
        (0..count).map(|index| Some((set.to_owned(), icon(index)))).collect()
    }

    /// The icon of a value: that of the last step it reaches, the first one being reached always.
    pub(super) fn pick(&self, value: f64, resolve: impl Fn(&Stop) -> Option<f64>) -> Option<(String, u32)> {
        let reached = |(stop, itself): &(Stop, bool)| {
            resolve(stop).is_some_and(|step| if *itself { value >= step } else { value > step })
        };
        let last = self.steps.iter().skip(1).rposition(reached).map_or(0, |index| index + 1);
        self.icons.get(last)?.clone()
    }
}

/// How many icons a set has: its name begins with the number.
pub(super) fn count_of(set: &str) -> Option<usize> {
    let count = set.chars().next()?.to_digit(10)? as usize;
    (3..=5).contains(&count).then_some(count)
}
