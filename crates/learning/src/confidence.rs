//! Confidence: how sure it is that something recurs, for lessons and for patterns of
//! corrections alike.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use review_types::Timestamp;

use crate::corrections::Severity;

/// The number of occurrences at which the count factor is complete.
const FULL_COUNT: f64 = 10.0;
/// The number of days after which an occurrence no longer counts, and without one of which
/// recency is zero.
const DAYS: f64 = 90.0;
/// The number of services at which the spread factor is complete.
const FULL_SERVICES: usize = 3;
/// The points that are enough for a lesson: those of three sessions of high severity, or of
/// five of medium severity.
const ENOUGH: u32 = 15;

/// One time that something was seen.
#[derive(Clone, Copy, Debug)]
pub struct Instance<'a> {
    /// The time.
    pub at: Timestamp,
    /// The weight of its source, from 0 to 1.
    pub weight: f64,
    /// The severity.
    pub severity: Severity,
    /// The session.
    pub session: Option<&'a str>,
    /// The service or artifact concerned.
    pub service: Option<&'a str>,
}

/// How often something was seen, as of a point in time.
#[derive(Clone, Debug)]
pub struct Recurrence {
    now: Timestamp,
    count: u64,
    severity: f64,
    quality: f64,
    last: Option<Timestamp>,
    /// The sum, over all sessions of the last 90 days, of the most points of each.
    points: u32,
    sessions: HashMap<String, u32>,
    services: BTreeSet<String>,
}

impl Recurrence {
    /// Nothing was seen, as of `now`.
    pub(crate) fn new(now: Timestamp) -> Self {
        Self {
            now,
            count: 0,
            severity: 0.0,
            quality: 0.0,
            last: None,
            points: 0,
            sessions: HashMap::new(),
            services: BTreeSet::new(),
        }
    }

    /// The number of times.
    pub const fn count(&self) -> u64 {
        self.count
    }

    /// Counts a time.
    pub fn add(&mut self, seen: Instance<'_>) {
        self.count += 1;
        self.severity += seen.severity.score();
        self.quality += seen.weight;
        self.last = self.last.max(Some(seen.at));
        let points: u32 = match seen.severity {
            _ if days(seen.at, self.now) > DAYS => 0,
            Severity::High => 5,
            Severity::Medium => 3,
            Severity::Low => 1,
        };
        let known = match seen.session {
            Some(session) => self.sessions.entry(session.to_owned()).or_default(),
            None => &mut 0,
        };
        self.points += points.saturating_sub(*known);
        *known = points.max(*known);
        if let Some(service) = seen.service
            && self.services.len() < FULL_SERVICES
        {
            self.services.insert(service.to_owned());
        }
    }

    /// Whether it was seen often enough for a lesson: in three sessions of the last 90 days
    /// with high severity, in five with medium severity, or in a mix of as much.
    pub const fn is_enough(&self) -> bool {
        self.points >= ENOUGH
    }

    /// The mean weight of the sources, from 0 to 1.
    pub(crate) fn source_quality(&self) -> f64 {
        self.mean(self.quality)
    }

    /// Returns the confidence, a weighted sum of five factors, and the factors by name, all
    /// from 0 to 1.
    #[expect(
        clippy::cast_precision_loss,
        reason = "a count above ten makes no difference"
    )]
    pub fn confidence(&self) -> (f64, BTreeMap<String, f64>) {
        let silence = self.last.map_or(DAYS, |last| days(last, self.now));
        let services = self.services.len() as f64 / FULL_SERVICES as f64;
        let weighed = [
            (0.35, "count", (self.count as f64 / FULL_COUNT).min(1.0)),
            (0.25, "severity", self.mean(self.severity)),
            (0.15, "recency", (1.0 - silence / DAYS).clamp(0.0, 1.0)),
            (0.10, "services", services),
            (0.15, "source_quality", self.source_quality()),
        ];
        let factors = weighed
            .iter()
            .map(|(_, name, factor)| ((*name).to_owned(), *factor));
        let value = weighed.iter().map(|(weight, _, factor)| weight * factor);
        (value.sum(), factors.collect())
    }

    #[expect(
        clippy::cast_precision_loss,
        reason = "a mean over more occurrences than a mantissa can represent is precise enough"
    )]
    fn mean(&self, sum: f64) -> f64 {
        sum / self.count.max(1) as f64
    }
}

/// The number of days between two times; 0 if the first is later.
fn days(from: Timestamp, to: Timestamp) -> f64 {
    to.since(from).as_secs_f64() / 86_400.0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(day: i64) -> Timestamp {
        Timestamp::from_unix_ms(day * 86_400_000)
    }

    fn seen(day: i64, session: Option<&str>, severity: Severity) -> Instance<'_> {
        Instance {
            at: at(day),
            weight: 1.0,
            severity,
            session,
            service: None,
        }
    }

    fn recurrence(now: i64, instances: &[Instance<'_>]) -> Recurrence {
        let mut recurrence = Recurrence::new(at(now));
        for one in instances {
            recurrence.add(*one);
        }
        recurrence
    }

    #[test]
    fn three_of_high_or_five_of_medium_severity_within_90_days_are_enough() {
        for (severity, least) in [
            (Severity::High, 3),
            (Severity::Medium, 5),
            (Severity::Low, 15),
        ] {
            for day in [0, 90] {
                let is_enough = |count: &usize| {
                    recurrence(90, &vec![seen(day, None, severity); *count]).is_enough()
                };
                assert_eq!((1..20).find(is_enough), Some(least), "{severity} {day}");
            }
        }
        let old = [seen(0, None, Severity::High); 9];
        assert!(!recurrence(91, &old).is_enough());
    }

    #[test]
    fn a_session_counts_once_with_its_most_severe_time() {
        let (a, b, c) = (Some("a"), Some("b"), Some("c"));
        let low_then_high = [
            seen(0, a, Severity::Low),
            seen(1, a, Severity::High),
            seen(2, a, Severity::High),
            seen(3, b, Severity::High),
        ];
        assert!(!recurrence(3, &low_then_high).is_enough());
        let three = [&low_then_high[..], &[seen(3, c, Severity::High)]].concat();
        assert!(recurrence(3, &three).is_enough());
    }

    #[test]
    fn the_confidence_is_a_weighted_sum() {
        let services = ["a", "b", "a", "b", "a"];
        let five: Vec<_> = (0..)
            .zip(services)
            .map(|(day, service)| Instance {
                weight: 0.7,
                service: Some(service),
                ..seen(day, None, Severity::Medium)
            })
            .collect();
        let (found, factors) = recurrence(49, &five).confidence();
        let expected = [0.5, 0.6, 0.5, 2.0 / 3.0, 0.7];
        let names = ["count", "severity", "recency", "services", "source_quality"];
        for (name, expected) in names.into_iter().zip(expected) {
            assert!((factors[name] - expected).abs() < 1e-9, "{name}");
        }
        let value = 0.175 + 0.15 + 0.075 + 0.2 / 3.0 + 0.105;
        assert!((found - value).abs() < 1e-9, "{found}");
        let none = recurrence(0, &[]).confidence().0;
        assert!(none.abs() < 1e-9, "{none}");
    }
}
