//! Messages in, answers out; calls are carried out side by side.

use std::collections::HashMap;
use std::ffi::OsString;
use std::io::{self, BufRead as _, BufReader, Read as _};
use std::path::PathBuf;
use std::rc::Rc;
use std::time::Duration;

use review_process::{
    Command, Context as CallContext, Ended, Groups, Redactor, Sink, SpawnError, Stdin, Stop,
};
use serde_json::{Value as Json, json};
use tokio::sync::{Semaphore, mpsc, watch};
use tokio::task::LocalSet;

use super::review::{Reviews, Trust};
use super::tools::{Call, Refused, Work, list};
use super::wire::{Message, Request};
use crate::context::Context;
use crate::error::{CommandError, cannot};
use crate::output::Streams;
use crate::runtime::Runtime;

/// The longest message that is read, in bytes.
const LONGEST_MESSAGE: u64 = 16 * 1024 * 1024;

/// How many lines are read ahead.
const AHEAD: usize = 64;

/// How many calls are carried out at a time; others wait.
const AT_A_TIME: usize = 8;

/// The largest result, in bytes: clients cut longer ones.
const LARGEST_RESULT: usize = 24_000;

/// The longest list in a result.
const LONGEST_LIST: usize = 50;

/// The longest string in the object of a result, in characters.
const LONGEST_STRING: usize = 1_000;

/// How often a call that waits reports progress.
const PROGRESS: Duration = Duration::from_secs(10);

/// What commands of ralph are started with.
pub(super) struct Server {
    program: PathBuf,
    folder: PathBuf,
    /// The common options that it was started with.
    options: Vec<String>,
    groups: Groups,
    redactor: Redactor,
    stop: watch::Receiver<Stop>,
    places: Semaphore,
    reviews: Option<Reviews>,
}

impl Server {
    /// A server for the project that the options of the command line name.
    pub(super) fn new(context: &Context, runtime: &Runtime, trust: Option<Trust>) -> Self {
        let environment = &context.environment;
        Self {
            program: environment
                .program
                .as_deref()
                .unwrap_or("ralph".as_ref())
                .to_owned(),
            folder: environment.folder.clone(),
            options: context.given_options(),
            groups: runtime.groups(),
            redactor: environment.redactor(),
            stop: runtime.stop(),
            places: Semaphore::new(AT_A_TIME),
            reviews: trust.map(Reviews::new),
        }
    }

    /// Answers all that comes until the end of standard input or a signal, either of which
    /// interrupts a review under way.
    ///
    /// # Errors
    /// When standard output cannot be written.
    pub(super) async fn serve(self: Rc<Self>, streams: &mut Streams) -> Result<(), CommandError> {
        let mut lines = lines()?;
        let (answers, mut answered) = mpsc::unbounded_channel();
        let mut open = HashMap::new();
        let mut stop = self.stop.clone();
        let mut is_closed = false;
        let calls = LocalSet::new();
        let served = calls.run_until(async {
            while !is_closed || !open.is_empty() {
                tokio::select! {
                    biased;
                    _ = stop.wait_for(|stop| *stop != Stop::Run) => break,
                    Some((id, answer)) = answered.recv() => {
                        if let Some(id) = id {
                            open.remove(&id);
                        }
                        streams.print_json(&answer)?;
                    }
                    line = lines.recv(), if !is_closed => match line {
                        Some(line) => self.take(&line, &answers, &mut open),
                        None => {
                            is_closed = true;
                            self.reviews.iter().for_each(Reviews::close);
                        }
                    },
                }
            }
            Ok(())
        });
        let served = served.await;
        if let Some(reviews) = &self.reviews {
            calls.run_until(reviews.interrupt()).await;
        }
        served
    }

    /// Answers a line, or starts the call that it asks for.
    fn take(self: &Rc<Self>, line: &[u8], answers: &Answers, open: &mut Open) {
        let request = match Message::parse(line) {
            Ok(Message::Request(request)) => request,
            Ok(Message::Cancelled(id)) => {
                if let Some(cancel) = open.remove(&id.to_string()) {
                    cancel.send_replace(true);
                }
                return;
            }
            Ok(Message::Ignored) => return,
            Err(failure) => return send(answers, None, failure),
        };
        let allows_review = self.reviews.is_some();
        let answer = match request.method.as_str() {
            "initialize" => request.initialized(),
            "server/discover" => request.discovered(),
            "ping" => request.result(json!({})),
            "tools/list" => request.listed(list(allows_review)),
            "tools/call" => match Call::parse(&request.params, allows_review) {
                Err(Refused::Invalid(why)) => request.invalid(&why),
                Err(Refused::NotAllowed(why)) => request.result(refused(&why)),
                Ok(call) => return self.start(request, call, answers, open),
            },
            _ => request.unknown(),
        };
        send(answers, None, answer);
    }

