//! What an agent does in a call, for users who watch it.
//!
//! Nothing of this is kept where no one watches, and only the most recent state is
//! reported.

use std::borrow::Cow;

use review::events::{ActionKind, AgentAction, AgentActivity, Event, LiveEvents};
use review_process::Redactor;
use review_types::Usage;

use crate::stream::{FileTools, Observed, ToolInput};
use crate::{AgentCall, AgentContext};

/// The most bytes of a line, a command or a name that are reported.
const MAX_LINE: usize = 1024;

/// What an agent did last, and what it said last.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Latest {
    action: Option<(ActionKind, Start)>,
    /// The last line that is not blank, or its start until the rest arrives.
    line: Start,
    /// Whether the line goes on with the next piece.
    is_open: bool,
    /// Whether the line came after the action.
    says_last: bool,
}

/// The start of a line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Start {
    text: String,
    /// Whether the line is longer than what is reported.
    is_cut: bool,
}

impl Start {
    fn of(line: &str) -> Self {
        let mut start = Self::default();
        start.push(line);
        start
    }

    fn push(&mut self, piece: &str) {
        let room = MAX_LINE.saturating_sub(self.text.len());
        let end = piece.floor_char_boundary(room);
        self.text.push_str(&piece[..end]);
        self.is_cut |= end < piece.len();
    }
}

impl Latest {
    /// Notes the start of a tool call.
    pub(crate) fn uses(&mut self, known: &FileTools, tool: &str, input: &ToolInput) {
        let (kind, target) = match (&input.file, &input.command) {
            (Some(file), _) if known.read.contains(&tool) => (ActionKind::Reads, file.as_str()),
            (Some(file), _) if known.write.contains(&tool) => (ActionKind::Edits, file.as_str()),
            (_, Some(command)) => (ActionKind::Runs, command.as_str()),
            _ => (ActionKind::Uses, tool),
        };
        self.acts(kind, target);
    }

    /// Notes what the agent does.
    pub(crate) fn acts(&mut self, kind: ActionKind, target: &str) {
        let target = Start::of(last_line(target).unwrap_or_default());
        self.action = Some((kind, target));
        self.is_open = false;
        self.says_last = false;
    }

    /// Notes a whole text.
    pub(crate) fn says(&mut self, text: &str) {
        self.is_open = false;
        self.continues(text);
        self.is_open = false;
    }

    /// Notes a piece of a string that arrives in pieces.
    pub(crate) fn continues(&mut self, piece: &str) {
        let (ended, rest) = match piece.rsplit_once('\n') {
            Some((ended, rest)) => (Some(ended), rest),
            None => (None, piece),
        };
        if let Some(ended) = ended {
            if let Some(line) = last_line(ended) {
                self.line = Start::of(line);
                self.says_last = true;
            }
            self.is_open = false;
        }
        if rest.trim().is_empty() && !self.is_open {
            return;
        }
        if !std::mem::replace(&mut self.is_open, true) {
            self.line = Start::default();
        }
        self.line.push(rest);
        self.says_last = true;
    }
}

/// The last line of a string that is not blank.
fn last_line(text: &str) -> Option<&str> {
    let mut lines = text.lines().rev().map(str::trim);
    lines.find(|line| !line.is_empty())
}

/// What a call consumed, by what was observed so far.
pub(crate) type UsageOf<'a> = dyn Fn(&Observed) -> Option<Usage> + Send + Sync + 'a;

/// Reports what is done in one call.
pub(crate) struct CallWatch<'a> {
    live: &'a LiveEvents,
    redactor: &'a Redactor,
    /// The report, in which the most recent state is missing.
    blank: AgentActivity,
    /// How paths below the root begin.
    root: String,
}

impl<'a> CallWatch<'a> {
    /// Watches a call, if anybody does.
    pub(crate) fn start(context: &'a AgentContext, call: &AgentCall<'_>) -> Option<Self> {
        context.live.is_watched().then(|| Self {
            live: &context.live,
            redactor: &context.redactor,
            blank: AgentActivity {
                step: call.step.name.to_string(),
                role: call.role,
                iteration: call.iteration,
                model: None,
                action: None,
                says: None,
                says_last: false,
                usage: None,
            },
            root: format!("{}/", call.checkout.root().path().display()),
        })
    }

