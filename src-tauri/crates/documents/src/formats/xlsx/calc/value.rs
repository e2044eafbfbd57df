//! Values of the calculator: scalars, matrices, errors, and Excel's rules for turning one kind into another and comparing them.

use std::{cmp::Ordering, rc::Rc};

use crate::formats::xlsx::{
    cells::Value,
    number_format::{self, DateSystem, parse_date, parse_datetime},
};

/// The error values (ECMA-376-1, 18.17.3).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ErrorValue {
    Null,
    Div0,
    Value,
    Ref,
    Name,
    Num,
    NotAvailable,
    Spill,
    Calc,
}

impl ErrorValue {
    pub(super) fn as_str(self) -> &'static str {
        match self {
            ErrorValue::Null => "#NULL!",
            ErrorValue::Div0 => "#DIV/0!",
            ErrorValue::Value => "#VALUE!",
            ErrorValue::Ref => "#REF!",
            ErrorValue::Name => "#NAME?",
            ErrorValue::Num => "#NUM!",
            ErrorValue::NotAvailable => "#N/A",
            ErrorValue::Spill => "#SPILL!",
            ErrorValue::Calc => "#CALC!",
        }
    }

    pub(super) fn parse(text: &str) -> Option<ErrorValue> {
        [
            ErrorValue::Null,
            ErrorValue::Div0,
            ErrorValue::Value,
            ErrorValue::Ref,
            ErrorValue::Name,
            ErrorValue::Num,
            ErrorValue::NotAvailable,
            ErrorValue::Spill,
            ErrorValue::Calc,
        ]
        .into_iter()
        .find(|error| error.as_str().eq_ignore_ascii_case(text))
    }

    /// What ERROR.TYPE answers.
    pub(super) fn number(self) -> f64 {
        match self {
            ErrorValue::Null => 1.0,
            ErrorValue::Div0 => 2.0,
            ErrorValue::Value => 3.0,
            ErrorValue::Ref => 4.0,
            ErrorValue::Name => 5.0,
            ErrorValue::Num => 6.0,
            ErrorValue::NotAvailable => 7.0,
            ErrorValue::Spill => 9.0,
            ErrorValue::Calc => 14.0,
        }
    }
}

/// One value.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Scalar {
    Empty,
    Number(f64),
    Text(Rc<str>),
    Boolean(bool),
    Error(ErrorValue),
}

impl From<f64> for Scalar {
    fn from(number: f64) -> Scalar {
        if number.is_finite() { Scalar::Number(number) } else { Scalar::Error(ErrorValue::Num) }
    }
}

impl From<bool> for Scalar {
    fn from(value: bool) -> Scalar {
        Scalar::Boolean(value)
    }
}

impl From<&str> for Scalar {
    fn from(text: &str) -> Scalar {
        Scalar::Text(text.into())
    }
}

impl From<String> for Scalar {
    fn from(text: String) -> Scalar {
        Scalar::Text(text.into())
    }
}

impl From<ErrorValue> for Scalar {
    fn from(error: ErrorValue) -> Scalar {
        Scalar::Error(error)
    }
}

impl Scalar {
    /// A stored value; an error of a kind that is not known here cannot be computed with.
    pub(super) fn read(value: Value) -> Option<Scalar> {
        Some(match value {
            Value::Empty => Scalar::Empty,
            Value::Number(number) => Scalar::Number(number),
            Value::Text(text) => Scalar::Text(text.into()),
            Value::Boolean(value) => Scalar::Boolean(value),
            Value::Error(text) => Scalar::Error(ErrorValue::parse(&text)?),
        })
    }

    /// As it is stored; an empty result of a formula is the number 0.
    pub(super) fn store(&self) -> Value {
        match self {
            Scalar::Empty => Value::Number(0.0),
            Scalar::Number(number) => Value::Number(*number),
            Scalar::Text(text) => Value::Text(text.to_string()),
            Scalar::Boolean(value) => Value::Boolean(*value),
            Scalar::Error(error) => Value::Error(error.as_str().to_owned()),
        }
    }

    pub(super) fn error(&self) -> Option<ErrorValue> {
        match self {
            Scalar::Error(error) => Some(*error),
            _ => None,
        }
    }

    /// As an operand of arithmetic: text that reads as a number counts.
    pub(super) fn number(&self, dates: DateSystem) -> Result<f64, ErrorValue> {
        match self {
            Scalar::Empty => Ok(0.0),
            Scalar::Number(number) => Ok(*number),
            Scalar::Boolean(value) => Ok(f64::from(u8::from(*value))),
            Scalar::Text(text) => parse_number(text, dates).ok_or(ErrorValue::Value),
            Scalar::Error(error) => Err(*error),
        }
    }