    fn start(self: &Rc<Self>, request: Request, call: Call, answers: &Answers, open: &mut Open) {
        let id = request.id.to_string();
        let (cancel, cancelled) = watch::channel(false);
        open.insert(id.clone(), cancel);
        let (server, answers) = (Rc::clone(self), answers.clone());
        tokio::task::spawn_local(async move {
            if let Some(result) = server.call(&request, call, &answers, cancelled).await {
                send(&answers, Some(id), request.result(result));
            }
        });
    }

    /// Carries out a call; `None` when it was cancelled, which is answered by nothing.
    async fn call(
        self: &Rc<Self>,
        request: &Request,
        call: Call,
        answers: &Answers,
        mut cancelled: watch::Receiver<bool>,
    ) -> Option<Json> {
        let mut ticks = tokio::time::interval(PROGRESS);
        ticks.tick().await;
        let mut waited = 0;
        let is_review = matches!(call, Call::Review { .. });
        let result = self.result(call, cancelled.clone());
        tokio::pin!(result);
        loop {
            tokio::select! {
                result = &mut result => return Some(result),
                Ok(_) = cancelled.wait_for(|cancelled| *cancelled) => {
                    // A review that was started for this call ends with it.
                    if is_review {
                        result.await;
                    }
                    return None;
                }
                _ = ticks.tick() => {
                    waited += PROGRESS.as_secs();
                    if let Some(notice) = request.progressed(waited, "at work") {
                        send(answers, None, notice);
                    }
                }
            }
        }
    }

    async fn result(self: &Rc<Self>, call: Call, cancelled: watch::Receiver<bool>) -> Json {
        let work = match (call, &self.reviews) {
            (Call::Look(work), _) => work,
            (Call::Run { run, wait }, reviews) => {
                if let Some(reviews) = reviews
                    && let Some(told) = reviews.wait_for(&run, wait).await
                {
                    return told;
                }
                Work::report(run)
            }
            (Call::Review { work, wait }, Some(reviews)) => {
                match reviews.start(self, work, wait, cancelled).await {
                    Ok(report) => report,
                    Err(told) => return told,
                }
            }
            // `Call::parse` refuses reviews that are not allowed.
            (Call::Review { .. }, None) => return refused("reviews are not allowed"),
        };
        self.look(work).await
    }

    /// The answer of a command, for programs and for people.
    async fn look(&self, work: Work) -> Json {
        let _place = self.places.acquire().await;
        let all = format!("ralph {}", shell_words::join(work.arguments(&[])));
        let ralph = |format| self.ralph(&work, format, self.stop.clone(), None);
        let (object, text) = tokio::join!(ralph("--format=json"), ralph("--format=human"));
        let (Ok(object), Ok(text)) = (object, text) else {
            return refused("ralph could not be started");
        };
        let stdout = text_of(text.stdout.into_complete());
        match serde_json::from_slice(&object.stdout.into_complete().unwrap_or_default()) {
            Ok(object @ Json::Object(_)) => shown(object, &stdout, &all),
            _ => match text_of(object.stderr.into_complete()) {
                why if why.is_empty() => refused(&format!("no answer: run `{all}`")),
                why => refused(&why),
            },
        }
    }

    /// Starts ralph for the same project and waits for its end.
    pub(super) async fn ralph<'a>(
        &'a self,
        work: &Work,
        option: &str,
        stop: watch::Receiver<Stop>,
        sink: Option<&'a mut dyn Sink>,
    ) -> Result<Ended, SpawnError> {
        let common = self.options.iter().map(String::as_str);
        let options = [option];
        let arguments = common.chain(work.arguments(&options)).map(OsString::from);
        let mut command = Command::new(&self.program, &self.folder).args(arguments);
        if let Some(input) = &work.input {
            command.stdin = Stdin::Bytes(input.clone().into_bytes());
        }
        command.limits.wall = None;
        command.limits.idle = None;
        let mut context = CallContext::new(stop, &self.groups, &self.redactor);
        context.sink = sink;
        review_process::run(command, context).await
    }
}

/// What is sent to the client, with the id of the call that it ends.
type Answers = mpsc::UnboundedSender<(Option<String>, Json)>;

/// The calls that are not answered yet, by their ids, and what cancels them.
type Open = HashMap<String, watch::Sender<bool>>;

/// Passes on an answer; after the end of the server nobody gets it.
fn send(answers: &Answers, id: Option<String>, answer: Json) {
    drop(answers.send((id, answer)));
}

