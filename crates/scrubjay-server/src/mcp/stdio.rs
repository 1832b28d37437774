//! MCP over standard streams: one message per line, and nothing else on
//! standard output.

use std::io::{BufRead, BufReader, Read, Write};
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;
use tokio::sync::mpsc;

use super::message::Fault;
use super::server::{Handled, Server};

/// How often we look whether whoever started us is still there.
const LOOK: Duration = Duration::from_millis(500);

/// How long requests that are under way may take after the input ended.
const GRACE: Duration = Duration::from_millis(1500);

enum Line {
    Text(String),
    TooLong,
    NotText,
}

/// Answers messages until the input ends or whoever started us is gone.
pub async fn serve(
    server: Server,
    input: impl Read + Send + 'static,
    output: impl Write + Send + 'static,
    max_bytes: usize,
) {
    let (send_line, mut lines) = mpsc::channel(16);
    let (answers, mut written) = mpsc::channel::<Value>(64);
    // Reading may block for ever, so it has a thread that nobody waits for.
    std::thread::spawn(move || read(input, max_bytes, &send_line));
    let writer = std::thread::spawn(move || {
        let mut output = output;
        while let Some(answer) = written.blocking_recv() {
            let line = format!("{answer}\n");
            if output.write_all(line.as_bytes()).and_then(|()| output.flush()).is_err() {
                break;
            }
        }
    });
    let parent = rustix::process::getppid();
    let server = Arc::new(server);
    loop {
        let line = match tokio::time::timeout(LOOK, lines.recv()).await {
            Ok(Some(line)) => line,
            Ok(None) => break,
            Err(_) if rustix::process::getppid() != parent => break,
            Err(_) => continue,
        };
        let (server, answers) = (Arc::clone(&server), answers.clone());
        tokio::spawn(async move {
            if let Some(answer) = answer(&server, line, max_bytes).await {
                // Nobody reads any more: then there is nobody to tell.
                let _ = answers.send(answer).await;
            }
        });
    }
    drop(answers);
    // Every request holds an end of the channel, so the writer ends after them.
    let _ = tokio::time::timeout(GRACE, tokio::task::spawn_blocking(move || writer.join())).await;
}

async fn answer(server: &Server, line: Line, max_bytes: usize) -> Option<Value> {
    let text = match line {
        Line::Text(text) => text,
        Line::TooLong => {
            let message = format!("the message has more than {max_bytes} bytes");
            return Some(Fault::not_a_request(&message).answer(&Value::Null));
        }
        Line::NotText => return Some(Fault::not_a_request("the message is not UTF-8").answer(&Value::Null)),
    };
    match serde_json::from_str::<Value>(&text) {
        Err(error) => Some(Fault::not_json(&error).answer(&Value::Null)),
        Ok(Value::Array(messages)) if !messages.is_empty() => {
            let mut answers = Vec::new();
            for message in &messages {
                answers.extend(value_of(server.handle(message).await));
            }
            (!answers.is_empty()).then_some(Value::Array(answers))
        }
        Ok(message) => value_of(server.handle(&message).await),
    }
}

/// The answer to send, if there is one.
pub(crate) fn value_of(handled: Handled) -> Option<Value> {
    match handled {
        Handled::Nothing => None,
        Handled::Result(answer) | Handled::Fault { answer, .. } => Some(answer),
    }
}

fn read(input: impl Read, max_bytes: usize, lines: &mpsc::Sender<Line>) {
    let mut input = BufReader::new(input);
    loop {
        let mut bytes = Vec::new();
        let limit = max_bytes as u64 + 1;
        match input.by_ref().take(limit).read_until(b'\n', &mut bytes) {
            Ok(0) | Err(_) => return,
            Ok(_) => {}
        }
        let line = if bytes.len() > max_bytes && bytes.last() != Some(&b'\n') {
            if skip_line(&mut input).is_err() {
                return;
            }
            Line::TooLong
        } else {
            match String::from_utf8(bytes) {
                Ok(text) if text.trim().is_empty() => continue,
                Ok(text) => Line::Text(text),
                Err(_) => Line::NotText,
            }
        };
        if lines.blocking_send(line).is_err() {
            return;
        }
    }
}

// Passes over the rest of a line without keeping it.
fn skip_line(input: &mut impl BufRead) -> std::io::Result<()> {
    loop {
        let buffer = input.fill_buf()?;
        if buffer.is_empty() {
            return Ok(());
        }
        let end = buffer.iter().position(|byte| *byte == b'\n');
        let used = end.map_or(buffer.len(), |at| at + 1);
        input.consume(used);
        if end.is_some() {
            return Ok(());
        }
    }
}