    /// Reports the state after some output.
    pub(crate) fn report(&self, latest: &Latest, model: Option<&str>, usage: Option<Usage>) {
        self.live.report(|| {
            Event::AgentActivity(AgentActivity {
                model: model.map(str::to_owned),
                usage,
                ..self.activity(latest)
            })
        });
    }

    fn activity(&self, latest: &Latest) -> AgentActivity {
        let action = latest.action.as_ref().map(|(kind, target)| AgentAction {
            kind: *kind,
            target: self.clean(&target.text, target.is_cut),
        });
        let line = Some(latest.line.text.trim()).filter(|line| !line.is_empty());
        let goes_on = latest.is_open || latest.line.is_cut;
        AgentActivity {
            action,
            says: line.map(|line| self.clean(line, goes_on)),
            says_last: latest.says_last,
            ..self.blank.clone()
        }
    }

    /// Removes secrets and the folder of the project from `text`. Where it goes on,
    /// its end may be the start of a secret.
    fn clean(&self, text: &str, goes_on: bool) -> String {
        let text = match goes_on {
            true => self.redactor.redact_start(text.as_bytes()),
            false => self.redactor.redact(text.as_bytes()),
        };
        let text = String::from_utf8_lossy(&text);
        let text = match text.contains(&self.root) {
            true => Cow::Owned(text.replace(&self.root, "")),
            false => text,
        };
        text.into_owned()
    }
}

#[cfg(test)]
mod tests {
    use review::events::AgentRole;

    use super::*;

    const TOOLS: FileTools = FileTools {
        read: &["read"],
        write: &["edit"],
    };

    #[test]
    fn a_tool_call_is_reported_by_what_it_does() {
        let input = |file: Option<&str>, command: Option<&str>| ToolInput {
            file: file.map(str::to_owned),
            command: command.map(str::to_owned),
        };
        for (tool, input, kind, target) in [
            ("read", input(Some("a.md"), None), ActionKind::Reads, "a.md"),
            ("edit", input(Some("a.md"), None), ActionKind::Edits, "a.md"),
            (
                "bash",
                input(None, Some("cd x\nmake\n\n")),
                ActionKind::Runs,
                "make",
            ),
            ("grep", input(None, None), ActionKind::Uses, "grep"),
            ("list", input(Some("src"), None), ActionKind::Uses, "list"),
        ] {
            let mut latest = Latest::default();
            latest.uses(&TOOLS, tool, &input);
            assert_eq!(latest.action, Some((kind, Start::of(target))));
        }
    }

    #[test]
    fn the_last_line_of_a_text_in_pieces_is_kept() {
        let mut latest = Latest::default();
        for (piece, line) in [
            ("I re", "I re"),
            ("ad it.", "I read it."),
            ("\n\n", "I read it."),
            ("  ", "I read it."),
            ("Then\nI check", "I check"),
            (" it\nand fix it\n", "and fix it"),
        ] {
            latest.continues(piece);
            assert_eq!(latest.line.text.trim(), line, "{piece:?}");
        }
        latest.says("whole");
        latest.says("text\n\n");
        assert_eq!(latest.line, Start::of("text"));
        latest.continues(&"\u{e9}".repeat(MAX_LINE));
        assert_eq!(latest.line.text.len(), MAX_LINE);
        assert!(latest.line.is_cut);
    }

