//! The walk over a text that finds its terms.

use super::compound::{Binding, Compound};
use super::fold::fold_into;
use super::script::CharacterClass::{Apostrophe, Colon, Dense, Digit, Emoji, Joint, Lower, Mark, Separator, Slash};
use super::script::CharacterClass::{Underscore, Upper};
use super::script::character_class;
use super::stem::{Stems, with_stems};

/// Raised whenever the same text, or an item of the store, may give other terms than before. An index built by another version must be
/// built again.
pub const ANALYZER_VERSION: u32 = 5;

/// The longest term in bytes. What is longer is cut at a character boundary, in texts and queries alike.
pub const MAX_TERM_BYTES: usize = 64;

/// The terms of `text` in order. See [`for_each_term`].
#[must_use]
pub fn terms(text: &str) -> Vec<String> {
    let mut terms = Vec::with_capacity(text.len() / 5);
    for_each_term(text, |term, _| terms.push(term.to_owned()));
    terms
}

/// The number under which an index knows a term. It never changes.
#[must_use]
pub fn term_hash(term: &str) -> u64 {
    xxhash_rust::xxh3::xxh3_64(term.as_bytes())
}

/// Calls `visit` with each term of `text` and its position.
///
/// Positions count words, parts of identifiers and character pairs from 0. A joined whole (`getusername` after
/// `get`, `user`, `name`) has the position of its first part. Terms of different pieces of white-space separated
/// text never influence one another, so the terms of a text are among those of any longer text around it.
pub fn for_each_term(text: &str, visit: impl FnMut(&str, usize)) {
    with_stems(|stems| {
        let mut walk =
            Walk { stems, visit, compound: Compound::new(), lower: String::new(), pair: String::new(), position: 0 };
        let mut folded = String::new();
        for piece in text.split_ascii_whitespace() {
            if let Some(word) = plain_word(piece) {
                walk.plain_word(word);
            } else if piece.is_ascii() {
                walk.piece(piece);
            } else {
                folded.clear();
                fold_into(piece, &mut folded);
                walk.piece(&folded);
            }
        }
    });
}

struct Walk<'stems, Visit> {
    stems: &'stems mut Stems,
    visit: Visit,
    compound: Compound,
    lower: String,
    /// The pair of characters being put together, of a script without spaces.
    pair: String,
    position: usize,
}

