//! Looking for trouble.

use schemars::JsonSchema;
use scrubjay_core::count::counted;
use scrubjay_core::time::{DAY_MS, Timestamp};
use scrubjay_store::item::{Coverage, GenerationState};
use scrubjay_store::query::{CheckStatus, Finding};
use serde::{Deserialize, Serialize};

use super::operation::{Access, Group, Operation, Risk, Surfaces};
use crate::clients::{CLIENTS, Surroundings};
use crate::home::Home;
use crate::models::{backfill, embedding_choices};
use crate::schedule;
use crate::{Ctx, EngineError, Result};

/// Fewer free bytes than this are worth a warning.
const LOW_DISK_BYTES: u64 = 256 << 20;

/// For how long it is told that jobs were brought back, in milliseconds.
const TOLD_MS: i64 = 30 * DAY_MS;

/// Check the store, the disk and the files; mend what can be rebuilt.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct DoctorInput {
    /// Rebuild derived data and take others' rights to private files away. Primary data is never changed.
    pub repair: bool,
    /// Skip what reads the whole store.
    pub quick: bool,
}

/// What was found.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DoctorOutput {
    /// `good`, `warning`, `repairable` or `damaged`: the worst of the findings.
    pub status: String,
    /// One entry per check.
    pub findings: Vec<FindingRecord>,
    /// What was mended.
    pub repaired: Vec<String>,
}

/// One check.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FindingRecord {
    /// What was checked.
    pub check: String,
    /// How it stands.
    pub status: String,
    /// What was found, and what to do.
    pub detail: String,
}

/// `doctor`.
pub struct Doctor;

impl Operation for Doctor {
    type Input = DoctorInput;
    type Output = DoctorOutput;
    const NAME: &'static str = "doctor";
    const RISK: Risk = Risk::Write;
    const ACCESS: Access = Access::Owner;
    const SURFACES: Surfaces = Surfaces { command: &["doctor"], http: true, mcp: None };
    const GROUP: Group = Group::Store;
    const EXAMPLES: &'static str = r#"  scrubjay doctor
  scrubjay doctor --repair"#;

    async fn run(ctx: &Ctx, input: DoctorInput) -> Result<DoctorOutput> {
        let mut repaired = Vec::new();
        let mut failed = Vec::new();
        if input.repair {
            for path in ctx.home().exposed(&ctx.config().settings) {
                Home::make_private(&path)?;
                repaired.push(format!("{} is private again", path.display()));
            }
            if let Err(error) = repair(ctx, &mut repaired).await {
                let detail = format!("not everything could be mended: {}", chain(&error));
                failed.push(Finding { check: "repair", status: CheckStatus::Warning, detail });
            }
        }
        let mut findings = failed;
        findings.extend(store_findings(ctx, !input.quick).await);
        findings.push(index(ctx, !input.quick).await);
        findings.push(vectors(ctx).await);
        findings.extend(providers(ctx).await);
        findings.push(disk(ctx));
        findings.push(file_system(ctx));
        findings.push(permissions(ctx));
        findings.push(backups(ctx).await);
        findings.push(jobs(ctx).await);
        findings.push(spool(ctx));
        findings.push(pauses(ctx));
        findings.extend(clients(ctx));
        findings.extend(settings(ctx));
        let worst = findings.iter().map(|finding| finding.status).max().unwrap_or(CheckStatus::Good);
        Ok(DoctorOutput {
            status: name(worst).to_owned(),
            findings: findings.into_iter().map(record).collect(),
            repaired,
        })
    }
}

// Where nothing is kept, and since when: whoever misses something should find it here.
fn pauses(ctx: &Ctx) -> Finding {
    let finding = |status, detail| Finding { check: "pauses", status, detail };
    let list = match ctx.pauses().list() {
        Ok(list) => list,
        Err(error) => {
            return finding(
                CheckStatus::Warning,
                format!("nothing is kept while nobody can tell what is paused: {error}"),
            );
        }
    };
    let mut told: Vec<String> = list.holding(ctx.now()).map(crate::pause::told).collect();
    let here = crate::pause::Quiet::of(ctx).ok().and_then(|mut quiet| quiet.reason(&ctx.view().home(), None, None));
    told.extend(here.filter(|why| !told.contains(why)));
    match told.is_empty() {
        true => finding(CheckStatus::Good, "nothing is paused".to_owned()),
        false => finding(CheckStatus::Warning, told.join("; ")),
    }
}

