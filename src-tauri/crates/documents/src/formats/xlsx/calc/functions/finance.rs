//! Annuities, cash flows, depreciation.

use super::{
    super::{
        eval::{Eval, Operand, Outcome},
        parse::Expr,
        value::{ErrorValue, Scalar},
    },
    Answer, answer, array, collect_numbers, numbers, one, wrong_arguments,
};

pub(super) fn call(eval: &Eval<'_>, name: &str, arguments: &[Expr]) -> Answer {
    let result: Outcome<Operand> = match name {
        "PMT" => numbers(eval, arguments, &[0.0, 0.0], 3..=5, |n| payment(n[0], n[1], n[2], n[3], n[4])),
        "FV" => numbers(eval, arguments, &[0.0, 0.0], 3..=5, |n| Ok(future(n[0], n[1], n[2], n[3], n[4]))),
        "PV" => numbers(eval, arguments, &[0.0, 0.0], 3..=5, |n| present(n[0], n[1], n[2], n[3], n[4])),
        "NPER" => numbers(eval, arguments, &[0.0, 0.0], 3..=5, |n| periods(n[0], n[1], n[2], n[3], n[4])),
        "IPMT" => {
            numbers(eval, arguments, &[0.0, 0.0], 4..=6, |n| interest(n[0], n[1], n[2], n[3], n[4], n[5]))
        }
        "PPMT" => numbers(eval, arguments, &[0.0, 0.0], 4..=6, |n| {
            let whole = payment(n[0], n[2], n[3], n[4], n[5])?;
            interest(n[0], n[1], n[2], n[3], n[4], n[5]).map(|part| whole - part)
        }),
        "RATE" => numbers(eval, arguments, &[0.0, 0.0, 0.1], 3..=6, rate),
        "NPV" => present_of_flows(eval, arguments),
        "IRR" => internal_rate(eval, arguments),
        "XNPV" => dated_present(eval, arguments),
        "XIRR" => dated_rate(eval, arguments),
        "SLN" => numbers(eval, arguments, &[], 3..=3, |n| {
            if n[2] == 0.0 { Err(ErrorValue::Div0) } else { Ok((n[0] - n[1]) / n[2]) }
        }),
        "SYD" => numbers(eval, arguments, &[], 4..=4, |n| {
            let (life, period) = (n[2], n[3]);
            if life <= 0.0 || period < 1.0 || period > life {
                return Err(ErrorValue::Num);
            }
            Ok((n[0] - n[1]) * (life - period + 1.0) * 2.0 / (life * (life + 1.0)))
        }),
        "DDB" => numbers(eval, arguments, &[2.0], 4..=5, |n| double_declining(n[0], n[1], n[2], n[3], n[4])),
        "EFFECT" => numbers(eval, arguments, &[], 2..=2, |n| {
            let count = n[1].trunc();
            if n[0] <= 0.0 || count < 1.0 {
                Err(ErrorValue::Num)
            } else {
                Ok((1.0 + n[0] / count).powf(count) - 1.0)
            }
        }),
        "NOMINAL" => numbers(eval, arguments, &[], 2..=2, |n| {
            let count = n[1].trunc();
            if n[0] <= 0.0 || count < 1.0 {
                return Err(ErrorValue::Num);
            }
            Ok(((1.0 + n[0]).powf(1.0 / count) - 1.0) * count)
        }),
        _ => return Ok(None),
    };
    result.map(Some)
}

fn growth(rate: f64, count: f64) -> f64 {
    (1.0 + rate).powf(count)
}

fn payment(rate: f64, count: f64, present: f64, future: f64, kind: f64) -> Result<f64, ErrorValue> {
    if count == 0.0 {
        return Err(ErrorValue::Num);
    }
    if rate == 0.0 {
        return Ok(-(present + future) / count);
    }
    let grown = growth(rate, count);
    let due = if kind == 0.0 { 1.0 } else { 1.0 + rate };
    Ok(-(future + present * grown) * rate / ((grown - 1.0) * due))
}

fn future(rate: f64, count: f64, payment: f64, present: f64, kind: f64) -> f64 {
    if rate == 0.0 {
        return -(present + payment * count);
    }
    let grown = growth(rate, count);
    let due = if kind == 0.0 { 1.0 } else { 1.0 + rate };
    -(present * grown + payment * due * (grown - 1.0) / rate)
}

fn present(rate: f64, count: f64, payment: f64, future: f64, kind: f64) -> Result<f64, ErrorValue> {
    if rate == 0.0 {
        return Ok(-(future + payment * count));
    }
    let grown = growth(rate, count);
    let due = if kind == 0.0 { 1.0 } else { 1.0 + rate };
    let result = -(future + payment * due * (grown - 1.0) / rate) / grown;
    if result.is_finite() { Ok(result) } else { Err(ErrorValue::Num) }
}

fn periods(rate: f64, payment: f64, present: f64, future: f64, kind: f64) -> Result<f64, ErrorValue> {
    let result = if rate == 0.0 {
        -(present + future) / payment
    } else {
        let due = if kind == 0.0 { payment } else { payment * (1.0 + rate) };
        ((due - future * rate) / (present * rate + due)).ln() / (1.0 + rate).ln()
    };
    if result.is_finite() { Ok(result) } else { Err(ErrorValue::Num) }
}

