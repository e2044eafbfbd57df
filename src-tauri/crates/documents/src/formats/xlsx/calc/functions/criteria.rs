//! SUMIF and its kin: conditions as text, over ranges of one size.

use std::collections::HashMap;

use super::{
    super::{
        eval::{Eval, Operand, Outcome},
        parse::Expr,
        value::{ErrorValue, Scalar, nearly_equal, parse_number},
    },
    Answer, aggregate, wrong_arguments,
};
use crate::formats::xlsx::{
    address::{Area, CellRef, LAST_COL, LAST_ROW},
    number_format::DateSystem,
    workbook::SheetKey,
};

pub(super) fn call(eval: &Eval<'_>, name: &str, arguments: &[Expr]) -> Answer {
    let result: Outcome<Operand> = match name {
        "SUMIF" => single(eval, arguments, |n| Ok(aggregate::sum(n))),
        "AVERAGEIF" => single(eval, arguments, aggregate::average),
        "COUNTIF" => match arguments {
            [_, _] => count(eval, arguments),
            _ => wrong_arguments(),
        },
        "COUNTIFS" => count(eval, arguments),
        "SUMIFS" => several(eval, arguments, |n| Ok(aggregate::sum(n))),
        "AVERAGEIFS" => several(eval, arguments, aggregate::average),
        "MAXIFS" => several(eval, arguments, |n| Ok(n.iter().copied().reduce(f64::max).unwrap_or(0.0))),
        "MINIFS" => several(eval, arguments, |n| Ok(n.iter().copied().reduce(f64::min).unwrap_or(0.0))),
        _ => return Ok(None),
    };
    result.map(Some)
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Relation {
    Equal,
    Unequal,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
}

/// A condition such as `">5"`, `"a*"` or `3`.
#[derive(Debug, Clone)]
struct Criterion {
    relation: Relation,
    /// The operand; empty for `"="` and `"<>"` alone.
    operand: Scalar,
    pattern: Option<Vec<Wild>>,
    dates: DateSystem,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Wild {
    One(char),
    AnyOne,
    AnyRun,
}

/// A pattern with `?`, `*` and `~` before a sign that stands for itself; nothing when it holds neither.
pub(super) fn wildcards(text: &str) -> Option<Vec<Wild>> {
    if !text.contains(['*', '?', '~']) {
        return None;
    }
    let mut pattern = Vec::new();
    let mut characters = text.chars().flat_map(char::to_lowercase).peekable();
    while let Some(character) = characters.next() {
        pattern.push(match character {
            '~' => match characters.next_if(|next| matches!(next, '*' | '?' | '~')) {
                Some(next) => Wild::One(next),
                None => Wild::One('~'),
            },
            '*' => Wild::AnyRun,
            '?' => Wild::AnyOne,
            other => Wild::One(other),
        });
    }
    Some(pattern)
}

/// Whether a pattern fits all of a text, case aside. Linear but for runs, which go back to the last star only.
pub(super) fn fits(pattern: &[Wild], text: &str) -> bool {
    let text: Vec<char> = text.chars().flat_map(char::to_lowercase).collect();
    let (mut at, mut position) = (0, 0);
    let mut star: Option<(usize, usize)> = None;
    while position < text.len() {
        match pattern.get(at) {
            Some(Wild::AnyRun) => {
                star = Some((at, position));
                at += 1;
                continue;
            }
            Some(Wild::AnyOne) => {}
            Some(Wild::One(character)) if *character == text[position] => {}
            _ => match star {
                Some((star_at, from)) => {
                    star = Some((star_at, from + 1));
                    at = star_at + 1;
                    position = from + 1;
                    continue;
                }
                None => return false,
            },
        }
        at += 1;
        position += 1;
    }
    pattern[at..].iter().all(|wild| *wild == Wild::AnyRun)
}

impl Criterion {
    fn read(value: &Scalar, dates: DateSystem) -> Criterion {
        let Scalar::Text(text) = value else {
            let operand = if *value == Scalar::Empty { Scalar::Number(0.0) } else { value.clone() };
            return Criterion { relation: Relation::Equal, operand, pattern: None, dates };
        };
        let (relation, rest) = [
            ("<=", Relation::LessEqual),
            (">=", Relation::GreaterEqual),
            ("<>", Relation::Unequal),
            ("<", Relation::Less),
            (">", Relation::Greater),
            ("=", Relation::Equal),
        ]
        .iter()
        .find_map(|(sign, relation)| text.strip_prefix(sign).map(|rest| (*relation, rest)))
        .unwrap_or((Relation::Equal, text));
        let operand = if rest.is_empty() && text.len() != rest.len() {
            Scalar::Empty
        } else if let Some(number) = parse_number(rest, dates) {
            Scalar::Number(number)
        } else if rest.eq_ignore_ascii_case("true") || rest.eq_ignore_ascii_case("false") {
            Scalar::Boolean(rest.eq_ignore_ascii_case("true"))
        } else if let Some(error) = ErrorValue::parse(rest) {
            Scalar::Error(error)
        } else {
            rest.into()
        };
        let pattern = match (&operand, relation) {
            (Scalar::Text(text), Relation::Equal | Relation::Unequal) => wildcards(text),
            _ => None,
        };
        Criterion { relation, operand, pattern, dates }
    }

    fn equals(&self, value: &Scalar) -> bool {
        match (&self.operand, value) {
            (Scalar::Empty, Scalar::Empty) => true,
            (Scalar::Empty, _) => false,
            (Scalar::Number(a), Scalar::Number(b)) => nearly_equal(*a, *b),
            (Scalar::Number(a), Scalar::Text(text)) => {
                parse_number(text, self.dates).is_some_and(|b| nearly_equal(*a, b))
            }
            (Scalar::Boolean(a), Scalar::Boolean(b)) => a == b,
            (Scalar::Error(a), Scalar::Error(b)) => a == b,
            (Scalar::Text(a), Scalar::Text(b)) => match &self.pattern {
                Some(pattern) => fits(pattern, b),
                None => a.to_lowercase() == b.to_lowercase(),
            },
            (Scalar::Text(a), Scalar::Empty) => a.is_empty(),
            _ => false,
        }
    }

    fn holds(&self, value: &Scalar) -> bool {
        use std::cmp::Ordering;
        let ordered = |holds: fn(Ordering) -> bool| match (&self.operand, value) {
            (Scalar::Number(_), Scalar::Number(_)) | (Scalar::Text(_), Scalar::Text(_)) => {
                value.compare(&self.operand).is_ok_and(holds)
            }
            _ => false,
        };
        match self.relation {
            Relation::Equal => self.equals(value),
            Relation::Unequal => match (&self.operand, value) {
                (Scalar::Empty, Scalar::Text(text)) => !text.is_empty() || *value != Scalar::Empty,
                _ => !self.equals(value),
            },
            Relation::Less => ordered(|order| order == Ordering::Less),
            Relation::LessEqual => ordered(|order| order != Ordering::Greater),
            Relation::Greater => ordered(|order| order == Ordering::Greater),
            Relation::GreaterEqual => ordered(|order| order != Ordering::Less),
        }
    }
}

/// A range by its place and the cells of it that are filled, by offset.
struct Sparse {
    rows: u32,
    cols: u32,
    filled: HashMap<(u32, u32), Scalar>,
    /// The offsets in row order, for results that depend on order.
    order: Vec<(u32, u32)>,
}

fn sparse(eval: &Eval<'_>, sheet: SheetKey, area: Area) -> Outcome<Sparse> {
    let mut filled = HashMap::new();
    let mut order = Vec::new();
    eval.cells.scan(sheet, area, &mut |cell, value| {
        let offset = (cell.row - area.first.row, cell.col - area.first.col);
        filled.insert(offset, value);
        order.push(offset);
        true
    })?;
    Ok(Sparse { rows: area.rows(), cols: area.cols(), filled, order })
}

fn range(eval: &Eval<'_>, argument: &Expr) -> Outcome<Option<(SheetKey, Area)>> {
    Ok(match eval.eval(argument)? {
        Operand::Areas(areas) if areas.len() == 1 => areas.into_iter().next(),
        _ => None,
    })
}

/// A criterion argument may be an array, for which the whole function runs once per element.
fn criteria(eval: &Eval<'_>, arguments: &[&Expr]) -> Outcome<Vec<Operand>> {
    arguments.iter().map(|argument| eval.eval(argument)).collect()
}

fn single(
    eval: &Eval<'_>,
    arguments: &[Expr],
    compute: fn(&[f64]) -> Result<f64, ErrorValue>,
) -> Outcome<Operand> {
    let (tested, condition, summed) = match arguments {
        [tested, condition] => (tested, condition, tested),
        [tested, condition, summed] => (tested, condition, summed),
        _ => return wrong_arguments(),
    };
    let Some((sheet, area)) = range(eval, tested)? else { return Ok(ErrorValue::Value.into()) };
    let Some((sum_sheet, sum_area)) = range(eval, summed)? else { return Ok(ErrorValue::Value.into()) };
    // The summed range takes the size of the tested one from its own first cell on.
    let last = CellRef::new(
        (sum_area.first.row + area.rows() - 1).min(LAST_ROW),
        (sum_area.first.col + area.cols() - 1).min(LAST_COL),
    );
    let target = sparse(eval, sum_sheet, Area::between(sum_area.first, last))?;
    let tested = sparse(eval, sheet, area)?;
    let conditions = criteria(eval, &[condition])?;
    eval.map(&conditions, |values| {
        let criterion = Criterion::read(&values[0], eval.dates());
        chosen(&target, &[(&tested, criterion)], compute)
    })
}

fn several(
    eval: &Eval<'_>,
    arguments: &[Expr],
    compute: fn(&[f64]) -> Result<f64, ErrorValue>,
) -> Outcome<Operand> {
    let [target, rest @ ..] = arguments else { return wrong_arguments() };
    if rest.is_empty() || !rest.len().is_multiple_of(2) {
        return wrong_arguments();
    }
    let Some((sheet, area)) = range(eval, target)? else { return Ok(ErrorValue::Value.into()) };
    let target = sparse(eval, sheet, area)?;
    let mut tested = Vec::new();
    for pair in rest.chunks_exact(2) {
        let Some((sheet, area)) = range(eval, &pair[0])? else { return Ok(ErrorValue::Value.into()) };
        let part = sparse(eval, sheet, area)?;
        if (part.rows, part.cols) != (target.rows, target.cols) {
            return Ok(ErrorValue::Value.into());
        }
        tested.push(part);
    }
    let conditions: Vec<&Expr> = rest.chunks_exact(2).map(|pair| &pair[1]).collect();
    let conditions = criteria(eval, &conditions)?;
    eval.map(&conditions, |values| {
        let criteria = values.iter().map(|value| Criterion::read(value, eval.dates()));
        let tests: Vec<(&Sparse, Criterion)> = tested.iter().zip(criteria).collect();
        chosen(&target, &tests, compute)
    })
}

/// The result over the numbers of the target whose conditions hold.
fn chosen(
    target: &Sparse,
    tests: &[(&Sparse, Criterion)],
    compute: fn(&[f64]) -> Result<f64, ErrorValue>,
) -> Scalar {
    let mut numbers = Vec::new();
    for offset in &target.order {
        let holds = tests
            .iter()
            .all(|(part, criterion)| criterion.holds(part.filled.get(offset).unwrap_or(&Scalar::Empty)));
        match target.filled.get(offset) {
            Some(Scalar::Number(number)) if holds => numbers.push(*number),
            Some(Scalar::Error(error)) if holds => return Scalar::Error(*error),
            _ => {}
        }
    }
    match compute(&numbers) {
        Ok(number) => number.into(),
        Err(error) => Scalar::Error(error),
    }
}

fn count(eval: &Eval<'_>, arguments: &[Expr]) -> Outcome<Operand> {
    if arguments.is_empty() || !arguments.len().is_multiple_of(2) {
        return wrong_arguments();
    }
    let mut tested: Vec<Sparse> = Vec::new();
    for pair in arguments.chunks_exact(2) {
        let Some((sheet, area)) = range(eval, &pair[0])? else { return Ok(ErrorValue::Value.into()) };
        let part = sparse(eval, sheet, area)?;
        if tested.first().is_some_and(|first| (first.rows, first.cols) != (part.rows, part.cols)) {
            return Ok(ErrorValue::Value.into());
        }
        tested.push(part);
    }
    let conditions: Vec<&Expr> = arguments.chunks_exact(2).map(|pair| &pair[1]).collect();
    let conditions = criteria(eval, &conditions)?;
    eval.map(&conditions, |values| {
        let criteria = values.iter().map(|value| Criterion::read(value, eval.dates()));
        let tests: Vec<(&Sparse, Criterion)> = tested.iter().zip(criteria).collect();
        match counted(&tests) {
            Some(count) => count.into(),
            None => Scalar::Error(ErrorValue::Value),
        }
    })
}

fn counted(tests: &[(&Sparse, Criterion)]) -> Option<f64> {
    let (first, _) = tests.first()?;
    let value =
        |part: &Sparse, offset: &(u32, u32)| part.filled.get(offset).cloned().unwrap_or(Scalar::Empty);
    let all_hold =
        |offset: &(u32, u32)| tests.iter().all(|(part, criterion)| criterion.holds(&value(part, offset)));
    let strict = tests.iter().find(|(_, criterion)| !criterion.holds(&Scalar::Empty));
    if let Some((part, _)) = strict {
        return Some(part.order.iter().filter(|offset| all_hold(offset)).count() as f64);
    }
    // Every condition holds for empty cells: all count but the filled ones that fail.
    let mut offsets: Vec<(u32, u32)> =
        tests.iter().flat_map(|(part, _)| part.order.iter().copied()).collect();
    offsets.sort_unstable();
    offsets.dedup();
    let failing = offsets.iter().filter(|offset| !all_hold(offset)).count();
    Some(f64::from(first.rows) * f64::from(first.cols) - failing as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conditions_as_excel_reads_them() {
        let holds = |condition: &str, value: Scalar| {
            Criterion::read(&condition.into(), DateSystem::Base1900).holds(&value)
        };
        assert!(holds(">5", 6.0.into()) && !holds(">5", "6".into()));
        assert!(holds("a*", "Abc".into()) && !holds("a?", "abc".into()) && holds("~*", "*".into()));
        assert!(holds("5", 5.0.into()) && holds("5", "5".into()) && holds("=", Scalar::Empty));
        assert!(holds("<>", 1.0.into()) && !holds("<>", Scalar::Empty) && holds("<>x", Scalar::Empty));
        assert!(!holds("<5", Scalar::Empty) && holds("TRUE", true.into()));
        assert!(holds("*", "".into()) && !holds("*", 5.0.into()));
    }
}