async fn repair(ctx: &Ctx, repaired: &mut Vec<String>) -> Result<()> {
    // A store that cannot be opened is told by the checks.
    let Ok(store) = ctx.store().await else { return Ok(()) };
    repaired.extend(store.repair().await?);
    let index = ctx.index().await?;
    index.bring_up_to_date(&*store, true).await?;
    index.finish_purge(&*store).await?;
    repaired.push("the search index was made again".to_owned());
    Ok(())
}

// A store that cannot be opened is a finding, not the end of the examination.
async fn store_findings(ctx: &Ctx, thorough: bool) -> Vec<Finding> {
    let checked = match ctx.store().await {
        Ok(store) => store.check(thorough).await.map_err(EngineError::from),
        Err(error) => Err(error),
    };
    checked.unwrap_or_else(|error| {
        let status = match error.code() {
            scrubjay_core::error::ErrorCode::StoreDamaged => CheckStatus::Damaged,
            _ => CheckStatus::Warning,
        };
        vec![Finding { check: "store", status, detail: error.to_string() }]
    })
}

async fn index(ctx: &Ctx, thorough: bool) -> Finding {
    let examined = async {
        let index = ctx.index().await?;
        if thorough {
            index.verify()?;
        }
        Ok::<_, EngineError>((index.summary()?, index.size_bytes()?))
    };
    let finding = |status, detail| Finding { check: "search index", status, detail };
    match examined.await {
        Ok((Some(summary), size_bytes)) => {
            let documents: u64 = summary.scopes.iter().map(|scope| scope.documents).sum();
            finding(CheckStatus::Good, format!("{documents} items in {} MiB of files", size_bytes >> 20))
        }
        Ok((None, _)) => finding(CheckStatus::Good, "no files yet; a small store needs none".to_owned()),
        Err(error) => {
            let detail =
                format!("{}; it is made again when it is needed, or by `scrubjay doctor --repair`", chain(&error));
            finding(CheckStatus::Repairable, detail)
        }
    }
}

async fn vectors(ctx: &Ctx) -> Finding {
    let finding = |status, detail| Finding { check: "vectors", status, detail };
    let examined = async {
        let Some(embedder) = ctx.embedder().await? else { return Ok(None) };
        let store = ctx.store().await?;
        let generations = store.generations().await?;
        let Some(serving) = generations.iter().find(|generation| generation.state == GenerationState::Serving) else {
            return Ok(Some((embedder.model().id.clone(), true, Coverage::default())));
        };
        let plan = crate::item::plan(&*embedder);
        let current = crate::item::is_of(&serving.spec, &plan);
        let model = if !current && serving.spec.model == plan.model {
            "an earlier version of Scrubjay from other parts of the texts".to_owned()
        } else {
            serving.spec.model.clone()
        };
        Ok::<_, EngineError>(Some((model, current, store.coverage(serving.id).await?)))
    };
    match examined.await {
        Ok(None) => finding(CheckStatus::Good, "off (embedding.provider or store.vector.enabled)".to_owned()),
        Ok(Some((model, true, coverage))) => {
            finding(CheckStatus::Good, format!("{} of {} items, by {model}", coverage.embedded, coverage.items))
        }
        Ok(Some((model, false, _))) => finding(
            CheckStatus::Warning,
            format!("made by {model}; they serve until new ones are made in the background, or by `scrubjay reembed`"),
        ),
        Err(error) => finding(CheckStatus::Warning, chain(&error)),
    }
}

