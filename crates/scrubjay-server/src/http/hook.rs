//! `POST /v1/hook`: a client's hook, forwarded by `scrubjay hook`.

use axum::http::StatusCode;
use scrubjay_core::error::ErrorCode;
use scrubjay_engine::hooks::{self, Hooked};
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
                    if let Err(error) = hooks::afterwards(&ctx, &hooked).await {
                        shared.log.fail("what a hook left to do failed", &[("error.code", json!(error.code().name()))]);
                    }
                    shared.wrote();
                });
                reply(StatusCode::OK, &json!({ "output": answer.output }))
            }
            Err(error) => Problem::new(error.code(), error.to_string()).reply(),
        }
    })
}