impl<Visit: FnMut(&str, usize)> Walk<'_, Visit> {
    /// Visits a word that [`plain_word`] let through. It gives what [`Walk::piece`] would, several times faster.
    fn plain_word(&mut self, word: &str) {
        let Self { stems, visit, lower, position, .. } = self;
        lower.clear();
        lower.push_str(word);
        lower.make_ascii_lowercase();
        stems.stemmed(bounded(lower), |stem| visit(stem, *position));
        *position += 1;
    }

    /// Finds the terms in folded text.
    fn piece(&mut self, piece: &str) {
        let mut previous = Separator;
        let mut capitals = 0;
        let mut rest = piece;
        while let Some(character) = rest.chars().next() {
            let class = character_class(character);
            let after = &rest[character.len_utf8()..];
            rest = after;
            match class {
                Lower => {
                    if previous == Digit {
                        self.break_part(Binding::Hump);
                    } else if previous == Upper && capitals > 1 {
                        if is_plural_ending(character, after) {
                            continue;
                        }
                        self.compound.break_before_last();
                    }
                    self.compound.push(character);
                }
                Upper => {
                    if matches!(previous, Lower | Digit) {
                        self.break_part(Binding::Hump);
                    }
                    self.compound.push(character);
                }
                Digit => {
                    if matches!(previous, Lower | Upper) {
                        self.break_part(Binding::Hump);
                    }
                    self.compound.push(character);
                }
                Mark => {
                    if !self.compound.open_part().is_empty() {
                        self.compound.push(character);
                    }
                    continue;
                }
                Dense => {
                    self.finish_compound();
                    rest = self.dense_run(character, after);
                }
                Emoji => {
                    self.finish_compound();
                    (self.visit)(character.encode_utf8(&mut [0; 4]), self.position);
                    self.position += 1;
                }
                Underscore => self.break_part(Binding::Underscore),
                Joint | Apostrophe | Slash if !self.compound.is_empty() && begins_word(after) => {
                    self.break_part(match class {
                        Joint => Binding::Joint,
                        Apostrophe => Binding::Apostrophe,
                        _ => Binding::Slash,
                    });
                }
                Colon if after.starts_with("//") => {
                    self.finish_compound();
                    self.compound.mark_address();
                    rest = &after[2..];
                }
                Colon if !self.compound.is_empty() && after.starts_with(':') && begins_word(&after[1..]) => {
                    self.break_part(Binding::Slash);
                    rest = &after[1..];
                }
                Joint | Apostrophe | Slash | Colon | Separator => {
                    if let Some(language) = language_with_symbol(self.compound.open_part(), character, after) {
                        (self.visit)(language, self.position);
                    }
                    self.finish_compound();
                }
            }
            capitals = if class == Upper { capitals + 1 } else { 0 };
            previous = class;
        }
        self.finish_compound();
    }

    fn break_part(&mut self, binding: Binding) {
        self.compound.break_part(binding);
        if self.compound.is_full() {
            self.finish_compound();
        }
    }

    fn finish_compound(&mut self) {
        let Self { stems, visit, compound, position, .. } = self;
        *position += compound.finish(|term, part| {
            stems.stemmed(bounded(term), |stem| visit(stem, *position + part));
        });
    }

    /// Visits the pairs of neighbouring characters of a run that begins with `first`, or the character of a run
    /// of one. Marks stay with the letter they follow. Returns the text after the run.
    fn dense_run<'text>(&mut self, first: char, after: &'text str) -> &'text str {
        self.pair.clear();
        self.pair.push(first);
        let mut second_starts = 0;
        let mut has_pair = false;
        let mut rest = after;
        while let Some(character) = rest.chars().next() {
            let class = character_class(character);
            if !matches!(class, Dense | Mark) {
                break;
            }
            rest = &rest[character.len_utf8()..];
            if class == Dense {
                if second_starts > 0 {
                    self.visit_pair();
                    has_pair = true;
                    self.pair.drain(..second_starts);
                }
                second_starts = self.pair.len();
            }
            if self.pair.len() < second_starts + MAX_TERM_BYTES {
                self.pair.push(character);
            }
        }
        if second_starts > 0 || !has_pair {
            self.visit_pair();
        }
        rest
    }

    fn visit_pair(&mut self) {
        (self.visit)(bounded(&self.pair), self.position);
        self.position += 1;
    }
}

/// The word in a piece that is nothing but an ASCII word, perhaps capitalised, between marks of a sentence. Most
/// pieces of prose are.
fn plain_word(piece: &str) -> Option<&str> {
    let word =
        piece.trim_start_matches(['"', '(', '[']).trim_end_matches(['.', ',', ';', ':', '!', '?', '"', ')', ']']);
    let (first, others) = word.as_bytes().split_first()?;
    (first.is_ascii_alphabetic() && others.iter().all(u8::is_ascii_lowercase)).then_some(word)
}

/// True at the start of a word, and at an underscore, which may begin an identifier.
fn begins_word(text: &str) -> bool {
    text.chars()
        .next()
        .is_some_and(|character| matches!(character_class(character), Lower | Upper | Digit | Underscore))
}

/// True for the `s` of `URLs` or `IDs`, which is no word of its own; short words are not stemmed, so it is dropped.
fn is_plural_ending(character: char, after: &str) -> bool {
    let mut following = after.chars().map(character_class);
    character == 's'
        && match following.next() {
            Some(Lower | Mark | Digit) => false,
            Some(Upper) => following.next() == Some(Lower),
            _ => true,
        }
}

/// Languages whose name would be a single letter without its symbol.
fn language_with_symbol(name: &str, symbol: char, after: &str) -> Option<&'static str> {
    match (name, symbol) {
        ("c", '+') if after.starts_with('+') => Some("cpp"),
        ("c", '#') => Some("csharp"),
        ("f", '#') => Some("fsharp"),
        _ => None,
    }
}

fn bounded(term: &str) -> &str {
    &term[..term.floor_char_boundary(MAX_TERM_BYTES)]
}
