//! Bugs on purpose: each is planted alone in a copy of the repository, where the
//! tests that guard against it must fail. A test that stays green is blind.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use anyhow::{Context, bail};

struct Bug {
    what: &'static str,
    file: &'static str,
    find: &'static str,
    replace: &'static str,
    package: &'static str,
    test: &'static str,
}

const BUGS: &[Bug] = &[
    Bug {
        what: "a view sees every scope",
        file: "crates/scrubjay-store/src/sqlite/scopes.rs",
        find: "for scope in view.scopes() {\n        if let Some(number) = number(connection, &scope)? {\n            numbers.push(number.to_string());\n        }\n    }",
        replace: "let _ = view;\n    numbers.extend((1..100).map(|number: i64| number.to_string()));",
        package: "scrubjay-engine",
        test: "isolation",
    },
    Bug {
        what: "scores count every row of the store",
        file: "crates/scrubjay-engine/src/search/index/keeper.rs",
        find: "let mut tail = store.tail(Some(view), held.through, PAGE)",
        replace: "let mut tail = store.tail(Some(view).filter(|_| false), held.through, PAGE)",
        package: "scrubjay-engine",
        test: "isolation",
    },
    Bug {
        what: "secrets are not redacted in metadata",
        file: "crates/scrubjay-engine/src/ops/capture.rs",
        find: "Value::String(text) => Value::String(clean(&text, redact_secrets).text),",
        replace: "Value::String(text) => Value::String(text),",
        package: "scrubjay-engine",
        test: "secrets",
    },
    Bug {
        what: "receipts of every project are shown",
        file: "crates/scrubjay-store/src/sqlite/receipts.rs",
        find: "WHERE r.scope IN ({visible}) AND r.pk < ?1 AND",
        replace: "WHERE (1 OR r.scope IN ({visible})) AND r.pk < ?1 AND",
        package: "scrubjay-engine",
        test: "isolation",
    },
    Bug {
        what: "tiers hold every project's facts",
        file: "crates/scrubjay-engine/src/context/tiers_profile.rs",
        find: "for scope in ctx.view().scopes().into_iter().rev() {",
        replace: "for scope in ctx.store().await?.all_scopes().await?.into_iter().rev() {\n        let ctx = &ctx.clone().at(scrubjay_core::scope::View::of(&scope)).unwrap_or_else(|_| ctx.clone());",
        package: "scrubjay-engine",
        test: "tiers_rank",
    },
    Bug {
        what: "an agent's yes counts as a person's",
        file: "crates/scrubjay-engine/src/tiers/consent.rs",
        find: "(yes && self.actor() == \"user\")",
        replace: "yes",
        package: "scrubjay-engine",
        test: "confirmations",
    },
    Bug {
        what: "what tools printed is injected",
        file: "crates/scrubjay-engine/src/context/inject.rs",
        find: "        is_trusted(&hit.item)\n            && !is_scratch(&hit.item)",
        replace: "        !is_scratch(&hit.item)",
        package: "scrubjay-engine",
        test: "what_tools_and_pages_said_is_never_handed_on",
    },
    Bug {
        what: "a provider that is down is asked by every job",
        file: "crates/scrubjay-models/src/http/breaker.rs",
        find: "if now_ms < until_ms {",
        replace: "if now_ms < until_ms && self.rest_ms < 0 {",
        package: "scrubjay-engine",
        test: "a_provider_that_is_down_during_a_thousand_captures",
    },
    Bug {
        what: "a model that is away costs a job its tries",
        file: "crates/scrubjay-engine/src/schedule/worker.rs",
        find: "store.postpone(job.id, &owner, &message, until, ctx.now()).await?;",
        replace: "let retry_at = (job.tries < settings.max_tries).then_some(until);\n                store.fail(job.id, &owner, &message, retry_at, ctx.now()).await?;",
        package: "scrubjay-engine",
        test: "a_provider_that_is_down_during_a_thousand_captures",
    },
    Bug {
        what: "an answer with too few vectors is taken",
        file: "crates/scrubjay-models/src/embed/answer.rs",
        find: "if vectors.len() != expected {",
        replace: "if vectors.len() > expected {",
        package: "scrubjay-models",
        test: "a_wrong_answer_is_never_data",
    },
    Bug {
        what: "a key is told in an error",
        file: "crates/scrubjay-models/src/http/failure.rs",
        find: "key.map_or_else(|| text.clone(), |key| key.removed_from(&text))",
        replace: "key.map_or_else(|| text.clone(), |_| text.clone())",
        package: "scrubjay-models",
        test: "every_fault_of_the_wire",
    },
    Bug {
        what: "a batch is forgotten when its submission is cut off",
        file: "crates/scrubjay-engine/src/models/backfill.rs",
        find: "Err(error) if error.blame() != Blame::Provider => {",
        replace: "Err(error) => {",
        package: "scrubjay-engine",
        test: "a_submission_that_was_cut_off",
    },
    Bug {
        what: "the daily cap is not looked at",
        file: "crates/scrubjay-engine/src/models/ledger.rs",
        find: "if spent < cap {",
        replace: "if spent < cap || cap > 0 {",
        package: "scrubjay-engine",
        test: "the_cap_pauses_models",
    },
    Bug {
        what: "a repeated message is stored again",
        file: "crates/scrubjay-store/src/sqlite/capture.rs",
        find: "if let Some(id) = duplicate_of(connection, scope, new)? {",
        replace: "if let Some(id) = duplicate_of(connection, scope, new)?.filter(|_| false) {",
        package: "scrubjay-engine",
        test: "the_same_message_is_kept_once",
    },
    Bug {
        what: "purged vectors stay in the store",
        file: "crates/scrubjay-store/src/sqlite/purge.rs",
        find: "index_log::forget(connection, memory.scope, key)?;",
        replace: "let _ = index_log::forget;",
        package: "scrubjay-store",
        test: "sqlite_conforms",
    },
    Bug {
        what: "the Origin of a request is not looked at",
        file: "crates/scrubjay-server/src/auth/gate.rs",
        find: "        self.check_origin(&request.headers)?;\n",
        replace: "        let _ = Self::check_origin;\n",
        package: "scrubjay-server",
        test: "no_route_lets_strangers_in",
    },
    Bug {
        what: "the Host of a request is not looked at",
        file: "crates/scrubjay-server/src/auth/gate.rs",
        find: "        self.check_host(request)?;\n",
        replace: "        let _ = Self::check_host;\n",
        package: "scrubjay-server",
        test: "no_route_lets_strangers_in",
    },
    Bug {
        what: "any word is a token",
        file: "crates/scrubjay-server/src/auth/gate.rs",
        find: "        if self.owner.is(token) {",
        replace: "        if self.owner.is(token) || !token.is_empty() {",
        package: "scrubjay-server",
        test: "no_route_lets_strangers_in",
    },
    Bug {
        what: "a token that may look only may write",
        file: "crates/scrubjay-server/src/auth/grant.rs",
        find: "Self::Part { read_only: true, .. } if entry.risk != Risk::Read => {",
        replace: "Self::Part { read_only: true, .. } if entry.risk != Risk::Read && entry.name.is_empty() => {",
        package: "scrubjay-server",
        test: "a_token_is_worth_what_its_record_says_and_no_more",
    },
    Bug {
        what: "the spool is emptied without being taken in",
        file: "crates/scrubjay-engine/src/hooks/drain.rs",
        find: "    let refused = match take(ctx, &spooled).await {",
        replace: "    let _ = take;\n    let refused = match Ok::<Vec<(Message, String)>, EngineError>(Vec::new()) {",
        package: "scrubjay",
        test: "with_a_hung_daemon",
    },
    Bug {
        what: "a token may name any project",
        file: "crates/scrubjay-server/src/auth/grant.rs",
        find: "Self::Part { project: Some(project), .. } => ctx.confined_to(project.clone()),",
        replace: "Self::Part { project: Some(_), .. } => ctx,",
        package: "scrubjay-server",
        test: "a_token_is_worth_what_its_record_says_and_no_more",
    },
    Bug {
        what: "a hook forgets what a hung daemon did not take",
        file: "crates/scrubjay/src/command/hook/call.rs",
        find: "    let spooled = Spooled::of(&ctx.config().settings, hooked, occasion, project)?;",
        replace: "    let spooled = Spooled::of(&ctx.config().settings, hooked, occasion, project).filter(|_| false)?;",
        package: "scrubjay",
        test: "with_a_hung_daemon",
    },
    Bug {
        what: "an acknowledgement comes before the commit",
        file: "crates/scrubjay-store/src/sqlite/writer.rs",
        find: "            let (failure, answer) = task(Ok(&transaction));\n            answers.push(answer);",
        replace: "            let (failure, answer) = task(Ok(&transaction));\n            answer(Ok(()));\n            answers.push(Box::new(|_| ()) as Answer);",
        package: "scrubjay",
        test: "crash_",
    },
    Bug {
        what: "vectors serve before all of them are made",
        file: "crates/scrubjay-engine/src/search/index/keeper.rs",
        find: "tail.generations.iter().find(|generation| generation.state == GenerationState::Serving).cloned()",
        replace: "tail.generations.iter().rev().find(|generation| generation.state != GenerationState::Retired).cloned()",
        package: "scrubjay",
        test: "interrupted_",
    },
    Bug {
        what: "vectors that are being made are dropped with the old ones",
        file: "crates/scrubjay-engine/src/search/index/keeper.rs",
        find: "filter(|generation| generation.state != GenerationState::Retired);\n        let kept",
        replace: "filter(|generation| generation.state == GenerationState::Serving);\n        let kept",
        package: "scrubjay-engine",
        test: "reembed",
    },
    Bug {
        what: "a rebuild is stored file by file",
        file: "crates/scrubjay-engine/src/sync/files.rs",
        find: "Some(build) => store.stage_document(&build, document, chunks).await,",
        replace: "Some(_) => store.put_document(document, chunks).await,",
        package: "scrubjay",
        test: "crash_in_a_rebuild",
    },
    Bug {
        what: "a transcript of the same size is the same",
        file: "crates/scrubjay-engine/src/sync/transcripts.rs",
        find: "goes_on && matches!(reader.next_line(), Ok(None))",
        replace: "goes_on || matches!(reader.next_line(), Ok(_))",
        package: "scrubjay-engine",
        test: "another_file_of_the_same_size",
    },
    Bug {
        what: "the files behind the hits are not looked at",
        file: "crates/scrubjay-engine/src/sync/fresh.rs",
        find: "(modified_at != read_at.millis())",
        replace: "(modified_at == i64::MIN + read_at.millis())",
        package: "scrubjay-engine",
        test: "sources::a_hit",
    },
    Bug {
        what: "a token glued to a name by an underscore is kept",
        file: "crates/scrubjay-core/src/redact/scan.rs",
        find: "LeftEdge::Joined => !last.is_ascii_alphanumeric() || ends_with_escape(before),",
        replace: "LeftEdge::Joined => !(last.is_ascii_alphanumeric() || last == b'_') || ends_with_escape(before),",
        package: "scrubjay-core",
        test: "a_known_prefix_is_found_after_a_name",
    },
    Bug {
        what: "the columns of tables are not read",
        file: "crates/scrubjay-core/src/redact/scan.rs",
        find: "if hit >= from {",
        replace: "if hit > text.len() {",
        package: "scrubjay-engine",
        test: "secrets",
    },
    Bug {
        what: "what the store refuses counts as taken in",
        file: "crates/scrubjay-engine/src/hooks/drain.rs",
        find: "    if !refused.is_empty() {",
        replace: "    if refused.len() == usize::MAX {",
        package: "scrubjay",
        test: "poison_in_the_spool_is_set_aside",
    },
    Bug {
        what: "the end of an unknown session stops the spool",
        file: "crates/scrubjay-engine/src/hooks/drain.rs",
        find: "            Err(error) if error.code() == ErrorCode::NotFound => {}\n            Err(error) => return Err(error),",
        replace: "            Err(EngineError::NotFound { .. }) => {}\n            Err(error) => return Err(error),",
        package: "scrubjay",
        test: "the_end_of_an_empty_session_holds_up_nobody",
    },
    Bug {
        what: "a hook without settings gives up",
        file: "crates/scrubjay/src/command/hook/call.rs",
        find: "            keep(globals, &environment, &hooked, &occasion, &why);",
        replace: "            let _ = (keep, why);",
        package: "scrubjay",
        test: "no_error_in_the_settings_loses_a_prompt",
    },
    Bug {
        what: "a hook without settings spools what was said as it is",
        file: "crates/scrubjay-engine/src/hooks/spooled.rs",
        find: "        settings.hooks.tools = true;",
        replace: "        settings.hooks.tools = true;\n        settings.capture.redact = false;",
        package: "scrubjay",
        test: "no_error_in_the_settings_loses_a_prompt",
    },
    Bug {
        what: "a bad value in a project's file is an error",
        file: "crates/scrubjay-engine/src/config/layers.rs",
        find: "        let (assignments, warnings) = of_project_file(path);",
        replace: "        let (assignments, warnings) = of_project_file(path);\n        if !warnings.is_empty() {\n            return Err(unknown_key(\"x\", Origin::Flag));\n        }",
        package: "scrubjay",
        test: "a_repositorys_file_can_at_worst_be_ignored",
    },
    Bug {
        what: "ids that hold a secret become the same id",
        file: "crates/scrubjay-engine/src/capture/clean.rs",
        find: "    format!(\"{cleaned}-{digest}\")",
        replace: "    let _ = digest;\n    cleaned",
        package: "scrubjay",
        test: "a_secret_as_a_name_reaches_no_file",
    },
    Bug {
        what: "jobs that a wrong clock put years ahead are left there",
        file: "crates/scrubjay-engine/src/schedule/worker.rs",
        find: "    bring_back(ctx, kinds, lease_ms).await?;",
        replace: "    let _ = bring_back;",
        package: "scrubjay-engine",
        test: "a_clock_that_was_ahead_leaves_nothing_waiting",
    },
    Bug {
        what: "what holds for all projects is within a project's reach",
        file: "crates/scrubjay-engine/src/confine/reach.rs",
        find: "Self::Project(own) => scope.project() == Some(own),",
        replace: "Self::Project(own) => scope.project().is_none_or(|project| project == own),",
        package: "scrubjay-engine",
        test: "authority",
    },
    Bug {
        what: "a purge of one project's follows what was derived",
        file: "crates/scrubjay-store/src/rules.rs",
        find: "if view.hides_global() && doomed.project() != view.project_id() {",
        replace: "if view.hides_global() && doomed.project() != view.project_id() && view.project_id().is_none() {",
        package: "scrubjay-engine",
        test: "authority",
    },
    Bug {
        what: "anyone answers confirmations",
        file: "crates/scrubjay-engine/src/tiers/consent.rs",
        find: "if !ctx.is_person() {",
        replace: "if !ctx.is_person() && ctx.actor().is_empty() {",
        package: "scrubjay-engine",
        test: "what_a_confined_caller_proposes_waits_for_the_owner",
    },
    Bug {
        what: "an imported line states its origin",
        file: "crates/scrubjay-engine/src/ops/import.rs",
        find: "        memory.origin = Origin::from(OriginKind::Import);\n",
        replace: "",
        package: "scrubjay-engine",
        test: "an_origin_is_what_the_surface_is",
    },
    Bug {
        what: "any name in a repository's file counts",
        file: "crates/scrubjay-engine/src/project/detect.rs",
        find: "if claimant.leads_to(&project) || trusted.has(&claimant.key, &project, &mut warnings) {",
        replace: "let _ = trusted.has(&claimant.key, &project, &mut warnings);\n                if claimant.leads_to(&project) || !project.is_empty() {",
        package: "scrubjay-engine",
        test: "a_name_counts_only_if_the_remote_or_a_person_backs_it",
    },
    Bug {
        what: "an idempotency key counts in every project",
        file: "crates/scrubjay-server/src/http/operations.rs",
        find: "ctx.home().agent, ctx.view().home(), entry.name",
        replace: "ctx.home().agent, \"\", entry.name",
        package: "scrubjay-server",
        test: "a_key_counts_in_one_project_of_one_agent",
    },
    Bug {
        what: "an event stream outlives its token",
        file: "crates/scrubjay-server/src/http/events.rs",
        find: "if !self.shared.gate.still_admits(&self.admitted) {",
        replace: "if self.admitted.token.is_none() && !self.shared.gate.still_admits(&self.admitted) {",
        package: "scrubjay-server",
        test: "a_revoked_token_takes_its_cookies_and_streams_along",
    },
    Bug {
        what: "any token ends a daemon that was started on demand",
        file: "crates/scrubjay-server/src/http/shared.rs",
        find: "if self.on_demand && grant.is_owner() {",
        replace: "let _ = grant;\n            if self.on_demand {",
        package: "scrubjay-server",
        test: "only_the_owner_ends_a_daemon_that_was_started_on_demand",
    },
    Bug {
        what: "strangers keep their seats",
        file: "crates/scrubjay-server/src/auth/strangers.rs",
        find: "            gone.leave.notify_one();\n",
        replace: "            drop(gone);\n",
        package: "scrubjay-server",
        test: "a_crowd_of_strangers_keeps_nobody_out",
    },
    Bug {
        what: "right tokens wait too",
        file: "crates/scrubjay-server/src/http/login.rs",
        find: "let Some(grant) = call.shared.gate.value_of(token) else {\n",
        replace: "slow_down(&call.shared, call.address).await;\n        let Some(grant) = call.shared.gate.value_of(token) else {\n",
        package: "scrubjay-server",
        test: "wrong_tokens_wait_and_right_ones_do_not",
    },
    Bug {
        what: "what is made from a web page is the assistant's",
        file: "crates/scrubjay-store/src/rules.rs",
        find: "Some(own.made_from(sources.iter().copied())).filter(|made| *made != own)",
        replace: "Some(own.made_from(sources.iter().copied())).filter(|made| *made != own && false)",
        package: "scrubjay-store",
        test: "conform",
    },
    Bug {
        what: "a page's preference needs no consent",
        file: "crates/scrubjay-engine/src/tiers/consent.rs",
        find: "(*scope == Scope::Global || origin.is_foreign())",
        replace: "(*scope == Scope::Global || (origin.is_foreign() && false))",
        package: "scrubjay-engine",
        test: "origins",
    },
    Bug {
        what: "what a person says is compared with pages",
        file: "crates/scrubjay-engine/src/consolidate/known.rs",
        find: "    !memory.origin.kind.is_foreign()\n",
        replace: "    !memory.origin.kind.is_foreign() || true\n",
        package: "scrubjay-engine",
        test: "origins",
    },
    Bug {
        what: "notes of a fetched repository need no invitation",
        file: "crates/scrubjay-engine/src/sync/fresh.rs",
        find: "if !is_known && (by_hand || has_worked(ctx, &scope, conversation).await?) {",
        replace: "if !is_known && (by_hand || has_worked(ctx, &scope, conversation).await? || true) {",
        package: "scrubjay-engine",
        test: "repository",
    },
    Bug {
        what: "pieces of a file are not counted",
        file: "crates/scrubjay-engine/src/sync/read.rs",
        find: "if chunks.len() > reading.file_chunks {",
        replace: "if chunks.len() > usize::MAX - reading.file_chunks {",
        package: "scrubjay-engine",
        test: "repository",
    },
    Bug {
        what: "links are followed anywhere",
        file: "crates/scrubjay-engine/src/clients/target.rs",
        find: "if folders.iter().any(|(_, folder)| real.starts_with(folder)) {",
        replace: "if folders.iter().any(|(_, folder)| real.starts_with(folder) || true) {",
        package: "scrubjay",
        test: "install",
    },
    Bug {
        what: "an opening mark drops the rest of a message",
        file: "crates/scrubjay-core/src/fence/block.rs",
        find: "let last = counterpart.unwrap_or(next);",
        replace: "let last = counterpart.unwrap_or(if mark.closes { next } else { marks.len() - 1 });",
        package: "scrubjay-core",
        test: "fence",
    },
    Bug {
        what: "what cannot be seen is injected",
        file: "crates/scrubjay-engine/src/context/piece.rs",
        find: "text: visible(text).into_owned(),",
        replace: "text: text.to_owned(),",
        package: "scrubjay-engine",
        test: "origins",
    },
    Bug {
        what: "an empty store is begun where there was one",
        file: "crates/scrubjay-store/src/sqlite/lineage.rs",
        find: "if options.begin_anew {",
        replace: "if options.begin_anew || is_noted {",
        package: "scrubjay-store",
        test: "a_store_that_is_gone_or_empty_is_not_begun_anew",
    },
    Bug {
        what: "backups go by age alone",
        file: "crates/scrubjay-engine/src/backups.rs",
        find: "same_store && holds_enough(newer.memories, older.memories)",
        replace: "same_store || holds_enough(newer.memories, older.memories) || true",
        package: "scrubjay",
        test: "backups_of_another_store",
    },
    Bug {
        what: "the files of an open store are not looked at",
        file: "crates/scrubjay-store/src/sqlite/writer.rs",
        find: "let looked = self.watch.look(&self.connection);",
        replace: "let looked = self.watch.look(&self.connection).or(Ok(()));",
        package: "scrubjay-store",
        test: "files_that_change_under_a_writer",
    },
    Bug {
        what: "the mark of a damaged store is not looked at",
        file: "crates/scrubjay-store/src/sqlite/writer.rs",
        find: "or_else(|| damage::refusal(&self.options.path)) {",
        replace: "or_else(|| damage::refusal(&self.options.path).filter(|_| false)) {",
        package: "scrubjay-store",
        test: "damage_that_was_found",
    },
    Bug {
        what: "a mapped file is taken for whole",
        file: "crates/scrubjay-index/src/mapping.rs",
        find: "facts.len() >= self.bytes.len() as u64",
        replace: "facts.len() < u64::MAX",
        package: "scrubjay-index",
        test: "a_segment_cut_short",
    },
    Bug {
        what: "a group may write to the home",
        file: "crates/scrubjay-engine/src/home.rs",
        find: "folder.mode() & 0o022 != 0",
        replace: "folder.mode() & 0o002 != 0",
        package: "scrubjay",
        test: "a_home_that_others_can_write",
    },
    Bug {
        what: "a purge that was cut short is forgotten",
        file: "crates/scrubjay-store/src/sqlite/upkeep.rs",
        find: "set_mark(connection, LOG_HOLDS_PURGED, 1)?;",
        replace: "set_mark(connection, LOG_HOLDS_PURGED, 0)?;",
        package: "scrubjay-store",
        test: "a_purge_that_was_cut_short",
    },
    Bug {
        what: "an import joins any run",
        file: "crates/scrubjay-engine/src/ops/import.rs",
        find: "if ctx.store().await?.continues(within, earlier, Self::NAME).await? {",
        replace: "if within.is_none() || within.is_some() {",
        package: "scrubjay-engine",
        test: "an_import_cannot_join",
    },
    Bug {
        what: "sources of superseded facts still count",
        file: "crates/scrubjay-engine/src/context/inject.rs",
        find: "            && hit.outdated.is_none()",
        replace: "",
        package: "scrubjay-engine",
        test: "what_a_fact_was_made_from_follows_the_fact",
    },
];

