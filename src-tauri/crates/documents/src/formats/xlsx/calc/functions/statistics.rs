//! Statistics over numbers: spread, order, rank, regression.

use super::{
    super::{
        eval::{Eval, Operand, Outcome},
        parse::Expr,
        value::{ErrorValue, Scalar, nearly_equal},
    },
    Answer, aggregate, answer, array, collect_numbers, numbers, one, wrong_arguments,
};

type OverPairs = fn(&[(f64, f64)]) -> Result<f64, ErrorValue>;

pub(super) fn call(eval: &Eval<'_>, name: &str, arguments: &[Expr]) -> Answer {
    let over = |compute: fn(&[f64]) -> Result<f64, ErrorValue>| {
        let numbers = collect_numbers(eval, arguments)?;
        answer(numbers.and_then(|numbers| compute(&numbers)))
    };
    let paired = |compute: OverPairs| match arguments {
        [first, second] => {
            let pairs = aggregate::number_pairs(eval, first, second)?;
            answer(pairs.and_then(|pairs| compute(&pairs)))
        }
        _ => wrong_arguments(),
    };
    let result: Outcome<Operand> = match name {
        "MEDIAN" => over(median),
        "MODE" | "MODE.SNGL" => over(mode),
        "STDEV" | "STDEV.S" => over(deviation_sample),
        "STDEVP" | "STDEV.P" => over(deviation_population),
        "VAR" | "VAR.S" => over(variance_sample),
        "VARP" | "VAR.P" => over(variance_population),
        "AVEDEV" => over(|n| {
            let mean = aggregate::average(n)?;
            aggregate::average(&n.iter().map(|x| (x - mean).abs()).collect::<Vec<_>>())
        }),
        "DEVSQ" => over(|n| {
            let mean = aggregate::average(n)?;
            Ok(n.iter().map(|x| (x - mean) * (x - mean)).sum())
        }),
        "GEOMEAN" => over(|n| {
            if n.is_empty() || n.iter().any(|x| *x <= 0.0) {
                return Err(ErrorValue::Num);
            }
            Ok((n.iter().map(|x| x.ln()).sum::<f64>() / n.len() as f64).exp())
        }),
        "HARMEAN" => over(|n| {
            if n.is_empty() || n.iter().any(|x| *x <= 0.0) {
                return Err(ErrorValue::Num);
            }
            Ok(n.len() as f64 / n.iter().map(|x| 1.0 / x).sum::<f64>())
        }),
        "LARGE" => ordered(eval, arguments, |n, k| nth(n, k, true)),
        "SMALL" => ordered(eval, arguments, |n, k| nth(n, k, false)),
        "PERCENTILE" | "PERCENTILE.INC" => ordered(eval, arguments, percentile),
        "QUARTILE" | "QUARTILE.INC" => ordered(eval, arguments, |n, q| percentile(n, q.trunc() / 4.0)),
        "PERCENTILE.EXC" => ordered(eval, arguments, percentile_exclusive),
        "QUARTILE.EXC" => ordered(eval, arguments, |n, q| percentile_exclusive(n, q.trunc() / 4.0)),
        "RANK" | "RANK.EQ" => rank(eval, arguments, |better, _| better + 1.0),
        "RANK.AVG" => rank(eval, arguments, |better, same| better + (same + 1.0) / 2.0),
        "PERCENTRANK" | "PERCENTRANK.INC" => percent_rank(eval, arguments),
        "CORREL" | "PEARSON" => paired(correlation),
        "RSQ" => paired(|pairs| correlation(pairs).map(|r| r * r)),
        "SLOPE" => paired(|pairs| line(pairs).map(|(slope, _)| slope)),
        "INTERCEPT" => paired(|pairs| line(pairs).map(|(_, intercept)| intercept)),
        "COVAR" | "COVARIANCE.P" => paired(|pairs| covariance(pairs, 0.0)),
        "COVARIANCE.S" => paired(|pairs| covariance(pairs, 1.0)),
        "STEYX" => paired(standard_error),
        "FORECAST" | "FORECAST.LINEAR" => forecast(eval, arguments),
        "STANDARDIZE" => numbers(eval, arguments, &[], 3..=3, |n| {
            if n[2] <= 0.0 { Err(ErrorValue::Num) } else { Ok((n[0] - n[1]) / n[2]) }
        }),
        "FREQUENCY" => frequency(eval, arguments),
        "NORM.S.DIST" => numbers(eval, arguments, &[], 2..=2, |n| {
            Ok(if n[1] == 0.0 { density(n[0]) } else { normal(n[0]) })
        }),
        "NORMSDIST" => numbers(eval, arguments, &[], 1..=1, |n| Ok(normal(n[0]))),
        "NORM.DIST" | "NORMDIST" => numbers(eval, arguments, &[], 4..=4, |n| {
            if n[2] <= 0.0 {
                return Err(ErrorValue::Num);
            }
            let z = (n[0] - n[1]) / n[2];
            Ok(if n[3] == 0.0 { density(z) / n[2] } else { normal(z) })
        }),
        _ => return Ok(None),
    };
    result.map(Some)
}

