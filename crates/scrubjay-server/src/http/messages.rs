//! `POST /v1/messages`: capture, as any chat bridge can send it.
//!
//! One message, a list of them, an object with a list in `messages`, or one
//! message per line.

use scrubjay_core::error::ErrorCode;
use scrubjay_engine::ops;
use serde_json::{Value, json};

use super::operations::{need_json, perform};
use super::problem::Problem;
use super::routes::{Answering, Call};

pub(crate) fn capture(call: Call) -> Answering {
    Box::pin(async move {
        let Some(entry) = ops::find("capture") else {
            return Problem::new(ErrorCode::Unsupported, "there is no capture in this build").reply();
        };
        match need_json(&call.request.headers).and_then(|()| read(&call.body)) {
            Ok(messages) => perform(entry, call, json!({ "messages": messages })).await,
            Err(problem) => problem.reply(),
        }
    })
}

fn read(body: &[u8]) -> Result<Vec<Value>, Problem> {
    let whole: Result<Value, _> = serde_json::from_slice(body);
    let messages = match whole {
        Ok(Value::Array(messages)) => messages,
        Ok(Value::Object(mut fields)) => match fields.remove("messages") {
            Some(Value::Array(messages)) if fields.is_empty() => messages,
            Some(other) => {
                fields.insert("messages".to_owned(), other);
                vec![Value::Object(fields)]
            }
            None => vec![Value::Object(fields)],
        },
        Ok(_) => return Err(invalid("the body is neither a message nor a list of them")),
        Err(error) => {
            let text = std::str::from_utf8(body).map_err(|_| invalid("the body is not UTF-8"))?;
            let lines = text.lines().filter(|line| !line.trim().is_empty());
            let parsed: Result<Vec<Value>, _> = lines.map(serde_json::from_str).collect();
            parsed.map_err(|_| invalid(&format!("the body is not JSON: {error}")))?
        }
    };
    if messages.is_empty() {
        return Err(invalid("there is no message in the body"));
    }
    Ok(messages)
}

fn invalid(message: &str) -> Problem {
    Problem::new(ErrorCode::InvalidInput, message)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_shape_of_message_is_read() {
        let one = r#"{"session_id":"s","role":"user","content":"hi"}"#;
        for (body, count) in [
            (one.to_owned(), 1),
            (format!("[{one},{one}]"), 2),
            (format!(r#"{{"messages":[{one}]}}"#), 1),
            (format!("{one}\n\n{one}\n{one}"), 3),
        ] {
            assert_eq!(read(body.as_bytes()).unwrap().len(), count, "{body}");
        }
        for bad in ["", "[]", "3", "{", "{\"messages\":[]}", "nonsense"] {
            assert!(read(bad.as_bytes()).is_err(), "{bad}");
        }
        assert!(read(b"\xff\xfe").is_err());
    }
}
