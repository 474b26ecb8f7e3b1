//! Confidence: how sure it is that something recurs, for lessons and for patterns of
//! corrections alike.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use review_types::Timestamp;
use serde::Serialize;

use crate::config::ConfidenceMethod;

/// The number of days after which evidence weighs half as much.
const HALF_LIFE_DAYS: f64 = 45.0;
/// At this weight the evidence is almost two thirds.
const WEIGHT: f64 = 3.0;
/// Similarity up to this value is treated as chance.
const LEAST_ALIKE: f64 = 0.1;
/// From this similarity on, entries count as identical.
const ALIKE: f64 = 0.7;
/// The number of occurrences at which the count factor is complete.
const FULL_COUNT: f64 = 10.0;
/// The number of days without occurrences after which recency is zero.
const SILENT_DAYS: f64 = 90.0;
/// The number of services at which the spread factor is complete.
const FULL_SERVICES: usize = 3;

/// A confidence and its factors.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ConfidenceScore {
    /// The confidence, from 0 to 1.
    #[serde(rename = "confidence")]
    pub value: f64,
    /// The factors by name, each from 0 to 1.
    pub factors: BTreeMap<String, f64>,
}

/// One occurrence of what may recur.
#[derive(Clone, Copy, Debug)]
pub struct Sighting<'a> {
    /// The time.
    pub at: Timestamp,
    /// The weight of its source, from 0 to 1.
    pub weight: f64,
    /// The score of its severity, from 0 to 1.
    pub severity: f64,
    /// The session; each session counts once.
    pub session: Option<&'a str>,
    /// The service or artifact concerned.
    pub service: Option<&'a str>,
}

/// The occurrences of what may recur, as of a point in time.
#[derive(Clone, Debug)]
pub struct Sightings {
    now: Timestamp,
    count: u64,
    severity: f64,
    quality: f64,
    last: Option<Timestamp>,
    /// The sum, over all sessions, of the highest weight of each.
    weight: f64,
    sessions: HashMap<String, f64>,
    services: BTreeSet<String>,
}

impl Sightings {
    /// No evidence, as of `now`.
    #[must_use]
    pub fn new(now: Timestamp) -> Self {
        Self {
            now,
            count: 0,
            severity: 0.0,
            quality: 0.0,
            last: None,
            weight: 0.0,
            sessions: HashMap::new(),
            services: BTreeSet::new(),
        }
    }

    /// The number of occurrences.
    #[must_use]
    pub const fn count(&self) -> u64 {
        self.count
    }

    /// Counts an occurrence.
    pub fn add(&mut self, sighting: Sighting<'_>) {
        self.count += 1;
        self.severity += sighting.severity;
        self.quality += sighting.weight;
        self.last = self.last.max(Some(sighting.at));
        let age = days(sighting.at, self.now) / HALF_LIFE_DAYS;
        let weight = sighting.weight * sighting.severity * (-age).exp2();
        match sighting.session {
            Some(session) => {
                let known = self.sessions.entry(session.to_owned()).or_default();
                self.weight += (weight - *known).max(0.0);
                *known = known.max(weight);
            }
            None => self.weight += weight,
        }
        if let Some(service) = sighting.service
            && self.services.len() < FULL_SERVICES
        {
            self.services.insert(service.to_owned());
        }
    }

    /// The mean weight of the sources, from 0 to 1.
    #[must_use]
    pub fn source_quality(&self) -> f64 {
        self.mean(self.quality)
    }

    /// Returns the confidence by a formula; `likeness` is the mean similarity of what
    /// was seen, 1 for what bears the same name.
    #[must_use]
    pub fn confidence(&self, likeness: f64, method: ConfidenceMethod) -> ConfidenceScore {
        match method {
            ConfidenceMethod::Cohesion => {
                let cohesion = ((likeness - LEAST_ALIKE) / (ALIKE - LEAST_ALIKE)).clamp(0.0, 1.0);
                let evidence = 1.0 - (-self.weight / WEIGHT).exp();
                ConfidenceScore {
                    value: cohesion * evidence,
                    factors: named([("cohesion", cohesion), ("evidence", evidence)]),
                }
            }
            ConfidenceMethod::Datum => self.published(),
        }
    }

