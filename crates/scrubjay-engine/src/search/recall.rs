//! From a question to hits.

use std::collections::{BTreeMap, BTreeSet};

use scrubjay_core::id::MemoryId;
use scrubjay_core::lexical::Tense;
use scrubjay_core::memory::{Kind, Memory};
use scrubjay_core::text::TextHash;
use scrubjay_core::time::Timestamp;
use scrubjay_core::{decay, weights};
use scrubjay_index::Snapshot;
use scrubjay_store::Store;
use scrubjay_store::item::{Item, ItemKey};
use scrubjay_store::query::Activity;

use super::alike::{COMPARED, Likeness};
use super::alternatives::add_alternatives;
use super::arm::entity::entity_scores;
use super::candidates::{CandidateSet, Sizes, gather};
use super::exact::holding_phrases;
use super::feedback::{FEEDBACK_TOP_K, Feedback, FeedbackDocument};
use super::fusion::convex_sums;
use super::long_texts::narrow_long_texts;
use super::novelty::{Weighed, weigh_by_novelty};
use super::passage::PassageTerms;
use super::query::{self, Query};
use super::question::{FileState, Found, Fusion, QUESTION_BYTES, Question, Recalled, Rerank, Weights};
use super::rank::{Ranked, rank};
use super::rerank::rerank;
use super::scores::score_arms;
use super::statement::Prompt;
use super::succession::Ageing;
use super::time_alone::in_time;
use crate::blocking::blocking;
use crate::index::{ColumnFilter, Sight, is_of_files};
use crate::{Ctx, EngineError, Result};

/// Candidates that are read per wanted hit.
const PER_HIT: usize = 4;

/// Each arm proposes as many candidates as if at least this many hits were wanted.
const LEAST_HITS: usize = 50;

/// The weight of a turn in which something was said that no longer holds: as for a fact that was superseded.
const OUTDATED_WEIGHT: f64 = 0.3;

/// When the conditions have turned away so many, the search ends, and says so.
const MOST_TURNED_AWAY: usize = 20_000;

/// Candidates whose neighbours join.
const WITH_NEIGHBOURS: usize = 100;

/// Looks for what fits a question.
///
/// # Errors
/// When the question is too long, or the store or the index fails.
pub async fn recall(ctx: &Ctx, question: &Question) -> Result<Recalled> {
    recall_after(ctx, question, "").await
}

/// The same, for a question that follows on something: what was said before
/// counts a little, and in earnest when the question says nothing by itself.
///
/// # Errors
/// When the question is too long, or the store or the index fails.
pub async fn recall_after(ctx: &Ctx, question: &Question, before: &str) -> Result<Recalled> {
    let size = question.text.len();
    if size > QUESTION_BYTES {
        let message =
            format!("the question has {size} bytes, more than the {QUESTION_BYTES} of the longest; shorten it");
        return Err(EngineError::invalid(message));
    }
    match attempt(ctx, question, before).await {
        // Damage shows when the damaged part is read. The files are derived: they
        // are made again, and the question is asked again.
        Err(error) if is_of_files(&error) => {
            let store = ctx.store().await?;
            ctx.index().await?.bring_up_to_date(&*store, true).await?;
            attempt(ctx, question, before).await
        }
        other => other,
    }
}

async fn attempt(ctx: &Ctx, question: &Question, before: &str) -> Result<Recalled> {
    let store = ctx.store().await?;
    let sight = ctx.index().await?.sight(&*store, ctx.view()).await?;
    let mut query = query::prepare(ctx, question, before, sight.serving.as_ref()).await?;
    if question.arms.lexical {
        let (snapshot, text) = (sight.snapshot.clone(), question.text.clone());
        query = aside(move || {
            add_alternatives(&snapshot, &mut query, &text)?;
            Ok(query)
        })
        .await?;
    }
    let mut recalled =
        Recalled { warnings: query.warnings.clone(), missing: query.missing(question), ..Recalled::default() };
    if query.terms.text.is_empty() && query.vector.is_none() {
        recalled.warnings.push("the question has no words to look for".to_owned());
        return Ok(recalled);
    }
    let named = if question.arms.entity { entity_scores(ctx, &*store, &question.text).await? } else { BTreeMap::new() };
    let filter = column_filter(ctx, &*store, question).await?;
    query.exact = holding_phrases(ctx, &*store, &sight, &question.text, &filter).await?;
    // A condition that only the rows can answer may turn candidates away; then
    // more of them are looked at, until there are enough hits or no more
    // candidates.
    let mut per_arm = question.limit.max(LEAST_HITS).saturating_mul(query.candidate_multiplier);
    loop {
        let ranking = search(ctx, &sight, &query, question, &named, &filter, per_arm).await?;
        let exhausted = ranking.ranked.len() < per_arm;
        let (hits, turned_away) =
            hydrate(ctx, &*store, question, &query, &filter, ranking, &mut recalled.warnings).await?;
        recalled.hits = hits;
        if query.time_alone {
            recalled.hits.retain(|hit| !Prompt::new(hit.item.text()).asks_for_nothing(false));
        }
        // If all that fits was admitted, what would come further down fits less.
        if recalled.hits.len() >= question.limit || exhausted || turned_away == 0 {
            break;
        }
        if turned_away >= MOST_TURNED_AWAY {
            recalled.warnings.push(format!(
                "the conditions turned away the best {turned_away} that fit; what fits less was not looked at"
            ));
            break;
        }
        per_arm *= 8;
    }
    mark_outdated(ctx, &*store, question.activity, &mut recalled.hits).await?;
    recalled.hits.truncate(question.limit);
    if recalled.hits.is_empty() && question.near > 0 {
        let any = Question { min_relevance: 0.0, limit: question.near, rerank: Rerank::Off, ..question.clone() };
        let ranking = search(ctx, &sight, &query, &any, &named, &filter, per_arm).await?;
        recalled.near = hydrate(ctx, &*store, &any, &query, &filter, ranking, &mut recalled.warnings).await?.0;
        recalled.near.truncate(question.near);
    }
    Ok(recalled)
}

