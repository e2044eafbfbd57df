//! Conditional formats (18.3.1.18) as far as a preview can tell them from the values that the file holds: comparisons, texts, blanks,
//! duplicates, averages, top and bottom, colour scales and data bars. Rules with formulas of their own and icon sets are not drawn.

use std::{collections::HashMap, sync::OnceLock};

use serde::{Deserialize, Serialize};

use super::{
    Cell, CellShown, layout::area, rows::RowIndex, strings::Strings, styles::CellStyle, styles::Styles, truth,
};
use crate::package::xml::{NodeId, Ns, Xml};

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
    /// A data bar: its share of the cell's width from 0 to 1, and its colour.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bar: Option<(f64, String)>,
}

/// More values than this are not gone through for one rule; the rule is then not drawn.
const VALUES_SEEN: usize = 200_000;
/// More rules than this no person reads; the rest is not drawn.
const RULES: usize = 400;

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
    values: OnceLock<Option<Values>>,
}

#[derive(Debug)]
enum Test {
    /// A comparison with one or two constants.
    Compares {
        operator: String,
        operands: Vec<Operand>,
    },
    /// A text that is contained, not contained, or stands at the beginning or end.
    Text {
        operator: String,
        text: String,
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
    },
    Top {
        rank: f64,
        percent: bool,
        bottom: bool,
    },
    Scale(Vec<(Stop, [u8; 3])>),
    Bar {
        least: Stop,
        most: Stop,
        color: String,
    },
}

#[derive(Debug, Clone, PartialEq)]
enum Operand {
    Number(f64),
    Text(String),
}

/// One end of a scale (18.3.1.11).
#[derive(Debug, Clone, Copy)]
struct Stop {
    kind: StopKind,
    value: f64,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum StopKind {
    Least,
    Most,
    Number,
    Percent,
    Percentile,
}

/// The values of a rule's areas.
#[derive(Debug)]
struct Values {
    sorted: Vec<f64>,
    counts: HashMap<String, usize>,
}

impl Rules {
    pub(super) fn read(frame: &Xml, styles: &Styles) -> Rules {
        let mut rules: Vec<Rule> = frame
            .descendants_named(frame.root(), Ns::S, "conditionalFormatting")
            .flat_map(|list| {
                let areas = frame.value(list, Ns::None, "sqref").unwrap_or_default();
                let areas: Vec<[u32; 4]> = areas.split_whitespace().filter_map(area).collect();
                frame
                    .children_named(list, Ns::S, "cfRule")
                    .filter_map(|rule| Rule::read(frame, rule, &areas, styles))
                    .collect::<Vec<Rule>>()
            })
            .take(RULES)
            .collect();
        rules.sort_by_key(|rule| rule.priority);
        Rules(rules)
    }

    /// Dresses the cells of a window.
    pub(super) fn dress(&self, cells: &mut [Cell], rows: &RowIndex, strings: &Strings) {
        if self.0.is_empty() {
            return;
        }
        for cell in cells {
            let mut look = Look::default();
            for rule in self.0.iter().filter(|rule| rule.covers(cell.row, cell.column)) {
                if rule.apply(cell, rows, strings, &mut look) && rule.stops {
                    break;
                }
            }
            cell.look = (look != Look::default()).then_some(look);
        }
    }
}

impl Rule {
    fn read(frame: &Xml, rule: NodeId, areas: &[[u32; 4]], styles: &Styles) -> Option<Rule> {
        let value = |name: &str| frame.value(rule, Ns::None, name).map(|value| value.into_owned());
        let on = |name: &str, otherwise: bool| value(name).map_or(otherwise, |text| truth(&text));
        let formulas: Vec<String> =
            frame.children_named(rule, Ns::S, "formula").map(|node| frame.text(node).into_owned()).collect();
        let kind = value("type")?;
        let test = match kind.as_str() {
            "cellIs" => {
                let operands =
                    formulas.iter().map(|text| constant(text)).collect::<Option<Vec<Operand>>>()?;
                Test::Compares { operator: value("operator")?, operands }
            }
            "containsText" | "notContainsText" | "beginsWith" | "endsWith" => {
                Test::Text { operator: kind.clone(), text: value("text")?.to_lowercase() }
            }
            "containsBlanks" | "notContainsBlanks" => Test::Blank { wanted: kind == "containsBlanks" },
            "containsErrors" | "notContainsErrors" => Test::Error { wanted: kind == "containsErrors" },
            "duplicateValues" | "uniqueValues" => Test::Repeats { wanted: kind == "duplicateValues" },
            "aboveAverage" => {
                Test::Average { above: on("aboveAverage", true), equal: on("equalAverage", false) }
            }
            "top10" => Test::Top {
                rank: value("rank").and_then(|rank| rank.parse().ok()).unwrap_or(10.0),
                percent: on("percent", false),
                bottom: on("bottom", false),
            },
            "colorScale" => scale(frame, frame.child(rule, Ns::S, "colorScale")?, styles)?,
            "dataBar" => bar(frame, frame.child(rule, Ns::S, "dataBar")?, styles)?,
            _ => return None,
        };
        let look = value("dxfId").and_then(|id| id.parse().ok()).map(|id| styles.differential(id));
        Some(Rule {
            areas: areas.to_vec(),
            priority: value("priority").and_then(|priority| priority.parse().ok()).unwrap_or(i64::MAX),
            stops: on("stopIfTrue", false),
            test,
            look: look.unwrap_or_default(),
            values: OnceLock::new(),
        })
    }

