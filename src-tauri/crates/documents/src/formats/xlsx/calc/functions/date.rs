//! Dates and times as serial numbers.

use super::{
    super::{
        eval::{Eval, Operand, Outcome},
        parse::Expr,
        value::{ErrorValue, Scalar, parse_number},
    },
    Answer, answer, each, numbers, one, scalars, wrong_arguments,
};
use crate::formats::xlsx::number_format::{DateSystem, Moment, days_in_month};

pub(super) fn call(eval: &Eval<'_>, name: &str, arguments: &[Expr]) -> Answer {
    let dates = eval.dates();
    let part = |compute: fn(&Moment) -> f64| {
        scalars(eval, arguments, 1..=1, |values| {
            let moment = dates.moment(values[0].number(dates)?).ok_or(ErrorValue::Num)?;
            Ok(compute(&moment).into())
        })
    };
    let result: Outcome<Operand> = match name {
        "DATE" => numbers(eval, arguments, &[], 3..=3, |n| date(n[0], n[1], n[2], dates)),
        "TIME" => numbers(eval, arguments, &[], 3..=3, |n| {
            let seconds = n[0].trunc() * 3600.0 + n[1].trunc() * 60.0 + n[2].trunc();
            if seconds < 0.0 { Err(ErrorValue::Num) } else { Ok((seconds / 86_400.0).fract()) }
        }),
        "YEAR" => part(|m| m.year as f64),
        "MONTH" => part(|m| f64::from(m.month)),
        "DAY" => part(|m| f64::from(m.day)),
        "HOUR" => part(|m| (rounded(m) / 3600.0).floor() % 24.0),
        "MINUTE" => part(|m| (rounded(m) / 60.0).floor() % 60.0),
        "SECOND" => part(|m| rounded(m) % 60.0),
        "WEEKDAY" => numbers(eval, arguments, &[1.0], 1..=2, |n| {
            let sunday_first = f64::from(dates.moment(n[0]).ok_or(ErrorValue::Num)?.weekday);
            match n[1].trunc() as i64 {
                1 | 17 => Ok(sunday_first),
                2 | 11 => Ok((sunday_first + 5.0) % 7.0 + 1.0),
                3 => Ok((sunday_first + 5.0) % 7.0),
                kind @ 12..=16 => Ok((sunday_first + 16.0 - kind as f64 + 0.0).rem_euclid(7.0) + 1.0),
                _ => Err(ErrorValue::Num),
            }
        }),
        "WEEKNUM" => numbers(eval, arguments, &[1.0], 1..=2, |n| week_number(n[0], n[1], dates)),
        "ISOWEEKNUM" => numbers(eval, arguments, &[], 1..=1, |n| week_number(n[0], 21.0, dates)),
        "DATEVALUE" => scalars(eval, arguments, 1..=1, |values| match &values[0] {
            Scalar::Text(text) => {
                parse_number(text, dates).map(|serial| serial.floor().into()).ok_or(ErrorValue::Value)
            }
            _ => Err(ErrorValue::Value),
        }),
        "TIMEVALUE" => scalars(eval, arguments, 1..=1, |values| match &values[0] {
            Scalar::Text(text) => {
                parse_number(text, dates).map(|serial| serial.fract().into()).ok_or(ErrorValue::Value)
            }
            _ => Err(ErrorValue::Value),
        }),
        "EDATE" => numbers(eval, arguments, &[], 2..=2, |n| months_later(n[0], n[1], false, dates)),
        "EOMONTH" => numbers(eval, arguments, &[], 2..=2, |n| months_later(n[0], n[1], true, dates)),
        "DAYS" => numbers(eval, arguments, &[], 2..=2, |n| Ok(n[0].floor() - n[1].floor())),
        "DAYS360" => numbers(eval, arguments, &[0.0], 2..=3, |n| days_360(n[0], n[1], n[2] != 0.0, dates)),
        "DATEDIF" => date_difference(eval, arguments),
        "YEARFRAC" => numbers(eval, arguments, &[0.0], 2..=3, |n| year_fraction(n[0], n[1], n[2], dates)),
        "NETWORKDAYS" => work_days(eval, arguments),
        "WORKDAY" => work_day(eval, arguments),
        _ => return Ok(None),
    };
    result.map(Some)
}

/// Seconds into the day, rounded as the clock functions do.
fn rounded(moment: &Moment) -> f64 {
    moment.seconds.round()
}

