//! The little of git's configuration format that is needed: sections, subsections, keys, quoting and continuation.

/// One `key = value` with the section it stands in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Variable {
    /// The section's name, lower-cased.
    pub(super) section: String,
    /// The subsection, as written; empty when there is none.
    pub(super) subsection: String,
    /// The key, lower-cased.
    pub(super) key: String,
    /// The value without quotes and comments; a key without `=` has the value `true`, as in git.
    pub(super) value: String,
}

/// What was read, and the lines that made no sense.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct GitConfig {
    /// All variables in file order.
    pub(super) variables: Vec<Variable>,
    /// The first line that is not git configuration, from 1. Git would refuse the file; here the rest is used.
    pub(super) broken_line: Option<usize>,
}

/// Reads a configuration. Never fails: lines that make no sense are skipped and the first of them is reported.
pub(super) fn parse(text: &str) -> GitConfig {
    let mut config = GitConfig::default();
    let mut section: Option<(String, String)> = None;
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut lines = text.lines().enumerate();
    while let Some((number, line)) = lines.next() {
        let mut rest = line.trim();
        let mut understood = true;
        if rest.starts_with('[') {
            match header(rest) {
                Some((name, after)) => {
                    section = Some(name);
                    rest = after.trim();
                }
                None => {
                    // What follows belongs to a section nobody knows, and must not end up in the one before.
                    section = None;
                    rest = "";
                    understood = false;
                }
            }
        }
        if !rest.is_empty() && !rest.starts_with(['#', ';']) {
            let more = &mut || lines.next().map(|(_, line)| line);
            match (&section, variable(rest, more)) {
                (Some((section, subsection)), Some((key, value))) => {
                    let (section, subsection) = (section.clone(), subsection.clone());
                    config.variables.push(Variable { section, subsection, key, value });
                }
                _ => understood = false,
            }
        }
        if !understood {
            config.broken_line.get_or_insert(number + 1);
        }
    }
    config
}

impl GitConfig {
    /// The address of `origin`, else of the first remote that has one.
    pub(super) fn remote(&self) -> Option<&str> {
        let is_url = |variable: &&Variable| {
            variable.section == "remote"
                && variable.key == "url"
                && !variable.subsection.is_empty()
                && !variable.value.trim().is_empty()
        };
        let mut urls = self.variables.iter().filter(is_url);
        let first = urls.clone().next()?;
        Some(&urls.find(|variable| variable.subsection == "origin").unwrap_or(first).value)
    }

    /// The last value of a variable without subsection, which is the one that counts.
    pub(super) fn value(&self, section: &str, key: &str) -> Option<&str> {
        let matches =
            |variable: &&Variable| variable.section == section && variable.subsection.is_empty() && variable.key == key;
        self.variables.iter().rev().find(matches).map(|variable| variable.value.as_str())
    }
}

/// `[section]`, `[section "sub"]` or the old `[section.sub]`, and what follows on the line.
fn header(line: &str) -> Option<((String, String), &str)> {
    let inside = line.strip_prefix('[')?;
    let name_end = inside.find(|character: char| !is_name_char(character) && character != '.')?;
    let (name, rest) = inside.split_at(name_end);
    if name.is_empty() {
        return None;
    }
    if let Some(after) = rest.strip_prefix(']') {
        let (section, subsection) = name.split_once('.').unwrap_or((name, ""));
        return Some(((section.to_ascii_lowercase(), subsection.to_ascii_lowercase()), after));
    }
    let quoted = rest.trim_start().strip_prefix('"')?;
    let mut subsection = String::new();
    let mut characters = quoted.char_indices();
    while let Some((at, character)) = characters.next() {
        match character {
            '"' => {
                let after = quoted[at + 1..].strip_prefix(']')?;
                return Some(((name.to_ascii_lowercase(), subsection), after));
            }
            '\\' => subsection.push(characters.next()?.1),
            _ => subsection.push(character),
        }
    }
    None
}

/// `key = value`, where the value may go on behind a backslash at the line's end.
fn variable<'a>(line: &'a str, more: &mut dyn FnMut() -> Option<&'a str>) -> Option<(String, String)> {
    let name_end = line.find(|character: char| !is_name_char(character)).unwrap_or(line.len());
    let (name, rest) = line.split_at(name_end);
    if !name.starts_with(|first: char| first.is_ascii_alphabetic()) {
        return None;
    }
    let rest = rest.trim_start();
    let name = name.to_ascii_lowercase();
    if rest.is_empty() || rest.starts_with(['#', ';']) {
        return Some((name, "true".to_owned()));
    }
    Some((name, value(rest.strip_prefix('=')?.trim_start(), more)?))
}