fn squares(numbers: &[f64]) -> f64 {
    let mean = aggregate::sum(numbers) / numbers.len() as f64;
    aggregate::sum(&numbers.iter().map(|x| (x - mean) * (x - mean)).collect::<Vec<_>>())
}

pub(super) fn variance_sample(numbers: &[f64]) -> Result<f64, ErrorValue> {
    if numbers.len() < 2 { Err(ErrorValue::Div0) } else { Ok(squares(numbers) / (numbers.len() - 1) as f64) }
}

pub(super) fn variance_population(numbers: &[f64]) -> Result<f64, ErrorValue> {
    if numbers.is_empty() { Err(ErrorValue::Div0) } else { Ok(squares(numbers) / numbers.len() as f64) }
}

pub(super) fn deviation_sample(numbers: &[f64]) -> Result<f64, ErrorValue> {
    variance_sample(numbers).map(f64::sqrt)
}

pub(super) fn deviation_population(numbers: &[f64]) -> Result<f64, ErrorValue> {
    variance_population(numbers).map(f64::sqrt)
}

fn sorted(numbers: &[f64]) -> Vec<f64> {
    let mut sorted = numbers.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted
}

pub(super) fn median(numbers: &[f64]) -> Result<f64, ErrorValue> {
    let sorted = sorted(numbers);
    match sorted.len() {
        0 => Err(ErrorValue::Num),
        count if count % 2 == 1 => Ok(sorted[count / 2]),
        count => Ok((sorted[count / 2 - 1] + sorted[count / 2]) / 2.0),
    }
}

/// The most frequent number, the first of them in the order given.
fn mode(numbers: &[f64]) -> Result<f64, ErrorValue> {
    let count = |number: f64| numbers.iter().filter(|other| **other == number).count();
    let most = numbers.iter().map(|number| count(*number)).max().unwrap_or(0);
    if most < 2 {
        return Err(ErrorValue::NotAvailable);
    }
    numbers.iter().copied().find(|number| count(*number) == most).ok_or(ErrorValue::NotAvailable)
}

fn ordered(
    eval: &Eval<'_>,
    arguments: &[Expr],
    compute: fn(&mut [f64], f64) -> Result<f64, ErrorValue>,
) -> Outcome<Operand> {
    let [range, k] = arguments else { return wrong_arguments() };
    let numbers = match collect_numbers(eval, std::slice::from_ref(range))? {
        Ok(numbers) => numbers,
        Err(error) => return Ok(error.into()),
    };
    let k = eval.eval(k)?;
    let dates = eval.dates();
    eval.map(&[k], |values| {
        let result = values[0].number(dates).and_then(|k| compute(&mut numbers.clone(), k));
        result.map_or_else(Scalar::Error, Scalar::from)
    })
}

/// The k-th largest or smallest.
pub(super) fn nth(numbers: &mut [f64], k: f64, largest: bool) -> Result<f64, ErrorValue> {
    let k = k.ceil();
    if numbers.is_empty() || k < 1.0 || k > numbers.len() as f64 {
        return Err(ErrorValue::Num);
    }
    numbers.sort_by(f64::total_cmp);
    let at = k as usize - 1;
    Ok(if largest { numbers[numbers.len() - 1 - at] } else { numbers[at] })
}

