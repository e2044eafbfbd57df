//! Sums, counts and extremes over ranges, SUMPRODUCT, SUBTOTAL and AGGREGATE.

use super::{
    super::{
        eval::{Eval, Operand, Outcome, unknown},
        parse::Expr,
        value::{ErrorValue, Scalar},
    },
    Answer, Origin, answer, array, collect_numbers, each, one, statistics, wrong_arguments,
};

pub(super) fn call(eval: &Eval<'_>, name: &str, arguments: &[Expr]) -> Answer {
    let over = |compute: fn(&[f64]) -> Result<f64, ErrorValue>| {
        let numbers = collect_numbers(eval, arguments)?;
        answer(numbers.and_then(|numbers| compute(&numbers)))
    };
    let result: Outcome<Operand> = match name {
        "SUM" => over(|n| Ok(sum(n))),
        "PRODUCT" => over(|n| Ok(if n.is_empty() { 0.0 } else { n.iter().product() })),
        "SUMSQ" => over(|n| Ok(n.iter().map(|x| x * x).sum())),
        "AVERAGE" => over(average),
        "MAX" => over(|n| Ok(n.iter().copied().reduce(f64::max).unwrap_or(0.0))),
        "MIN" => over(|n| Ok(n.iter().copied().reduce(f64::min).unwrap_or(0.0))),
        "COUNT" => count(eval, arguments),
        "COUNTA" => count_filled(eval, arguments),
        "COUNTBLANK" => count_blank(eval, arguments),
        "AVERAGEA" => over_all(eval, arguments, average),
        "MAXA" => over_all(eval, arguments, |n| Ok(n.iter().copied().reduce(f64::max).unwrap_or(0.0))),
        "MINA" => over_all(eval, arguments, |n| Ok(n.iter().copied().reduce(f64::min).unwrap_or(0.0))),
        "SUMPRODUCT" => sum_product(eval, arguments),
        "SUMX2MY2" => pairs(eval, arguments, |x, y| x * x - y * y),
        "SUMX2PY2" => pairs(eval, arguments, |x, y| x * x + y * y),
        "SUMXMY2" => pairs(eval, arguments, |x, y| (x - y) * (x - y)),
        "SUBTOTAL" => subtotal(eval, arguments),
        "AGGREGATE" => aggregate(eval, arguments),
        _ => return Ok(None),
    };
    result.map(Some)
}

/// A sum with the lost low digits carried along (Neumaier).
pub(super) fn sum(numbers: &[f64]) -> f64 {
    let (mut total, mut lost) = (0.0_f64, 0.0_f64);
    for &number in numbers {
        let next = total + number;
        lost += if total.abs() >= number.abs() { (total - next) + number } else { (number - next) + total };
        total = next;
    }
    total + lost
}

pub(super) fn average(numbers: &[f64]) -> Result<f64, ErrorValue> {
    if numbers.is_empty() { Err(ErrorValue::Div0) } else { Ok(sum(numbers) / numbers.len() as f64) }
}

fn count(eval: &Eval<'_>, arguments: &[Expr]) -> Outcome<Operand> {
    let dates = eval.dates();
    let mut count = 0.0;
    each(eval, arguments, &mut |value, origin| {
        let counts = match origin {
            Origin::Direct => value.error().is_none() && value.number(dates).is_ok(),
            Origin::Array | Origin::Cell => matches!(value, Scalar::Number(_)),
        };
        count += f64::from(u8::from(counts));
    })?;
    Ok(count.into())
}

fn count_filled(eval: &Eval<'_>, arguments: &[Expr]) -> Outcome<Operand> {
    let mut count = 0.0;
    each(eval, arguments, &mut |value, origin| {
        let counts = value != Scalar::Empty || origin == Origin::Direct;
        count += f64::from(u8::from(counts));
    })?;
    Ok(count.into())
}

fn count_blank(eval: &Eval<'_>, arguments: &[Expr]) -> Outcome<Operand> {
    let [argument] = arguments else { return wrong_arguments() };
    match eval.eval(argument)? {
        Operand::Areas(areas) => {
            let mut blank = 0.0;
            for (sheet, area) in areas {
                blank += area.size() as f64;
                eval.cells.scan(sheet, area, &mut |_, value| {
                    let filled = !matches!(&value, Scalar::Empty)
                        && !matches!(&value, Scalar::Text(t) if t.is_empty());
                    blank -= f64::from(u8::from(filled));
                    true
                })?;
            }
            Ok(blank.into())
        }
        _ => Ok(ErrorValue::Value.into()),
    }
}

