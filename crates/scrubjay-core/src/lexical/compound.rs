//! What stands between two separators: a word, an identifier, a path, a number, a date.
//!
//! The letters are gathered in lower case and without what binds them, so that a part is a slice of them and the
//! joined whole is a longer slice. Nothing is copied to join.

use super::analyzer::MAX_TERM_BYTES;

/// A compound is cut after this many parts, so that a text without separators needs no unbounded memory.
const MAX_PARTS: usize = 64;
/// A run of letters and digits that changes between the two this often is a hash or an encoding, not a name.
const OPAQUE_CHANGES: usize = 5;

/// How a part is bound to the one before it; the loosest binding is the greatest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Binding {
    /// A change of case or between letter and digit.
    Hump,
    Underscore,
    Joint,
    Apostrophe,
    Slash,
}

#[derive(Debug, Clone, Copy)]
struct WordPart {
    start: usize,
    end: usize,
    binding: Binding,
}

/// The compound being read. It is reused for the whole text.
pub(super) struct Compound {
    letters: String,
    parts: Vec<WordPart>,
    /// Where the part being read begins in `letters`.
    part_start: usize,
    binding: Binding,
    /// The steps of a web address are not joined: nobody asks for them in one word.
    is_address: bool,
}

impl Compound {
    pub(super) fn new() -> Self {
        Self {
            letters: String::with_capacity(128),
            parts: Vec::with_capacity(16),
            part_start: 0,
            binding: Binding::Hump,
            is_address: false,
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.letters.is_empty()
    }

    pub(super) fn is_full(&self) -> bool {
        self.parts.len() >= MAX_PARTS
    }

    /// The part being read, as far as it was read.
    pub(super) fn open_part(&self) -> &str {
        self.letters.get(self.part_start..).unwrap_or_default()
    }

    pub(super) fn mark_address(&mut self) {
        self.is_address = true;
    }

    pub(super) fn push(&mut self, character: char) {
        if self.letters.len() - self.part_start >= MAX_TERM_BYTES {
            return;
        }
        if character.is_ascii() {
            self.letters.push(character.to_ascii_lowercase());
        } else {
            self.letters.extend(character.to_lowercase());
        }
    }

    /// Ends the part being read; the next one is bound to it by `binding`.
    pub(super) fn break_part(&mut self, binding: Binding) {
        self.close_part();
        // Of two bindings in a row, as in `self._name`, the looser one counts.
        self.binding = self.binding.max(binding);
    }

    /// Ends the part being read before its last character, which begins the next: `HTTPServer` at `S`.
    pub(super) fn break_before_last(&mut self) {
        let Some((last, _)) = self.open_part().char_indices().next_back() else {
            return;
        };
        let split = self.part_start + last;
        if last > 0 {
            self.parts.push(WordPart { start: self.part_start, end: split, binding: self.binding });
            self.binding = Binding::Hump;
            self.part_start = split;
        }
    }

    /// Hands every term of the compound to `emit` with the number of the part it begins at, and starts afresh.
    /// Returns how many parts there were.
    pub(super) fn finish(&mut self, mut emit: impl FnMut(&str, usize)) -> usize {
        self.close_part();
        self.collapse_opaque_runs();
        let count = self.parts.len();
        if count > 0 {
            self.emit_path(&mut emit);
            self.letters.clear();
            self.parts.clear();
            self.part_start = 0;
        }
        self.binding = Binding::Hump;
        self.is_address = false;
        count
    }

    fn close_part(&mut self) {
        let end = self.letters.len();
        let start = self.part_start;
        if start == end {
            return;
        }
        if self.binding == Binding::Apostrophe
            && let Some(owner) = self.parts.last_mut()
        {
            let (before, ending) = self.letters.split_at(start);
            match ending {
                // `don't` is one word; the ending alone means nothing.
                "t" if before.ends_with('n') => {
                    owner.end = end;
                    self.part_start = end;
                    self.binding = Binding::Hump;
                    return;
                }
                "s" | "re" | "ve" | "ll" | "d" | "m" => {
                    self.letters.truncate(start);
                    self.binding = Binding::Hump;
                    return;
                }
                _ => {}
            }
        }
        self.parts.push(WordPart { start, end, binding: self.binding });
        self.part_start = end;
        self.binding = Binding::Hump;
    }

    /// Makes one part of each run that changes so often between letters and digits, or between cases, that its
    /// pieces are noise.
    fn collapse_opaque_runs(&mut self) {
        if self.parts.len() <= OPAQUE_CHANGES {
            return;
        }
        let mut kept: Vec<WordPart> = Vec::with_capacity(self.parts.len());
        for run in self.parts.chunk_by(|_, next| next.binding == Binding::Hump) {
            match (run.first(), run.last()) {
                (Some(first), Some(last)) if self.is_opaque(run) => kept.push(WordPart { end: last.end, ..*first }),
                _ => kept.extend_from_slice(run),
            }
        }
        self.parts = kept;
    }

    fn is_opaque(&self, run: &[WordPart]) -> bool {
        let begins_with_digit =
            |part: &WordPart| self.letters.as_bytes().get(part.start).is_some_and(u8::is_ascii_digit);
        let changes = run.windows(2).filter(|pair| begins_with_digit(&pair[0]) != begins_with_digit(&pair[1])).count();
        let bytes = run.last().map_or(0, |part| part.end) - run.first().map_or(0, |part| part.start);
        changes >= OPAQUE_CHANGES || run.len() > OPAQUE_CHANGES && bytes < run.len() * 2
    }

    fn emit_path(&self, emit: &mut impl FnMut(&str, usize)) {
        let mut first_part = 0;
        for step in self.parts.chunk_by(|_, next| next.binding < Binding::Slash) {
            self.emit_step(step, first_part, emit);
            first_part += step.len();
        }
        let is_one_step = self.parts.iter().skip(1).all(|part| part.binding < Binding::Slash);
        if !is_one_step && !self.is_address {
            self.emit_joined(&self.parts, 0, emit);
        }
    }

    fn emit_step(&self, step: &[WordPart], first_part: usize, emit: &mut impl FnMut(&str, usize)) {
        let mut names = 0;
        let mut name_start = first_part;
        for name in step.chunk_by(|_, next| next.binding < Binding::Joint) {
            for (index, part) in name.iter().enumerate() {
                emit(self.slice(part.start, part.end), name_start + index);
            }
            if name.len() > 1 {
                self.emit_joined(name, name_start, emit);
            }
            names += 1;
            name_start += name.len();
        }
        if names > 1 {
            self.emit_joined(step, first_part, emit);
        }
    }

    fn emit_joined(&self, parts: &[WordPart], position: usize, emit: &mut impl FnMut(&str, usize)) {
        let (Some(first), Some(last)) = (parts.first(), parts.last()) else {
            return;
        };
        let joined = self.slice(first.start, last.end);
        emit(joined, position);
        // `v1.2.3` is also asked for as `1.2.3`.
        if let Some(version) = joined.strip_prefix('v')
            && parts.len() > 2
            && version.bytes().all(|byte| byte.is_ascii_digit())
        {
            emit(version, position);
        }
    }

    fn slice(&self, start: usize, end: usize) -> &str {
        self.letters.get(start..end).unwrap_or_default()
    }
}
