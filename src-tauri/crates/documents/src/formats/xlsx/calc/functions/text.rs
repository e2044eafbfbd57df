//! Text functions. Positions count UTF-16 units, as Excel does.

use super::{
    super::{
        eval::{Eval, Operand, Outcome},
        parse::Expr,
        value::{ErrorValue, Scalar, format, parse_number},
    },
    Answer, Origin, answer, criteria, each, math, one, scalars, wrong_arguments,
};

/// The longest text of a cell.
const LONGEST: usize = 32_767;

pub(super) fn call(eval: &Eval<'_>, name: &str, arguments: &[Expr]) -> Answer {
    let dates = eval.dates();
    let of_text = |compute: fn(&str) -> String| {
        scalars(eval, arguments, 1..=1, |values| Ok(compute(&values[0].text()?).into()))
    };
    let result: Outcome<Operand> = match name {
        "LEN" => scalars(eval, arguments, 1..=1, |values| {
            Ok((values[0].text()?.encode_utf16().count() as f64).into())
        }),
        "LOWER" => of_text(|text| text.to_lowercase()),
        "UPPER" => of_text(|text| text.to_uppercase()),
        "PROPER" => of_text(proper),
        "TRIM" => {
            of_text(|text| text.split(' ').filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" "))
        }
        "CLEAN" => of_text(|text| text.chars().filter(|c| *c >= ' ').collect()),
        "LEFT" | "RIGHT" => scalars(eval, arguments, 1..=2, |values| {
            let units: Vec<u16> = values[0].text()?.encode_utf16().collect();
            let count = values.get(1).map_or(Ok(1.0), |value| value.number(dates))?;
            if count < 0.0 {
                return Err(ErrorValue::Value);
            }
            let count = (count as usize).min(units.len());
            let part = if name == "LEFT" { &units[..count] } else { &units[units.len() - count..] };
            Ok(String::from_utf16_lossy(part).into())
        }),
        "MID" => scalars(eval, arguments, 3..=3, |values| {
            let units: Vec<u16> = values[0].text()?.encode_utf16().collect();
            let (start, count) = (values[1].number(dates)?, values[2].number(dates)?);
            if start < 1.0 || count < 0.0 {
                return Err(ErrorValue::Value);
            }
            let start = (start as usize - 1).min(units.len());
            let end = start.saturating_add(count as usize).min(units.len());
            Ok(String::from_utf16_lossy(&units[start..end]).into())
        }),
        "REPT" => scalars(eval, arguments, 2..=2, |values| {
            let (text, count) = (values[0].text()?, values[1].number(dates)?);
            if count < 0.0 || text.len() as f64 * count.trunc() > LONGEST as f64 {
                return Err(ErrorValue::Value);
            }
            Ok(text.repeat(count as usize).into())
        }),
        "EXACT" => {
            scalars(eval, arguments, 2..=2, |values| Ok((values[0].text()? == values[1].text()?).into()))
        }
        "FIND" => find(eval, arguments, |text, wanted, from| text[from..].find(wanted).map(|at| from + at)),
        "SEARCH" => find(eval, arguments, search),
        "SUBSTITUTE" => scalars(eval, arguments, 3..=4, |values| {
            let (text, old, new) = (values[0].text()?, values[1].text()?, values[2].text()?);
            if old.is_empty() {
                return Ok(Scalar::Text(text));
            }
            let Some(which) = values.get(3) else { return Ok(text.replace(&*old, &new).into()) };
            let which = which.number(dates)?;
            if which < 1.0 {
                return Err(ErrorValue::Value);
            }
            let found = text.match_indices(&*old).nth(which as usize - 1);
            Ok(found.map_or_else(
                || Scalar::Text(text.clone()),
                |(at, _)| format!("{}{new}{}", &text[..at], &text[at + old.len()..]).into(),
            ))
        }),
        "REPLACE" => scalars(eval, arguments, 4..=4, |values| {
            let units: Vec<u16> = values[0].text()?.encode_utf16().collect();
            let (start, count) = (values[1].number(dates)?, values[2].number(dates)?);
            if start < 1.0 || count < 0.0 {
                return Err(ErrorValue::Value);
            }
            let start = (start as usize - 1).min(units.len());
            let end = start.saturating_add(count as usize).min(units.len());
            let new = values[3].text()?;
            let (head, tail) =
                (String::from_utf16_lossy(&units[..start]), String::from_utf16_lossy(&units[end..]));
            Ok(format!("{head}{new}{tail}").into())
        }),
        "CONCATENATE" => scalars(eval, arguments, 1..=255, |values| {
            let texts = values.iter().map(Scalar::text).collect::<Result<Vec<_>, _>>()?;
            Ok(texts.concat().into())
        }),
        "CONCAT" => concat(eval, arguments),
        "TEXTJOIN" => text_join(eval, arguments),
        "TEXT" => scalars(eval, arguments, 2..=2, |values| {
            let code = values[1].text()?;
            match &values[0] {
                Scalar::Text(text) => match parse_number(text, dates) {
                    Some(number) => Ok(format(number, &code, dates).into()),
                    None => Ok(Scalar::Text(text.clone())),
                },
                Scalar::Boolean(_) => Ok(Scalar::Text(values[0].text()?)),
                value => Ok(format(value.number(dates)?, &code, dates).into()),
            }
        }),
        "VALUE" => scalars(eval, arguments, 1..=1, |values| match &values[0] {
            Scalar::Boolean(_) => Err(ErrorValue::Value),
            value => value.number(dates).map(Scalar::from),
        }),
        "NUMBERVALUE" => number_value(eval, arguments),
        "FIXED" => scalars(eval, arguments, 1..=3, |values| {
            let digits = values.get(1).map_or(Ok(2.0), |value| value.number(dates))?;
            let plain = values.get(2).map_or(Ok(false), Scalar::truth)?;
            let number = math::round_half(values[0].number(dates)?, digits);
            let decimals = "0".repeat(digits.clamp(0.0, 100.0) as usize);
            let point = if decimals.is_empty() { "" } else { "." };
            let whole = if plain { "0" } else { "#,##0" };
            Ok(format(number, &format!("{whole}{point}{decimals}"), dates).into())
        }),
        "T" => scalars(eval, arguments, 1..=1, |values| match &values[0] {
            Scalar::Text(text) => Ok(Scalar::Text(text.clone())),
            _ => Ok("".into()),
        }),
        "CHAR" => scalars(eval, arguments, 1..=1, |values| {
            let code = values[0].number(dates)?;
            if !(1.0..256.0).contains(&code) {
                return Err(ErrorValue::Value);
            }
            let bytes = [code as u8];
            Ok(encoding_rs::WINDOWS_1252.decode_without_bom_handling(&bytes).0.into_owned().into())
        }),
        "CODE" => scalars(eval, arguments, 1..=1, |values| {
            let text = values[0].text()?;
            let first = text.chars().next().ok_or(ErrorValue::Value)?.to_string();
            let (bytes, ..) = encoding_rs::WINDOWS_1252.encode(&first);
            Ok(f64::from(bytes.first().copied().unwrap_or(63)).into())
        }),
        "UNICHAR" => scalars(eval, arguments, 1..=1, |values| {
            let code = values[0].number(dates)?;
            let character = (code >= 1.0).then(|| char::from_u32(code as u32)).flatten();
            character.map(|c| c.to_string().into()).ok_or(ErrorValue::Value)
        }),
        "UNICODE" => scalars(eval, arguments, 1..=1, |values| {
            let text = values[0].text()?;
            let first = text.chars().next().ok_or(ErrorValue::Value)?;
            Ok(f64::from(first as u32).into())
        }),
        "TEXTBEFORE" | "TEXTAFTER" => scalars(eval, arguments, 2..=2, |values| {
            let (text, mark) = (values[0].text()?, values[1].text()?);
            let (before, after) = text.split_once(&*mark).ok_or(ErrorValue::NotAvailable)?;
            Ok(if name == "TEXTBEFORE" { before } else { after }.into())
        }),
        _ => return Ok(None),
    };
    result.map(Some)
}