// The candidates in order, and how much alike the best of them are.
struct Ranking {
    ranked: Vec<Ranked>,
    likeness: Likeness,
    /// The idf of each content term of the question.
    content_idfs: Vec<f32>,
}

// Two rounds: the best of the first give the feedback terms of the second.
async fn search(
    ctx: &Ctx,
    sight: &Sight,
    query: &Query,
    question: &Question,
    named: &BTreeMap<u64, f32>,
    filter: &ColumnFilter,
    per_arm: usize,
) -> Result<Ranking> {
    let (snapshot, query, question, named) = (sight.snapshot.clone(), query.clone(), question.clone(), named.clone());
    let admits = filter.columns();
    let sizes = Sizes { per_arm, with_neighbours: WITH_NEIGHBOURS };
    if query.time_alone {
        let ranked = aside(move || in_time(&snapshot, &query, &admits, per_arm)).await?;
        return Ok(Ranking { ranked, likeness: Likeness::default(), content_idfs: Vec::new() });
    }
    let second_round =
        question.arms.feedback && question.arms.lexical && matches!(question.fusion, Fusion::Learned | Fusion::Convex);
    let (snapshot, mut set, query, question) = aside(move || {
        let set = gather(&snapshot, &query, question.arms, &named, &admits, sizes)?;
        Ok((snapshot, set, query, question))
    })
    .await?;
    narrow_long_texts(ctx, &query, &mut set).await?;
    let (round, ranked) = aside(move || {
        compare(&snapshot, &query, &question, &mut set)?;
        let ranked = rank(&set, &query, &question, None);
        Ok(((snapshot, set, query, question), ranked))
    })
    .await?;
    // Feedback needs at least three candidates.
    let documents =
        if second_round && ranked.len() >= 3 { feedback_documents(ctx, filter, &ranked).await? } else { Vec::new() };
    if documents.is_empty() {
        let content_idfs = round.1.lexical.content_idfs().into_iter().map(|(idf, _)| idf).collect();
        return Ok(Ranking { ranked, likeness: round.1.likeness, content_idfs });
    }
    aside(move || {
        let (snapshot, set, query, question) = round;
        let feedback = Feedback::of(&snapshot, &set, &documents)?;
        let ranked = feedback.map_or(ranked, |feedback| rank(&set, &query, &question, Some(&feedback)));
        let content_idfs = set.lexical.content_idfs().into_iter().map(|(idf, _)| idf).collect();
        Ok(Ranking { ranked, likeness: set.likeness, content_idfs })
    })
    .await
}

// Compares the best candidates of a first, unfitted order with each other.
fn compare(snapshot: &Snapshot, query: &Query, question: &Question, set: &mut CandidateSet) -> Result<()> {
    let (Some(vector), Some(null)) = (&query.vector, set.null_distribution) else { return Ok(()) };
    let sums = convex_sums(&score_arms(set, question, None));
    let mut places: Vec<usize> = (0..sums.len()).filter(|place| set.candidates[*place].is_admitted).collect();
    places.sort_by(|a, b| sums[*b].total_cmp(&sums[*a]).then(a.cmp(b)));
    places.truncate(COMPARED);
    set.likeness = Likeness::of(snapshot, vector, set, &places, null.mean)?;
    Ok(())
}

