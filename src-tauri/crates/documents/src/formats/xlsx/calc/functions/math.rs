//! Arithmetic of single numbers: rounding, powers, logarithms, trigonometry, number theory.

use super::{
    super::{
        eval::{Eval, Operand, Outcome, power},
        parse::Expr,
        value::{ErrorValue, Scalar},
    },
    Answer, numbers, scalars,
};

type Compute = fn(f64) -> f64;

/// Functions of one number that are defined everywhere (or give NaN, which becomes `#NUM!`).
const UNARY: &[(&str, Compute)] = &[
    ("ABS", f64::abs),
    ("INT", floor),
    ("SIN", f64::sin),
    ("COS", f64::cos),
    ("TAN", f64::tan),
    ("ASIN", f64::asin),
    ("ACOS", f64::acos),
    ("ATAN", f64::atan),
    ("SINH", f64::sinh),
    ("COSH", f64::cosh),
    ("TANH", f64::tanh),
    ("ASINH", f64::asinh),
    ("ACOSH", f64::acosh),
    ("ATANH", f64::atanh),
    ("EXP", f64::exp),
    ("LN", f64::ln),
    ("LOG10", f64::log10),
    ("SQRT", f64::sqrt),
    ("RADIANS", f64::to_radians),
    ("DEGREES", f64::to_degrees),
    ("SIGN", sign),
    ("EVEN", |number| away(number / 2.0) * 2.0),
    ("ODD", odd),
    ("SQRTPI", |number| (number * std::f64::consts::PI).sqrt()),
];

pub(super) fn call(eval: &Eval<'_>, name: &str, arguments: &[Expr]) -> Answer {
    if let Some((_, compute)) = UNARY.iter().find(|(known, _)| *known == name) {
        return numbers(eval, arguments, &[], 1..=1, |n| defined(compute(n[0]))).map(Some);
    }
    let two = |defaults: &[f64], least, compute: fn(f64, f64) -> Result<f64, ErrorValue>| {
        numbers(eval, arguments, defaults, least..=2, |n| compute(n[0], n[1]))
    };
    let result: Outcome<Operand> = match name {
        "PI" => Ok(std::f64::consts::PI.into()),
        "ROUND" => two(&[], 2, |number, digits| Ok(round(number, digits, half_away))),
        "ROUNDUP" => two(&[], 2, |number, digits| Ok(round(number, digits, away))),
        "ROUNDDOWN" => two(&[], 2, |number, digits| Ok(round(number, digits, f64::trunc))),
        "TRUNC" => two(&[0.0], 1, |number, digits| Ok(round(number, digits, f64::trunc))),
        "MOD" => two(&[], 2, modulo),
        "POWER" => two(&[], 2, power),
        "LOG" => two(&[10.0], 1, |number, base| match number > 0.0 && base > 0.0 {
            true if base == 1.0 => Err(ErrorValue::Div0),
            true if base == 10.0 => Ok(number.log10()),
            true => Ok(number.ln() / base.ln()),
            false => Err(ErrorValue::Num),
        }),
        "QUOTIENT" => two(&[], 2, |a, b| if b == 0.0 { Err(ErrorValue::Div0) } else { Ok((a / b).trunc()) }),
        "ATAN2" => {
            two(&[], 2, |x, y| if x == 0.0 && y == 0.0 { Err(ErrorValue::Div0) } else { Ok(y.atan2(x)) })
        }
        "MROUND" => two(&[], 2, |number, multiple| {
            if multiple == 0.0 || number == 0.0 {
                return Ok(0.0);
            }
            if (number < 0.0) != (multiple < 0.0) {
                return Err(ErrorValue::Num);
            }
            Ok(half_away(steady(number / multiple)) * multiple)
        }),
        "CEILING" => two(&[], 2, |number, step| match (number, step) {
            (_, 0.0) => Ok(0.0),
            (number, step) if number > 0.0 && step < 0.0 => Err(ErrorValue::Num),
            (number, step) => Ok(steady(number / step).ceil() * step),
        }),
        "FLOOR" => two(&[], 2, |number, step| match (number, step) {
            (0.0, _) => Ok(0.0),
            (_, 0.0) => Err(ErrorValue::Div0),
            (number, step) if number > 0.0 && step < 0.0 => Err(ErrorValue::Num),
            (number, step) => Ok(steady(number / step).floor() * step),
        }),
        "CEILING.MATH" => {
            numbers(eval, arguments, &[1.0, 0.0], 1..=3, |n| Ok(to_step(n, f64::ceil, f64::floor)))
        }
        "FLOOR.MATH" => {
            numbers(eval, arguments, &[1.0, 0.0], 1..=3, |n| Ok(to_step(n, f64::floor, f64::ceil)))
        }
        "CEILING.PRECISE" | "ISO.CEILING" => {
            two(&[1.0], 1, |number, step| Ok(to_step(&[number, step, 0.0], f64::ceil, f64::ceil)))
        }
        "FLOOR.PRECISE" => {
            two(&[1.0], 1, |number, step| Ok(to_step(&[number, step, 0.0], f64::floor, f64::floor)))
        }
        "FACT" => numbers(eval, arguments, &[], 1..=1, |n| factorial(n[0].trunc(), 1)),
        "FACTDOUBLE" => numbers(eval, arguments, &[], 1..=1, |n| factorial(n[0].trunc(), 2)),
        "COMBIN" => two(&[], 2, |n, k| choose(n.trunc(), k.trunc())),
        "COMBINA" => two(&[], 2, |n, k| {
            let (n, k) = (n.trunc(), k.trunc());
            if k == 0.0 { Ok(1.0) } else { choose(n + k - 1.0, k) }
        }),
        "PERMUT" => two(&[], 2, |n, k| {
            let (n, k) = (n.trunc(), k.trunc());
            if n < k || k < 0.0 {
                return Err(ErrorValue::Num);
            }
            Ok((0..k as u64).fold(1.0, |product, step| product * (n - step as f64)))
        }),
        "GCD" => fold(eval, arguments, 0, gcd),
        "LCM" => fold(eval, arguments, 1, |a, b| if a == 0 || b == 0 { 0 } else { a / gcd(a, b) * b }),
        "BITAND" => two(&[], 2, |a, b| bits(a, b, |a, b| a & b)),
        "BITOR" => two(&[], 2, |a, b| bits(a, b, |a, b| a | b)),
        "BITXOR" => two(&[], 2, |a, b| bits(a, b, |a, b| a ^ b)),
        "BASE" => base(eval, arguments),
        "DECIMAL" => decimal(eval, arguments),
        "ROMAN" => {
            scalars(eval, arguments, 1..=2, |values| roman(values[0].number(eval.dates())?).map(Scalar::from))
        }
        _ => return Ok(None),
    };
    result.map(Some)
}