// Nothing is called here: what is missing, what failed lately and what is spent is known without.
async fn providers(ctx: &Ctx) -> Vec<Finding> {
    let finding = |status, detail| Finding { check: "models", status, detail };
    let examined = async {
        let models = super::operation::run::<super::Models>(ctx, super::models::ModelsInput::default()).await?.models;
        let store = ctx.store().await?;
        let refused = store.mark(crate::embed::REFUSED).await?.unwrap_or(0);
        let mut left_alone = None;
        let settings = &ctx.config().settings;
        if settings.embedding.batch {
            for choice in embedding_choices(settings, &ctx.home().path) {
                if backfill::is_left_alone(&*store, choice.provider).await? {
                    left_alone = Some(choice.provider.name);
                }
            }
        }
        Ok::<_, EngineError>((models, refused, store.batches().await?.len(), left_alone))
    };
    let (models, refused, batches, left_alone) = match examined.await {
        Ok(examined) => examined,
        Err(error) => return vec![finding(CheckStatus::Warning, chain(&error))],
    };
    let mut findings: Vec<Finding> = Vec::new();
    let mut ready = Vec::new();
    for model in models {
        match model.detail {
            Some(detail) => {
                findings.push(finding(CheckStatus::Warning, format!("{} ({}): {detail}", model.id, model.role)));
            }
            None if !ready.contains(&model.id) => ready.push(model.id),
            None => {}
        }
    }
    if !ready.is_empty() {
        let batches = if batches == 0 { String::new() } else { format!("; {batches} batches under way") };
        findings.push(finding(CheckStatus::Good, format!("set up: {}{batches}", ready.join(", "))));
    }
    if let Some(name) = left_alone {
        let detail = format!(
            "the batch service of {name} failed twice in a row and is left alone, so vectors are made by plain \
             requests at full price; `scrubjay models set embed {name}` gives it another chance"
        );
        findings.push(finding(CheckStatus::Warning, detail));
    }
    if refused > 0 {
        let detail = format!("{refused} texts were refused by the embedder and are found by their words only");
        findings.push(finding(CheckStatus::Warning, detail));
    }
    findings
}

// What their own files tell of clients that are wired in.
fn clients(ctx: &Ctx) -> Vec<Finding> {
    let Some(around) = Surroundings::of(ctx) else { return Vec::new() };
    let told = CLIENTS.iter().filter_map(|client| client.trouble(&around));
    told.map(|detail| Finding { check: "clients", status: CheckStatus::Warning, detail }).collect()
}

fn chain(error: &EngineError) -> String {
    let mut text = error.to_string();
    let mut cause = std::error::Error::source(error);
    while let Some(inner) = cause {
        text.push_str(&format!(": {inner}"));
        cause = inner.source();
    }
    text
}

fn disk(ctx: &Ctx) -> Finding {
    let path = &ctx.home().path;
    match rustix::fs::statvfs(path) {
        Ok(info) => {
            let free_bytes = info.f_bavail.saturating_mul(info.f_frsize);
            let status = if free_bytes < LOW_DISK_BYTES { CheckStatus::Warning } else { CheckStatus::Good };
            Finding { check: "disk", status, detail: format!("{} MiB free at {}", free_bytes >> 20, path.display()) }
        }
        Err(error) => {
            Finding { check: "disk", status: CheckStatus::Warning, detail: format!("{}: {error}", path.display()) }
        }
    }
}

// Locks and fsync cannot be trusted over a network.
fn file_system(ctx: &Ctx) -> Finding {
    const REMOTE: [(u64, &str); 6] = [
        (0x6969, "nfs"),
        (0xff53_4d42, "cifs"),
        (0xfe53_4d42, "smb2"),
        (0x0102_1997, "9p"),
        (0x6573_5546, "fuse"),
        (0x00c3_6400, "ceph"),
    ];
    let path = &ctx.home().path;
    match rustix::fs::statfs(path) {
        Ok(info) => {
            let kind = info.f_type as u64 & 0xffff_ffff;
            match REMOTE.iter().find(|(number, _)| *number == kind) {
                Some((_, name)) => Finding {
                    check: "file system",
                    status: CheckStatus::Warning,
                    detail: format!(
                        "{} is on {name}; keep the store on a local disk, where locks and fsync hold",
                        path.display()
                    ),
                },
                None => Finding {
                    check: "file system",
                    status: CheckStatus::Good,
                    detail: format!("local (type {kind:#x})"),
                },
            }
        }
        Err(error) => Finding { check: "file system", status: CheckStatus::Warning, detail: error.to_string() },
    }
}

fn permissions(ctx: &Ctx) -> Finding {
    let exposed = ctx.home().exposed(&ctx.config().settings);
    match exposed.first() {
        None => Finding { check: "permissions", status: CheckStatus::Good, detail: "private to you".to_owned() },
        Some(first) => Finding {
            check: "permissions",
            status: CheckStatus::Repairable,
            detail: match exposed.len() - 1 {
                0 => format!("others can read {}; run `scrubjay doctor --repair`", first.display()),
                more => format!("others can read {} and {more} more; run `scrubjay doctor --repair`", first.display()),
            },
        },
    }
}

