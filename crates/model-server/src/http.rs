//! As much of HTTP/1.1 as clients of these services need.

use std::fmt::Write as _;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::TcpStream;

/// A request.
pub(crate) struct Request {
    pub(crate) method: String,
    pub(crate) path: String,
    pub(crate) body: Vec<u8>,
}

impl Request {
    /// The next request of a connection; `None` at its end.
    pub(crate) fn read(stream: &mut BufReader<TcpStream>) -> io::Result<Option<Self>> {
        let Some(first) = line(stream)? else {
            return Ok(None);
        };
        let mut words = first.split(' ').map(str::to_owned);
        let (method, path) = (words.next(), words.next());
        let (mut length, mut is_chunked) = (0, false);
        while let Some(header) = line(stream)?.filter(|line| !line.is_empty()) {
            let header = header.to_ascii_lowercase();
            match header
                .split_once(':')
                .map(|(name, value)| (name, value.trim()))
            {
                Some(("content-length", value)) => length = value.parse().unwrap_or_default(),
                Some(("transfer-encoding", value)) => is_chunked = value.contains("chunked"),
                Some(("expect", "100-continue")) => {
                    stream
                        .get_mut()
                        .write_all(b"HTTP/1.1 100 Continue\r\n\r\n")?;
                }
                _ => {}
            }
        }
        let mut body = Vec::new();
        if is_chunked {
            while let Some(size) = line(stream)? {
                let size = size.split(';').next().unwrap_or_default();
                let size = u64::from_str_radix(size.trim(), 16).unwrap_or_default();
                stream.take(size).read_to_end(&mut body)?;
                line(stream)?;
                if size == 0 {
                    break;
                }
            }
        } else {
            stream.take(length).read_to_end(&mut body)?;
        }
        Ok(Some(Self {
            method: method.unwrap_or_default(),
            path: path.unwrap_or_default(),
            body,
        }))
    }
}

fn line(stream: &mut BufReader<TcpStream>) -> io::Result<Option<String>> {
    let mut line = String::new();
    let read = stream.read_line(&mut line)?;
    Ok((read > 0).then(|| line.trim_end().to_owned()))
}

/// Headers of an answer, in order.
pub(crate) type Headers<'a> = &'a [(&'a str, &'a str)];

fn head(status: u16, headers: Headers<'_>) -> String {
    let mut head = format!("HTTP/1.1 {status} Scripted\r\n");
    for (name, value) in headers {
        write!(head, "{name}: {value}\r\n").expect("a text takes everything");
    }
    head.push_str("\r\n");
    head
}

/// Answers with a whole body.
pub(crate) fn respond(
    stream: &mut TcpStream,
    status: u16,
    headers: Headers<'_>,
    body: &str,
) -> io::Result<()> {
    let length = body.len().to_string();
    let all = [headers, &[("content-length", &*length)]].concat();
    let answer = head(status, &all) + body;
    stream.write_all(answer.as_bytes())
}

/// Begins an answer whose end is not known.
pub(crate) fn begin_stream(stream: &mut TcpStream, headers: Headers<'_>) -> io::Result<()> {
    let usual = [
        ("content-type", "text/event-stream"),
        ("cache-control", "no-cache"),
        ("transfer-encoding", "chunked"),
    ];
    stream.write_all(head(200, &[&usual, headers].concat()).as_bytes())
}

/// Sends a piece of an answer; an empty one ends it.
pub(crate) fn send(stream: &mut TcpStream, piece: &str) -> io::Result<()> {
    let chunk = format!("{:x}\r\n{piece}\r\n", piece.len());
    stream.write_all(chunk.as_bytes())
}
