//! Conditional formats (18.3.1.18, and their extension of 2009) as a preview can tell them from the values that the file holds:
//! comparisons, texts, blanks, duplicates, averages, top and bottom, formulas, colour scales, data bars and icon sets.
//!
//! A formula that cannot be judged here (it asks for the time, or reads more than a window is worth) dresses nothing.

mod facts;
mod icons;
mod reading;
mod stops;

use std::{
    collections::{BTreeSet, HashMap, HashSet},
    sync::OnceLock,
};

use serde::{Deserialize, Serialize};

pub(super) use self::facts::Facts;
use self::{
    icons::Icons,
    stops::{Bar, Stop, blended},
};
use super::{Cell, CellShown, styles::BorderLine, styles::CellStyle};
use crate::formats::xlsx::judge::Stored;

/// What the rules of a sheet make of one cell.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Look {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fill: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub color: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bold: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub italic: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub underline: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub strike: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub number_format: Option<String>,
    /// Top, right, bottom, left.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub border: Option<[Option<BorderLine>; 4]>,
    /// A data bar: where it begins and ends as shares of the cell's width from 0 to 1, and its colour.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bar: Option<(f64, f64, String)>,
    /// The name of an icon set (18.18.42) and which of its icons, counted from 0 for the least.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub icon: Option<(String, u32)>,
    /// Only the bar or the icon is shown, not the value.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub value_hidden: bool,
}

/// More values than this are not gone through for one rule; the rule is then not drawn.
const VALUES_SEEN: usize = 200_000;

/// The rules of a sheet, the most important first.
#[derive(Debug, Default)]
pub(super) struct Rules(Vec<Rule>);

#[derive(Debug)]
struct Rule {
    areas: Vec<[u32; 4]>,
    priority: i64,
    stops: bool,
    test: Test,
    look: CellStyle,
    /// What binds the two halves of a data bar (the extension's `x14:id`).
    id: Option<String>,
    values: OnceLock<Option<Values>>,
}

#[derive(Debug)]
enum Test {
    /// A comparison with one or two operands.
    Compares {
        operator: String,
        operands: Vec<Operand>,
    },
    /// A text that is contained, not contained, or stands at the beginning or end.
    Text {
        operator: String,
        text: Operand,
    },
    Blank {
        wanted: bool,
    },
    Error {
        wanted: bool,
    },
    Repeats {
        wanted: bool,
    },
    Average {
        above: bool,
        equal: bool,
        /// This many standard deviations from the average.
        deviations: Option<f64>,
    },
    Top {
        rank: f64,
        percent: bool,
        bottom: bool,
    },
    Formula(String),
    Scale(Vec<(Stop, [u8; 3])>),
    Bar(Bar),
    Icons(Icons),
}

#[derive(Debug, Clone, PartialEq)]
enum Operand {
    Number(f64),
    Text(String),
    Formula(String),
}

/// The values of a rule's areas.
#[derive(Debug)]
struct Values {
    sorted: Vec<f64>,
    counts: HashMap<String, usize>,
}

impl Rules {
    /// Dresses the cells of a window, those that hold nothing too: whole rows are coloured by formulas.
    pub(super) fn dress(&self, cells: &mut Vec<Cell>, rows: [u32; 2], columns: [u32; 2], facts: &Facts<'_>) {
        if self.0.is_empty() {
            return;
        }
        self.add_blanks(cells, rows, columns);
        for cell in cells.iter_mut() {
            let mut look = Look::default();
            for rule in self.0.iter().filter(|rule| rule.covers(cell.row, cell.column)) {
                if rule.apply(cell, facts, &mut look) && rule.stops {
                    break;
                }
            }
            cell.look = (look != Look::default()).then_some(look);
        }
        cells.retain(|cell| cell.look.is_some() || cell.shows_something());
    }

    /// Cells that the file does not hold, where a rule may dress them all the same.
    fn add_blanks(&self, cells: &mut Vec<Cell>, rows: [u32; 2], columns: [u32; 2]) {
        let held: HashSet<(u32, u32)> = cells.iter().map(|cell| (cell.row, cell.column)).collect();
        let mut blanks = BTreeSet::new();
        for area in self.0.iter().filter(|rule| rule.test.may_dress_blanks()).flat_map(|rule| &rule.areas) {
            for row in area[0].max(rows[0])..=area[2].min(rows[1]) {
                let across = area[1].max(columns[0])..=area[3].min(columns[1]);
                blanks.extend(across.map(|column| (row, column)).filter(|at| !held.contains(at)));
            }
        }
        if blanks.is_empty() {
            return;
        }
        cells.extend(blanks.into_iter().map(|(row, column)| Cell::blank(row, column)));
        cells.sort_by_key(|cell| (cell.row, cell.column));
    }
}

