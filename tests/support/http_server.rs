//! An HTTP server that does what a script says, down to the byte.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

/// What the server sends next.
#[derive(Clone, Debug)]
pub(crate) enum Part {
    /// These bytes.
    Bytes(Vec<u8>),
    /// These bytes, one at a time.
    Drip(Vec<u8>),
    /// These bytes so many times.
    Repeated(Vec<u8>, usize),
    /// These bytes as long as somebody takes them.
    Endless(Vec<u8>),
    /// Nothing more, with the connection left open.
    Hang,
    /// The end of the connection.
    Cut,
}

/// One request that came.
#[derive(Clone, Debug)]
pub(crate) struct Asked {
    /// Its first line.
    pub(crate) line: String,
    /// Its headers, names in lower case.
    pub(crate) headers: Vec<(String, String)>,
    /// Its body.
    pub(crate) body: String,
}

impl Asked {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let found = self.headers.iter().find(|(known, _)| known == name);
        found.map(|(_, value)| value.as_str())
    }
}

#[derive(Default)]
struct Seen {
    asked: Mutex<Vec<Asked>>,
    connections: Mutex<usize>,
}

/// A server on a port of its own, for as long as the test process lives.
pub(crate) struct Server {
    pub(crate) address: SocketAddr,
    seen: Arc<Seen>,
}

impl Server {
    /// Answers the request of each number, from 0, as `script` says.
    pub(crate) fn new(script: impl Fn(usize) -> Vec<Part> + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let address = listener.local_addr().unwrap();
        let seen = Arc::new(Seen::default());
        let (script, told) = (Arc::new(script), Arc::clone(&seen));
        std::thread::spawn(move || {
            for connection in listener.incoming() {
                let (script, told) = (Arc::clone(&script), Arc::clone(&told));
                *told.connections.lock().unwrap() += 1;
                std::thread::spawn(move || serve(connection.unwrap(), &*script, &told));
            }
        });
        Self { address, seen }
    }

    /// Answers every request with the same parts.
    pub(crate) fn always(parts: Vec<Part>) -> Self {
        Self::new(move |_| parts.clone())
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    pub(crate) fn asked(&self) -> Vec<Asked> {
        self.seen.asked.lock().unwrap().clone()
    }

    pub(crate) fn connections(&self) -> usize {
        *self.seen.connections.lock().unwrap()
    }
}

/// Serves one connection; a client that goes away ends it.
fn serve(stream: TcpStream, script: &dyn Fn(usize) -> Vec<Part>, seen: &Seen) {
    let mut reader = BufReader::new(stream.try_clone().unwrap());
    while let Some(asked) = request(&mut reader) {
        let number = {
            let mut all = seen.asked.lock().unwrap();
            all.push(asked);
            all.len() - 1
        };
        for part in script(number) {
            if send(&stream, part).is_none() {
                return;
            }
        }
    }
}

/// Sends a part; `None` when nothing can follow it.
fn send(mut stream: &TcpStream, part: Part) -> Option<()> {
    match part {
        Part::Bytes(bytes) => stream.write_all(&bytes).ok(),
        Part::Drip(bytes) => bytes
            .iter()
            .try_for_each(|byte| stream.write_all(&[*byte]).ok()),
        Part::Repeated(bytes, times) => (0..times).try_for_each(|_| stream.write_all(&bytes).ok()),
        Part::Endless(bytes) => {
            while stream.write_all(&bytes).is_ok() {}
            None
        }
        Part::Hang => {
            let mut sink = Vec::new();
            let _gone = stream.read_to_end(&mut sink);
            None
        }
        Part::Cut => None,
    }
}

fn request(reader: &mut BufReader<TcpStream>) -> Option<Asked> {
    let mut lines = Vec::new();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok().filter(|read| *read > 0)?;
        match line.trim_end() {
            "" => break,
            line => lines.push(line.to_owned()),
        }
    }
    let mut lines = lines.into_iter();
    let line = lines.next()?;
    let headers: Vec<_> = lines
        .filter_map(|line| {
            let (name, value) = line.split_once(':')?;
            Some((name.to_ascii_lowercase(), value.trim().to_owned()))
        })
        .collect();
    let length = headers.iter().find(|(name, _)| name == "content-length");
    let length = length.map_or(0, |(_, length)| length.parse().unwrap());
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    Some(Asked {
        line,
        headers,
        body: String::from_utf8(body).unwrap(),
    })
}

/// The head of an answer that is a stream of events.
pub(crate) fn stream_head() -> Part {
    Part::Bytes(
        b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n"
            .to_vec(),
    )
}

/// A piece of a stream.
pub(crate) fn chunk(text: &str) -> Part {
    Part::Bytes(format!("{:x}\r\n{text}\r\n", text.len()).into_bytes())
}

/// The end of a stream.
pub(crate) fn stream_end() -> Part {
    Part::Bytes(b"0\r\n\r\n".to_vec())
}

/// A whole answer with these headers.
pub(crate) fn answer(status: u16, headers: &str, body: &str) -> Vec<Part> {
    let length = body.len();
    let text = format!("HTTP/1.1 {status} X\r\ncontent-length: {length}\r\n{headers}\r\n{body}");
    vec![Part::Bytes(text.into_bytes())]
}

/// A stream of this text, in one piece.
pub(crate) fn stream(text: &str) -> Vec<Part> {
    vec![stream_head(), chunk(text), stream_end()]
}
