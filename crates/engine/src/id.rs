//! Ids that sort by the time of their making.

use review_types::{RunId, Timestamp};
use uuid::{Builder, Uuid};

use crate::error::EngineError;

/// A UUID of version 7 made at `now`; a time before 1970 counts as 1970.
///
/// # Errors
/// When the system gives no random bytes.
pub fn time_ordered_id(now: Timestamp) -> Result<Uuid, EngineError> {
    let mut random = [0; 10];
    getrandom::fill(&mut random).map_err(no_random)?;
    let ms = u64::try_from(now.unix_ms()).unwrap_or(0);
    Ok(Builder::from_unix_timestamp_millis(ms, &random).into_uuid())
}

pub(crate) fn no_random(error: impl std::fmt::Display) -> EngineError {
    EngineError::new(format!("the system gives no random bytes: {error}"))
}

/// The time in the id of a run, if it has one.
pub(crate) fn time_of(run: &RunId) -> Option<Timestamp> {
    let id = Uuid::parse_str(run.as_str()).ok()?;
    let (seconds, nanoseconds) = id.get_timestamp()?.to_unix();
    let ms = i64::try_from(seconds).ok()?.checked_mul(1_000)?;
    let ms = ms.checked_add(i64::from(nanoseconds / 1_000_000))?;
    Some(Timestamp::from_unix_ms(ms))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_comes_first_whatever_it_is() {
        for (ms, start) in [
            (i64::MIN, "00000000-0000-7"),
            (-1, "00000000-0000-7"),
            (1, "00000000-0001-7"),
            (0x0199_0000_ABCD, "01990000-abcd-7"),
            (i64::MAX, "e677cc8b-a6e7-7"),
        ] {
            let id = time_ordered_id(Timestamp::from_unix_ms(ms))
                .unwrap()
                .to_string();
            assert!(id.starts_with(start), "{ms}: {id}");
        }
    }

    #[test]
    fn the_time_of_an_id_is_read_back() {
        let at = Timestamp::from_unix_ms(0x0199_0000_ABCD);
        let id = RunId::new(time_ordered_id(at).unwrap().to_string()).unwrap();
        assert_eq!(time_of(&id), Some(at));
        assert_eq!(time_of(&RunId::new("r1").unwrap()), None);
    }

    #[test]
    fn two_of_one_time_differ() {
        let id = || time_ordered_id(Timestamp::UNIX_EPOCH).unwrap();
        assert_ne!(id(), id());
    }
}