    #[test]
    fn no_start_of_a_secret_is_shown_where_its_line_goes_on() {
        let redactor = Redactor::new(["secret-value-1"]);
        let live = LiveEvents::default();
        let watch = CallWatch {
            live: &live,
            redactor: &redactor,
            blank: AgentActivity {
                step: String::new(),
                role: AgentRole::Reviewer,
                iteration: 1,
                model: None,
                action: None,
                says: None,
                says_last: false,
                usage: None,
            },
            root: "/project/".to_owned(),
        };
        let mut latest = Latest::default();
        for (piece, shown) in [
            ("The key is sec", "The key is "),
            ("ret-value", "The key is "),
            ("-1, see /project/a.md", "The key is [redacted], see a.md"),
            ("\nIt is a sec\n", "It is a sec"),
        ] {
            latest.continues(piece);
            assert_eq!(watch.activity(&latest).says.unwrap(), shown, "{piece:?}");
        }
        let before = "x".repeat(MAX_LINE - 6);
        let long = format!("{before}secret-value-1");
        latest.says(&long);
        assert_eq!(watch.activity(&latest).says.as_ref(), Some(&before));
        latest.acts(ActionKind::Runs, &long);
        assert_eq!(watch.activity(&latest).action.unwrap().target, before);
    }

    #[test]
    fn it_is_known_whether_the_agent_spoke_after_its_last_tool() {
        let mut latest = Latest::default();
        latest.acts(ActionKind::Reads, "a");
        assert!(!latest.says_last);
        latest.says("b");
        assert!(latest.says_last);
        latest.acts(ActionKind::Reads, "a");
        latest.says(" \n");
        assert!(!latest.says_last);
    }

    #[test]
    fn every_client_shows_its_tools_at_their_start_and_what_it_says() {
        use crate::Client;
        use crate::stream::StreamLimits;

        let reads = (ActionKind::Reads, "specs/x.md");
        let runs = (ActionKind::Runs, "make test");
        for (client, line, expected) in [
            (
                Client::Claude,
                r#"{"type":"assistant","message":{"content":[{"type":"tool_use","id":"1","name":"Read","input":{"file_path":"specs/x.md"}}]}}"#,
                (Some(reads), ""),
            ),
            (
                Client::Claude,
                r#"{"type":"assistant","message":{"content":[{"type":"tool_use","id":"2","name":"Bash","input":{"command":"make test"}}]}}"#,
                (Some(runs), ""),
            ),
            (
                Client::Claude,
                r#"{"type":"assistant","message":{"content":[{"type":"text","text":"First.\nI compare."}]}}"#,
                (None, "I compare."),
            ),
            (
                Client::Codex,
                r#"{"type":"item.started","item":{"id":"1","type":"command_execution","command":"make test","status":"in_progress"}}"#,
                (Some(runs), ""),
            ),
            (
                Client::Codex,
                r#"{"type":"item.completed","item":{"id":"1","type":"file_change","changes":[{"path":"a.md","kind":"update"}],"status":"completed"}}"#,
                (Some((ActionKind::Edits, "a.md")), ""),
            ),
            (
                Client::Codex,
                r#"{"type":"item.completed","item":{"id":"1","type":"agent_message","text":"I compare."}}"#,
                (None, "I compare."),
            ),
            (
                Client::Opencode,
                r#"{"type":"tool_use","part":{"tool":"read","state":{"status":"completed","input":{"filePath":"specs/x.md"}}}}"#,
                (Some(reads), ""),
            ),
            (
                Client::Opencode,
                r#"{"type":"text","part":{"text":"I compare."}}"#,
                (None, "I compare."),
            ),
            (
                Client::Gemini,
                r#"{"type":"tool_use","tool_name":"read_file","tool_id":"1","parameters":{"absolute_path":"specs/x.md"}}"#,
                (Some(reads), ""),
            ),
            (
                Client::Gemini,
                r#"{"type":"message","role":"assistant","content":"I compare.","delta":true}"#,
                (None, "I compare."),
            ),
        ] {
            let mut reader = client.reader(StreamLimits::default());
            reader.watch();
            reader.stdout(format!("{line}\n").as_bytes());
            let latest = reader.seen().latest.clone().unwrap();
            let action = latest.action.as_ref();
            let action = action.map(|(kind, target)| (*kind, target.text.as_str()));
            assert_eq!((action, latest.line.text.as_str()), expected, "{line}");
            let mut unwatched = client.reader(StreamLimits::default());
            unwatched.stdout(format!("{line}\n").as_bytes());
            assert_eq!(unwatched.seen().latest, None);
        }
    }
}