fn moment(serial: f64, dates: DateSystem) -> Result<Moment, ErrorValue> {
    dates.moment(serial).ok_or(ErrorValue::Num)
}

fn serial(year: i64, month: u32, day: u32, dates: DateSystem) -> Result<f64, ErrorValue> {
    dates.serial(year, month, day).map(|serial| serial as f64).ok_or(ErrorValue::Num)
}

/// DATE: months and days may lie beyond their range and carry over.
fn date(year: f64, month: f64, day: f64, dates: DateSystem) -> Result<f64, ErrorValue> {
    let mut year = year.trunc();
    if (0.0..1900.0).contains(&year) {
        year += 1900.0;
    }
    if !(0.0..10_000.0).contains(&year) || month.abs() > 120_000.0 || day.abs() > 4e6 {
        return Err(ErrorValue::Num);
    }
    let months = year as i64 * 12 + month.trunc() as i64 - 1;
    let first = serial(months.div_euclid(12), months.rem_euclid(12) as u32 + 1, 1, dates)?;
    let result = first + day.trunc() - 1.0;
    if (0.0..2_958_466.0).contains(&result) { Ok(result) } else { Err(ErrorValue::Num) }
}

fn months_later(start: f64, months: f64, to_end: bool, dates: DateSystem) -> Result<f64, ErrorValue> {
    let from = moment(start.floor(), dates)?;
    let total = from.year * 12 + i64::from(from.month) - 1 + months.trunc() as i64;
    let (year, month) = (total.div_euclid(12), total.rem_euclid(12) as u32 + 1);
    let last = days_in_month(year, month);
    serial(year, month, if to_end { last } else { from.day.clamp(1, last) }, dates)
}

fn week_number(day: f64, kind: f64, dates: DateSystem) -> Result<f64, ErrorValue> {
    let now = moment(day.floor(), dates)?;
    let first_weekday = match kind.trunc() as i64 {
        1 | 17 => 1,
        2 | 11 | 21 => 2,
        kind @ 12..=16 => (kind - 9) as u32,
        _ => return Err(ErrorValue::Num),
    };
    if kind.trunc() as i64 == 21 {
        // The week of its Thursday (ISO 8601).
        let monday_based = f64::from((now.weekday + 5) % 7);
        let thursday = moment(day.floor() - monday_based + 3.0, dates)?;
        let january = serial(thursday.year, 1, 1, dates)?;
        return Ok(((day.floor() - monday_based + 3.0 - january) / 7.0).floor() + 1.0);
    }
    let january = serial(now.year, 1, 1, dates)?;
    let offset = (moment(january, dates)?.weekday + 7 - first_weekday) % 7;
    Ok(((day.floor() - january + f64::from(offset)) / 7.0).floor() + 1.0)
}

fn days_360(start: f64, end: f64, european: bool, dates: DateSystem) -> Result<f64, ErrorValue> {
    let (from, to) = (moment(start.floor(), dates)?, moment(end.floor(), dates)?);
    let (mut from_day, mut to_day) = (from.day, to.day);
    if european {
        from_day = from_day.min(30);
        to_day = to_day.min(30);
    } else {
        let from_is_last = from_day == days_in_month(from.year, from.month);
        if from_is_last {
            from_day = 30;
        }
        if to_day == 31 && from_day >= 30 {
            to_day = 30;
        }
    }
    Ok((to.year - from.year) as f64 * 360.0
        + (f64::from(to.month) - f64::from(from.month)) * 30.0
        + (f64::from(to_day) - f64::from(from_day)))
}

fn date_difference(eval: &Eval<'_>, arguments: &[Expr]) -> Outcome<Operand> {
    let dates = eval.dates();
    scalars(eval, arguments, 3..=3, |values| {
        let (start, end) = (values[0].number(dates)?.floor(), values[1].number(dates)?.floor());
        if start > end {
            return Err(ErrorValue::Num);
        }
        let (from, to) = (moment(start, dates)?, moment(end, dates)?);
        let mut months = (to.year - from.year) * 12 + i64::from(to.month) - i64::from(from.month);
        if to.day < from.day {
            months -= 1;
        }
        Ok(match values[2].text()?.to_ascii_uppercase().as_str() {
            "D" => end - start,
            "M" => months as f64,
            "Y" => months.div_euclid(12) as f64,
            "YM" => months.rem_euclid(12) as f64,
            "MD" => {
                let anchor = months_later(start, months as f64, false, dates)?;
                end - anchor
            }
            "YD" => {
                let years = months.div_euclid(12) as f64;
                end - months_later(start, years * 12.0, false, dates)?
            }
            _ => return Err(ErrorValue::Num),
        }
        .into())
    })
}