    /// The published formula: a weighted sum of five factors.
    #[expect(
        clippy::cast_precision_loss,
        reason = "a count above ten makes no difference"
    )]
    fn published(&self) -> ConfidenceScore {
        let silence = self.last.map_or(0.0, |last| days(last, self.now));
        let weighed = [
            (0.35, "count", (self.count as f64 / FULL_COUNT).min(1.0)),
            (0.25, "severity", self.mean(self.severity)),
            (
                0.15,
                "recency",
                (1.0 - silence / SILENT_DAYS).clamp(0.0, 1.0),
            ),
            (
                0.10,
                "services",
                self.services.len() as f64 / FULL_SERVICES as f64,
            ),
            (0.15, "source_quality", self.source_quality()),
        ];
        ConfidenceScore {
            value: weighed
                .iter()
                .map(|(weight, _, factor)| weight * factor)
                .sum(),
            factors: named(weighed.map(|(_, name, factor)| (name, factor))),
        }
    }

    #[expect(
        clippy::cast_precision_loss,
        reason = "a mean over more occurrences than a mantissa can represent is precise enough"
    )]
    fn mean(&self, sum: f64) -> f64 {
        sum / self.count.max(1) as f64
    }
}

fn named<const N: usize>(factors: [(&str, f64); N]) -> BTreeMap<String, f64> {
    let factors = factors.into_iter();
    factors.map(|(name, of)| (name.to_owned(), of)).collect()
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

    fn sighting(day: i64, session: Option<&str>) -> Sighting<'_> {
        Sighting {
            at: at(day),
            weight: 1.0,
            severity: 1.0,
            session,
            service: None,
        }
    }

    fn evidence(now: i64, sightings: &[Sighting<'_>]) -> Sightings {
        let mut evidence = Sightings::new(at(now));
        for one in sightings {
            evidence.add(*one);
        }
        evidence
    }

    #[test]
    fn evidence_loses_weight_with_age_and_each_session_counts_once() {
        let (a, b) = (Some("a"), Some("b"));
        let half = Sighting {
            weight: 0.5,
            severity: 0.6,
            ..sighting(90, a)
        };
        for (sightings, weight) in [
            (vec![sighting(90, a)], 1.0),
            (vec![sighting(45, a)], 0.5),
            (vec![sighting(99, a)], 1.0),
            (vec![sighting(0, a), sighting(90, a), sighting(45, a)], 1.0),
            (vec![sighting(0, a), sighting(90, b)], 1.25),
            (vec![sighting(90, None), sighting(90, None)], 2.0),
            (vec![half], 0.3),
        ] {
            let found = evidence(90, &sightings).weight;
            assert!((found - weight).abs() < 1e-9, "{found} {weight}");
        }
    }

    #[test]
    fn confidence_grows_with_similarity_and_number_of_occurrences() {
        let medium = Sighting {
            severity: 0.6,
            ..sighting(0, None)
        };
        let five = evidence(0, &[medium; 5]);
        // Five times .6 is the weight for which the evidence is 1 - 1/e.
        let expected = 1.0 - (-1.0_f64).exp();
        for (likeness, cohesion) in [(0.1, 0.0), (0.05, 0.0), (0.4, 0.5), (0.7, 1.0), (0.9, 1.0)] {
            let found = five.confidence(likeness, ConfidenceMethod::Cohesion);
            assert!(
                (found.factors["cohesion"] - cohesion).abs() < 1e-9,
                "{likeness}"
            );
            assert!((found.factors["evidence"] - expected).abs() < 1e-9);
            assert!((found.value - cohesion * expected).abs() < 1e-9);
        }
        let none = evidence(0, &[]).confidence(1.0, ConfidenceMethod::Cohesion);
        assert!(none.value.abs() < 1e-9);
    }

    #[test]
    fn the_published_formula_is_a_weighted_sum() {
        let services = ["a", "b", "a", "b", "a"];
        let five: Vec<_> = (0..)
            .zip(services)
            .map(|(day, service)| Sighting {
                weight: 0.7,
                severity: 0.6,
                service: Some(service),
                ..sighting(day, None)
            })
            .collect();
        let found = evidence(49, &five).confidence(0.0, ConfidenceMethod::Datum);
        let factors = [0.5, 0.6, 0.5, 2.0 / 3.0, 0.7];
        let names = ["count", "severity", "recency", "services", "source_quality"];
        for (name, expected) in names.into_iter().zip(factors) {
            assert!((found.factors[name] - expected).abs() < 1e-9, "{name}");
        }
        let value = 0.175 + 0.15 + 0.075 + 0.2 / 3.0 + 0.105;
        assert!((found.value - value).abs() < 1e-9, "{}", found.value);
        let full = Sighting {
            service: Some("a"),
            ..sighting(0, None)
        };
        let mut many = evidence(0, &[full; 1_000]);
        for service in ["b", "c", "d"] {
            many.add(Sighting {
                service: Some(service),
                ..full
            });
        }
        let all = many.confidence(0.0, ConfidenceMethod::Datum).value;
        assert!((all - 1.0).abs() < 1e-9, "{all}");
    }
}