/// Text in cells counts as 0, booleans as 0 and 1.
fn over_all(
    eval: &Eval<'_>,
    arguments: &[Expr],
    compute: fn(&[f64]) -> Result<f64, ErrorValue>,
) -> Outcome<Operand> {
    let dates = eval.dates();
    let mut numbers = Vec::new();
    let mut failed = None;
    each(eval, arguments, &mut |value, origin| match (&value, origin) {
        (Scalar::Error(error), _) => drop(failed.get_or_insert(*error)),
        (Scalar::Text(_), Origin::Cell | Origin::Array) => numbers.push(0.0),
        (Scalar::Empty, Origin::Cell | Origin::Array) => {}
        _ => match value.number(dates) {
            Ok(number) => numbers.push(number),
            Err(error) => drop(failed.get_or_insert(error)),
        },
    })?;
    answer(failed.map_or_else(|| compute(&numbers), Err))
}

fn sum_product(eval: &Eval<'_>, arguments: &[Expr]) -> Outcome<Operand> {
    let matrices = arguments.iter().map(|argument| array(eval, argument)).collect::<Outcome<Vec<_>>>()?;
    let Some(first) = matrices.first() else { return wrong_arguments() };
    if matrices.iter().any(|matrix| (matrix.rows, matrix.cols) != (first.rows, first.cols)) {
        return Ok(ErrorValue::Value.into());
    }
    let mut products = Vec::with_capacity(first.items.len());
    for at in 0..first.items.len() {
        let mut product = 1.0;
        for matrix in &matrices {
            match &matrix.items[at] {
                Scalar::Number(number) => product *= number,
                Scalar::Error(error) => return Ok((*error).into()),
                // Text and booleans count as zero here.
                Scalar::Empty | Scalar::Text(_) | Scalar::Boolean(_) => product = 0.0,
            }
        }
        products.push(product);
    }
    Ok(sum(&products).into())
}

/// Two ranges of one size, pairs in which either is no number left out.
pub(super) fn number_pairs(
    eval: &Eval<'_>,
    first: &Expr,
    second: &Expr,
) -> Outcome<Result<Vec<(f64, f64)>, ErrorValue>> {
    let (a, b) = (array(eval, first)?, array(eval, second)?);
    if a.items.len() != b.items.len() {
        return Ok(Err(ErrorValue::NotAvailable));
    }
    let mut pairs = Vec::new();
    for (x, y) in a.items.iter().zip(&b.items) {
        match (x, y) {
            (Scalar::Error(error), _) | (_, Scalar::Error(error)) => return Ok(Err(*error)),
            (Scalar::Number(x), Scalar::Number(y)) => pairs.push((*x, *y)),
            _ => {}
        }
    }
    Ok(Ok(pairs))
}

fn pairs(eval: &Eval<'_>, arguments: &[Expr], compute: fn(f64, f64) -> f64) -> Outcome<Operand> {
    let [first, second] = arguments else { return wrong_arguments() };
    let pairs = number_pairs(eval, first, second)?;
    answer(pairs.map(|pairs| sum(&pairs.into_iter().map(|(x, y)| compute(x, y)).collect::<Vec<_>>())))
}

type OverNumbers = fn(&[f64]) -> Result<f64, ErrorValue>;

fn by_number(function: i64) -> Option<OverNumbers> {
    Some(match function {
        1 => average,
        2 => |n| Ok(n.len() as f64),
        4 => |n| Ok(n.iter().copied().reduce(f64::max).unwrap_or(0.0)),
        5 => |n| Ok(n.iter().copied().reduce(f64::min).unwrap_or(0.0)),
        6 => |n| Ok(if n.is_empty() { 0.0 } else { n.iter().product() }),
        7 => statistics::deviation_sample,
        8 => statistics::deviation_population,
        9 => |n| Ok(sum(n)),
        10 => statistics::variance_sample,
        11 => statistics::variance_population,
        12 => statistics::median,
        _ => return None,
    })
}