fn year_fraction(start: f64, end: f64, basis: f64, dates: DateSystem) -> Result<f64, ErrorValue> {
    let (start, end) = (start.floor().min(end.floor()), start.floor().max(end.floor()));
    let days = end - start;
    match basis.trunc() as i64 {
        0 => days_360(start, end, false, dates).map(|days| days / 360.0),
        1 => {
            let (from, to) = (moment(start, dates)?, moment(end, dates)?);
            let is_leap = |year: i64| days_in_month(year, 2) == 29;
            let within_a_year = to.year == from.year
                || (to.year == from.year + 1 && (to.month, to.day) <= (from.month, from.day));
            let year_days = if within_a_year {
                let leap_day_between = (from.year..=to.year).any(|year| {
                    is_leap(year)
                        && serial(year, 2, 29, dates).is_ok_and(|leap| (start..=end).contains(&leap))
                });
                if leap_day_between || (to.year == from.year && is_leap(from.year)) { 366.0 } else { 365.0 }
            } else {
                let years = (from.year..=to.year).map(|year| if is_leap(year) { 366.0 } else { 365.0 });
                years.sum::<f64>() / (to.year - from.year + 1) as f64
            };
            Ok(days / year_days)
        }
        2 => Ok(days / 360.0),
        3 => Ok(days / 365.0),
        4 => days_360(start, end, true, dates).map(|days| days / 360.0),
        _ => Err(ErrorValue::Num),
    }
}

fn holidays(eval: &Eval<'_>, argument: Option<&Expr>) -> Outcome<Vec<f64>> {
    let mut days = Vec::new();
    if let Some(argument) = argument {
        let dates = eval.dates();
        each(eval, std::slice::from_ref(argument), &mut |value, _| {
            days.extend(value.number(dates).ok().map(f64::floor));
        })?;
    }
    Ok(days)
}

fn is_free(day: f64, holidays: &[f64], dates: DateSystem) -> bool {
    let weekend = dates.moment(day).is_none_or(|moment| matches!(moment.weekday, 1 | 7));
    weekend || holidays.contains(&day)
}

fn work_days(eval: &Eval<'_>, arguments: &[Expr]) -> Outcome<Operand> {
    let ([start, end] | [start, end, _]) = arguments else { return wrong_arguments() };
    let dates = eval.dates();
    let both = (one(eval, start)?.number(dates), one(eval, end)?.number(dates));
    let (Ok(start), Ok(end)) = both else { return Ok(ErrorValue::Value.into()) };
    let holidays = holidays(eval, arguments.get(2))?;
    let (first, last, sign) = if start <= end { (start, end, 1.0) } else { (end, start, -1.0) };
    if last - first > 100_000.0 {
        return super::unknown("it counts too many days");
    }
    let mut count = 0.0;
    let mut day = first.floor();
    while day <= last.floor() {
        count += f64::from(u8::from(!is_free(day, &holidays, dates)));
        day += 1.0;
    }
    answer(Ok(count * sign))
}

fn work_day(eval: &Eval<'_>, arguments: &[Expr]) -> Outcome<Operand> {
    let ([start, count] | [start, count, _]) = arguments else { return wrong_arguments() };
    let dates = eval.dates();
    let both = (one(eval, start)?.number(dates), one(eval, count)?.number(dates));
    let (Ok(start), Ok(count)) = both else { return Ok(ErrorValue::Value.into()) };
    let holidays = holidays(eval, arguments.get(2))?;
    let (mut day, mut left) = (start.floor(), count.trunc());
    if left.abs() > 100_000.0 {
        return super::unknown("it counts too many days");
    }
    let step = if left < 0.0 { -1.0 } else { 1.0 };
    while left != 0.0 {
        day += step;
        if day < 0.0 {
            return Ok(ErrorValue::Num.into());
        }
        if !is_free(day, &holidays, dates) {
            left -= step;
        }
    }
    answer(Ok(day))
}