fn proper(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut inside = false;
    for character in text.chars() {
        if inside {
            out.extend(character.to_lowercase());
        } else {
            out.extend(character.to_uppercase());
        }
        inside = character.is_alphabetic();
    }
    out
}

/// FIND and SEARCH: the position in UTF-16 units, counted from 1.
fn find(
    eval: &Eval<'_>,
    arguments: &[Expr],
    look: fn(&str, &str, usize) -> Option<usize>,
) -> Outcome<Operand> {
    let dates = eval.dates();
    scalars(eval, arguments, 2..=3, |values| {
        let (wanted, text) = (values[0].text()?, values[1].text()?);
        let start = values.get(2).map_or(Ok(1.0), |value| value.number(dates))?;
        if start < 1.0 {
            return Err(ErrorValue::Value);
        }
        let mut units = 0;
        let mut from = None;
        for (at, character) in text.char_indices().chain([(text.len(), '\0')]) {
            if units >= start as usize - 1 {
                from = Some(at);
                break;
            }
            units += character.len_utf16();
        }
        let found = from.and_then(|from| look(&text, &wanted, from)).ok_or(ErrorValue::Value)?;
        Ok((text[..found].encode_utf16().count() as f64 + 1.0).into())
    })
}

/// Without regard to case, with `?` and `*`.
fn search(text: &str, wanted: &str, from: usize) -> Option<usize> {
    let Some(mut pattern) = criteria::wildcards(wanted) else {
        let lower = text.to_lowercase();
        if lower.len() == text.len() {
            return lower[from..].find(&wanted.to_lowercase()).map(|at| from + at);
        }
        let starts = text[from..].char_indices().map(|(at, _)| from + at);
        return starts.into_iter().find(|at| text[*at..].to_lowercase().starts_with(&wanted.to_lowercase()));
    };
    pattern.push(criteria::Wild::AnyRun);
    let starts = text[from..].char_indices().map(|(at, _)| from + at);
    starts.into_iter().find(|at| criteria::fits(&pattern, &text[*at..]))
}