impl Test {
    fn may_dress_blanks(&self) -> bool {
        match self {
            Test::Compares { .. } | Test::Formula(_) => true,
            Test::Blank { wanted } => *wanted,
            Test::Text { operator, .. } => operator == "notContainsText",
            Test::Error { .. }
            | Test::Repeats { .. }
            | Test::Average { .. }
            | Test::Top { .. }
            | Test::Scale(_)
            | Test::Bar(_)
            | Test::Icons(_) => false,
        }
    }
}

impl Rule {
    fn covers(&self, row: u32, column: u32) -> bool {
        self.areas
            .iter()
            .any(|area| (area[0]..=area[2]).contains(&row) && (area[1]..=area[3]).contains(&column))
    }

    /// The cell for which the rule's formulas are written: the first of its first area.
    fn home(&self) -> [u32; 2] {
        self.areas.first().map_or([1, 1], |area| [area[0], area[1]])
    }

    /// Whether the rule holds for a cell; what a more important rule has set stays.
    fn apply(&self, cell: &Cell, facts: &Facts<'_>, look: &mut Look) -> bool {
        let at = [cell.row, cell.column];
        let both = || number(&cell.value).zip(self.values(facts));
        match &self.test {
            Test::Scale(stops) => {
                let color =
                    both().and_then(|(value, values)| blended(&self.placed(stops, values, facts), value));
                let Some(color) = color else { return false };
                look.fill.get_or_insert(color);
            }
            Test::Bar(bar) => {
                let drawn = both().and_then(|(value, values)| self.bar(bar, value, values, facts));
                let Some(drawn) = drawn else { return false };
                look.bar.get_or_insert(drawn);
                look.value_hidden |= bar.value_hidden;
            }
            Test::Icons(icons) => {
                let picked =
                    both().map(|(value, values)| icons.pick(value, |stop| self.resolve(stop, values, facts)));
                let Some(picked) = picked else { return false };
                look.value_hidden |= icons.value_hidden;
                look.icon = look.icon.take().or(picked);
            }
            test => {
                if !self.holds(test, &cell.value, at, facts) {
                    return false;
                }
                look.take(&self.look);
            }
        }
        true
    }

    fn holds(&self, test: &Test, value: &CellShown, at: [u32; 2], facts: &Facts<'_>) -> bool {
        match test {
            Test::Compares { operator, operands } => {
                let operands = operands.iter().map(|operand| self.operand(operand, at, facts));
                let Some(operands) = operands.collect::<Option<Vec<Operand>>>() else { return false };
                compares(operator, value, &operands)
            }
            Test::Text { operator, text } => {
                let text = match self.operand(text, at, facts) {
                    Some(Operand::Text(text)) => text,
                    Some(Operand::Number(number)) => number.to_string(),
                    Some(Operand::Formula(_)) | None => return false,
                };
                let shown = text_of(value).to_lowercase();
                match operator.as_str() {
                    "containsText" => shown.contains(&text),
                    "notContainsText" => !shown.contains(&text),
                    "beginsWith" => shown.starts_with(&text),
                    _ => shown.ends_with(&text),
                }
            }
            Test::Blank { wanted } => text_of(value).trim().is_empty() == *wanted,
            Test::Error { wanted } => matches!(value, CellShown::Error(_)) == *wanted,
            Test::Repeats { wanted } => {
                let key = text_of(value).to_lowercase();
                !key.is_empty()
                    && self
                        .values(facts)
                        .is_some_and(|values| (values.counts.get(&key).copied().unwrap_or(0) > 1) == *wanted)
            }
            Test::Average { above, equal, deviations } => {
                let Some((value, values)) = number(value).zip(self.values(facts)) else { return false };
                let average = values.average();
                let edge = match deviations {
                    Some(count) if *above => average + count * values.deviation(),
                    Some(count) => average - count * values.deviation(),
                    None => average,
                };
                (*equal && value == edge) || (if *above { value > edge } else { value < edge })
            }
            Test::Top { rank, percent, bottom } => {
                let Some((value, values)) = number(value).zip(self.values(facts)) else { return false };
                values
                    .edge(*rank, *percent, *bottom)
                    .is_some_and(|edge| if *bottom { value <= edge } else { value >= edge })
            }
            Test::Formula(formula) => match facts.judge(self.home(), at, formula) {
                Some(Stored::Truth(holds)) => holds,
                Some(Stored::Number(number)) => number != 0.0,
                Some(Stored::Empty | Stored::Text(_) | Stored::Error(_)) | None => false,
            },
            Test::Scale(_) | Test::Bar(_) | Test::Icons(_) => false,
        }
    }