fn value<'a>(start: &'a str, more: &mut dyn FnMut() -> Option<&'a str>) -> Option<String> {
    let mut value = String::new();
    // Blanks outside quotes count only when something follows them.
    let mut kept_bytes = 0;
    let mut quoted = false;
    let mut line = start;
    'lines: loop {
        let mut characters = line.chars();
        while let Some(character) = characters.next() {
            match character {
                '"' => {
                    quoted = !quoted;
                    kept_bytes = value.len();
                }
                '#' | ';' if !quoted => break 'lines,
                '\\' => match characters.next() {
                    None => match more() {
                        Some(next) => {
                            line = next;
                            continue 'lines;
                        }
                        None => break 'lines,
                    },
                    Some(escaped) => {
                        value.push(match escaped {
                            'n' => '\n',
                            't' => '\t',
                            'b' => '\u{8}',
                            '"' | '\\' => escaped,
                            _ => return None,
                        });
                        kept_bytes = value.len();
                    }
                },
                _ => {
                    value.push(character);
                    if quoted || !character.is_whitespace() {
                        kept_bytes = value.len();
                    }
                }
            }
        }
        break;
    }
    value.truncate(kept_bytes);
    (!quoted).then_some(value)
}

fn is_name_char(character: char) -> bool {
    character.is_ascii_alphanumeric() || character == '-'
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn check(text: &str, remote: Option<&str>, broken_line: Option<usize>) {
        let config = parse(text);
        assert_eq!(config.remote(), remote, "{text}");
        assert_eq!(config.broken_line, broken_line, "{text}");
    }

    #[test]
    fn remotes_are_found() {
        check("", None, None);
        check(
            "[core]\n\tbare = false\n[remote \"origin\"]\n\turl = git@h:a/b.git\n\tfetch = +refs/*\n",
            Some("git@h:a/b.git"),
            None,
        );
        check("[remote \"up\"]\nurl = u\n[remote \"origin\"]\nurl = o\n", Some("o"), None);
        check("[remote \"up\"]\nurl = u\n[remote \"fork\"]\nurl = f\n", Some("u"), None);
        check("[remote \"origin\"]\nfetch = x\n[remote \"up\"]\nurl = u\n", Some("u"), None);
        check("[remote \"origin\"]\nurl = first\nurl = second\n", Some("first"), None);
        check("[remote \"origin\"]\nurl =\n[remote \"up\"]\nurl = u\n", Some("u"), None);
        check("[remote]\npushDefault = x\nurl = no\n", None, None);
        check("[url \"https://x/\"]\ninsteadOf = y\n", None, None);
    }

    #[test]
    fn the_format_is_understood() {
        check("\u{feff}[REMOTE \"origin\"]\r\n\tURL = a ; comment\r\n", Some("a"), None);
        check("[remote \"origin\"] url = a # comment\n", Some("a"), None);
        check("[remote.origin]\nurl=a\n", Some("a"), None);
        check("# [remote \"x\"]\n; url = x\n[remote \"a\\\"b\\\\\"]\nurl = a\n", Some("a"), None);
        check("[remote \"origin\"]\nurl = \"a # b\" c \n", Some("a # b c"), None);
        check("[remote \"origin\"]\nurl = a\\\n  b\n", Some("a  b"), None);
        check("[remote \"origin\"]\nurl = a\\", Some("a"), None);
        check("[remote \"origin\"]\nurl = \"a\\t\\\\\\\"\"\n", Some("a\t\\\""), None);
        check("[remote \"Origin\"]\nurl = other\n[remote \"origin\"]\nurl = a\n", Some("a"), None);
        let config = parse("[core]\nworktree = a\nbare\nworktree = b\n");
        assert_eq!((config.value("core", "worktree"), config.value("core", "bare")), (Some("b"), Some("true")));
        assert_eq!(config.value("core", "none"), None);
    }

    #[test]
    fn nonsense_is_skipped_and_reported() {
        check("nonsense = 1\n[remote \"origin\"]\nurl = a\n", Some("a"), Some(1));
        check("[remote \"origin\"]\n!!!\nurl = a\n???\n", Some("a"), Some(2));
        check("[remote \"origin\"]\n[broken\nurl = a\n", None, Some(2));
        check("[remote \"origin\nurl = a\n", None, Some(1));
        check("[remote \"origin\"]\nurl = \"open\n", None, Some(2));
        check("[remote \"origin\"]\nurl = a\\qb\n", None, Some(2));
        check("[]\nurl = a\n", None, Some(1));
        check("<<<<<<< HEAD\n[remote \"origin\"]\nurl = a\n", Some("a"), Some(1));
    }

    proptest! {
        #[test]
        fn any_text_is_survived(text in "(\\PC|\n|\\[remote \"|\\]|url = |\\\\\n|\"){0,40}") {
            parse(&text).remote();
        }

        #[test]
        fn a_quoted_value_reads_back(value in "\\PC{1,20}") {
            let escaped = value.replace('\\', "\\\\").replace('"', "\\\"");
            let config = parse(&format!("[remote \"origin\"]\n\turl = \"{escaped}\"\n"));
            prop_assert_eq!(config.variables[0].value.as_str(), value.as_str());
        }
    }
}