    fn covers(&self, row: u32, column: u32) -> bool {
        self.areas
            .iter()
            .any(|area| (area[0]..=area[2]).contains(&row) && (area[1]..=area[3]).contains(&column))
    }

    /// Whether the rule holds for a cell; what a more important rule has set stays.
    fn apply(&self, cell: &Cell, rows: &RowIndex, strings: &Strings, look: &mut Look) -> bool {
        match &self.test {
            Test::Scale(stops) => {
                let color = number(&cell.value)
                    .zip(self.values(rows, strings))
                    .and_then(|(value, values)| blended(stops, value, values));
                let Some(color) = color else { return false };
                look.fill.get_or_insert(color);
            }
            Test::Bar { least, most, color } => {
                let Some((value, values)) = number(&cell.value).zip(self.values(rows, strings)) else {
                    return false;
                };
                let (least, most) = (least.resolve(values), most.resolve(values));
                let share =
                    if most > least { ((value - least) / (most - least)).clamp(0.0, 1.0) } else { 1.0 };
                look.bar.get_or_insert((share, color.clone()));
            }
            test => {
                if !self.holds(test, &cell.value, rows, strings) {
                    return false;
                }
                let style = &self.look;
                look.fill = look.fill.take().or_else(|| style.fill.clone());
                look.color = look.color.take().or_else(|| style.color.clone());
                look.bold = look.bold.or(style.bold.then_some(true));
                look.italic = look.italic.or(style.italic.then_some(true));
            }
        }
        true
    }

    fn holds(&self, test: &Test, value: &CellShown, rows: &RowIndex, strings: &Strings) -> bool {
        match test {
            Test::Compares { operator, operands } => compares(operator, value, operands),
            Test::Text { operator, text } => {
                let shown = text_of(value).to_lowercase();
                match operator.as_str() {
                    "containsText" => shown.contains(text),
                    "notContainsText" => !shown.contains(text),
                    "beginsWith" => shown.starts_with(text),
                    _ => shown.ends_with(text),
                }
            }
            Test::Blank { wanted } => text_of(value).trim().is_empty() == *wanted,
            Test::Error { wanted } => matches!(value, CellShown::Error(_)) == *wanted,
            Test::Repeats { wanted } => {
                let key = text_of(value).to_lowercase();
                !key.is_empty()
                    && self
                        .values(rows, strings)
                        .is_some_and(|values| (values.counts.get(&key).copied().unwrap_or(0) > 1) == *wanted)
            }
            Test::Average { above, equal } => {
                let Some((value, values)) = number(value).zip(self.values(rows, strings)) else {
                    return false;
                };
                let average = values.sorted.iter().sum::<f64>() / values.sorted.len().max(1) as f64;
                (*equal && value == average) || (if *above { value > average } else { value < average })
            }
            Test::Top { rank, percent, bottom } => {
                let Some((value, values)) = number(value).zip(self.values(rows, strings)) else {
                    return false;
                };
                let count = values.sorted.len();
                let wanted = if *percent { (count as f64 * rank / 100.0).floor() } else { *rank };
                let wanted = (wanted.max(1.0) as usize).min(count);
                let edge = if *bottom { wanted.checked_sub(1) } else { count.checked_sub(wanted) };
                let edge = edge.and_then(|at| values.sorted.get(at)).copied();
                edge.is_some_and(|edge| if *bottom { value <= edge } else { value >= edge })
            }
            Test::Scale(_) | Test::Bar { .. } => false,
        }
    }

