//! `ralph serve`, asked by a browser and by strangers.

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{Ipv4Addr, TcpStream};
use std::process::{Child, Command, Stdio};

use crate::scripted::Scripted;
use crate::signals::signal;
use crate::support::{RalphCommand, Ran, TestEnvironment};
use crate::terminal::{open, waiting};

/// A server that listens.
pub(crate) struct Served {
    ralph: Child,
    port: u16,
    token: String,
}

/// A status and the rest of an answer.
type Answer = (u16, String);

impl Served {
    pub(crate) fn start(command: RalphCommand<'_>) -> Self {
        let mut ralph = command.into_std().spawn().unwrap();
        let mut line = String::new();
        BufReader::new(ralph.stdout.take().unwrap())
            .read_line(&mut line)
            .unwrap();
        let address = line
            .strip_suffix("/  (this computer only; Ctrl-C ends it)\n")
            .unwrap();
        let (port, token) = address
            .strip_prefix("http://127.0.0.1:")
            .unwrap()
            .split_once('/')
            .unwrap();
        Self {
            port: port.parse().unwrap(),
            token: token.to_owned(),
            ralph,
        }
    }

    /// The address of what is below the token.
    pub(crate) fn address(&self, path: &str) -> String {
        format!("http://127.0.0.1:{}/{}/{path}", self.port, self.token)
    }

    /// Sends the bytes of a request, and returns the connection.
    fn send(&self, request: &str) -> TcpStream {
        let mut stream = TcpStream::connect((Ipv4Addr::LOCALHOST, self.port)).unwrap();
        // An answer may come before the request is whole.
        let _ = stream.write_all(request.as_bytes());
        stream
    }

    /// The answer to a request.
    fn ask(&self, request: &str) -> Answer {
        let mut bytes = Vec::new();
        // A connection that is closed on unread bytes is reset after the answer.
        let _ = self.send(request).read_to_end(&mut bytes);
        let answer = String::from_utf8(bytes).unwrap();
        let status = answer.split(' ').nth(1).unwrap_or("0").parse().unwrap();
        (status, answer)
    }

    /// The answer to a browser that asks for what is below the token.
    fn get(&self, path: &str) -> Answer {
        self.ask(&format!(
            "GET /{}/{path} HTTP/1.1\r\nHost: localhost:{}\r\nConnection: close\r\n\r\n",
            self.token, self.port
        ))
    }

    /// Ends the server by a signal.
    fn end(mut self) -> i32 {
        signal("INT", &self.ralph);
        self.ralph.wait().unwrap().code().unwrap()
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.ralph.kill();
        let _ = self.ralph.wait();
    }
}

pub(crate) fn id_of(project: &Scripted) -> String {
    let folder = project.journal();
    let folder = folder.parent().unwrap().file_name().unwrap();
    folder.to_str().unwrap().to_owned()
}

/// What the script of a live page puts in the place of its content where it gets `page`, and
/// whether it then waits for no more, with substitutes for what only a browser has.
fn renewed(project: &Scripted, live: &str, page: &str) -> String {
    const BROWSER: &str = r#"
const page = require("fs").readFileSync(0, "utf8");
globalThis.location = { href: "http://localhost/runs/1#tasks", pathname: "/runs/1" };
globalThis.fetch = async (path) => ({ ok: path === "/runs/1", text: async () => page });
globalThis.DOMParser = class {
  parseFromString(text) {
    return { querySelector: () => ({ text, querySelector: () => null }) };
  }
};
const now = { querySelectorAll: () => [], replaceWith: (next) => console.log(next.text) };
globalThis.document = { querySelector: () => now };
globalThis.EventSource = class {
  constructor(path) {
    this.path = path;
  }
  addEventListener(_, changed) {
    if (this.path === "/runs/1/events") changed();
  }
  close() {
    console.log("closed");
  }
};
"#;
    let (_, script) = live.split_once("type=\"module\">").unwrap();
    let (script, _) = script.split_once("</script>").unwrap();
    let file = project.outside("browser.cjs");
    fs::write(&file, format!("{BROWSER}{script}")).unwrap();
    let mut node = Command::new("node");
    let node = node.arg(file).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut node = node.spawn().unwrap();
    node.stdin
        .take()
        .unwrap()
        .write_all(page.as_bytes())
        .unwrap();
    let printed = node.wait_with_output().unwrap();
    String::from_utf8(printed.stdout).unwrap()
}

#[test]
fn runs_are_listed_and_shown_until_a_signal() {
    let project = Scripted::working();
    project.run(&[]).run().exits(0);
    let id = id_of(&project);
    let served = Served::start(project.environment.command(["serve"]));
    let (status, list) = served.get("");
    assert_eq!(status, 200, "{list}");
    assert!(list.contains(&format!("<a href=\"runs/{id}\">")), "{list}");
    let (status, page) = served.get(&format!("runs/{id}"));
    assert_eq!(status, 200, "{page}");
    assert!(page.contains("<h1>specs/DEMO.md</h1>"), "{page}");
    assert!(
        page.contains("<span class=\"added\">+fixed 1</span>"),
        "{page}"
    );
    let head = page.to_lowercase();
    for header in [
        "content-security-policy: default-src 'none'; style-src 'nonce-",
        "x-content-type-options: nosniff",
        "referrer-policy: no-referrer",
        "cache-control: no-store",
    ] {
        assert!(head.contains(header), "{header}: {page}");
    }
    assert!(!head.contains("access-control"), "{page}");
    let policy = page.split("style-src 'nonce-").nth(1).unwrap();
    let (nonce, _) = policy.split_once('\'').unwrap();
    assert!(
        page.contains(&format!("<style nonce=\"{nonce}\">")),
        "{page}"
    );
    assert_eq!(served.end(), 0);
}

