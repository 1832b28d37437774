//! `/healthz`: whether it lives, and to the owner whether the stores are well. A
//! stranger learns nothing else, because anyone may ask.

use axum::http::StatusCode;
use scrubjay_core::error::ErrorCode;

use super::problem::Problem;
use super::reply::bytes;
use super::routes::{Answering, Call};
use crate::auth::Grant;

pub(crate) fn answer(call: Call) -> Answering {
    Box::pin(async move {
        if call.grant == Grant::Owner {
            let troubles = call.shared.troubles().await;
            if !troubles.is_empty() {
                let told: Vec<String> = troubles.iter().map(|(agent, why)| format!("agent {agent}: {why}")).collect();
                return Problem::new(ErrorCode::StoreDamaged, told.join("; ")).reply();
            }
        }
        bytes(StatusCode::OK, "text/plain; charset=utf-8", "ok\n")
    })
}