pub(super) fn percentile(numbers: &mut [f64], k: f64) -> Result<f64, ErrorValue> {
    if numbers.is_empty() || !(0.0..=1.0).contains(&k) {
        return Err(ErrorValue::Num);
    }
    numbers.sort_by(f64::total_cmp);
    Ok(between(numbers, k * (numbers.len() - 1) as f64))
}

fn percentile_exclusive(numbers: &mut [f64], k: f64) -> Result<f64, ErrorValue> {
    let place = k * (numbers.len() + 1) as f64;
    if numbers.is_empty() || place < 1.0 || place > numbers.len() as f64 {
        return Err(ErrorValue::Num);
    }
    numbers.sort_by(f64::total_cmp);
    Ok(between(numbers, place - 1.0))
}

fn between(sorted: &[f64], place: f64) -> f64 {
    let low = place.floor() as usize;
    let high = (low + 1).min(sorted.len() - 1);
    sorted[low] + (place - low as f64) * (sorted[high] - sorted[low])
}

fn rank(eval: &Eval<'_>, arguments: &[Expr], place: fn(f64, f64) -> f64) -> Outcome<Operand> {
    let (number, range, order) = match arguments {
        [number, range] => (number, range, None),
        [number, range, order] => (number, range, Some(order)),
        _ => return wrong_arguments(),
    };
    let numbers = match collect_numbers(eval, std::slice::from_ref(range))? {
        Ok(numbers) => numbers,
        Err(error) => return Ok(error.into()),
    };
    let ascending = match order {
        Some(order) => one(eval, order)?.number(eval.dates()).unwrap_or(0.0) != 0.0,
        None => false,
    };
    let number = eval.eval(number)?;
    let dates = eval.dates();
    eval.map(&[number], |values| {
        let number = match values[0].number(dates) {
            Ok(number) => number,
            Err(error) => return Scalar::Error(error),
        };
        let same = numbers.iter().filter(|other| nearly_equal(**other, number)).count() as f64;
        if same == 0.0 {
            return Scalar::Error(ErrorValue::NotAvailable);
        }
        let is_better = |other: f64| !nearly_equal(other, number) && (other < number) == ascending;
        let better = numbers.iter().filter(|other| is_better(**other)).count() as f64;
        place(better, same).into()
    })
}

fn percent_rank(eval: &Eval<'_>, arguments: &[Expr]) -> Outcome<Operand> {
    let (range, number, digits) = match arguments {
        [range, number] => (range, number, 3.0),
        [range, number, digits] => (range, number, one(eval, digits)?.number(eval.dates()).unwrap_or(3.0)),
        _ => return wrong_arguments(),
    };
    let numbers = collect_numbers(eval, std::slice::from_ref(range))?;
    let number = one(eval, number)?.number(eval.dates());
    let result = numbers.and_then(|numbers| {
        let (sorted, number) = (sorted(&numbers), number?);
        let (Some(first), Some(last)) = (sorted.first(), sorted.last()) else { return Err(ErrorValue::Num) };
        if number < *first || number > *last {
            return Err(ErrorValue::NotAvailable);
        }
        if sorted.len() == 1 {
            return Ok(1.0);
        }
        let below = sorted.iter().filter(|other| **other < number).count();
        let place = if sorted.contains(&number) {
            below as f64
        } else {
            let (low, high) = (sorted[below - 1], sorted[below]);
            below as f64 - 1.0 + (number - low) / (high - low)
        };
        let scale = 10_f64.powf(digits);
        Ok((place / (sorted.len() - 1) as f64 * scale + 1e-9).floor() / scale)
    });
    answer(result)
}

struct Sums {
    xx: f64,
    yy: f64,
    xy: f64,
    mean_x: f64,
    mean_y: f64,
}

