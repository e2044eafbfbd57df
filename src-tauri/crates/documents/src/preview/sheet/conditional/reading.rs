//! Rules as a sheet writes them: those of the standard, and those of the extension of 2009 (`x14`), whose formulas are elements of
//! their own (`xm:f`), whose formats stand with them, and which complete the data bars of the standard.

use std::sync::OnceLock;

use super::super::{
    layout::area,
    styles::{CellStyle, Styles},
    truth,
};
use super::{
    Operand, Rule, Rules, Test,
    icons::{Icons, count_of},
    stops::{Bar, Stop},
};
use crate::package::xml::{NodeId, Ns, Xml};

/// More rules than this no person reads; the rest is not drawn.
const RULES: usize = 400;

/// One rule's element, in either dialect.
#[derive(Clone, Copy)]
struct Source<'x> {
    frame: &'x Xml,
    styles: &'x Styles,
    rule: NodeId,
    dialect: Ns,
}

impl Rules {
    pub(in crate::preview::sheet) fn read(frame: &Xml, styles: &Styles) -> Rules {
        let mut rules: Vec<Rule> = rules_of(frame, styles, Ns::S).take(RULES).collect();
        for newer in rules_of(frame, styles, Ns::X14).take(RULES) {
            // The second half of a data bar, not a rule of its own.
            let first_half = rules.iter().position(|rule| rule.id.is_some() && rule.id == newer.id);
            match (first_half, newer.test) {
                (Some(at), Test::Bar(bar)) => rules[at].complete(bar),
                (None, Test::Bar(bar)) if bar.color.is_empty() => {}
                (_, test) => rules.push(Rule { test, ..newer }),
            }
        }
        rules.sort_by_key(|rule| rule.priority);
        Rules(rules)
    }
}

fn rules_of<'x>(frame: &'x Xml, styles: &'x Styles, dialect: Ns) -> impl Iterator<Item = Rule> + 'x {
    frame.descendants_named(frame.root(), dialect, "conditionalFormatting").flat_map(move |list| {
        let areas = match dialect {
            Ns::S => frame.value(list, Ns::None, "sqref").unwrap_or_default(),
            _ => frame.child(list, Ns::Xm, "sqref").map(|node| frame.text(node)).unwrap_or_default(),
        };
        let areas: Vec<[u32; 4]> = areas.split_whitespace().filter_map(area).collect();
        frame
            .children_named(list, dialect, "cfRule")
            .filter_map(|rule| Source { frame, styles, rule, dialect }.read(&areas))
            .collect::<Vec<Rule>>()
    })
}

impl Rule {
    /// Takes over what only the extension says of a data bar.
    fn complete(&mut self, newer: Bar) {
        if let Test::Bar(bar) = &mut self.test {
            let color = if newer.color.is_empty() { bar.color.clone() } else { newer.color };
            *bar = Bar { color, value_hidden: bar.value_hidden || newer.value_hidden, ..newer };
        }
    }
}