fn defined(result: f64) -> Result<f64, ErrorValue> {
    if result.is_finite() { Ok(result) } else { Err(ErrorValue::Num) }
}

fn sign(number: f64) -> f64 {
    if number == 0.0 { 0.0 } else { number.signum() }
}

/// Down to the next whole number; what is whole but for rounding noise stays.
fn floor(number: f64) -> f64 {
    steady(number).floor()
}

fn odd(number: f64) -> f64 {
    if number == 0.0 {
        return 1.0;
    }
    sign(number) * (((number.abs() - 1.0) / 2.0).ceil() * 2.0 + 1.0)
}

/// A number judged on 15 digits, so that 1.1 × 10 is 11 before it is rounded up.
pub(super) fn steady(number: f64) -> f64 {
    if number == 0.0 || !number.is_finite() {
        return number;
    }
    format!("{number:.14e}").parse().unwrap_or(number)
}

fn half_away(number: f64) -> f64 {
    number.signum() * (number.abs() + 0.5).floor()
}

fn away(number: f64) -> f64 {
    number.signum() * number.abs().ceil()
}

pub(super) fn round(number: f64, digits: f64, whole: fn(f64) -> f64) -> f64 {
    if number == 0.0 {
        return 0.0;
    }
    let digits = digits.trunc();
    if digits > 15.0 {
        return number;
    }
    if digits < -308.0 {
        return 0.0;
    }
    let scale = 10_f64.powi(digits.abs() as i32);
    let scaled = if digits >= 0.0 { number * scale } else { number / scale };
    if !scaled.is_finite() {
        return number;
    }
    let rounded = whole(steady(scaled));
    if digits >= 0.0 { rounded / scale } else { rounded * scale }
}

/// Excel's `ROUND`.
pub(super) fn round_half(number: f64, digits: f64) -> f64 {
    round(number, digits, half_away)
}

fn modulo(number: f64, divisor: f64) -> Result<f64, ErrorValue> {
    if divisor == 0.0 {
        return Err(ErrorValue::Div0);
    }
    let quotient = steady(number / divisor).floor();
    let rest = number - quotient * divisor;
    // Rounding may leave a trace of the wrong sign.
    Ok(if rest.abs() < divisor.abs() * 1e-15 || (rest < 0.0) != (divisor < 0.0) && rest.abs() < 1e-9 {
        0.0
    } else {
        rest
    })
}