fn sums(pairs: &[(f64, f64)]) -> Result<Sums, ErrorValue> {
    if pairs.is_empty() {
        return Err(ErrorValue::Div0);
    }
    let count = pairs.len() as f64;
    let mean_x = pairs.iter().map(|(x, _)| x).sum::<f64>() / count;
    let mean_y = pairs.iter().map(|(_, y)| y).sum::<f64>() / count;
    let total = |compute: &dyn Fn(f64, f64) -> f64| {
        pairs.iter().map(|(x, y)| compute(x - mean_x, y - mean_y)).sum::<f64>()
    };
    Ok(Sums { xx: total(&|x, _| x * x), yy: total(&|_, y| y * y), xy: total(&|x, y| x * y), mean_x, mean_y })
}

fn correlation(pairs: &[(f64, f64)]) -> Result<f64, ErrorValue> {
    let sums = sums(pairs)?;
    let spread = (sums.xx * sums.yy).sqrt();
    if spread == 0.0 { Err(ErrorValue::Div0) } else { Ok(sums.xy / spread) }
}

fn covariance(pairs: &[(f64, f64)], less: f64) -> Result<f64, ErrorValue> {
    let count = pairs.len() as f64 - less;
    if count <= 0.0 { Err(ErrorValue::Div0) } else { Ok(sums(pairs)?.xy / count) }
}

/// Slope and intercept; the pairs are (y, x) as SLOPE takes them.
fn line(pairs: &[(f64, f64)]) -> Result<(f64, f64), ErrorValue> {
    let sums = sums(pairs)?;
    if sums.yy == 0.0 {
        return Err(ErrorValue::Div0);
    }
    let slope = sums.xy / sums.yy;
    Ok((slope, sums.mean_x - slope * sums.mean_y))
}

fn standard_error(pairs: &[(f64, f64)]) -> Result<f64, ErrorValue> {
    let sums = sums(pairs)?;
    if pairs.len() < 3 || sums.yy == 0.0 {
        return Err(ErrorValue::Div0);
    }
    Ok(((sums.xx - sums.xy * sums.xy / sums.yy) / (pairs.len() as f64 - 2.0)).sqrt())
}

fn forecast(eval: &Eval<'_>, arguments: &[Expr]) -> Outcome<Operand> {
    let [at, known_y, known_x] = arguments else { return wrong_arguments() };
    let at = one(eval, at)?.number(eval.dates());
    let pairs = aggregate::number_pairs(eval, known_y, known_x)?;
    answer(at.and_then(|at| {
        let (slope, intercept) = line(&pairs?)?;
        Ok(intercept + slope * at)
    }))
}

fn frequency(eval: &Eval<'_>, arguments: &[Expr]) -> Outcome<Operand> {
    let [data, bins] = arguments else { return wrong_arguments() };
    let numbers = |matrix: &super::super::value::Matrix| -> Vec<f64> {
        let number = |value: &Scalar| if let Scalar::Number(number) = value { Some(*number) } else { None };
        matrix.items.iter().filter_map(number).collect()
    };
    let (data, bins) = (numbers(&*array(eval, data)?), sorted(&numbers(&*array(eval, bins)?)));
    let mut counts = vec![0.0; bins.len() + 1];
    for number in data {
        let at = bins.iter().position(|bin| number <= *bin).unwrap_or(bins.len());
        counts[at] += 1.0;
    }
    Ok(Operand::matrix(super::super::value::Matrix::column(counts.into_iter().map(Scalar::from).collect())))
}

fn density(z: f64) -> f64 {
    (-z * z / 2.0).exp() / (2.0 * std::f64::consts::PI).sqrt()
}

/// The standard normal distribution, by the series near zero and the continued fraction in the tails.
fn normal(z: f64) -> f64 {
    if z < 0.0 {
        return 1.0 - normal(-z);
    }
    if z > 38.0 {
        return 1.0;
    }
    if z < 4.0 {
        let (mut term, mut total, mut step) = (z, z, 1.0);
        while term.abs() > 1e-17 && step < 400.0 {
            step += 2.0;
            term *= z * z / step;
            total += term;
        }
        return 0.5 + density(z) * total;
    }
    let fraction = (1..=60).rev().fold(z, |rest, k| z + f64::from(k) / rest);
    1.0 - density(z) / fraction
}