/// Plants each bug, or those whose description contains the argument.
pub(crate) fn run(arguments: &[String]) -> anyhow::Result<ExitCode> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").canonicalize()?;
    let scratch = std::env::temp_dir().join(format!("scrubjay-planted-{}", std::process::id()));
    let mut blind = 0;
    for bug in BUGS.iter().filter(|bug| arguments.iter().all(|wanted| bug.what.contains(wanted.as_str()))) {
        let found = plant(&root, &scratch, bug).with_context(|| bug.what.to_owned());
        remove(&scratch);
        match found? {
            true => say(&format!("found: {}", bug.what)),
            false => {
                blind += 1;
                say(&format!("NOT FOUND: {} ({} {})", bug.what, bug.package, bug.test));
            }
        }
    }
    Ok(if blind == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

// True if the tests fail, as they must.
fn plant(root: &Path, scratch: &Path, bug: &Bug) -> anyhow::Result<bool> {
    copy(root, scratch)?;
    let file = scratch.join(bug.file);
    let text = fs::read_to_string(&file)?;
    if text.matches(bug.find).count() != 1 {
        bail!("the code to change is not in {} exactly once; update this list", bug.file);
    }
    fs::write(&file, text.replace(bug.find, bug.replace))?;
    let target = root.join("target/planted");
    let cargo = |arguments: &[&str]| -> anyhow::Result<bool> {
        let mut command = Command::new("cargo");
        command.current_dir(scratch).env("CARGO_TARGET_DIR", &target).args(arguments);
        let output = command.output()?;
        Ok(output.status.success())
    };
    if !cargo(&["test", "--locked", "-q", "-p", bug.package, "--no-run"])? {
        bail!("the copy with the bug does not build");
    }
    Ok(!cargo(&["test", "--locked", "-q", "-p", bug.package, bug.test])?)
}

#[expect(clippy::disallowed_methods, reason = "the copy was made by us, under a name of our own")]
fn remove(scratch: &Path) {
    let _ = fs::remove_dir_all(scratch);
}

fn copy(from: &Path, to: &Path) -> anyhow::Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let name = entry.file_name();
        if name == "target" || name == ".git" {
            continue;
        }
        let target: PathBuf = to.join(&name);
        if entry.file_type()?.is_dir() {
            copy(&entry.path(), &target)?;
        } else {
            fs::copy(entry.path(), target)?;
        }
    }
    Ok(())
}

#[expect(clippy::print_stdout, reason = "the findings are the output")]
fn say(line: &str) {
    println!("{line}");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_bug_can_be_planted() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        for bug in BUGS {
            let text = fs::read_to_string(root.join(bug.file)).unwrap();
            assert_eq!(text.matches(bug.find).count(), 1, "{} in {}", bug.what, bug.file);
        }
    }
}