// The search itself is arithmetic; other tasks go on meanwhile.
async fn aside<T: Send + 'static>(work: impl FnOnce() -> Result<T> + Send + 'static) -> Result<T> {
    blocking("the search", work).await?
}

// The best that fulfil all conditions, with what they say.
async fn feedback_documents(ctx: &Ctx, filter: &ColumnFilter, ranked: &[Ranked]) -> Result<Vec<FeedbackDocument>> {
    let some = &ranked[..ranked.len().min(PER_HIT * FEEDBACK_TOP_K)];
    let keys = some.iter().map(|ranked| ItemKey::from_number(ranked.key)).collect();
    let items = ctx.store().await?.items(ctx.view(), keys).await?;
    let items: BTreeMap<u64, Item> = items.into_iter().map(|(key, item)| (key.number(), item)).collect();
    let admitted = some.iter().filter_map(|ranked| {
        let item = items.get(&ranked.key).filter(|item| filter.admits(item))?;
        Some(FeedbackDocument { text: item.text().to_owned(), relevance: ranked.relevance })
    });
    Ok(admitted.take(FEEDBACK_TOP_K).collect())
}

// Reads the best candidates and weighs them; and how many of them the conditions turned away.
async fn hydrate(
    ctx: &Ctx,
    store: &dyn Store,
    question: &Question,
    query: &Query,
    filter: &ColumnFilter,
    ranking: Ranking,
    warnings: &mut Vec<String>,
) -> Result<(Vec<Found>, usize)> {
    let Ranking { mut ranked, likeness, content_idfs } = ranking;
    ranked.retain(|ranked| ranked.relevance >= question.min_relevance * question.following);
    // A weight can lift a hit by five thirds at most; what stands far below the
    // last hit cannot become one. Some are lost as duplicates.
    let enough = question.limit.saturating_mul(PER_HIT).max(40);
    let (mut hits, mut turned_away) = (Vec::with_capacity(enough), 0);
    let mut admitted: Vec<(Ranked, Item)> = Vec::with_capacity(enough);
    for page in ranked.chunks(enough) {
        let keys = page.iter().map(|ranked| ItemKey::from_number(ranked.key)).collect();
        let mut items: BTreeMap<u64, Item> =
            store.items(ctx.view(), keys).await?.into_iter().map(|(key, item)| (key.number(), item)).collect();
        // What was purged meanwhile is gone.
        let read = page.iter().filter_map(|ranked| Some((ranked.clone(), items.remove(&ranked.key)?)));
        let (fulfil, others): (Vec<_>, Vec<_>) = read.partition(|(_, item)| filter.admits(item));
        turned_away += others.len();
        admitted.extend(fulfil);
        if admitted.len() >= enough || turned_away == 0 || turned_away >= MOST_TURNED_AWAY {
            break;
        }
    }
    // The best must be sure enough for anything to be said at all.
    if admitted.iter().all(|(ranked, _)| ranked.relevance < question.min_relevance) {
        return Ok((hits.into_iter().map(|hit: Weighed| hit.found).collect(), turned_away));
    }
    let prompt = Prompt::new(&question.text);
    if question.following < 1.0 {
        // A question that was asked before fits best and says nothing: it is no measure for what does.
        let stating = admitted.iter().filter(|(_, item)| !prompt.is_left_open_by(item));
        let best = stating.map(|(ranked, _)| ranked.relevance).fold(0.0, f64::max);
        admitted.retain(|(ranked, _)| ranked.relevance >= best * question.following);
    }
    admitted.truncate(enough);
    // Whatever lies in a time fits it as well as the rest.
    let warning = if query.time_alone { None } else { rerank(ctx, question, &mut admitted).await };
    warnings.extend(warning.filter(|warning| !warnings.contains(warning)));
    let wanted = PassageTerms::of(query);
    for (ranked, item) in admitted {
        let mut factors = factors(&item, question.weights, question.now);
        if ranked.fit < 1.0 {
            // Its root, so that importance and age keep their say.
            factors.insert(0, ("fit", ranked.fit.sqrt()));
        }
        let weighed = factors.iter().fold(ranked.relevance, |score, (_, factor)| score * factor);
        let score = weighed.clamp(0.0, 1.0);
        let place = wanted.passage(item.text()).start;
        let is_whole_document = ranked.is_whole_document(&item);
        let Ranked { relevance, held, places, features, .. } = ranked;
        let found = Found {
            item,
            relevance,
            score,
            places,
            features,
            factors,
            place,
            file: FileState::default(),
            outdated: None,
            newer: None,
            rivals: Vec::new(),
        };
        let is_open = prompt.is_left_open_by(&found.item);
        hits.push(Weighed {
            weight: weighed,
            fit: ranked.fit,
            feedback: ranked.feedback,
            key: ranked.key,
            held,
            is_whole_document,
            is_open,
            found,
        });
    }
    let ageing = match Tense::of(&question.text) {
        _ if !query.times.is_empty() => Ageing::None,
        Tense::Past => Ageing::None,
        Tense::Present if query.asks => Ageing::OfPresentAnswers,
        _ if query.asks => Ageing::OfAnswers,
        _ => Ageing::OfLessons,
    };
    weigh_by_novelty(&mut hits, &likeness, &content_idfs, ageing, &question.text);
    order(&mut hits);
    let mut hits: Vec<Found> = hits.into_iter().map(|hit| hit.found).collect();
    collapse(&mut hits);
    Ok((hits, turned_away))
}

