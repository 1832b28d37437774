//! `POST /v1/memory-tool`: Anthropic's memory tool, kept as memories.

use axum::http::StatusCode;
use scrubjay_core::error::ErrorCode;
use scrubjay_engine::memory_tool::{self, Command};
use serde_json::json;

use super::operations::need_json;
use super::problem::Problem;
use super::reply::json as reply;
use super::routes::{Answering, Call};

pub(crate) fn answer(call: Call) -> Answering {
    Box::pin(async move {
        if let Err(problem) = need_json(&call.request.headers) {
            return problem.reply();
        }
        // What the model got wrong is told to the model, not to the bridge.
        let command: Command = match serde_json::from_slice(&call.body) {
            Ok(command) => command,
            Err(error) if error.is_data() => {
                let content = format!("Error: this is no command of the memory tool: {error}");
                return reply(StatusCode::OK, &json!({"content": content, "is_error": true}));
            }
            Err(error) => return Problem::new(ErrorCode::InvalidInput, error.to_string()).reply(),
        };
        let ctx = match call.shared.stand(&call.grant, &call.request).await {
            Ok(ctx) => ctx,
            Err(problem) => return problem.reply(),
        };
        let outcome = memory_tool::run(&ctx, command).await;
        call.shared.wrote();
        match outcome {
            Ok(content) => reply(StatusCode::OK, &json!({"content": content, "is_error": false})),
            Err(error) => match error.code() {
                ErrorCode::InvalidInput | ErrorCode::NotFound | ErrorCode::Conflict => {
                    reply(StatusCode::OK, &json!({"content": format!("Error: {error}"), "is_error": true}))
                }
                code => Problem::new(code, error.to_string()).reply(),
            },
        }
    })
}
