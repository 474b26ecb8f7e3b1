//! An HTTP server that follows a script, down to the byte.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// What the server sends next.
#[derive(Clone, Debug)]
pub enum Part {
    /// These bytes.
    Bytes(Vec<u8>),
    /// These bytes, one at a time.
    Drip(Vec<u8>),
    /// These bytes for as long as the client reads.
    Endless(Vec<u8>),
    /// Nothing more, with the connection left open.
    Hang,
    /// The end of the connection.
    Cut,
}

/// One request that came.
#[derive(Clone, Debug)]
pub struct Request {
    /// Its first line.
    pub line: String,
    /// Its headers, names in lower case.
    pub headers: Vec<(String, String)>,
    /// Its body.
    pub body: String,
}

impl Request {
    /// The value of a header, by its name in lower case.
    pub fn header(&self, name: &str) -> Option<&str> {
        header(&self.headers, name)
    }

    /// The method and the path.
    pub(crate) fn target(&self) -> (&str, &str) {
        let mut words = self.line.split(' ');
        (
            words.next().unwrap_or_default(),
            words.next().unwrap_or_default(),
        )
    }
}

fn header<'h>(headers: &'h [(String, String)], name: &str) -> Option<&'h str> {
    let found = headers.iter().find(|(known, _)| known == name);
    found.map(|(_, value)| value.as_str())
}

#[derive(Default)]
struct Seen {
    requests: Mutex<Vec<Request>>,
    connections: Mutex<usize>,
}

impl Seen {
    /// Keeps a request; returns its number, from 0.
    fn keep(&self, request: Request) -> usize {
        let mut requests = held(&self.requests);
        requests.push(request);
        requests.len() - 1
    }
}

pub(crate) fn held<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

type Script = dyn Fn(usize, &Request) -> Vec<Part> + Send + Sync;

/// A server on a port of its own, for as long as the test process lives.
pub struct Server {
    address: SocketAddr,
    seen: Arc<Seen>,
}

impl Server {
    /// Answers each request, which has a number from 0, as `script` says.
    ///
    /// # Panics
    /// When no port is free.
    pub fn answering(
        script: impl Fn(usize, &Request) -> Vec<Part> + Send + Sync + 'static,
    ) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port is free");
        let address = listener.local_addr().expect("a listener has an address");
        let seen = Arc::new(Seen::default());
        let script: Arc<Script> = Arc::new(script);
        std::thread::spawn({
            let seen = Arc::clone(&seen);
            move || {
                for connection in listener.incoming().flatten() {
                    let (script, seen) = (Arc::clone(&script), Arc::clone(&seen));
                    *held(&seen.connections) += 1;
                    // A client that is gone in the middle of an answer is no surprise.
                    std::thread::spawn(move || serve(&connection, &*script, &seen));
                }
            }
        });
        Self { address, seen }
    }

    /// Answers the request of each number, from 0, as `script` says.
    pub fn new(script: impl Fn(usize) -> Vec<Part> + Send + Sync + 'static) -> Self {
        Self::answering(move |number, _| script(number))
    }

    /// Answers every request with the same parts.
    pub fn always(parts: Vec<Part>) -> Self {
        Self::new(move |_| parts.clone())
    }

    /// Its address, without a path.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// The requests so far, in order.
    pub fn asked(&self) -> Vec<Request> {
        held(&self.seen.requests).clone()
    }

    /// The number of connections so far.
    pub fn connections(&self) -> usize {
        *held(&self.seen.connections)
    }
}

/// Serves one connection until the client goes away or nothing can follow.
fn serve(stream: &TcpStream, script: &Script, seen: &Seen) -> io::Result<()> {
    stream.set_nodelay(true)?;
    let mut reader = BufReader::new(stream);
    while let Some(request) = read(&mut reader)? {
        let number = seen.keep(request.clone());
        for part in script(number, &request) {
            if send(stream, part).is_none() {
                return stream.shutdown(Shutdown::Both);
            }
        }
    }
    Ok(())
}

/// Sends a part; `None` when nothing can follow it.
fn send(mut stream: &TcpStream, part: Part) -> Option<()> {
    match part {
        Part::Bytes(bytes) => stream.write_all(&bytes).ok(),
        Part::Drip(bytes) => bytes
            .iter()
            .try_for_each(|byte| stream.write_all(&[*byte]).ok()),
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

/// The next request of a connection; `None` at its end.
fn read(reader: &mut BufReader<&TcpStream>) -> io::Result<Option<Request>> {
    let Some(first) = line(reader)? else {
        return Ok(None);
    };
    let mut headers = Vec::new();
    while let Some(line) = line(reader)?.filter(|line| !line.is_empty()) {
        if let Some((name, value)) = line.split_once(':') {
            headers.push((name.to_ascii_lowercase(), value.trim().to_owned()));
        }
    }
    let mut body = Vec::new();
    if header(&headers, "transfer-encoding").is_some_and(|value| value.contains("chunked")) {
        while let Some(size) = line(reader)? {
            let size = size.split(';').next().unwrap_or_default();
            let size = u64::from_str_radix(size.trim(), 16).unwrap_or_default();
            reader.take(size).read_to_end(&mut body)?;
            line(reader)?;
            if size == 0 {
                break;
            }
        }
    } else {
        let length = header(&headers, "content-length").map(str::parse);
        reader
            .take(length.and_then(Result::ok).unwrap_or_default())
            .read_to_end(&mut body)?;
    }
    Ok(Some(Request {
        line: first,
        headers,
        body: String::from_utf8(body).map_err(io::Error::other)?,
    }))
}

fn line(reader: &mut impl BufRead) -> io::Result<Option<String>> {
    let mut line = String::new();
    let read = reader.read_line(&mut line)?;
    Ok((read > 0).then(|| line.trim_end().to_owned()))
}

/// The head of an answer that is a stream of events.
pub fn stream_head() -> Part {
    stream_head_with("")
}

/// The same with further headers, each with its line end.
pub(crate) fn stream_head_with(headers: &str) -> Part {
    let usual = "content-type: text/event-stream\r\ncache-control: no-cache\r\n\
                 transfer-encoding: chunked\r\n";
    Part::Bytes(format!("HTTP/1.1 200 OK\r\n{usual}{headers}\r\n").into_bytes())
}

/// A piece of a stream.
pub fn chunk(text: &str) -> Part {
    Part::Bytes(format!("{:x}\r\n{text}\r\n", text.len()).into_bytes())
}

/// The end of a stream.
pub fn stream_end() -> Part {
    Part::Bytes(b"0\r\n\r\n".to_vec())
}

/// A whole answer with these headers, each with its line end.
pub fn answer(status: u16, headers: &str, body: &str) -> Vec<Part> {
    let length = body.len();
    let text = format!("HTTP/1.1 {status} X\r\ncontent-length: {length}\r\n{headers}\r\n{body}");
    vec![Part::Bytes(text.into_bytes())]
}

/// A stream of this string, in one piece.
pub fn stream(text: &str) -> Vec<Part> {
    vec![stream_head(), chunk(text), stream_end()]
}
