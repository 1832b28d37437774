//! Vectors that a caller of the library made, by namespace.
//!
//! For callers that embed by themselves, or embed something other than text. Such vectors are no memories: `recall` does
//! not find them, no generation replaces them, and they do not fade. They live in one scope, like everything else, and
//! go where the store goes: into backups, and away with it.

use scrubjay_core::scope::{Scope, View};
use scrubjay_store::StoreError;
use scrubjay_store::space::{Space, SpaceEntry};
use serde_json::Value;

use crate::capture::{check_size, clean_id, clean_value};
use crate::{Ctx, EngineError, Result};

/// The most dimensions that a vector may have.
const MAX_DIMENSIONS: usize = 16_384;

/// The longest id and the longest name of a namespace, in bytes.
const NAME_BYTES: usize = 512;

/// Entries read at a time.
const PAGE: usize = 1000;

/// Whether an entry with this payload counts in a search.
pub type PayloadFilter<'a> = &'a (dyn Fn(&Value) -> bool + Send + Sync);

/// A namespace of vectors in one scope.
///
/// Durable when a call returns, as far as the store is. A search compares the vector with every one in the namespace, so
/// that its answer is exact and its time grows with their number.
pub struct VectorSpace {
    ctx: Ctx,
    space: Space,
    dimensions: usize,
}

/// A vector with what it stands for.
#[derive(Debug, Clone, PartialEq)]
pub struct NewEntry {
    /// The caller's name for it, once in its namespace.
    pub id: String,
    /// The vector. Its length does not matter, only its direction is kept.
    pub vector: Vec<f32>,
    /// What it stands for. Passes the same cleaning as the text of a memory.
    pub payload: Value,
}

/// An entry that a search found.
#[derive(Debug, Clone, PartialEq)]
pub struct SpaceHit {
    /// Its id.
    pub id: String,
    /// The cosine with the vector that was asked for, -1 to 1.
    pub cosine: f32,
    /// What it stands for.
    pub payload: Value,
}

impl VectorSpace {
    /// Opens a namespace for vectors of so many dimensions; one without vectors is as good as new.
    ///
    /// # Errors
    /// When the context may not see the scope, the name or the number makes no sense, or the namespace has vectors of
    /// another number of dimensions.
    pub async fn open(ctx: &Ctx, scope: Scope, namespace: &str, dimensions: usize) -> Result<Self> {
        let ctx = ctx.at(View::of(&scope))?;
        if !(1..=MAX_DIMENSIONS).contains(&dimensions) {
            let message = format!("{dimensions} dimensions are not between 1 and {MAX_DIMENSIONS}");
            return Err(EngineError::invalid(message));
        }
        let namespace = name(&ctx, "namespace", namespace)?;
        let space = Space { scope, namespace };
        if let Some(known) = ctx.store().await?.space_dimensions(&space).await?
            && known != dimensions
        {
            return Err(wrong_dimensions(&space, known, dimensions));
        }
        Ok(Self { ctx, space, dimensions })
    }

    /// Inserts a vector, in the place of one with the same id.
    ///
    /// # Errors
    /// When the vector has another number of dimensions, a value that is not finite or no direction, or when the store
    /// fails.
    pub async fn insert(&self, id: &str, vector: &[f32], payload: Value) -> Result<()> {
        self.insert_all(vec![NewEntry { id: id.to_owned(), vector: vector.to_vec(), payload }]).await
    }

    /// Inserts many at once, or none of them.
    ///
    /// # Errors
    /// As for [`VectorSpace::insert`].
    pub async fn insert_all(&self, entries: Vec<NewEntry>) -> Result<()> {
        let entries = entries.into_iter().map(|entry| self.ready(entry)).collect::<Result<_>>()?;
        Ok(self.ctx.store().await?.put_in_space(&self.space, entries).await?)
    }

