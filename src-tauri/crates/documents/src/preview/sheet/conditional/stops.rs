//! The ends and steps of colour scales, data bars and icon sets (18.3.1.11), and what lies between them.

use super::{Facts, Rule, Stored, Values};

/// One end or step.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Stop {
    Least,
    Most,
    /// As `Least` and `Most`, but zero is always among the values (the extension's automatic ends of bars).
    LeastOrZero,
    MostOrZero,
    Number(f64),
    Percent(f64),
    Percentile(f64),
    Formula(String),
}

/// A data bar.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Bar {
    pub(super) least: Stop,
    pub(super) most: Stop,
    pub(super) color: String,
    /// The colour of negative values, when it is another.
    pub(super) negative: Option<String>,
    pub(super) value_hidden: bool,
}

impl Rule {
    /// The value of a step among the rule's values.
    pub(super) fn resolve(&self, stop: &Stop, values: &Values, facts: &Facts<'_>) -> Option<f64> {
        let least = values.sorted.first().copied().unwrap_or(0.0);
        let most = values.sorted.last().copied().unwrap_or(0.0);
        Some(match stop {
            Stop::Least => least,
            Stop::Most => most,
            Stop::LeastOrZero => least.min(0.0),
            Stop::MostOrZero => most.max(0.0),
            Stop::Number(value) => *value,
            Stop::Percent(share) => least + (most - least) * share / 100.0,
            Stop::Percentile(share) => {
                let place = share.clamp(0.0, 100.0) / 100.0 * values.sorted.len().saturating_sub(1) as f64;
                let at = |index: f64| values.sorted.get(index as usize).copied().unwrap_or(most);
                at(place.floor()) + (at(place.ceil()) - at(place.floor())) * place.fract()
            }
            // References in the steps of a scale must be absolute, so it is the same for every cell.
            Stop::Formula(formula) => match facts.judge(self.home(), self.home(), formula)? {
                Stored::Number(number) => number,
                Stored::Empty => 0.0,
                Stored::Text(_) | Stored::Truth(_) | Stored::Error(_) => return None,
            },
        })
    }

    pub(super) fn placed(
        &self,
        stops: &[(Stop, [u8; 3])],
        values: &Values,
        facts: &Facts<'_>,
    ) -> Vec<(f64, [u8; 3])> {
        stops.iter().filter_map(|(stop, color)| Some((self.resolve(stop, values, facts)?, *color))).collect()
    }

    /// Where the bar of a value begins and ends, and its colour.
    pub(super) fn bar(
        &self,
        bar: &Bar,
        value: f64,
        values: &Values,
        facts: &Facts<'_>,
    ) -> Option<(f64, f64, String)> {
        let least = self.resolve(&bar.least, values, facts)?;
        let most = self.resolve(&bar.most, values, facts)?;
        if most <= least {
            return Some((0.0, 1.0, bar.color.clone()));
        }
        let share = |value: f64| ((value - least) / (most - least)).clamp(0.0, 1.0);
        // Negative values run from the axis to the left, where there is an axis.
        if value < 0.0 && least < 0.0 && bar.negative.is_some() {
            let color = bar.negative.clone().unwrap_or_else(|| bar.color.clone());
            return Some((share(value), share(0.0), color));
        }
        let axis = if bar.negative.is_some() && least < 0.0 { share(0.0) } else { 0.0 };
        Some((axis, share(value), bar.color.clone()))
    }
}

/// The colour of a value between the two stops around it.
pub(super) fn blended(placed: &[(f64, [u8; 3])], value: f64) -> Option<String> {
    let (first, last) = (placed.first()?, placed.last()?);
    let told = |color: [u8; 3]| format!("#{:02x}{:02x}{:02x}", color[0], color[1], color[2]);
    if value <= first.0 {
        return Some(told(first.1));
    }
    let pair = placed.windows(2).find(|pair| value <= pair[1].0);
    let Some([(from, low), (to, high)]) = pair.and_then(|pair| <&[_; 2]>::try_from(pair).ok()) else {
        return Some(told(last.1));
    };
    let share = if to > from { (value - from) / (to - from) } else { 1.0 };
    let mix = |index: usize| {
        (f64::from(low[index]) + (f64::from(high[index]) - f64::from(low[index])) * share).round() as u8
    };
    Some(told([mix(0), mix(1), mix(2)]))
}
