//! Formats of texts.

/// Whether a text is an instant with an offset, as RFC 3339 has it. A leap
/// second stands only at the end of a day in UTC.
pub(super) fn is_date_time(text: &str) -> bool {
    instant(text.as_bytes()).is_some()
}

fn instant(text: &[u8]) -> Option<()> {
    let (date, rest) = text.split_at_checked(10)?;
    let (year, month, day) = match date {
        [year @ .., b'-', m1, m2, b'-', d1, d2] => {
            (digits(year)?, digits(&[*m1, *m2])?, digits(&[*d1, *d2])?)
        }
        _ => return None,
    };
    if !(1..=12).contains(&month) || !(1..=days_in(year, month)).contains(&day) {
        return None;
    }
    let [b'T' | b't', h1, h2, b':', m1, m2, b':', s1, s2, rest @ ..] = rest else {
        return None;
    };
    let (hour, minute) = (digits(&[*h1, *h2])?, digits(&[*m1, *m2])?);
    let second = digits(&[*s1, *s2])?;
    if hour > 23 || minute > 59 || second > 60 {
        return None;
    }
    let offset = offset_minutes(behind_fraction(rest)?)?;
    let minute_of_day = (i64::from(hour) * 60 + i64::from(minute) - offset).rem_euclid(24 * 60);
    (second < 60 || minute_of_day == 24 * 60 - 1).then_some(())
}

/// What follows an optional fraction of a second.
fn behind_fraction(text: &[u8]) -> Option<&[u8]> {
    let Some(rest) = text.strip_prefix(b".") else {
        return Some(text);
    };
    let count = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
    (count > 0).then(|| rest.get(count..)).flatten()
}

/// Minutes east of UTC.
fn offset_minutes(text: &[u8]) -> Option<i64> {
    match text {
        [b'Z' | b'z'] => Some(0),
        [sign @ (b'+' | b'-'), h1, h2, b':', m1, m2] => {
            let (hours, minutes) = (digits(&[*h1, *h2])?, digits(&[*m1, *m2])?);
            let sum = i64::from(hours * 60 + minutes);
            let legal = hours < 24 && minutes < 60;
            legal.then_some(if *sign == b'-' { -sum } else { sum })
        }
        _ => None,
    }
}

fn digits(text: &[u8]) -> Option<u32> {
    text.iter().try_fold(0, |sum, byte| {
        let digit = byte.is_ascii_digit().then(|| u32::from(byte - b'0'))?;
        Some(sum * 10 + digit)
    })
}

const fn days_in(year: u32, month: u32) -> u32 {
    match month {
        4 | 6 | 9 | 11 => 30,
        2 if year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400)) => {
            29
        }
        2 => 28,
        _ => 31,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instants_are_those_of_the_standard() {
        for text in [
            "2026-03-01T12:30:05Z",
            "2026-03-01t12:30:05.123456789z",
            "2024-02-29T00:00:00-00:00",
            "2000-02-29T23:59:59+23:59",
            "2016-12-31T23:59:60Z",
            "2017-01-01T05:29:60.5+05:30",
            "2016-12-31T15:59:60-08:00",
            "0000-01-01T00:00:00+00:01",
        ] {
            assert!(is_date_time(text), "{text}");
        }
        for text in [
            "",
            "2026-03-01",
            "2026-03-01T12:30:05",
            "2026-03-01 12:30:05Z",
            "2026-02-29T00:00:00Z",
            "1900-02-29T00:00:00Z",
            "2026-04-31T00:00:00Z",
            "2026-00-01T00:00:00Z",
            "2026-13-01T00:00:00Z",
            "2026-01-00T00:00:00Z",
            "2026-01-01T24:00:00Z",
            "2026-01-01T00:60:00Z",
            "2026-01-01T00:00:61Z",
            "2026-01-01T00:00:60Z",
            "2016-12-31T23:59:60+01:00",
            "2026-01-01T00:00:00.Z",
            "2026-01-01T00:00:00.5",
            "2026-01-01T00:00:00+24:00",
            "2026-01-01T00:00:00+00:60",
            "2026-01-01T00:00:00+0000",
            "2026-01-01T00:00:00Zz",
            "2026-1-01T00:00:00Z",
            "202x-01-01T00:00:00Z",
            "2026-01-01T0x:00:00Z",
            "２026-01-01T00:00:00Z",
        ] {
            assert!(!is_date_time(text), "{text}");
        }
    }
}
