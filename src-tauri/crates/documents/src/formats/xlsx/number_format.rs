//! Numbers as a cell shows them: format codes (ECMA-376-1, 18.8.31), the built-in ones (18.8.30), and dates of both systems.
//!
//! It covers what office documents use: sections and conditions, digits, grouping, scaling, percent, exponents, fractions, literals,
//! dates, times and elapsed times, in English names. Colours, padding and locales are passed over.

mod dates;
pub(super) mod entered;
mod sections;

pub(super) use dates::{DateSystem, Moment, date_text, days_in_month, parse_date, parse_datetime};

use sections::{Section, pick};

/// The format code of a built-in number format (18.8.30).
pub(super) fn built_in(id: u32) -> Option<&'static str> {
    Some(match id {
        0 => "General",
        1 => "0",
        2 => "0.00",
        3 => "#,##0",
        4 => "#,##0.00",
        9 => "0%",
        10 => "0.00%",
        11 => "0.00E+00",
        12 => "# ?/?",
        13 => "# ??/??",
        14 => "m/d/yyyy",
        15 => "d-mmm-yy",
        16 => "d-mmm",
        17 => "mmm-yy",
        18 => "h:mm AM/PM",
        19 => "h:mm:ss AM/PM",
        20 => "h:mm",
        21 => "h:mm:ss",
        22 => "m/d/yyyy h:mm",
        37 => "#,##0 ;(#,##0)",
        38 => "#,##0 ;[Red](#,##0)",
        39 => "#,##0.00;(#,##0.00)",
        40 => "#,##0.00;[Red](#,##0.00)",
        44 => "_(\"$\"* #,##0.00_)",
        45 => "mm:ss",
        46 => "[h]:mm:ss",
        47 => "mm:ss.0",
        48 => "##0.0E+0",
        49 => "@",
        _ => return None,
    })
}

/// Whether a number under this code is shown as a date or time.
pub(super) fn is_date(code: &str) -> bool {
    sections::split(code).first().is_some_and(|section| Section::parse(section).is_date())
}

/// A number as shown under a code.
pub(super) fn show_number(number: f64, code: &str, system: DateSystem) -> String {
    if code.eq_ignore_ascii_case("general") || code.is_empty() {
        return general(number);
    }
    let (section, number) = pick(code, number);
    section.show(number, system).unwrap_or_else(|| general(number))
}

/// Text as shown under a code: the fourth section, where there is one with `@`.
pub(super) fn show_text(text: &str, code: &str) -> String {
    let parts = sections::split(code);
    let with_text = match parts.len() {
        4.. => parts.get(3),
        _ => parts.iter().find(|part| part.contains('@')),
    };
    match with_text {
        Some(section) if section.contains('@') => Section::parse(section).show_text(text),
        _ => text.to_owned(),
    }
}

/// A number under the format General: at most 11 characters, exponents beyond.
pub(super) fn general(number: f64) -> String {
    if number == 0.0 {
        return "0".into();
    }
    let magnitude = number.abs();
    if (1e-4..1e11).contains(&magnitude) {
        let whole_digits = if magnitude >= 1.0 { magnitude.log10().floor() as usize + 1 } else { 1 };
        let decimals = 10_usize.saturating_sub(whole_digits);
        let text = format!("{number:.decimals$}");
        return trim_zeros(&text).to_owned();
    }
    let text = format!("{number:.5e}");
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{}E{sign}{:02}", trim_zeros(mantissa), exponent.abs())
}

fn trim_zeros(text: &str) -> &str {
    match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.'),
        false => text,
    }
}

/// The shortest text that reads back as the same number, as it stands in `v`.
pub(super) fn shortest(number: f64) -> String {
    let plain = format!("{number}");
    let exponent = format!("{number:E}");
    if exponent.len() < plain.len() { exponent } else { plain }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn show(number: f64, code: &str) -> String {
        show_number(number, code, DateSystem::Base1900)
    }

    #[test]
    fn general_is_short() {
        for (number, text) in [
            (0.1 + 0.2, "0.3"),
            (1.0 / 3.0, "0.333333333"),
            (1234567.891, "1234567.891"),
            (123456789012.0, "1.23457E+11"),
            (12345678901.0, "12345678901"),
            (-0.00001234, "-1.234E-05"),
            (100.0, "100"),
            (-2.5, "-2.5"),
        ] {
            assert_eq!(general(number), text);
        }
    }

    #[test]
    fn numbers_under_codes() {
        for (number, code, text) in [
            (1234.5, "#,##0.00", "1,234.50"),
            (0.256, "0.0%", "25.6%"),
            (-5.0, "0;(0)", "(5)"),
            (-5.0, "0.0", "-5.0"),
            (0.0, "0;-0;\"zero\"", "zero"),
            (1234567.0, "#,##0,", "1,235"),
            (5.0, "000", "005"),
            (12345.678, "0.00E+00", "1.23E+04"),
            (1.5, "# ?/?", "1 1/2"),
            (3.0, "[$€-407] #,##0.00", "€ 3.00"),
            (7.0, "\"Q\"0", "Q7"),
            (1234.0, "$#,##0_);($#,##0)", "$1,234 "),
            (50.0, "[>=100]\"big\";\"small\"", "small"),
            (0.5, "0", "1"),
            (-0.2, "0", "0"),
            (555123.0, "000-000", "555-123"),
        ] {
            assert_eq!(show(number, code), text, "{number} under {code}");
        }
    }

    #[test]
    fn dates_under_codes() {
        for (number, code, text) in [
            (45352.0, "m/d/yyyy", "3/1/2024"),
            (45352.75, "yyyy-mm-dd hh:mm", "2024-03-01 18:00"),
            (45352.0, "dddd, mmmm d", "Friday, March 1"),
            (0.5, "h:mm AM/PM", "12:00 PM"),
            (1.25, "[h]:mm", "30:00"),
            (60.0, "d/m/yyyy", "29/2/1900"),
            (1.0, "d/m/yyyy", "1/1/1900"),
            (0.000711806, "mm:ss.0", "01:01.5"),
        ] {
            assert_eq!(show(number, code), text, "{number} under {code}");
        }
        assert_eq!(show_number(0.0, "yyyy-mm-dd", DateSystem::Base1904), "1904-01-01");
        assert!(is_date("[$-409]d-mmm-yy;@") && !is_date("0.00") && !is_date("[Red]0") && !is_date("\"d\"0"));
    }

    #[test]
    fn shortest_reads_back() {
        for number in [0.1, 1e300, 1e-7, 123456789.0, -2.5e-10, 1.0 / 3.0] {
            assert_eq!(shortest(number).parse::<f64>().unwrap(), number);
        }
        assert_eq!(shortest(1e300), "1E300");
        assert_eq!(shortest(12.0), "12");
    }
}