/// What SUBTOTAL and AGGREGATE leave out.
#[derive(Clone, Copy)]
struct Skips {
    hidden: bool,
    errors: bool,
    nested: bool,
}

fn subtotal(eval: &Eval<'_>, arguments: &[Expr]) -> Outcome<Operand> {
    let [function, ranges @ ..] = arguments else { return wrong_arguments() };
    let function = match one(eval, function)?.number(eval.dates()) {
        Ok(number) => number as i64,
        Err(error) => return Ok(error.into()),
    };
    let skips = Skips { hidden: function > 100, errors: false, nested: true };
    let values = visible(eval, ranges, skips)?;
    finish(values, function % 100)
}

fn aggregate(eval: &Eval<'_>, arguments: &[Expr]) -> Outcome<Operand> {
    let [function, options, ranges @ ..] = arguments else { return wrong_arguments() };
    let numbers = [one(eval, function)?.number(eval.dates()), one(eval, options)?.number(eval.dates())];
    let [Ok(function), Ok(options)] = numbers else { return Ok(ErrorValue::Value.into()) };
    let options = options as i64;
    let skips = Skips {
        hidden: matches!(options, 1 | 3 | 5 | 7),
        errors: matches!(options, 2 | 3 | 6 | 7),
        nested: matches!(options, 0..=3),
    };
    let function = function as i64;
    if function < 14 {
        return finish(visible(eval, ranges, skips)?, function);
    }
    let [range, k] = ranges else { return wrong_arguments() };
    let k = match one(eval, k)?.number(eval.dates()) {
        Ok(k) => k,
        Err(error) => return Ok(error.into()),
    };
    let values = visible(eval, std::slice::from_ref(range), skips)?;
    let mut numbers = match values.numbers() {
        Ok(numbers) => numbers,
        Err(error) => return Ok(error.into()),
    };
    answer(match function {
        14 => statistics::nth(&mut numbers, k, true),
        15 => statistics::nth(&mut numbers, k, false),
        16 => statistics::percentile(&mut numbers, k),
        17 => statistics::percentile(&mut numbers, k / 4.0),
        _ => return unknown("this kind of AGGREGATE is not known here"),
    })
}

/// What is left: the numbers, how many cells are filled, and the first error.
struct Visible {
    numbers: Vec<f64>,
    filled: usize,
    failed: Option<ErrorValue>,
}

impl Visible {
    fn numbers(self) -> Result<Vec<f64>, ErrorValue> {
        self.failed.map_or(Ok(self.numbers), Err)
    }
}

/// The numbers and the count of filled cells that are left after what is passed over.
fn visible(eval: &Eval<'_>, ranges: &[Expr], skips: Skips) -> Outcome<Visible> {
    let mut left = Visible { numbers: Vec::new(), filled: 0, failed: None };
    for range in ranges {
        let Operand::Areas(areas) = eval.eval(range)? else {
            return unknown("SUBTOTAL and AGGREGATE are computed over ranges only");
        };
        for (sheet, area) in areas {
            eval.cells.scan(sheet, area, &mut |cell, value| {
                let (hidden, filtered) = eval.cells.hidden(sheet, cell.row);
                if filtered || (hidden && skips.hidden) {
                    return true;
                }
                if skips.nested && eval.cells.is_subtotal(sheet, cell) {
                    return true;
                }
                match value {
                    Scalar::Error(error) if !skips.errors => drop(left.failed.get_or_insert(error)),
                    Scalar::Error(_) | Scalar::Empty => return true,
                    Scalar::Number(number) => left.numbers.push(number),
                    Scalar::Text(_) | Scalar::Boolean(_) => {}
                }
                left.filled += 1;
                true
            })?;
        }
    }
    Ok(left)
}

fn finish(values: Visible, function: i64) -> Outcome<Operand> {
    // Counting passes errors over, or counts them.
    match function {
        2 => return Ok((values.numbers.len() as f64).into()),
        3 => return Ok((values.filled as f64).into()),
        _ => {}
    }
    let Some(compute) = by_number(function) else {
        return unknown("this kind of SUBTOTAL is not known here");
    };
    answer(values.numbers().and_then(|numbers| compute(&numbers)))
}
