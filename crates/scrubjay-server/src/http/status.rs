//! `/v1/status` and `/v1/shutdown`: about the daemon itself.

use axum::http::StatusCode;
use scrubjay_engine::{hooks, schedule};
use serde_json::{Value, json};

use super::reply::json as reply;
use super::routes::{Answering, Call};
use super::shared::Stop;

pub(crate) fn answer(call: Call) -> Answering {
    Box::pin(async move {
        let shared = &call.shared;
        let mut agents = Vec::new();
        for (name, ctx) in shared.agents.open().await {
            let spool = hooks::spool(&ctx);
            agents.push(json!({
                "agent": name,
                "jobs_due": schedule::due(&ctx).await.ok(),
                "spool": {"waiting": spool.waiting().len(), "set_aside": spool.count_aside()},
            }));
        }
        let troubles: Vec<Value> =
            shared.troubles().await.iter().map(|(agent, why)| json!({"agent": agent, "error": why})).collect();
        let status: Value = json!({
            "version": env!("CARGO_PKG_VERSION"),
            "pid": std::process::id(),
            "port": shared.port,
            "uptime_s": shared.uptime().as_secs(),
            "on_demand": shared.on_demand,
            "requests_in_flight": shared.in_flight(),
            "agents": agents,
            "troubles": troubles,
        });
        reply(StatusCode::OK, &status)
    })
}

pub(crate) fn shutdown(call: Call) -> Answering {
    Box::pin(async move {
        call.shared.stop.send_replace(Stop::Asked);
        reply(StatusCode::ACCEPTED, &json!({"stopping": true}))
    })
}