    /// The values of the rule's areas, read once; `None` when there are too many.
    fn values(&self, rows: &RowIndex, strings: &Strings) -> Option<&Values> {
        let read = || {
            let mut cells = Vec::new();
            for area in &self.areas {
                let inside = rows.rows.iter().filter(|row| (area[0]..=area[2]).contains(&row.number)).count();
                let width = (area[3] - area[1] + 1) as usize;
                if inside.saturating_mul(width.min(64)) + cells.len() > VALUES_SEEN {
                    return None;
                }
                cells.extend(rows.cells([area[0], area[2]], [area[1], area[3]], strings).ok()?);
            }
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

impl Stop {
    fn read(frame: &Xml, node: NodeId) -> Option<Stop> {
        let value = frame.value(node, Ns::None, "val");
        let number = value.and_then(|value| value.trim().parse::<f64>().ok());
        let kind = match frame.value(node, Ns::None, "type")?.as_ref() {
            "min" | "autoMin" => StopKind::Least,
            "max" | "autoMax" => StopKind::Most,
            "num" => StopKind::Number,
            "percent" => StopKind::Percent,
            "percentile" => StopKind::Percentile,
            _ => return None,
        };
        let needs_number = !matches!(kind, StopKind::Least | StopKind::Most);
        (number.is_some() || !needs_number).then_some(Stop { kind, value: number.unwrap_or(0.0) })
    }

    fn resolve(self, values: &Values) -> f64 {
        let (least, most) =
            (values.sorted.first().copied().unwrap_or(0.0), values.sorted.last().copied().unwrap_or(0.0));
        match self.kind {
            StopKind::Least => least,
            StopKind::Most => most,
            StopKind::Number => self.value,
            StopKind::Percent => least + (most - least) * self.value / 100.0,
            StopKind::Percentile => {
                let place =
                    self.value.clamp(0.0, 100.0) / 100.0 * values.sorted.len().saturating_sub(1) as f64;
                let (below, above) = (place.floor() as usize, place.ceil() as usize);
                let at = |index: usize| values.sorted.get(index).copied().unwrap_or(most);
                at(below) + (at(above) - at(below)) * place.fract()
            }
        }
    }
}

fn scale(frame: &Xml, node: NodeId, styles: &Styles) -> Option<Test> {
    let stops = frame.children_named(node, Ns::S, "cfvo").map(|stop| Stop::read(frame, stop));
    let stops = stops.collect::<Option<Vec<Stop>>>()?;
    let colors = frame.children_named(node, Ns::S, "color").map(|color| bytes(&styles.color(frame, color)?));
    let colors = colors.collect::<Option<Vec<[u8; 3]>>>()?;
    let pairs: Vec<(Stop, [u8; 3])> = stops.into_iter().zip(colors).collect();
    (pairs.len() >= 2).then_some(Test::Scale(pairs))
}

fn bar(frame: &Xml, node: NodeId, styles: &Styles) -> Option<Test> {
    let mut stops = frame.children_named(node, Ns::S, "cfvo").map(|stop| Stop::read(frame, stop));
    let (least, most) = (stops.next()??, stops.next()??);
    let color = frame.child(node, Ns::S, "color").and_then(|color| styles.color(frame, color))?;
    Some(Test::Bar { least, most, color })
}

/// The colour of a value between the two stops around it.
fn blended(stops: &[(Stop, [u8; 3])], value: f64, values: &Values) -> Option<String> {
    let placed: Vec<(f64, [u8; 3])> =
        stops.iter().map(|(stop, color)| (stop.resolve(values), *color)).collect();
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

fn bytes(color: &str) -> Option<[u8; 3]> {
    let value = u32::from_str_radix(color.strip_prefix('#')?, 16).ok()?;
    Some([(value >> 16) as u8, (value >> 8) as u8, value as u8])
}

/// A constant of a rule: a number, or a text in quotes. References and functions are none.
fn constant(formula: &str) -> Option<Operand> {
    let formula = formula.trim();
    if let Some(text) = formula.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')) {
        return Some(Operand::Text(text.replace("\"\"", "\"").to_lowercase()));
    }
    formula.parse().ok().map(Operand::Number)
}

fn compares(operator: &str, value: &CellShown, operands: &[Operand]) -> bool {
    let Some(first) = operands.first() else { return false };
    let order = |operand: &Operand| match (number(value), operand) {
        (Some(value), Operand::Number(other)) => value.partial_cmp(other),
        (None, Operand::Text(other)) => Some(text_of(value).to_lowercase().cmp(other)),
        _ => None,
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
