//! `POST /v1/hook`: a client's hook, forwarded by `scrubjay hook`.

use std::time::Duration;

use axum::http::StatusCode;
use scrubjay_core::error::ErrorCode;
use scrubjay_engine::hooks::{self, Hooked};
use serde_json::json;

use super::operations::need_json;
use super::problem::Problem;
use super::reply::json as reply;
use super::routes::{Answering, Call};

/// How long is waited before each try to find a reply in its transcript. Some clients write theirs only after their
/// hooks have ended.
const WAITS: [Duration; 5] = [
    Duration::ZERO,
    Duration::from_millis(500),
    Duration::from_secs(1),
    Duration::from_secs(3),
    Duration::from_secs(10),
];

pub(crate) fn answer(call: Call) -> Answering {
    Box::pin(async move {
        if let Err(problem) = need_json(&call.request.headers) {
            return problem.reply();
        }
        let hooked: Hooked = match serde_json::from_slice(&call.body) {
            Ok(hooked) => hooked,
            Err(error) => return Problem::new(ErrorCode::InvalidInput, error.to_string()).reply(),
        };
        let ctx = match call.shared.stand(&call.grant, &call.request).await {
            Ok(ctx) => ctx,
            Err(problem) => return problem.reply(),
        };
        let answered = hooks::answer(&ctx, &hooked).await;
        call.shared.wrote();
        for failure in answered.iter().flat_map(|answer| &answer.failures) {
            let fields = [("hook.client", json!(hooked.client)), ("hook.event", json!(hooked.event))];
            call.shared.log.fail(failure, &fields);
        }
        match answered {
            Ok(answer) => {
                let (shared, hooked) = (std::sync::Arc::clone(&call.shared), hooked.clone());
                tokio::spawn(async move {
                    for wait in WAITS {
                        tokio::time::sleep(wait).await;
                        let done = hooks::afterwards(&ctx, &hooked).await.unwrap_or_else(|error| {
                            let fields = [("error.code", json!(error.code().name()))];
                            shared.log.fail("what a hook left to do failed", &fields);
                            true
                        });
                        shared.wrote();
                        if done {
                            break;
                        }
                    }
                });
                reply(StatusCode::OK, &json!({ "output": answer.output }))
            }
            Err(error) => Problem::new(error.code(), error.to_string()).reply(),
        }
    })
}