fn interest(
    rate: f64,
    period: f64,
    count: f64,
    present: f64,
    future_value: f64,
    kind: f64,
) -> Result<f64, ErrorValue> {
    if period < 1.0 || period > count {
        return Err(ErrorValue::Num);
    }
    let whole = payment(rate, count, present, future_value, kind)?;
    if kind != 0.0 && period == 1.0 {
        return Ok(0.0);
    }
    let before = future(rate, period - 1.0, whole, present, kind);
    Ok(if kind == 0.0 {
        before * rate
    } else {
        (before - whole) * rate / (1.0 + rate) * (1.0 + rate) / (1.0 + rate)
    })
}

/// The root of a function from a guess, by Newton's method with a numeric slope.
fn solve(guess: f64, value: impl Fn(f64) -> f64) -> Result<f64, ErrorValue> {
    let mut rate = guess;
    for _ in 0..100 {
        let at = value(rate);
        if at.abs() < 1e-11 {
            return Ok(rate);
        }
        let step = (rate.abs() * 1e-7).max(1e-9);
        let slope = (value(rate + step) - value(rate - step)) / (2.0 * step);
        let next = rate - at / slope;
        if !next.is_finite() || next <= -1.0 {
            return Err(ErrorValue::Num);
        }
        if (next - rate).abs() < 1e-13 {
            return Ok(next);
        }
        rate = next;
    }
    Err(ErrorValue::Num)
}

fn rate(n: &[f64]) -> Result<f64, ErrorValue> {
    let (count, payment, present, future_value, kind, guess) = (n[0], n[1], n[2], n[3], n[4], n[5]);
    let guess = if guess == 0.0 { 0.1 } else { guess };
    solve(guess, |rate| future(rate, count, payment, present, kind) - future_value)
}

fn present_of_flows(eval: &Eval<'_>, arguments: &[Expr]) -> Outcome<Operand> {
    let [rate, flows @ ..] = arguments else { return wrong_arguments() };
    let rate = one(eval, rate)?.number(eval.dates());
    let flows = collect_numbers(eval, flows)?;
    answer(rate.and_then(|rate| {
        if rate == -1.0 {
            return Err(ErrorValue::Div0);
        }
        Ok(flows?.iter().zip(1..).map(|(flow, period)| flow / growth(rate, f64::from(period))).sum::<f64>())
    }))
}

fn internal_rate(eval: &Eval<'_>, arguments: &[Expr]) -> Outcome<Operand> {
    let ([flows] | [flows, _]) = arguments else { return wrong_arguments() };
    let guess = match arguments.get(1) {
        Some(guess) => one(eval, guess)?.number(eval.dates()),
        None => Ok(0.1),
    };
    let flows = collect_numbers(eval, std::slice::from_ref(flows))?;
    answer(flows.and_then(|flows| {
        let both = flows.iter().any(|flow| *flow > 0.0) && flows.iter().any(|flow| *flow < 0.0);
        if !both {
            return Err(ErrorValue::Num);
        }
        solve(guess?, |rate| {
            flows.iter().zip(0..).map(|(flow, period)| flow / growth(rate, f64::from(period))).sum()
        })
    }))
}

type Dated = Result<Vec<(f64, f64)>, ErrorValue>;

fn dated(eval: &Eval<'_>, flows: &Expr, days: &Expr) -> Outcome<Dated> {
    let (flows, days) = (array(eval, flows)?, array(eval, days)?);
    if flows.items.len() != days.items.len() || flows.items.is_empty() {
        return Ok(Err(ErrorValue::Num));
    }
    let dates = eval.dates();
    let pair = |(flow, day): (&Scalar, &Scalar)| Ok((flow.number(dates)?, day.number(dates)?.floor()));
    Ok(flows.items.iter().zip(&days.items).map(pair).collect())
}

fn worth(flows: &[(f64, f64)], rate: f64) -> f64 {
    let start = flows[0].1;
    flows.iter().map(|(flow, day)| flow / growth(rate, (day - start) / 365.0)).sum()
}

fn dated_present(eval: &Eval<'_>, arguments: &[Expr]) -> Outcome<Operand> {
    let [rate, flows, days] = arguments else { return wrong_arguments() };
    let rate = one(eval, rate)?.number(eval.dates());
    let flows = dated(eval, flows, days)?;
    answer(rate.and_then(|rate| Ok(worth(&flows?, rate))))
}

fn dated_rate(eval: &Eval<'_>, arguments: &[Expr]) -> Outcome<Operand> {
    let ([flows, days] | [flows, days, _]) = arguments else { return wrong_arguments() };
    let guess = match arguments.get(2) {
        Some(guess) => one(eval, guess)?.number(eval.dates()),
        None => Ok(0.1),
    };
    let flows = dated(eval, flows, days)?;
    answer(flows.and_then(|flows| solve(guess?, |rate| worth(&flows, rate))))
}

fn double_declining(cost: f64, salvage: f64, life: f64, period: f64, factor: f64) -> Result<f64, ErrorValue> {
    if cost < 0.0 || salvage < 0.0 || life <= 0.0 || period < 1.0 || period > life || factor <= 0.0 {
        return Err(ErrorValue::Num);
    }
    let share = (factor / life).min(1.0);
    let mut left = cost;
    let mut written_off = 0.0;
    let mut step = 1.0;
    while step <= period {
        written_off = (left * share).min((left - salvage).max(0.0));
        left -= written_off;
        step += 1.0;
    }
    Ok(written_off)
}