    /// An operand as a constant; `None` when its formula cannot be judged.
    fn operand(&self, operand: &Operand, at: [u32; 2], facts: &Facts<'_>) -> Option<Operand> {
        let Operand::Formula(formula) = operand else { return Some(operand.clone()) };
        match facts.judge(self.home(), at, formula)? {
            Stored::Number(number) => Some(Operand::Number(number)),
            Stored::Text(text) => Some(Operand::Text(text.to_lowercase())),
            Stored::Truth(truth) => Some(Operand::Text(if truth { "true" } else { "false" }.to_owned())),
            // An empty cell counts as zero where a number is wanted.
            Stored::Empty => Some(Operand::Number(0.0)),
            Stored::Error(_) => None,
        }
    }

    /// The values of the rule's areas, read once; `None` when there are too many.
    fn values(&self, facts: &Facts<'_>) -> Option<&Values> {
        let read = || {
            let cells = facts.cells_of(&self.areas, VALUES_SEEN)?;
            let mut sorted: Vec<f64> = cells.iter().filter_map(|cell| number(&cell.value)).collect();
            sorted.sort_by(f64::total_cmp);
            let mut counts = HashMap::new();
            for cell in &cells {
                *counts.entry(text_of(&cell.value).to_lowercase()).or_insert(0) += 1;
            }
            Some(Values { sorted, counts })
        };
        self.values.get_or_init(read).as_ref()
    }
}

impl Look {
    fn take(&mut self, style: &CellStyle) {
        self.fill = self.fill.take().or_else(|| style.fill.clone());
        self.color = self.color.take().or_else(|| style.color.clone());
        self.number_format = self.number_format.take().or_else(|| style.number_format.clone());
        self.bold = self.bold.or(style.bold.then_some(true));
        self.italic = self.italic.or(style.italic.then_some(true));
        self.underline = self.underline.or(style.underline.then_some(true));
        self.strike = self.strike.or(style.strike.then_some(true));
        let has_lines = style.border.iter().any(Option::is_some);
        self.border = self.border.take().or_else(|| has_lines.then(|| style.border.clone()));
    }
}

impl Values {
    fn average(&self) -> f64 {
        self.sorted.iter().sum::<f64>() / self.sorted.len().max(1) as f64
    }

    /// Of the whole population, as Excel's rule takes it.
    fn deviation(&self) -> f64 {
        let average = self.average();
        let squares: f64 = self.sorted.iter().map(|value| (value - average).powi(2)).sum();
        (squares / self.sorted.len().max(1) as f64).sqrt()
    }

    /// The last value that still belongs to the top or the bottom.
    fn edge(&self, rank: f64, percent: bool, bottom: bool) -> Option<f64> {
        let count = self.sorted.len();
        let wanted = if percent { (count as f64 * rank / 100.0).floor() } else { rank };
        let wanted = (wanted.max(1.0) as usize).min(count);
        let edge = if bottom { wanted.checked_sub(1) } else { count.checked_sub(wanted) };
        self.sorted.get(edge?).copied()
    }
}

fn compares(operator: &str, value: &CellShown, operands: &[Operand]) -> bool {
    let Some(first) = operands.first() else { return false };
    let order = |operand: &Operand| match (value, operand) {
        (CellShown::Number(value), Operand::Number(other)) => value.partial_cmp(other),
        // An empty cell counts as zero and as no text.
        (CellShown::Empty, Operand::Number(other)) => 0.0_f64.partial_cmp(other),
        (CellShown::Number(_), _) | (_, Operand::Number(_)) => None,
        (value, Operand::Text(other)) => Some(text_of(value).to_lowercase().cmp(other)),
        (_, Operand::Formula(_)) => None,
    };
    let Some(to_first) = order(first) else { return operator == "notEqual" };
    let within =
        || operands.get(1).and_then(order).is_some_and(|to_second| to_first.is_ge() && to_second.is_le());
    match operator {
        "lessThan" => to_first.is_lt(),
        "lessThanOrEqual" => to_first.is_le(),
        "equal" => to_first.is_eq(),
        "notEqual" => to_first.is_ne(),
        "greaterThanOrEqual" => to_first.is_ge(),
        "greaterThan" => to_first.is_gt(),
        "between" => within(),
        "notBetween" => !within(),
        _ => false,
    }
}

fn number(value: &CellShown) -> Option<f64> {
    match value {
        CellShown::Number(number) => Some(*number),
        CellShown::Empty
        | CellShown::Text(_)
        | CellShown::Truth(_)
        | CellShown::Error(_)
        | CellShown::Date(_) => None,
    }
}

fn text_of(value: &CellShown) -> String {
    match value {
        CellShown::Empty => String::new(),
        CellShown::Text(text) | CellShown::Error(text) | CellShown::Date(text) => text.clone(),
        CellShown::Number(number) => number.to_string(),
        CellShown::Truth(truth) => if *truth { "TRUE" } else { "FALSE" }.to_owned(),
    }
}
