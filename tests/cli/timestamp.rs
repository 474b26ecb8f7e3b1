//! Our own RFC 3339 beside an independent one.

use proptest::prelude::*;
use review_types::Timestamp;

const YEARS_0_TO_9999: std::ops::RangeInclusive<i64> = -62_167_219_200_000..=253_402_207_200_000;

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_instant_is_written_as_jiff_writes_it(ms in YEARS_0_TO_9999) {
        let ours = Timestamp::from_unix_ms(ms).to_string();
        let theirs = jiff::Timestamp::from_millisecond(ms).unwrap();
        prop_assert_eq!(ours.parse::<jiff::Timestamp>().unwrap(), theirs);
        prop_assert_eq!(theirs.to_string().parse::<Timestamp>().unwrap().unix_ms(), ms);
    }

    #[test]
    fn what_we_read_jiff_reads_as_the_same_instant(
        ms in YEARS_0_TO_9999, hours in -23..=23_i64, minutes in 0..60_i64
    ) {
        let sign = if hours < 0 { '-' } else { '+' };
        let local = Timestamp::from_unix_ms(ms).to_string();
        let text = local.replace('Z', &format!("{sign}{:02}:{minutes:02}", hours.abs()));
        if let (Ok(ours), Ok(theirs)) = (text.parse::<Timestamp>(), text.parse::<jiff::Timestamp>()) {
            prop_assert_eq!(ours.unix_ms(), theirs.as_millisecond());
        }
    }
}
