//! Retention of entries.

use std::collections::BTreeMap;
use std::time::Duration;

use review_types::Timestamp;

use crate::AgentName;
use crate::config::Retention;

const DAY: Duration = Duration::from_secs(24 * 60 * 60);

/// Returns the indices of the entries that have expired at the time `now`: those that
/// are too old, and all but the newest of each agent.
pub fn expired<'a>(
    entries: impl IntoIterator<Item = (&'a AgentName, Timestamp)>,
    retention: Retention,
    now: Timestamp,
) -> Vec<usize> {
    let age = DAY * retention.max_age_days;
    let most = usize::try_from(retention.max_entries_per_agent).unwrap_or(usize::MAX);
    let mut agents: BTreeMap<&AgentName, Vec<(Timestamp, usize)>> = BTreeMap::new();
    let mut expired = Vec::new();
    for (place, (agent, timestamp)) in entries.into_iter().enumerate() {
        if now.since(timestamp) > age {
            expired.push(place);
        } else {
            agents.entry(agent).or_default().push((timestamp, place));
        }
    }
    for mut kept in agents.into_values() {
        kept.sort_unstable();
        let too_many = kept.len().saturating_sub(most);
        expired.extend(kept.iter().take(too_many).map(|(_, place)| place));
    }
    expired.sort_unstable();
    expired
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn old_entries_expire_and_all_but_the_newest_of_each_agent() {
        let now = Timestamp::from_unix_ms(100 * 86_400_000);
        let day = |day: i64| Timestamp::from_unix_ms(day * 86_400_000);
        let retention = Retention {
            max_entries_per_agent: 2,
            max_age_days: 90,
        };
        let (a, b) = (&AgentName::from("a"), &AgentName::from("b"));
        let entries = [
            (a, day(50)),
            (a, day(9)),
            (b, day(10)),
            (a, day(40)),
            (a, day(60)),
            (b, day(101)),
        ];
        assert_eq!(expired(entries, retention, now), [1, 3]);
        assert_eq!(expired(entries, Retention::default(), now), [1]);
        let one = Retention {
            max_entries_per_agent: 1,
            ..retention
        };
        assert_eq!(expired(entries, one, now), [0, 1, 2, 3]);
    }
}