    pub(super) fn text(&self) -> Result<Rc<str>, ErrorValue> {
        Ok(match self {
            Scalar::Empty => "".into(),
            Scalar::Number(number) => plain_text(*number).into(),
            Scalar::Text(text) => text.clone(),
            Scalar::Boolean(value) => if *value { "TRUE" } else { "FALSE" }.into(),
            Scalar::Error(error) => return Err(*error),
        })
    }

    pub(super) fn truth(&self) -> Result<bool, ErrorValue> {
        match self {
            Scalar::Empty => Ok(false),
            Scalar::Number(number) => Ok(*number != 0.0),
            Scalar::Boolean(value) => Ok(*value),
            Scalar::Text(text) if text.eq_ignore_ascii_case("true") => Ok(true),
            Scalar::Text(text) if text.eq_ignore_ascii_case("false") => Ok(false),
            Scalar::Text(_) => Err(ErrorValue::Value),
            Scalar::Error(error) => Err(*error),
        }
    }

    /// Excel's order: numbers before text before booleans; an empty cell takes the other's kind.
    pub(super) fn compare(&self, other: &Scalar) -> Result<Ordering, ErrorValue> {
        Ok(match (self, other) {
            (Scalar::Error(error), _) | (_, Scalar::Error(error)) => return Err(*error),
            (Scalar::Empty, Scalar::Empty) => Ordering::Equal,
            (Scalar::Empty, Scalar::Number(b)) => compare_numbers(0.0, *b),
            (Scalar::Number(a), Scalar::Empty) => compare_numbers(*a, 0.0),
            (Scalar::Empty, Scalar::Text(b)) => "".cmp(b),
            (Scalar::Text(a), Scalar::Empty) => (**a).cmp(""),
            (Scalar::Empty, Scalar::Boolean(b)) => false.cmp(b),
            (Scalar::Boolean(a), Scalar::Empty) => a.cmp(&false),
            (Scalar::Number(a), Scalar::Number(b)) => compare_numbers(*a, *b),
            (Scalar::Text(a), Scalar::Text(b)) => compare_text(a, b),
            (Scalar::Boolean(a), Scalar::Boolean(b)) => a.cmp(b),
            (a, b) => a.rank().cmp(&b.rank()),
        })
    }

    fn rank(&self) -> u8 {
        match self {
            Scalar::Empty | Scalar::Number(_) => 0,
            Scalar::Text(_) => 1,
            Scalar::Boolean(_) => 2,
            Scalar::Error(_) => 3,
        }
    }
}

/// Numbers that agree in 15 digits are equal to Excel.
pub(super) fn nearly_equal(a: f64, b: f64) -> bool {
    a == b || (a - b).abs() <= a.abs().max(b.abs()) * 2_f64.powi(-48)
}

pub(super) fn compare_numbers(a: f64, b: f64) -> Ordering {
    if nearly_equal(a, b) { Ordering::Equal } else { a.total_cmp(&b) }
}

/// Text without regard to case.
pub(super) fn compare_text(a: &str, b: &str) -> Ordering {
    if a.is_ascii() && b.is_ascii() {
        let lower = |text: &str| text.bytes().map(|byte| byte.to_ascii_lowercase()).collect::<Vec<_>>();
        return lower(a).cmp(&lower(b));
    }
    a.to_lowercase().cmp(&b.to_lowercase())
}

/// A sum whose rest is only rounding noise is zero.
pub(super) fn add(a: f64, b: f64) -> f64 {
    let sum = a + b;
    if (a < 0.0) != (b < 0.0) && nearly_equal(a, -b) { 0.0 } else { sum }
}

/// A number as `&` writes it: General without the width of a cell, 15 digits.
pub(super) fn plain_text(number: f64) -> String {
    if number == 0.0 {
        return "0".into();
    }
    let magnitude = number.abs();
    let rounded: f64 = format!("{number:.14e}").parse().unwrap_or(number);
    if (1e-9..1e21).contains(&magnitude) {
        let plain = format!("{rounded}");
        if plain.len() <= 21 {
            return plain;
        }
    }
    let text = format!("{rounded:e}");
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{mantissa}E{sign}{:02}", exponent.abs())
}

