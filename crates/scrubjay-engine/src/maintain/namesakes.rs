//! Asking whether two names are one person: “Ada” and “Ada Lovelace”.
//!
//! Nothing is merged without an answer. The question waits among the confirmations, where `review` shows it; yes runs
//! `entity.merge`, which `undo` takes apart again, and no is remembered, because the id of a question follows from the
//! two entities. A short name that would fit several people is left alone.

use scrubjay_core::entity::{Entity, EntityType, name_key};
use scrubjay_core::id::ConfirmationId;
use scrubjay_core::scope::{Scope, View};
use scrubjay_core::time::DAY_MS;
use scrubjay_store::context::{Confirmation, ConfirmationState};
use scrubjay_store::query::EntityQuery;
use serde_json::json;
use uuid::Uuid;

use crate::{Ctx, Result};

/// How many people are compared; the most mentioned ones.
const PEOPLE: usize = 2000;

/// How many questions are asked at once.
const QUESTIONS: usize = 10;

/// For how long a question waits.
const WAIT_MS: i64 = 3650 * DAY_MS;

/// Asks about people of a scope who may be the same, each pair once.
///
/// # Errors
/// When the store fails.
pub(crate) async fn ask_about_namesakes(ctx: &Ctx, scope: &Scope) -> Result<()> {
    let store = ctx.store().await?;
    let view = View::of(scope);
    let query = EntityQuery { entity_type: Some(EntityType::Person), limit: PEOPLE, ..EntityQuery::default() };
    let mut people = store.entities(&view, query).await?.entities;
    people.retain(|person| person.scope == *scope);
    let mut asked = 0;
    for (short, long) in namesakes(&people) {
        let id = id_of(short, long);
        if asked == QUESTIONS {
            break;
        }
        if store.confirmation(&view, id).await?.is_some() {
            continue;
        }
        asked += 1;
        let question = Confirmation {
            id,
            scope: scope.clone(),
            operation: "entity.merge".to_owned(),
            input: json!({"into": long.id.to_string(), "from": short.id.to_string()}),
            question: format!("Are “{}” and “{}” the same person, to be merged", short.name, long.name),
            actor: ctx.actor().to_owned(),
            created_at: ctx.now(),
            expires_at: ctx.now().plus_millis(WAIT_MS),
            state: ConfirmationState::Waiting,
            answered_at: None,
            answered_by: None,
            result: None,
        };
        store.put_confirmation(question).await?;
    }
    Ok(())
}

/// Pairs of a short name and the only longer one that begins or ends with it.
fn namesakes(people: &[Entity]) -> Vec<(&Entity, &Entity)> {
    let keys: Vec<(String, &Entity)> = people.iter().map(|person| (name_key(&person.name), person)).collect();
    let mut pairs = Vec::new();
    for (short, person) in keys.iter().filter(|(key, _)| key.chars().count() > 1 && !key.contains(' ')) {
        let is_longer = |key: &str| {
            let mut words = key.split(' ');
            key.contains(' ') && (words.next() == Some(short) || words.next_back() == Some(short))
        };
        let mut longer = keys.iter().filter(|(key, _)| is_longer(key));
        if let (Some((_, only)), None) = (longer.next(), longer.next()) {
            pairs.push((*person, *only));
        }
    }
    pairs
}

fn id_of(short: &Entity, long: &Entity) -> ConfirmationId {
    let mut hash = blake3::Hasher::new();
    hash.update(b"entity.merge");
    hash.update(short.id.uuid().as_bytes());
    hash.update(long.id.uuid().as_bytes());
    let mut bytes = [0; 16];
    bytes.copy_from_slice(&hash.finalize().as_bytes()[..16]);
    ConfirmationId::from(Uuid::from_bytes(bytes))
}