async fn backups(ctx: &Ctx) -> Finding {
    let empty = match ctx.store().await {
        Ok(store) => store.all_scopes().await.is_ok_and(|scopes| scopes.is_empty()),
        Err(_) => false,
    };
    let (status, detail) = match crate::backups::list(ctx.home()) {
        Ok(list) => match list.first() {
            Some(newest) if empty => {
                let detail = format!(
                    "the store is empty although there are backups; if its file was lost, `scrubjay restore-backup {}` brings it back",
                    newest.path.display()
                );
                (CheckStatus::Warning, detail)
            }
            Some(newest) => (CheckStatus::Good, format!("{} backups, newest {}", list.len(), newest.path.display())),
            None => (CheckStatus::Warning, "there is no backup yet; `scrubjay backup` makes one".to_owned()),
        },
        Err(error) => (CheckStatus::Warning, error.to_string()),
    };
    Finding { check: "backups", status, detail }
}

async fn jobs(ctx: &Ctx) -> Finding {
    let good = |detail: String| Finding { check: "jobs", status: CheckStatus::Good, detail };
    let Ok(store) = ctx.store().await else { return good("not known without the store".to_owned()) };
    let horizon = schedule::horizon(&ctx.config().settings, schedule::jobs::KINDS);
    let strays = store.stray_jobs(&horizon, ctx.now()).await.unwrap_or(0);
    if strays > 0 {
        let detail = format!(
            "{strays} jobs wait for a time far ahead, which a clock that was wrong has set; `scrubjay jobs run` brings them back, and so does the daemon"
        );
        return Finding { check: "jobs", status: CheckStatus::Warning, detail };
    }
    let back = match schedule::brought_back(ctx).await {
        Ok(Some(back)) if ctx.now().millis().saturating_sub(back.at_ms) < TOLD_MS => {
            let at = Timestamp::from_millis(back.at_ms);
            format!("; {} were brought back on {at} from a time far ahead, which a wrong clock had set", back.count)
        }
        _ => String::new(),
    };
    match store.jobs(ctx.view(), Some(scrubjay_store::query::JobState::Parked), 100).await {
        Ok(parked) if parked.is_empty() => good(format!("none has failed too often{back}")),
        Ok(parked) => Finding {
            check: "jobs",
            status: CheckStatus::Warning,
            detail: format!(
                "{} failed too often; see `scrubjay jobs --state parked`{back}",
                counted(parked.len() as u64, "job", "jobs")
            ),
        },
        Err(error) => Finding { check: "jobs", status: CheckStatus::Warning, detail: error.to_string() },
    }
}

fn spool(ctx: &Ctx) -> Finding {
    let spool = super::spool::folder(ctx);
    let (waiting, aside) = (spool.waiting().len(), spool.count_aside());
    let (status, detail) = match (waiting, aside) {
        (0, 0) => (CheckStatus::Good, "everything that hooks left behind was taken in".to_owned()),
        (waiting, 0) => {
            let files = counted(waiting as u64, "file from a hook is", "files from hooks are");
            (CheckStatus::Good, format!("{files} still to be taken in, which happens by itself"))
        }
        (_, aside) => (
            CheckStatus::Warning,
            format!(
                "{aside} messages from hooks were set aside because they cannot be used; `scrubjay spool` says why, \
                 `scrubjay spool retry` tries them again"
            ),
        ),
    };
    Finding { check: "spool", status, detail }
}

fn settings(ctx: &Ctx) -> Vec<Finding> {
    let warning = |detail: &String| Finding { check: "settings", status: CheckStatus::Warning, detail: detail.clone() };
    ctx.config().warnings.iter().map(warning).collect()
}

fn record(finding: Finding) -> FindingRecord {
    FindingRecord { check: finding.check.to_owned(), status: name(finding.status).to_owned(), detail: finding.detail }
}

fn name(status: CheckStatus) -> &'static str {
    match status {
        CheckStatus::Good => "good",
        CheckStatus::Warning => "warning",
        CheckStatus::Repairable => "repairable",
        CheckStatus::Damaged => "damaged",
    }
}
