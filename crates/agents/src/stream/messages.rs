//! What the messages of a call consumed, where that is reported.

use super::Consumption;

/// The figures of all messages so far. Those of one message are reported several
/// times while it grows, and repeated with each of its parts.
#[derive(Default)]
pub(crate) struct Messages {
    /// The message at hand.
    id: Option<String>,
    current: Consumption,
    before: Consumption,
}

impl Messages {
    /// Takes the figures of the message with this id, or of that at hand.
    pub(crate) fn tell(&mut self, id: Option<&str>, told: Consumption) {
        if id.is_some() && id != self.id.as_deref() {
            self.id = id.map(str::to_owned);
            let ended = std::mem::take(&mut self.current);
            self.before.add(&ended);
        }
        self.current.raise(&told);
    }

    /// The sum over all messages.
    pub(crate) fn total(&self) -> Consumption {
        let mut total = self.before;
        total.add(&self.current);
        total
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn usage(input: u64, output: u64) -> Consumption {
        Consumption {
            input,
            output,
            ..Consumption::default()
        }
    }

    #[test]
    fn a_message_that_is_reported_again_counts_once() {
        let mut messages = Messages::default();
        for (id, figures, total) in [
            (None, usage(1, 0), usage(1, 0)),
            (Some("a"), usage(100, 1), usage(101, 1)),
            (Some("a"), usage(100, 1), usage(101, 1)),
            (None, usage(0, 50), usage(101, 50)),
            (Some("b"), usage(200, 1), usage(301, 51)),
            (Some("b"), usage(0, 0), usage(301, 51)),
            (None, usage(0, 70), usage(301, 120)),
        ] {
            messages.tell(id, figures);
            assert_eq!(messages.total(), total, "{id:?}");
        }
    }
}