/// CEILING.MATH and FLOOR.MATH: `towards` above zero, `below` under it when the mode says so.
fn to_step(n: &[f64], towards: fn(f64) -> f64, below: fn(f64) -> f64) -> f64 {
    let (number, step, mode) = (n[0], n[1].abs(), n[2]);
    if step == 0.0 || number == 0.0 {
        return 0.0;
    }
    let quotient = steady(number / step);
    if number < 0.0 && mode != 0.0 { below(quotient) * step } else { towards(quotient) * step }
}

fn factorial(number: f64, step: usize) -> Result<f64, ErrorValue> {
    if !(0.0..=300.0).contains(&number) {
        return Err(ErrorValue::Num);
    }
    let mut product = 1.0;
    let mut factor = number;
    while factor > 1.0 {
        product *= factor;
        factor -= step as f64;
    }
    defined(product)
}

fn choose(n: f64, k: f64) -> Result<f64, ErrorValue> {
    if n < 0.0 || k < 0.0 || n < k {
        return Err(ErrorValue::Num);
    }
    let k = k.min(n - k);
    let mut result = 1.0;
    for step in 0..k as u64 {
        result = result * (n - step as f64) / (step as f64 + 1.0);
    }
    defined(result.round())
}

fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

fn fold(eval: &Eval<'_>, arguments: &[Expr], start: u64, join: fn(u64, u64) -> u64) -> Outcome<Operand> {
    Ok(match super::collect_numbers(eval, arguments)? {
        Err(error) => error.into(),
        Ok(numbers) if numbers.iter().any(|n| *n < 0.0 || *n > 9e15) => ErrorValue::Num.into(),
        Ok(numbers) => (numbers.iter().fold(start, |total, n| join(total, *n as u64)) as f64).into(),
    })
}

fn bits(a: f64, b: f64, join: fn(u64, u64) -> u64) -> Result<f64, ErrorValue> {
    const LARGEST: f64 = 281_474_976_710_655.0;
    let fits = |number: f64| (0.0..=LARGEST).contains(&number) && number.fract() == 0.0;
    if fits(a) && fits(b) { Ok(join(a as u64, b as u64) as f64) } else { Err(ErrorValue::Num) }
}

fn base(eval: &Eval<'_>, arguments: &[Expr]) -> Outcome<Operand> {
    let dates = eval.dates();
    scalars(eval, arguments, 2..=3, |values| {
        let (number, radix) = (values[0].number(dates)?.trunc(), values[1].number(dates)?.trunc());
        let width = values.get(2).map_or(Ok(0.0), |value| value.number(dates))? as usize;
        if !(0.0..9.007e15).contains(&number) || !(2.0..=36.0).contains(&radix) || width > 255 {
            return Err(ErrorValue::Num);
        }
        let (mut rest, radix) = (number as u64, radix as u64);
        let mut digits = Vec::new();
        while rest > 0 || digits.is_empty() {
            digits.push(char::from_digit((rest % radix) as u32, radix as u32).unwrap_or('0'));
            rest /= radix;
        }
        let text: String = digits.iter().rev().collect::<String>().to_uppercase();
        Ok(format!("{text:0>width$}").into())
    })
}

fn decimal(eval: &Eval<'_>, arguments: &[Expr]) -> Outcome<Operand> {
    let dates = eval.dates();
    scalars(eval, arguments, 2..=2, |values| {
        let radix = values[1].number(dates)?.trunc();
        if !(2.0..=36.0).contains(&radix) {
            return Err(ErrorValue::Num);
        }
        let number = u64::from_str_radix(values[0].text()?.trim(), radix as u32);
        number.map(|number| (number as f64).into()).map_err(|_| ErrorValue::Num)
    })
}

fn roman(number: f64) -> Result<String, ErrorValue> {
    const SIGNS: [(u32, &str); 13] = [
        (1000, "M"),
        (900, "CM"),
        (500, "D"),
        (400, "CD"),
        (100, "C"),
        (90, "XC"),
        (50, "L"),
        (40, "XL"),
        (10, "X"),
        (9, "IX"),
        (5, "V"),
        (4, "IV"),
        (1, "I"),
    ];
    if !(0.0..4000.0).contains(&number) {
        return Err(ErrorValue::Value);
    }
    let mut rest = number as u32;
    let mut text = String::new();
    for (value, sign) in SIGNS {
        while rest >= value {
            text.push_str(sign);
            rest -= value;
        }
    }
    Ok(text)
}
