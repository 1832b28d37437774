//! The links and anchors of a Markdown text, without what stands in code.

use std::collections::BTreeSet;

#[derive(Debug, Default)]
pub(super) struct Markdown {
    /// Line and target of each link, as written.
    pub(super) links: Vec<(usize, String)>,
    /// What a `#fragment` may name: headings as slugs, and `id` or `name` attributes.
    pub(super) anchors: BTreeSet<String>,
}

pub(super) fn parse(text: &str) -> Markdown {
    let mut markdown = Markdown::default();
    let mut fence: Option<(char, usize)> = None;
    let mut paragraph: Option<&str> = None;
    for (index, line) in text.lines().enumerate() {
        let trimmed = line.trim();
        if let Some((mark, length)) = fence_of(trimmed) {
            match fence {
                None => fence = Some((mark, length)),
                // A closing fence has the same mark, is at least as long and carries no language.
                Some((open, least)) if open == mark && length >= least && trimmed.chars().all(|c| c == mark) => {
                    fence = None;
                }
                Some(_) => {}
            }
            paragraph = None;
            continue;
        }
        if fence.is_some() {
            continue;
        }
        if let Some(heading) = heading_of(line) {
            add_heading(&mut markdown.anchors, heading);
            paragraph = None;
        } else if let Some(heading) = paragraph.filter(|_| is_underline(trimmed)) {
            add_heading(&mut markdown.anchors, heading);
            paragraph = None;
        } else {
            let is_text = !trimmed.is_empty() && !trimmed.starts_with(['|', '>', '-', '*', '+', '<']);
            paragraph = is_text.then_some(trimmed);
        }
        let prose = without_code(line);
        let targets = inline_targets(&prose).into_iter().chain(definition_target(&prose));
        let attributes = ["href", "src"].iter().flat_map(|name| attribute_values(&prose, name));
        markdown.links.extend(targets.chain(attributes).map(|target| (index + 1, target)));
        markdown.anchors.extend(["id", "name"].iter().flat_map(|name| attribute_values(&prose, name)));
    }
    markdown
}

/// The slug under which a heading can be linked to: small letters, hyphens for spaces, no other punctuation.
pub(super) fn slug(heading: &str) -> String {
    visible_text(heading)
        .trim()
        .chars()
        .flat_map(char::to_lowercase)
        .filter_map(|character| match character {
            ' ' => Some('-'),
            '-' | '_' => Some(character),
            _ => character.is_alphanumeric().then_some(character),
        })
        .collect()
}

fn add_heading(anchors: &mut BTreeSet<String>, heading: &str) {
    let slug = slug(heading);
    let free = (1..).map(|count| format!("{slug}-{count}")).find(|numbered| !anchors.contains(numbered));
    if !anchors.insert(slug) {
        anchors.extend(free);
    }
}

fn fence_of(trimmed: &str) -> Option<(char, usize)> {
    let mark = trimmed.chars().next().filter(|mark| matches!(mark, '`' | '~'))?;
    let length = trimmed.chars().take_while(|character| *character == mark).count();
    let rest_is_language = mark == '~' || !trimmed[length..].contains('`');
    (length >= 3 && rest_is_language).then_some((mark, length))
}

fn heading_of(line: &str) -> Option<&str> {
    let indent = line.len() - line.trim_start_matches(' ').len();
    let rest = line.trim_start_matches(' ').trim_start_matches('#');
    let level = line.len() - indent - rest.len();
    let is_heading = indent <= 3 && (1..=6).contains(&level) && (rest.is_empty() || rest.starts_with([' ', '\t']));
    is_heading.then(|| rest.trim().trim_end_matches('#').trim_end())
}

fn is_underline(trimmed: &str) -> bool {
    !trimmed.is_empty() && (trimmed.chars().all(|mark| mark == '=') || trimmed.chars().all(|mark| mark == '-'))
}

/// A heading without the marks of links, code and tags.
fn visible_text(heading: &str) -> String {
    let mut text = String::new();
    let mut rest = heading;
    while let Some(character) = rest.chars().next() {
        rest = &rest[character.len_utf8()..];
        match character {
            '`' | '*' | '[' => {}
            ']' if rest.starts_with('(') => rest = rest.split_once(')').map_or("", |(_, after)| after),
            '<' => rest = rest.split_once('>').map_or(rest, |(_, after)| after),
            _ => text.push(character),
        }
    }
    text
}

