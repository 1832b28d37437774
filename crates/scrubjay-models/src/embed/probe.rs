//! Learning what the cosines of a model mean, from a few sentences.
//!
//! Models differ in where unrelated texts lie: near 0 for some, near 0.5 for others. Nobody publishes these figures, so
//! they are measured once when a model is met for the first time: questions beside answers, questions beside texts they
//! have nothing to do with, sentences beside themselves in other words.

use super::calibration::Calibration;
use super::error::EmbedError;
use super::provider::Embedder;

/// Questions, and sentences that answer them. A question has nothing to do with the answers of the others.
const PAIRS: [(&str, &str); 12] = [
    (
        "Which database does the billing service use?",
        "Billing keeps its invoices in PostgreSQL since the move in March.",
    ),
    ("When is the dentist appointment?", "The dentist can see you on Thursday at half past nine."),
    ("How do I restart the print server?", "Run systemctl restart cups on the host to bring printing back."),
    ("What does Maria like to drink?", "Maria always orders green tea, never coffee."),
    ("Why did the deployment fail last night?", "The rollout stopped because the disk of node seven was full."),
    ("fn parse_header", "fn parse_header(bytes: &[u8]) -> Option<Header> { Header::read(bytes) }"),
    ("Where did we go on holiday in summer?", "In July we spent two weeks on the coast of Portugal."),
    ("What is the capital of Australia?", "Canberra is the seat of Australia's government."),
    ("Who maintains the search index?", "Priya looks after the indexer and its tests."),
    ("How long should the dough rest?", "Let the bread dough stand for at least twelve hours in the fridge."),
    ("Which colour did they choose for the logo?", "They settled on a dark blue for the company's sign."),
    ("What broke the unit tests?", "A changed time zone made the calendar tests red."),
];

/// The same things said twice.
const TWICE: [(&str, &str); 4] = [
    ("The meeting was moved to Friday.", "the meeting was moved to friday"),
    ("Use tabs, not spaces, in Makefiles.", "Use tabs not spaces in makefiles!"),
    ("Her sister lives in Lyon.", "her sister lives in Lyon"),
    ("The build takes eleven minutes.", "The build takes eleven minutes"),
];

/// What the cosines of a model mean.
///
/// # Errors
/// If the embedder fails.
pub async fn learn(embedder: &dyn Embedder) -> Result<Calibration, EmbedError> {
    let mut documents: Vec<String> = PAIRS.iter().map(|(_, answer)| (*answer).to_owned()).collect();
    documents.extend(TWICE.iter().flat_map(|(one, other)| [(*one).to_owned(), (*other).to_owned()]));
    let documents = embedder.embed_documents(&documents).await?;
    let mut questions = Vec::with_capacity(PAIRS.len());
    for (question, _) in PAIRS {
        questions.push(embedder.embed_query(question).await?);
    }
    let (answers, twice) = documents.split_at(PAIRS.len());
    let mut related = Vec::new();
    let mut unrelated = Vec::new();
    for (place, question) in questions.iter().enumerate() {
        for (other, answer) in answers.iter().enumerate() {
            let cosine = cosine(question, answer);
            if place == other { related.push(cosine) } else { unrelated.push(cosine) }
        }
    }
    let same = twice.chunks_exact(2).map(|pair| cosine(&pair[0], &pair[1]));
    let same = same.fold(1.0, f32::min);
    Ok(fitted(&unrelated, &mut related, same).unwrap_or(Calibration::PLAIN))
}

// Unrelated texts are worth nothing up to one and a half deviations above their mean; half of the answers are worth
// more than 0.6; what is nearly the same is worth everything.
fn fitted(unrelated: &[f32], related: &mut [f32], same: f32) -> Option<Calibration> {
    let count = unrelated.len() as f32;
    let mean = unrelated.iter().sum::<f32>() / count;
    let deviation = (unrelated.iter().map(|cosine| (cosine - mean).powi(2)).sum::<f32>() / count).sqrt().max(0.02);
    related.sort_by(f32::total_cmp);
    let middle = *related.get(related.len() / 2)?;
    let nothing = mean + 1.5 * deviation;
    let little = nothing + (middle - nothing) * 0.45;
    let everything = same.min(0.98).max(middle + 0.05);
    Calibration::new([(nothing, 0.0), (little, 0.35), (middle, 0.65), (everything, 1.0)], (mean, deviation))
}

fn cosine(one: &[f32], other: &[f32]) -> f32 {
    one.iter().zip(other).map(|(one, other)| one * other).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::embed::{Builtin, Fake};

    #[test]
    fn what_is_learned_tells_related_from_unrelated() {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        for embedder in [&Builtin::new(1) as &dyn Embedder, &Fake::new(256)] {
            let calibration = runtime.block_on(learn(embedder)).unwrap();
            let (mean, deviation) = calibration.usual();
            assert_eq!(calibration.relevance(mean), 0.0);
            assert!(deviation > 0.0 && calibration.relevance(1.0) == 1.0);
        }
    }

    #[test]
    fn a_model_that_tells_nothing_apart_is_taken_as_it_is() {
        assert_eq!(fitted(&[0.9; 10], &mut [0.5; 3], 1.0), None);
    }
}
