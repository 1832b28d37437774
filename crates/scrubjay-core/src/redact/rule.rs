//! What one rule of the table is made of.

use super::prefix;

/// One kind of secret: how to notice it, how to delimit it, when to believe it, how to make a fake one.
#[derive(Debug, Clone, Copy)]
pub struct Rule {
    /// Stable name, as it appears in `[REDACTED:id]`.
    pub id: &'static str,
    /// What the secret opens, for people.
    pub description: &'static str,
    /// Lower-case literals, compared without case. A match begins `lead` bytes before one of them, so a text without
    /// any of them never runs, and never even compiles, the pattern.
    pub keywords: &'static [&'static str],
    /// Byte regular expression without Unicode classes, anchored by `\A` to the start of the match.
    pub pattern: &'static str,
    /// The capture group that holds the secret. Later groups are alternatives for it: the first that took part counts.
    pub secret_group: usize,
    /// Least Shannon entropy of the secret, in bits for each byte.
    pub minimum_entropy: Option<f32>,
    /// Fewest bytes of the match that stand before the keyword.
    pub lead_minimum: usize,
    /// Most bytes of the match that stand before the keyword.
    pub lead_maximum: usize,
    /// How much text the pattern sees at first, from the start of the match on. It bounds what a hostile text can cost;
    /// a match that reaches the end of it is tried again on all of the text.
    pub reach_bytes: usize,
    /// What has to follow the keyword before the pattern is tried at all.
    pub hint: Hint,
    /// What has to stand before the match.
    pub left_edge: LeftEdge,
    /// Whether the pattern matches the whole head of a table's column, so that the secrets are the cells below it.
    pub is_column: bool,
    /// The judgement on the captured value.
    pub filter: Filter,
    /// How to make fake values of this kind; never empty.
    pub examples: &'static [Example],
}

/// What may stand directly before a match. The pattern cannot say it, because it sees the text from its start on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LeftEdge {
    /// Anything.
    Any,
    /// No letter, digit or underscore, unless it ends an escape such as `\n`, `%3D`, `\u0022` or a terminal colour.
    Word,
    /// Like `Word`, or an underscore: `OPENAI_sk-…`, but not `task-…`.
    Joined,
    /// Like `Word`, and no hyphen or dot either: for tokens that are made of all of these.
    Token,
    /// The start of a word inside an identifier: `db_password`, `dbPassword`, `DB.PASSWORD`, but not `compassword`.
    Identifier,
    /// White space or a quotation mark: for values that reach from one blank to the next.
    Blank,
    /// A command-line flag that this word belongs to: `--db-password`.
    Flag,
    /// One of `;`, `&` or `?`, and spaces: the parts of a connection string or query.
    Separator,
    /// Nothing that would make a number part of something longer.
    Number,
}

/// A cheap condition on the text from the keyword on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Hint {
    /// None: the pattern is always tried.
    None,
    /// So many characters that tokens are made of, from the keyword on.
    Body(usize),
    /// So many characters in a row that tokens are made of, not far away.
    Run(usize),
    /// An operator after the rest of the name.
    Operator,
    /// A digit or a mark, not far away, as chosen passwords have it.
    Chosen,
    /// An `@` before the next white space.
    At,
    /// So many digits, very near.
    Digits(usize),
    /// The same as `Chosen`, but on one of the next lines.
    NextLine,
    /// One word, then the number 2.
    Numbered,
}

/// How the captured value is judged, after the pattern matched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Filter {
    /// The pattern alone decides.
    None,
    /// Not a placeholder.
    Token,
    /// Not a placeholder, and letters and digits both occur: for prefixes that ordinary words could share.
    Mixed,
    /// An unknown vendor's key in an assignment: long, random-looking, neither words nor code.
    Secret,
    /// A password in an assignment.
    Password,
    /// A password in a place where nothing but a password can stand.
    GivenPassword,
    /// A password named in a sentence.
    SpokenPassword,
    /// A password that follows the word without a verb; `password field2` is none.
    StatedPassword,
    /// A payment card number with a right check digit.
    Card,
    /// An armoured block with enough encoded text between its first and last line.
    Block,
    /// A run of distinct words.
    Phrase,
    /// As many numbered words as a recovery phrase can have.
    NumberedPhrase,
}