#[test]
fn strangers_are_refused() {
    let served_by = TestEnvironment::new();
    let served = Served::start(served_by.command(["serve"]));
    let (port, token) = (served.port, served.token.clone());
    let host = format!("Host: 127.0.0.1:{port}\r\n");
    let last = if token.ends_with('0') { "1" } else { "0" };
    let guessed = format!("{}{last}", &token[..token.len() - 1]);
    let many = "X-A: b\r\n".repeat(1000);
    for (status, line, headers) in [
        (200, format!("GET /{token}/"), host.clone()),
        (200, format!("HEAD /{token}/"), host.clone()),
        (403, "GET /".to_owned(), host.clone()),
        (403, format!("GET /{guessed}/"), host.clone()),
        (403, format!("GET /{token}0/"), host.clone()),
        (405, format!("POST /{token}/"), host.clone()),
        (405, format!("DELETE /{token}/"), host.clone()),
        (
            421,
            format!("GET /{token}/"),
            "Host: evil.example\r\n".to_owned(),
        ),
        (
            421,
            format!("GET /{token}/"),
            "Host: 127.0.0.1.evil.example\r\n".to_owned(),
        ),
        (421, format!("GET /{token}/"), String::new()),
        (
            404,
            format!("GET /{token}/runs/../../../etc/passwd"),
            host.clone(),
        ),
        (404, format!("GET /{token}/runs/%2e%2e"), host.clone()),
        (404, format!("GET /{token}/runs//events"), host.clone()),
        (431, format!("GET /{token}/"), format!("{host}{many}")),
        (400, "\u{1}GET /".to_owned(), String::new()),
    ] {
        let request = format!("{line} HTTP/1.1\r\n{headers}Connection: close\r\n\r\n");
        let (found, answer) = served.ask(&request);
        assert_eq!(found, status, "{line}: {answer}");
        assert!(
            status == 200 || !answer.contains(&token),
            "{line}: {answer}"
        );
    }
    assert_eq!(served.end(), 0);
}

#[test]
fn clients_that_say_or_read_nothing_keep_no_other_one_out() {
    let environment = TestEnvironment::new();
    let served = Served::start(environment.command(["serve"]));
    let silent: Vec<_> = (0..30).map(|_| served.send("")).collect();
    let deaf: Vec<_> = (0..10)
        .map(|_| {
            served.send(&format!(
                "GET /{}/ HTTP/1.1\r\nHost: localhost\r\n\r\n",
                served.token
            ))
        })
        .collect();
    assert_eq!(served.get("").0, 200);
    drop((silent, deaf));
    let (_, answers) = served.ask(&"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n".repeat(2));
    assert_eq!(answers.matches("HTTP/1.1 403").count(), 1, "{answers}");
    for _ in 0..200 {
        assert_eq!(served.get("").0, 200);
    }
}

#[test]
fn a_run_that_goes_on_says_so() {
    let (project, gate) = waiting();
    let run = project.run(&["--no-tasks"]).into_std().spawn().unwrap();
    open(&gate);
    let id = id_of(&project);
    let served = Served::start(project.environment.command(["serve"]));
    let show = || served.get(&format!("runs/{id}")).1;
    let live = show();
    assert!(live.contains("▸ running"), "{live}");
    let again = renewed(&project, &live, &live);
    assert!(
        again.starts_with("<main><header><p class=\"id\">"),
        "{again}"
    );
    assert!(again.contains("▸ running"), "{again}");
    assert!(!again.ends_with("closed\n"), "{again}");
    let request = format!(
        "GET /{}/runs/{id}/events HTTP/1.1\r\nHost: localhost\r\n\r\n",
        served.token
    );
    let mut events = BufReader::new(served.send(&request)).lines();
    let mut changed = || events.any(|line| line.unwrap() == "event: changed");
    let mut shows = |part: &str| {
        while changed() {
            let page = show();
            if page.contains(part) {
                return page;
            }
        }
        panic!("{part} is not shown");
    };
    shows("<span>Round 1</span>");
    open(&gate);
    shows(">review-2.1<");
    open(&gate);
    Ran::new(&project.environment, run.wait_with_output().unwrap()).exits(0);
    let end = shows("✓ passed");
    assert!(end.contains("<span>Round 2</span>"), "{end}");
    assert!(!end.contains("<script"), "{end}");
    assert!(renewed(&project, &live, &end).ends_with("closed\n"));
}

#[test]
fn a_port_that_is_taken_is_named() {
    let environment = TestEnvironment::new();
    let served = Served::start(environment.command(["serve"]));
    let port = served.port.to_string();
    let ran = environment.ralph(["serve", "--port", &port]).exits(2);
    assert!(
        ran.stderr
            .starts_with(&format!("error: cannot listen on port {port}")),
        "{ran:#?}"
    );
    assert!(
        ran.stderr.ends_with("  hint: --port 0 picks a free one\n"),
        "{ran:#?}"
    );
}