// A score ends at 1; what was weighed beyond that still comes first. Ties go by relevance, then by feedback, then by
// age. What states nothing comes after everything that does.
fn order(hits: &mut [Weighed]) {
    hits.sort_by(|a, b| {
        let by_relevance = b.weight.total_cmp(&a.weight).then(b.found.relevance.total_cmp(&a.found.relevance));
        a.is_open.cmp(&b.is_open).then(by_relevance).then(b.feedback.total_cmp(&a.feedback)).then(b.key.cmp(&a.key))
    });
}

// What no longer holds says so, and comes after what does.
async fn mark_outdated(ctx: &Ctx, store: &dyn Store, activity: Activity, hits: &mut [Found]) -> Result<()> {
    let id = |hit: &Found| match &hit.item {
        Item::Memory(memory) => Some(memory.id),
        Item::Chunk(_) => None,
    };
    let ids: Vec<MemoryId> = hits.iter().filter_map(id).collect();
    if ids.is_empty() {
        return Ok(());
    }
    let mut outdated = store.outdated(ctx.view(), ids).await?;
    if let Activity::AsOf(time) | Activity::NotEndedBy(time) = activity {
        outdated.retain(|outdated| outdated.since <= time);
    }
    if outdated.is_empty() {
        return Ok(());
    }
    for hit in &mut *hits {
        hit.outdated = id(hit).and_then(|id| outdated.iter().find(|outdated| outdated.id == id)).cloned();
        let is_turn = matches!(&hit.item, Item::Memory(memory) if memory.kind() == Kind::Episode);
        // The confidence of a superseded fact is low already.
        if hit.outdated.is_some() && is_turn {
            hit.factors.push(("outdated", OUTDATED_WEIGHT));
            hit.score *= OUTDATED_WEIGHT;
        }
    }
    // The order is kept otherwise, so that what states nothing stays behind what does.
    hits.sort_by_key(|hit| hit.outdated.is_some());
    Ok(())
}

async fn column_filter(ctx: &Ctx, store: &dyn Store, question: &Question) -> Result<ColumnFilter> {
    let mut keys: Option<BTreeSet<u64>> = None;
    for entity in &question.entities {
        let found = store.named(ctx.view(), vec![entity.to_string()], usize::MAX >> 1).await?;
        let own = found.into_iter().flat_map(|named| named.memories).map(ItemKey::number);
        keys.get_or_insert_default().extend(own);
    }
    Ok(ColumnFilter {
        filter: question.filter.clone(),
        activity: question.activity,
        exclude_sessions: question.exclude_sessions.clone(),
        sources: question.sources.clone(),
        keys,
    })
}

fn factors(item: &Item, wanted: Weights, now: Timestamp) -> Vec<(&'static str, f64)> {
    // A file is as important and as true as it is now.
    let Item::Memory(memory) = item else { return Vec::new() };
    of_memory(memory, wanted, now)
}

fn of_memory(memory: &Memory, wanted: Weights, now: Timestamp) -> Vec<(&'static str, f64)> {
    let mut factors = Vec::with_capacity(2);
    if wanted.importance {
        factors.push(("importance", weights::importance(memory.importance.value())));
    }
    // Age counts once: as fading confidence for facts, as recency for episodes. A fact that was drawn from an old
    // conversation just now is no fresher than the conversation.
    let recency = weights::recency(now.days_since(memory.event_time));
    match memory.kind() {
        Kind::Fact if wanted.confidence => {
            let confidence = decay::of_memory(memory, now);
            factors.push(("confidence", if wanted.recency { confidence.min(recency) } else { confidence }));
        }
        Kind::Episode if wanted.recency => factors.push(("recency", recency)),
        _ => {}
    }
    factors
}

// The same text twice tells nothing new; the better hit stays.
fn collapse(hits: &mut Vec<Found>) {
    let mut seen = BTreeSet::new();
    hits.retain(|hit| seen.insert(TextHash::of_value(hit.item.text())));
}