/// A way to make fake secrets: `secret` is a template, the text around it is literal.
///
/// In the template `{class:count}` stands for random characters of a class and `{uuid}`, `{card:prefix}` and
/// `{pem:lines}` for whole shapes; everything else is literal. `sample.rs` lists the classes.
#[derive(Debug, Clone, Copy)]
pub struct Example {
    /// Literal text that gives the context.
    pub before: &'static str,
    /// Template of the secret itself.
    pub secret: &'static str,
    /// Literal text that follows.
    pub after: &'static str,
}

/// A secret that needs no context.
pub(super) const fn bare(secret: &'static str) -> Example {
    Example { before: "", secret, after: "" }
}

/// A secret that is recognised by the words around it.
pub(super) const fn within(before: &'static str, secret: &'static str, after: &'static str) -> Example {
    Example { before, secret, after }
}

impl Rule {
    /// A self-describing token: a fixed prefix, then a body.
    pub(super) const fn token(
        id: &'static str,
        description: &'static str,
        keywords: &'static [&'static str],
        pattern: &'static str,
        examples: &'static [Example],
    ) -> Rule {
        Rule {
            id,
            description,
            keywords,
            pattern,
            secret_group: 1,
            minimum_entropy: None,
            lead_minimum: 0,
            lead_maximum: 0,
            reach_bytes: 4096,
            hint: Hint::Body(14),
            left_edge: prefix::left_edge(keywords),
            is_column: false,
            filter: Filter::Token,
            examples,
        }
    }

    /// A value that is recognised by what stands before it.
    pub(super) const fn keyed(
        id: &'static str,
        description: &'static str,
        keywords: &'static [&'static str],
        pattern: &'static str,
        examples: &'static [Example],
    ) -> Rule {
        Rule::token(id, description, keywords, pattern, examples)
            .left(LeftEdge::Identifier)
            .entropy(2.5)
            .hint(Hint::None)
    }

    /// The cells of a table below a head that the pattern matches.
    pub(super) const fn column(
        id: &'static str,
        description: &'static str,
        keywords: &'static [&'static str],
        pattern: &'static str,
        examples: &'static [Example],
    ) -> Rule {
        let mut rule = Rule::keyed(id, description, keywords, pattern, examples).whole().no_entropy();
        rule.is_column = true;
        rule
    }

    /// A value without a shape of its own, recognised by the vendor's name in the name it is assigned to.
    pub(super) const fn vendor(
        id: &'static str,
        description: &'static str,
        keywords: &'static [&'static str],
        pattern: &'static str,
        examples: &'static [Example],
    ) -> Rule {
        Rule::keyed(id, description, keywords, pattern, examples).hint(Hint::Run(14))
    }

    pub(super) const fn left(mut self, left_edge: LeftEdge) -> Rule {
        self.left_edge = left_edge;
        self
    }

    pub(super) const fn hint(mut self, hint: Hint) -> Rule {
        self.hint = hint;
        self
    }

    pub(super) const fn filter(mut self, filter: Filter) -> Rule {
        self.filter = filter;
        self
    }

    pub(super) const fn entropy(mut self, minimum_bits: f32) -> Rule {
        self.minimum_entropy = Some(minimum_bits);
        self
    }

    /// People choose passwords, so there is nothing to measure.
    pub(super) const fn no_entropy(mut self) -> Rule {
        self.minimum_entropy = None;
        self
    }

    /// The match begins this many bytes before the keyword, at the start of a word.
    pub(super) const fn lead(mut self, minimum: usize, maximum: usize) -> Rule {
        self.lead_minimum = minimum;
        self.lead_maximum = maximum;
        self.left_edge = LeftEdge::Word;
        self.hint(Hint::Run(14))
    }

    /// The pattern sees this much text at first.
    pub(super) const fn near(mut self, reach_bytes: usize) -> Rule {
        self.reach_bytes = reach_bytes;
        self
    }

    /// The pattern sees all of the text. Only for a left edge that lets no two matches begin in one run of characters.
    pub(super) const fn far(mut self) -> Rule {
        self.reach_bytes = usize::MAX;
        self
    }

    /// The whole match is the secret.
    pub(super) const fn whole(mut self) -> Rule {
        self.secret_group = 0;
        self
    }
}
