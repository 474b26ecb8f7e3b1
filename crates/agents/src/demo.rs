//! A client as small as one can be, as an example: it prints its answer as
//! lines of JSON, and an end.

use serde::Deserialize;

use crate::Access;
use crate::client::{ClientCall, ClientRow, Invocation};
use crate::row::{BackendRow, client};
use crate::stream::{Events, Fault, NoEvent, Observed, ReportedError, StopReason};

/// The client.
pub(crate) const ROW: ClientRow =
    ClientRow::new(BACKEND, call, |_| Box::new(DemoEvents::default()));

/// What it is like.
const BACKEND: BackendRow = BackendRow {
    variables: &["DEMO_API_KEY"],
    ..client("demo", "demo 1.0 or later, logged in", "npm install demo")
};

/// How it is called.
fn call(asked: &ClientCall<'_>) -> Invocation {
    let mode = match asked.access {
        Access::None | Access::Read => "read",
        Access::Edit(_) | Access::Implement => "edit",
    };
    let call = Invocation::of(&["--json", "--mode", mode]);
    call.with("--model", asked.model)
        .with("--continue", asked.follow_up)
}

/// A line that it prints.
#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Line {
    Answer {
        text: String,
    },
    End,
    #[serde(other)]
    Other,
}

/// What is held between two lines.
#[derive(Default)]
struct DemoEvents {
    answer: String,
}

impl Events for DemoEvents {
    fn event(&mut self, line: &[u8], seen: &mut Observed) -> Result<(), NoEvent> {
        match serde_json::from_slice(line).map_err(|_| NoEvent)? {
            Line::Answer { text } => self.answer = text,
            Line::End => seen.terminal = Some(StopReason::Stop),
            Line::Other => {}
        }
        Ok(())
    }

    fn complaint(&mut self, line: &str, seen: &mut Observed) {
        if line.starts_with("error: ") {
            seen.error = Some(ReportedError::new(Fault::Request, line));
        }
    }

    fn end(&mut self, seen: &mut Observed) {
        seen.text = Some(std::mem::take(&mut self.answer));
    }
}

#[cfg(test)]
mod tests {
    use review::schema::Dialect;

    use crate::client::calls::{APPLIER, REVIEWER};
    use crate::stream::StreamLimits;
    use crate::{Backend, Client, Pricing, backends};

    use super::*;

    #[test]
    fn a_file_and_a_row_make_a_backend() {
        let backend: Backend = "demo:big".parse().unwrap();
        let model = "big".parse().unwrap();
        let demo = Backend::Client {
            client: Client::Demo,
            model: Some(model),
        };
        assert_eq!(backend, demo);
        assert_eq!(backend.dialect(), Dialect::Verdict);
        assert!(backends().any(|row| row.name == "demo"));
        assert_eq!(Client::Demo.pricing(), Pricing::Unreported);
    }

    #[test]
    fn its_mode_depends_on_its_access() {
        let read = ["--json", "--mode", "read"];
        assert_eq!(call(&REVIEWER).args, read);
        let asked = ClientCall {
            follow_up: Some("s-1"),
            ..APPLIER
        };
        let edit = ["--json", "--mode", "edit", "--continue", "s-1"];
        assert_eq!(call(&asked).args, edit);
    }

    #[test]
    fn the_text_before_its_end_is_the_answer() {
        let mut reader = Client::Demo.reader(StreamLimits::default());
        reader.stdout(b"{\"type\":\"thought\"}\n{\"type\":\"answer\",\"text\":\"{}\"}\n");
        reader.stdout(b"{\"type\":\"end\"}\n");
        reader.stderr(b"a warning\n");
        let seen = reader.finish();
        assert!(seen.is_complete());
        assert_eq!((seen.text.as_deref(), seen.error), (Some("{}"), None));
        let mut reader = Client::Demo.reader(StreamLimits::default());
        reader.stderr(b"error: no such option\n");
        let error = ReportedError::new(Fault::Request, "error: no such option");
        assert_eq!(reader.finish().error, Some(error));
    }
}