fn concat(eval: &Eval<'_>, arguments: &[Expr]) -> Outcome<Operand> {
    let mut text = String::new();
    let mut failed = None;
    each(eval, arguments, &mut |value, _| match value.text() {
        Ok(part) => text.push_str(&part),
        Err(error) => drop(failed.get_or_insert(error)),
    })?;
    finish(text, failed)
}

fn finish(text: String, failed: Option<ErrorValue>) -> Outcome<Operand> {
    answer(match failed {
        Some(error) => Err(error),
        None if text.len() > LONGEST => Err(ErrorValue::Value),
        None => Ok(text),
    })
}

fn text_join(eval: &Eval<'_>, arguments: &[Expr]) -> Outcome<Operand> {
    let [mark, skip, rest @ ..] = arguments else { return wrong_arguments() };
    let (mark, skip) = (one(eval, mark)?.text(), one(eval, skip)?.truth());
    let (Ok(mark), Ok(skip)) = (mark, skip) else { return Ok(ErrorValue::Value.into()) };
    let mut parts: Vec<String> = Vec::new();
    let mut failed = None;
    for argument in rest {
        // Empty cells count here unless they are to be skipped, so ranges are taken whole.
        let operand = eval.eval(argument)?;
        let operand = match operand {
            Operand::Areas(ref areas) if !skip && areas.len() == 1 => {
                Operand::Matrix(eval.to_matrix(&operand)?)
            }
            other => other,
        };
        let mut take = |value: &Scalar, _: Origin| match value.text() {
            Ok(part) if part.is_empty() && skip => {}
            Ok(part) => parts.push(part.to_string()),
            Err(error) => drop(failed.get_or_insert(error)),
        };
        match operand {
            Operand::Scalar(value) => take(&value, Origin::Direct),
            Operand::Missing => take(&Scalar::Empty, Origin::Direct),
            Operand::Matrix(matrix) => matrix.items.iter().for_each(|value| take(value, Origin::Array)),
            Operand::Areas(areas) => {
                for (sheet, area) in areas {
                    eval.cells.scan(sheet, area, &mut |_, value| {
                        take(&value, Origin::Cell);
                        true
                    })?;
                }
            }
        }
    }
    finish(parts.join(&mark), failed)
}

fn number_value(eval: &Eval<'_>, arguments: &[Expr]) -> Outcome<Operand> {
    scalars(eval, arguments, 1..=3, |values| {
        let text = values[0].text()?;
        let sign = |at: usize, default: char| {
            let given = values.get(at).map(Scalar::text).transpose()?;
            Ok::<char, ErrorValue>(given.and_then(|text| text.chars().next()).unwrap_or(default))
        };
        let (point, group) = (sign(1, '.')?, sign(2, ',')?);
        let plain: String = text
            .chars()
            .filter(|c| !c.is_whitespace() && *c != group)
            .map(|c| if c == point { '.' } else { c })
            .collect();
        if plain.is_empty() {
            return Ok(0.0.into());
        }
        let percents = plain.chars().rev().take_while(|c| *c == '%').count();
        let number: f64 = plain[..plain.len() - percents].parse().map_err(|_| ErrorValue::Value)?;
        Ok((number / 100_f64.powi(percents as i32)).into())
    })
}