/// The lines of standard input. A thread reads them, since a read cannot be interrupted.
fn lines() -> Result<mpsc::Receiver<Vec<u8>>, CommandError> {
    let (sender, receiver) = mpsc::channel(AHEAD);
    let read = move || {
        let mut input = BufReader::new(io::stdin());
        loop {
            let mut line = Vec::new();
            let read = input
                .by_ref()
                .take(LONGEST_MESSAGE)
                .read_until(b'\n', &mut line);
            if !read.is_ok_and(|read| read > 0) {
                return;
            }
            let is_blank = line.trim_ascii().is_empty();
            if !is_blank && sender.blocking_send(line).is_err() {
                return;
            }
        }
    };
    let thread = std::thread::Builder::new().name("standard input".to_owned());
    thread.spawn(read).map_err(cannot("read standard input"))?;
    Ok(receiver)
}

pub(super) fn text_of(output: Option<Vec<u8>>) -> String {
    String::from_utf8_lossy(&output.unwrap_or_default())
        .trim_end()
        .to_owned()
}

/// A result in words, of a call that could not be carried out.
pub(super) fn refused(why: &str) -> Json {
    json!({"content": [{"type": "text", "text": why}], "isError": true})
}

/// A result: an object for programs and text for people, as much as clients take.
/// `all` is the command that shows all of it.
fn shown(mut object: Json, text: &str, all: &str) -> Json {
    let mut longest = LONGEST_LIST;
    let mut left_out = shorten(&mut object, longest);
    while object.to_string().len() > LARGEST_RESULT && longest > 0 {
        longest /= 2;
        left_out += shorten(&mut object, longest);
    }
    let mut text = text.to_owned();
    let is_cut = cut(&mut text, LARGEST_RESULT / 4);
    if left_out > 0 {
        object["more"] = json!(left_out);
        text.push_str(&format!("\nmore: {left_out}"));
    }
    if left_out > 0 || is_cut {
        text.push_str(&format!("\nall of it: {all}"));
    }
    json!({"content": [{"type": "text", "text": text}], "structuredContent": object})
}

/// Cuts a string to its first characters; returns whether it was longer.
fn cut(text: &mut String, most: usize) -> bool {
    let end = text.char_indices().nth(most).map(|(end, _)| end);
    if let Some(end) = end {
        text.replace_range(end.., "…");
    }
    end.is_some()
}

/// Cuts each list to its first entries, and long strings; returns the number of the other
/// entries.
fn shorten(value: &mut Json, longest: usize) -> usize {
    match value {
        Json::String(text) => {
            cut(text, LONGEST_STRING);
            0
        }
        Json::Array(entries) => {
            let left_out = entries.len().saturating_sub(longest);
            entries.truncate(longest);
            let inside = entries.iter_mut().map(|entry| shorten(entry, longest));
            left_out + inside.sum::<usize>()
        }
        Json::Object(fields) => {
            let inside = fields.values_mut().map(|field| shorten(field, longest));
            inside.sum()
        }
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_large_result_has_the_first_entries_and_the_number_of_the_others() {
        let findings: Vec<_> = (0..70).map(|n| json!({"line": n})).collect();
        let object = json!({"findings": findings, "verdict": "pass"});
        let result = shown(object, "70 findings", "ralph lint --");
        let shown = &result["structuredContent"];
        assert_eq!(shown["findings"].as_array().unwrap().len(), 50);
        assert_eq!(
            (&shown["more"], &shown["verdict"]),
            (&json!(20), &json!("pass"))
        );
        let text = result["content"][0]["text"].as_str().unwrap();
        assert_eq!(text, "70 findings\nmore: 20\nall of it: ralph lint --");
    }

    #[test]
    fn a_result_is_never_larger_than_clients_take() {
        for length in [100, 1_000, 20_000] {
            let long = "x".repeat(length);
            let entries: Vec<_> = (0..50)
                .map(|_| json!({"text": long, "in": [long]}))
                .collect();
            let result = shown(json!({"entries": entries, "of": long}), "", "");
            let object = &result["structuredContent"];
            let size = object.to_string().len();
            assert!(size <= LARGEST_RESULT + 16, "{length}: {size}");
            let kept = object["entries"].as_array().unwrap().len();
            assert!(kept > 0, "{length}");
            assert_eq!(object["more"].is_u64(), kept < 50, "{length}");
        }
    }

    #[test]
    fn a_text_that_is_cut_names_the_command_that_shows_all() {
        let result = shown(json!({}), &"x".repeat(7_000), "ralph lint --");
        let text = result["content"][0]["text"].as_str().unwrap();
        assert!(text.ends_with("x…\nall of it: ralph lint --"), "{text}");
    }
}
