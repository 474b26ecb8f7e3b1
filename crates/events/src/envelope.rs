//! The envelope of every event.

use review_types::{RunId, TaskNumber, Timestamp, UnitId};
use serde::de::Error as _;
use serde::ser::{Error as _, SerializeStruct};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::{Event, EventType};

/// The version of every format that ralph writes.
pub const FORMAT_VERSION: u32 = 1;

/// An event of a run, without its envelope.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunEvent {
    /// The task it belongs to.
    pub task: Option<TaskNumber>,
    /// The event.
    pub event: Event,
}

impl From<Event> for RunEvent {
    fn from(event: Event) -> Self {
        Self { task: None, event }
    }
}

/// An event with its context: run, number, time, unit and task.
///
/// Its JSON form is `{"v":1,"run","seq","timestamp","type","unit","task","payload"}`;
/// `seq`, `unit` and `task` are absent where they do not apply. Delivery is at
/// least once: a duplicate has the same `run` and `seq`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Envelope {
    /// The run.
    pub run: RunId,
    /// Number within the run, from 0; `None` for ephemeral events.
    pub seq: Option<u64>,
    /// When it happened: the time of the previous journal record.
    pub timestamp: Timestamp,
    /// The unit it belongs to.
    pub unit: Option<UnitId>,
    /// The task it belongs to, as `unit/number`.
    pub task: Option<String>,
    /// The event.
    pub event: Event,
}

impl Serialize for Envelope {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut out = serializer.serialize_struct("Envelope", 8)?;
        out.serialize_field("v", &FORMAT_VERSION)?;
        out.serialize_field("run", &self.run)?;
        if let Some(seq) = self.seq {
            out.serialize_field("seq", &seq)?;
        }
        out.serialize_field("timestamp", &self.timestamp)?;
        out.serialize_field("type", &self.event.event_type())?;
        if let Some(unit) = &self.unit {
            out.serialize_field("unit", unit)?;
        }
        if let Some(task) = &self.task {
            out.serialize_field("task", task)?;
        }
        out.serialize_field("payload", &self.event.payload().map_err(S::Error::custom)?)?;
        out.end()
    }
}

#[derive(Deserialize, schemars::JsonSchema)]
#[schemars(rename = "Event")]
struct Wire {
    v: u32,
    run: RunId,
    seq: Option<u64>,
    timestamp: Timestamp,
    #[serde(rename = "type")]
    event_type: EventType,
    unit: Option<UnitId>,
    task: Option<String>,
    payload: serde_json::Value,
}

impl schemars::JsonSchema for Envelope {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        Wire::schema_name()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        Wire::json_schema(generator)
    }
}

impl<'de> Deserialize<'de> for Envelope {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let wire = Wire::deserialize(deserializer)?;
        if wire.v != FORMAT_VERSION {
            return Err(D::Error::custom(format_args!(
                "event format {} is not format {FORMAT_VERSION}",
                wire.v
            )));
        }
        Ok(Self {
            run: wire.run,
            seq: wire.seq,
            timestamp: wire.timestamp,
            unit: wire.unit,
            task: wire.task,
            event: Event::from_parts(wire.event_type, wire.payload).map_err(D::Error::custom)?,
        })
    }
}