/// Text that a user could have typed as a number, percentage, date or time.
pub(super) fn parse_number(text: &str, dates: DateSystem) -> Option<f64> {
    let trimmed = text.trim();
    if trimmed.is_empty() {
        return None;
    }
    let (body, percent) = match trimmed.strip_suffix('%') {
        Some(body) => (body.trim(), 0.01),
        None => (trimmed, 1.0),
    };
    let numeric =
        body.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'+' | b'-' | b'.' | b'e' | b'E' | b',' | b'$'));
    if numeric && body.bytes().any(|byte| byte.is_ascii_digit()) {
        let plain: String = body.chars().filter(|c| !matches!(c, ',' | '$')).collect();
        if let Ok(number) = plain.parse::<f64>() {
            return Some(number * percent);
        }
    }
    parse_date(trimmed, dates)
        .or_else(|| parse_datetime(trimmed, dates))
        .or_else(|| parse_slashed(trimmed, dates))
        .or_else(|| parse_time(trimmed))
}

/// `3/1/2024`, month first.
fn parse_slashed(text: &str, dates: DateSystem) -> Option<f64> {
    let mut fields = text.split('/');
    let (month, day, year) = (fields.next()?, fields.next()?, fields.next()?);
    if fields.next().is_some() {
        return None;
    }
    let (month, day, year): (u32, u32, i64) = (month.parse().ok()?, day.parse().ok()?, year.parse().ok()?);
    let year = match year {
        0..30 => year + 2000,
        30..100 => year + 1900,
        year => year,
    };
    let valid = (1..=12).contains(&month) && (1..=31).contains(&day);
    valid.then(|| dates.serial(year, month, day)).flatten().map(|serial| serial as f64)
}

fn parse_time(text: &str) -> Option<f64> {
    let upper = text.to_ascii_uppercase();
    let (body, half) = match (upper.strip_suffix("AM"), upper.strip_suffix("PM")) {
        (Some(body), _) => (body.trim().to_owned(), Some(0)),
        (_, Some(body)) => (body.trim().to_owned(), Some(12)),
        _ => (upper, None),
    };
    let mut fields = body.split(':');
    let hours: u32 = fields.next()?.parse().ok()?;
    let minutes: u32 = fields.next()?.parse().ok()?;
    let seconds: f64 = fields.next().map_or(Some(0.0), |seconds| seconds.parse().ok())?;
    if fields.next().is_some() || minutes >= 60 || !(0.0..60.0).contains(&seconds) {
        return None;
    }
    let hours = match half {
        Some(half) if hours <= 12 => hours % 12 + half,
        Some(_) => return None,
        None => hours,
    };
    Some((f64::from(hours * 3600 + minutes * 60) + seconds) / 86_400.0)
}

/// A number shown under a format code, as TEXT does.
pub(super) fn format(number: f64, code: &str, dates: DateSystem) -> String {
    number_format::show_number(number, code, dates)
}

/// A rectangle of values, row by row.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Matrix {
    pub(super) rows: usize,
    pub(super) cols: usize,
    pub(super) items: Vec<Scalar>,
}

impl Matrix {
    pub(super) fn new(rows: usize, cols: usize) -> Matrix {
        Matrix { rows, cols, items: vec![Scalar::Empty; rows * cols] }
    }

    pub(super) fn single(value: Scalar) -> Matrix {
        Matrix { rows: 1, cols: 1, items: vec![value] }
    }

    pub(super) fn column(items: Vec<Scalar>) -> Matrix {
        Matrix { rows: items.len(), cols: 1, items }
    }

    pub(super) fn get(&self, row: usize, col: usize) -> &Scalar {
        self.items.get(row * self.cols + col).unwrap_or(&Scalar::Empty)
    }

    pub(super) fn set(&mut self, row: usize, col: usize, value: Scalar) {
        if let Some(slot) = self.items.get_mut(row * self.cols + col) {
            *slot = value;
        }
    }

    /// The element for a larger result: single rows and columns repeat, beyond the rest is `#N/A`.
    pub(super) fn spread(&self, row: usize, col: usize) -> Scalar {
        let row = if self.rows == 1 { 0 } else { row };
        let col = if self.cols == 1 { 0 } else { col };
        if row < self.rows && col < self.cols {
            self.get(row, col).clone()
        } else {
            Scalar::Error(ErrorValue::NotAvailable)
        }
    }

    pub(super) fn row(&self, row: usize) -> &[Scalar] {
        &self.items[row * self.cols..(row + 1) * self.cols]
    }

    pub(super) fn transposed(&self) -> Matrix {
        let mut turned = Matrix::new(self.cols, self.rows);
        for row in 0..self.rows {
            for col in 0..self.cols {
                turned.set(col, row, self.get(row, col).clone());
            }
        }
        turned
    }
}