impl Source<'_> {
    fn value(&self, name: &str) -> Option<String> {
        self.frame.value(self.rule, Ns::None, name).map(|value| value.into_owned())
    }

    fn on(&self, name: &str, otherwise: bool) -> bool {
        self.value(name).map_or(otherwise, |text| truth(&text))
    }

    fn formulas(&self) -> Vec<String> {
        let (namespace, name) = if self.dialect == Ns::S { (Ns::S, "formula") } else { (Ns::Xm, "f") };
        let nodes = self.frame.children_named(self.rule, namespace, name);
        nodes.map(|node| self.frame.text(node).into_owned()).collect()
    }

    fn read(&self, areas: &[[u32; 4]]) -> Option<Rule> {
        let test = self.test()?;
        Some(Rule {
            areas: areas.to_vec(),
            priority: self.value("priority").and_then(|priority| priority.parse().ok()).unwrap_or(i64::MAX),
            stops: self.on("stopIfTrue", false),
            look: self.look(),
            id: self.id(),
            test,
            values: OnceLock::new(),
        })
    }

    fn test(&self) -> Option<Test> {
        let kind = self.value("type")?;
        let formulas = self.formulas();
        Some(match kind.as_str() {
            "cellIs" => Test::Compares {
                operator: self.value("operator")?,
                operands: formulas.iter().map(|text| operand(text)).collect(),
            },
            "containsText" | "notContainsText" | "beginsWith" | "endsWith" => {
                // The extension gives the text as a second formula, which may name a cell.
                let text = self.value("text").map(|text| Operand::Text(text.to_lowercase()));
                Test::Text {
                    operator: kind.clone(),
                    text: text.or_else(|| formulas.get(1).map(|text| operand(text)))?,
                }
            }
            "containsBlanks" | "notContainsBlanks" => Test::Blank { wanted: kind == "containsBlanks" },
            "containsErrors" | "notContainsErrors" => Test::Error { wanted: kind == "containsErrors" },
            "duplicateValues" | "uniqueValues" => Test::Repeats { wanted: kind == "duplicateValues" },
            "aboveAverage" => Test::Average {
                above: self.on("aboveAverage", true),
                equal: self.on("equalAverage", false),
                deviations: self.value("stdDev").and_then(|count| count.parse().ok()),
            },
            "top10" => Test::Top {
                rank: self.value("rank").and_then(|rank| rank.parse().ok()).unwrap_or(10.0),
                percent: self.on("percent", false),
                bottom: self.on("bottom", false),
            },
            "colorScale" => self.scale()?,
            "dataBar" => self.bar()?,
            "iconSet" => self.icons()?,
            // Periods of time bring the formula that says the same.
            "expression" | "timePeriod" => Test::Formula(formulas.into_iter().next()?),
            _ => return None,
        })
    }

    fn look(&self) -> CellStyle {
        if let Some(own) = self.frame.child(self.rule, self.dialect, "dxf").filter(|_| self.dialect != Ns::S)
        {
            return self.styles.differential_in(self.frame, own);
        }
        let id = self.value("dxfId").and_then(|id| id.parse().ok());
        id.map(|id| self.styles.differential(id)).unwrap_or_default()
    }

    fn id(&self) -> Option<String> {
        if self.dialect == Ns::X14 {
            return self.value("id");
        }
        let id = self.frame.descendants_named(self.rule, Ns::X14, "id").next()?;
        Some(self.frame.text(id).trim().to_owned())
    }

    fn stops(&self, holder: NodeId) -> Option<Vec<(Stop, bool)>> {
        let read = |node| {
            let itself = self.frame.value(node, Ns::None, "gte").is_none_or(|text| truth(&text));
            Some((self.stop(node)?, itself))
        };
        self.frame.children_named(holder, self.dialect, "cfvo").map(read).collect()
    }

    fn stop(&self, node: NodeId) -> Option<Stop> {
        let formula = self.frame.child(node, Ns::Xm, "f").map(|node| self.frame.text(node));
        let value = self.frame.value(node, Ns::None, "val").or(formula);
        let number = value.as_ref().and_then(|value| value.trim().parse::<f64>().ok());
        let text = || value.as_ref().map(|value| value.trim().to_owned()).filter(|text| !text.is_empty());
        Some(match self.frame.value(node, Ns::None, "type")?.as_ref() {
            "min" => Stop::Least,
            "max" => Stop::Most,
            "autoMin" => Stop::LeastOrZero,
            "autoMax" => Stop::MostOrZero,
            "percent" => Stop::Percent(number?),
            "percentile" => Stop::Percentile(number?),
            // A number may be given as a reference, as Excel writes it for a formula that is one.
            "num" | "formula" => number.map(Stop::Number).or_else(|| text().map(Stop::Formula))?,
            _ => return None,
        })
    }

    fn color(&self, node: NodeId) -> Option<String> {
        self.styles.color(self.frame, node)
    }

    fn scale(&self) -> Option<Test> {
        let holder = self.frame.child(self.rule, self.dialect, "colorScale")?;
        let stops = self.stops(holder)?;
        let colors = self.frame.children_named(holder, self.dialect, "color");
        let colors = colors.map(|color| bytes(&self.color(color)?)).collect::<Option<Vec<[u8; 3]>>>()?;
        let pairs: Vec<(Stop, [u8; 3])> = stops.into_iter().map(|(stop, _)| stop).zip(colors).collect();
        (pairs.len() >= 2).then_some(Test::Scale(pairs))
    }

    fn bar(&self) -> Option<Test> {
        let holder = self.frame.child(self.rule, self.dialect, "dataBar")?;
        let mut stops = self.stops(holder)?.into_iter().map(|(stop, _)| stop);
        let (least, most) = (stops.next()?, stops.next()?);
        let child = |name| self.frame.child(holder, self.dialect, name).and_then(|node| self.color(node));
        let is_newer = self.dialect == Ns::X14;
        let color = if is_newer { child("fillColor").unwrap_or_default() } else { child("color")? };
        let hides = self.frame.value(holder, Ns::None, "showValue").is_some_and(|text| !truth(&text));
        // Excel's own red for negative values, where the extension names none.
        let negative = is_newer.then(|| child("negativeFillColor").unwrap_or_else(|| "#ff0000".into()));
        Some(Test::Bar(Bar { least, most, color, negative, value_hidden: hides }))
    }

    fn icons(&self) -> Option<Test> {
        let holder = self.frame.child(self.rule, self.dialect, "iconSet")?;
        let value = |name| self.frame.value(holder, Ns::None, name);
        // What a file does not name is this one (18.3.1.49).
        let set = value("iconSet").map_or_else(|| "3TrafficLights1".to_owned(), |name| name.into_owned());
        let steps = self.stops(holder)?;
        let reversed = value("reverse").is_some_and(|text| truth(&text));
        let own: Vec<Option<(String, u32)>> = self
            .frame
            .children_named(holder, self.dialect, "cfIcon")
            .map(|node| self.own_icon(node))
            .collect();
        let icons = if own.len() == steps.len() {
            own
        } else {
            Icons::of_set(&set, count_of(&set).filter(|count| *count == steps.len())?, reversed)
        };
        let value_hidden = value("showValue").is_some_and(|text| !truth(&text));
        Some(Test::Icons(Icons { steps, icons, value_hidden }))
    }

    /// An icon of a set that the rule puts together itself.
    fn own_icon(&self, node: NodeId) -> Option<(String, u32)> {
        let value = |name| self.frame.value(node, Ns::None, name);
        let set = value("iconSet").filter(|set| set != "NoIcons")?;
        Some((set.into_owned(), value("iconId")?.parse().ok()?))
    }
}

/// A constant of a rule (a number, or a text in quotes), else a formula.
fn operand(formula: &str) -> Operand {
    let formula = formula.trim();
    let inside = formula.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
    // A quote inside must be doubled; otherwise it is an expression such as `"a"&"b"`.
    if let Some(text) = inside.filter(|text| !text.replace("\"\"", "").contains('"')) {
        return Operand::Text(text.replace("\"\"", "\"").to_lowercase());
    }
    formula.parse().map_or_else(|_| Operand::Formula(formula.to_owned()), Operand::Number)
}

fn bytes(color: &str) -> Option<[u8; 3]> {
    let value = u32::from_str_radix(color.strip_prefix('#')?, 16).ok()?;
    Some([(value >> 16) as u8, (value >> 8) as u8, value as u8])
}
