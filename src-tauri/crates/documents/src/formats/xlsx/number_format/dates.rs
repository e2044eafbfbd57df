//! Serial numbers and calendar dates (ECMA-376-1, 18.17.4): the 1900 system with its invented 29 February 1900, and the 1904 one.

/// Which day is serial number zero.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::formats::xlsx) enum DateSystem {
    Base1900,
    Base1904,
}

/// A calendar day and the seconds into it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(in crate::formats::xlsx) struct Moment {
    pub(in crate::formats::xlsx) year: i64,
    pub(in crate::formats::xlsx) month: u32,
    pub(in crate::formats::xlsx) day: u32,
    /// 1 is Sunday.
    pub(in crate::formats::xlsx) weekday: u32,
    pub(in crate::formats::xlsx) seconds: f64,
}

/// Days from 1970-01-01 to a civil date (the usual era arithmetic of the Gregorian calendar).
pub(in crate::formats::xlsx) fn days_from_civil(year: i64, month: u32, day: u32) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let year_of_era = year.rem_euclid(400);
    let shifted = (i64::from(month) + 9) % 12;
    let day_of_year = (153 * shifted + 2) / 5 + i64::from(day) - 1;
    let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    era * 146_097 + day_of_era - 719_468
}

fn civil_from_days(days: i64) -> (i64, u32, u32) {
    let days = days + 719_468;
    let era = days.div_euclid(146_097);
    let day_of_era = days.rem_euclid(146_097);
    let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted = (5 * day_of_year + 2) / 153;
    let day = (day_of_year - (153 * shifted + 2) / 5 + 1) as u32;
    let month = if shifted < 10 { shifted + 3 } else { shifted - 9 } as u32;
    (year_of_era + era * 400 + i64::from(month <= 2), month, day)
}

/// 1899-12-30, from which the 1900 system counts after its invented day.
const BASE_1900: i64 = -25_569;
/// 1904-01-01.
const BASE_1904: i64 = -24_107;

impl DateSystem {
    /// The serial number of a date; `None` before the first day of the system.
    pub(in crate::formats::xlsx) fn serial(self, year: i64, month: u32, day: u32) -> Option<i64> {
        let days = days_from_civil(year, month, day);
        let serial = match self {
            DateSystem::Base1904 => days - BASE_1904,
            // Before March 1900 the invented day has not yet passed.
            DateSystem::Base1900 if days < days_from_civil(1900, 3, 1) => days - BASE_1900 - 1,
            DateSystem::Base1900 => days - BASE_1900,
        };
        (serial >= 0).then_some(serial)
    }

    /// The moment of a serial number; `None` for negative ones and beyond the year 9999.
    pub(in crate::formats::xlsx) fn moment(self, serial: f64) -> Option<Moment> {
        if !(0.0..2_958_466.0).contains(&serial) {
            return None;
        }
        // Times are kept to a tenth of a millisecond, so that 0.75 of a day is 18:00 and not 17:59:59.99.
        let ticks = (serial * 864_000_000.0).round();
        let whole = (ticks / 864_000_000.0).floor();
        let seconds = (ticks - whole * 864_000_000.0) / 10_000.0;
        let serial = whole as i64;
        let (year, month, day) = match self {
            DateSystem::Base1904 => civil_from_days(serial + BASE_1904),
            DateSystem::Base1900 => match serial {
                0 => (1900, 1, 0),
                60 => (1900, 2, 29),
                1..60 => civil_from_days(serial + BASE_1900 + 1),
                _ => civil_from_days(serial + BASE_1900),
            },
        };
        let weekday = match self {
            DateSystem::Base1900 => (serial + 6).rem_euclid(7) + 1,
            DateSystem::Base1904 => (serial + 5).rem_euclid(7) + 1,
        };
        Some(Moment { year, month, day, weekday: weekday as u32, seconds })
    }
}

/// The last day of a month.
pub(in crate::formats::xlsx) fn days_in_month(year: i64, month: u32) -> u32 {
    match month {
        4 | 6 | 9 | 11 => 30,
        2 if year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) => 29,
        2 => 28,
        _ => 31,
    }
}

/// Reads `YYYY-MM-DD`.
pub(in crate::formats::xlsx) fn parse_date(text: &str, system: DateSystem) -> Option<f64> {
    let mut fields = text.split('-');
    let (year, month, day) = (fields.next()?, fields.next()?, fields.next()?);
    if fields.next().is_some() || year.len() != 4 || month.len() != 2 || day.len() != 2 {
        return None;
    }
    let (year, month, day): (i64, u32, u32) = (year.parse().ok()?, month.parse().ok()?, day.parse().ok()?);
    let valid = (1..=12).contains(&month) && (1..=days_in_month(year, month)).contains(&day);
    let serial = valid.then(|| system.serial(year, month, day)).flatten()?;
    Some(serial as f64)
}

/// Reads `YYYY-MM-DDThh:mm[:ss[.fff]]` (a blank may stand for the `T`).
pub(in crate::formats::xlsx) fn parse_datetime(text: &str, system: DateSystem) -> Option<f64> {
    let (date, time) = text.split_once(['T', ' '])?;
    let day = parse_date(date, system)?;
    let mut fields = time.trim_end_matches('Z').split(':');
    let (hours, minutes): (u32, u32) = (fields.next()?.parse().ok()?, fields.next()?.parse().ok()?);
    let seconds: f64 = fields.next().map_or(Some(0.0), |seconds| seconds.parse().ok())?;
    let valid = hours < 24 && minutes < 60 && (0.0..60.0).contains(&seconds) && fields.next().is_none();
    valid.then(|| day + (f64::from(hours * 3600 + minutes * 60) + seconds) / 86_400.0)
}

/// A serial number as `YYYY-MM-DD` or, with a time of day, `YYYY-MM-DDThh:mm:ss`.
pub(in crate::formats::xlsx) fn date_text(serial: f64, system: DateSystem) -> Option<String> {
    let moment = system.moment(serial)?;
    let date = format!("{:04}-{:02}-{:02}", moment.year, moment.month, moment.day);
    let seconds = moment.seconds.round() as u32;
    if seconds == 0 || seconds >= 86_400 {
        return Some(date);
    }
    Some(format!("{date}T{:02}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_systems_and_the_invented_day() {
        assert_eq!(parse_date("2024-03-01", DateSystem::Base1900), Some(45_352.0));
        assert_eq!(parse_date("2024-03-01", DateSystem::Base1904), Some(43_890.0));
        assert_eq!(parse_date("1900-01-01", DateSystem::Base1900), Some(1.0));
        assert_eq!(parse_date("1900-03-01", DateSystem::Base1900), Some(61.0));
        assert_eq!(parse_date("2023-02-29", DateSystem::Base1900), None);
        assert_eq!(parse_datetime("2024-03-01T18:00", DateSystem::Base1900), Some(45_352.75));
        for serial in [1.0, 59.0, 61.0, 45_352.0, 45_352.75] {
            let text = date_text(serial, DateSystem::Base1900).unwrap();
            let read = parse_date(&text, DateSystem::Base1900)
                .or_else(|| parse_datetime(&text, DateSystem::Base1900));
            assert_eq!(read, Some(serial), "{text}");
        }
        assert_eq!(DateSystem::Base1900.moment(45_352.0).unwrap().weekday, 6);
    }
}