/// The line with its code spans blanked.
fn without_code(line: &str) -> String {
    let mut prose = String::new();
    let mut rest = line;
    while let Some(start) = rest.find('`') {
        let ticks = rest[start..].chars().take_while(|character| *character == '`').count();
        let after = &rest[start + ticks..];
        prose.push_str(&rest[..start]);
        rest = match closing_ticks(after, ticks) {
            Some(end) => &after[end..],
            None => after,
        };
    }
    prose + rest
}

/// Where the code span ends: past a run of exactly as many ticks as opened it.
fn closing_ticks(text: &str, ticks: usize) -> Option<usize> {
    let mut position = 0;
    while let Some(start) = text[position..].find('`') {
        let begin = position + start;
        let run = text[begin..].chars().take_while(|character| *character == '`').count();
        position = begin + run;
        if run == ticks {
            return Some(position);
        }
    }
    None
}

/// The targets of `[text](target)` and `![text](target "title")`.
fn inline_targets(prose: &str) -> Vec<String> {
    prose.match_indices("](").filter_map(|(start, _)| target_at(&prose[start + 2..])).collect()
}

fn target_at(text: &str) -> Option<String> {
    let text = text.trim_start();
    if let Some(bracketed) = text.strip_prefix('<') {
        return bracketed.split_once('>').map(|(target, _)| target.to_string());
    }
    let mut depth = 0usize;
    let mut target = String::new();
    for character in text.chars() {
        match character {
            '(' => depth += 1,
            ')' if depth == 0 => return Some(target),
            ')' => depth -= 1,
            _ if character.is_whitespace() => return Some(target),
            _ => {}
        }
        target.push(character);
    }
    None
}

/// The target of `[label]: target`; a footnote has none.
fn definition_target(prose: &str) -> Option<String> {
    let (label, target) = prose.trim_start().strip_prefix('[')?.split_once("]:")?;
    if label.starts_with('^') || label.contains(']') {
        return None;
    }
    let target = target.split_whitespace().next()?;
    Some(target.trim_start_matches('<').trim_end_matches('>').to_string())
}

fn attribute_values(prose: &str, name: &str) -> Vec<String> {
    let start = format!(" {name}=\"");
    let tags = prose.split('<').skip(1).map(|tag| tag.split('>').next().unwrap_or(tag));
    tags.flat_map(|tag| tag.split(&start).skip(1).filter_map(|value| value.split('"').next()))
        .map(str::to_string)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn links(text: &str) -> Vec<(usize, String)> {
        parse(text).links
    }

    #[test]
    fn links_in_all_their_forms() {
        let text = "[a](one.md) and ![b](two.png \"title\")\n[c]: three.md\n<img src=\"four.png\">, [wrapped\ntext](five.md#x)\n\
                    [d](<six seven.md>) [e](a(b).md)\n";
        let expect = [
            (1, "one.md"),
            (1, "two.png"),
            (2, "three.md"),
            (3, "four.png"),
            (4, "five.md#x"),
            (5, "six seven.md"),
            (5, "a(b).md"),
        ];
        assert_eq!(links(text), expect.map(|(line, target)| (line, target.to_string())));
    }

    #[test]
    fn code_holds_no_links_and_no_headings() {
        let text = "`[a](no.md)` ``[b](`no.md`)`` [c](yes.md)\n```sh\n[d](no.md)\n# no\n````\n[e](after.md)\n\
                    ~~~\n```\n[f](no.md)\n# no\n~~~\n[^1]: no.md\n";
        assert_eq!(links(text), [(1, "yes.md".to_string()), (6, "after.md".to_string())]);
        assert!(parse(text).anchors.is_empty());
    }

    #[test]
    fn anchors_are_headings_and_ids() {
        let text = "# The `check` script\n## Why, and *how*?\n### A [link](x.md)\n## Twice\n## Twice\nUnder\n-----\n<a id=\"here\"></a>\n\
                    ####### no\n#no\ntext\n\n---\n## snake_case ##\n## Überblick\n";
        let anchors: Vec<_> = parse(text).anchors.into_iter().collect();
        let expect = [
            "a-link",
            "here",
            "snake_case",
            "the-check-script",
            "twice",
            "twice-1",
            "under",
            "why-and-how",
            "überblick",
        ];
        assert_eq!(anchors, expect);
    }

    #[test]
    fn torn_text_never_panics() {
        for text in ["](", "[a](", "[a](<", "`", "```", "<a id=\"", "[a]:", "# ", "[", "é`é``é", "]("] {
            parse(text);
        }
    }
}