    /// The `k` nearest by cosine among those that the filter admits, nearest first; equally near ones by id.
    ///
    /// # Errors
    /// When the vector cannot be compared, or the store fails.
    pub async fn search(&self, vector: &[f32], k: usize, filter: Option<PayloadFilter<'_>>) -> Result<Vec<SpaceHit>> {
        let wanted = self.direction(vector)?;
        let store = self.ctx.store().await?;
        let mut nearest: Vec<SpaceHit> = Vec::new();
        let mut after: Option<String> = None;
        loop {
            let page = store.space_entries(&self.space, after.as_deref(), PAGE).await?;
            let Some(last) = page.last() else { return Ok(nearest) };
            after = Some(last.id.clone());
            for entry in page {
                // Another handle may have emptied the namespace and begun it anew.
                if entry.vector.len() != self.dimensions {
                    return Err(wrong_dimensions(&self.space, entry.vector.len(), self.dimensions));
                }
                let cosine = product(&wanted, &entry.vector);
                let place = nearest.partition_point(|hit| hit.cosine >= cosine);
                if place >= k {
                    continue;
                }
                let payload = read(&entry)?;
                if filter.is_none_or(|admits| admits(&payload)) {
                    nearest.insert(place, SpaceHit { id: entry.id, cosine, payload });
                    nearest.truncate(k);
                }
            }
        }
    }

    /// Deletes a vector for good; false if there is none with this id.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn delete(&self, id: &str) -> Result<bool> {
        let ids = vec![name(&self.ctx, "id", id)?];
        Ok(self.ctx.store().await?.remove_from_space(&self.space, ids).await? > 0)
    }

    /// Deletes all vectors of the namespace for good; says how many there were.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn clear(&self) -> Result<usize> {
        Ok(self.ctx.store().await?.clear_space(&self.space).await?)
    }

    /// How many vectors the namespace has.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn count(&self) -> Result<u64> {
        Ok(self.ctx.store().await?.count_space(&self.space).await?)
    }

    fn ready(&self, entry: NewEntry) -> Result<SpaceEntry> {
        let id = name(&self.ctx, "id", &entry.id)?;
        let vector = self.direction(&entry.vector)?;
        let payload = clean_value(entry.payload, self.ctx.config().settings.capture.redact).to_string();
        check_size(&self.ctx, &payload)?;
        let ready = SpaceEntry { id, vector, payload };
        // JSON can be nested too deep to be read again.
        read(&ready).map_err(|_| EngineError::invalid(format!("the payload of `{}` is nested too deep", ready.id)))?;
        Ok(ready)
    }

    // The vector with length one.
    fn direction(&self, vector: &[f32]) -> Result<Vec<f32>> {
        if vector.len() != self.dimensions {
            return Err(wrong_dimensions(&self.space, self.dimensions, vector.len()));
        }
        if vector.iter().any(|value| !value.is_finite()) {
            return Err(EngineError::invalid("a vector holds a value that is not a finite number"));
        }
        // In double precision, in which the square of every single one is within range.
        let length = vector.iter().map(|value| f64::from(*value).powi(2)).sum::<f64>().sqrt();
        if length == 0.0 {
            return Err(EngineError::invalid("a vector of zeros points nowhere and cannot be compared"));
        }
        #[expect(clippy::cast_possible_truncation, reason = "a coordinate of a direction is at most 1")]
        let direction = vector.iter().map(|value| (f64::from(*value) / length) as f32).collect();
        Ok(direction)
    }
}

// An id or the name of a namespace, without secrets.
fn name(ctx: &Ctx, what: &str, text: &str) -> Result<String> {
    let name = clean_id(text, ctx.config().settings.capture.redact);
    if name.is_empty() || name.len() > NAME_BYTES {
        return Err(EngineError::invalid(format!("the {what} must have 1 to {NAME_BYTES} bytes")));
    }
    Ok(name)
}

fn product(left: &[f32], right: &[f32]) -> f32 {
    // Eight sums side by side, which the machine can do at once.
    let mut sums = [0.0_f32; 8];
    let ((left, left_rest), (right, right_rest)) = (left.as_chunks::<8>(), right.as_chunks::<8>());
    for (left, right) in left.iter().zip(right) {
        for (sum, (left, right)) in sums.iter_mut().zip(left.iter().zip(right)) {
            *sum += left * right;
        }
    }
    let rest: f32 = left_rest.iter().zip(right_rest).map(|(left, right)| left * right).sum();
    (sums.iter().sum::<f32>() + rest).clamp(-1.0, 1.0)
}

fn read(entry: &SpaceEntry) -> Result<Value> {
    let unreadable = |error: serde_json::Error| StoreError::Unreadable {
        what: "payload of a vector",
        detail: format!("{}: {error}", entry.id),
    };
    Ok(serde_json::from_str(&entry.payload).map_err(unreadable)?)
}

fn wrong_dimensions(space: &Space, known: usize, given: usize) -> EngineError {
    let namespace = &space.namespace;
    EngineError::invalid(format!(
        "the vectors of the namespace `{namespace}` have {known} dimensions, and {given} were given"
    ))
}
