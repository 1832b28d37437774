//! Long files: more than 600 lines outside tests need a reason, more than 1000 fail.
//!
//! The reason is a comment at the top of the file, `tidy: long because …`. A file that holds nothing but a table of
//! data says `tidy: data table` there and may be as long as its data; it must then hold no function.

use super::Finding;
use crate::rust_source::RustSource;
use crate::tree::{Tree, is_test_file};

const NEEDS_A_REASON_LINES: usize = 600;
const TOO_LONG_LINES: usize = 1000;
const LONG_MARK: &str = "tidy: long because";
const TABLE_MARK: &str = "tidy: data table";
/// A shorter text cannot say why.
const SHORTEST_REASON_CHARACTERS: usize = 15;

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    tree.rust_files().filter(|(path, _)| !is_test_file(path)).filter_map(|(path, source)| judge(path, source)).collect()
}

fn judge(path: &str, source: &RustSource) -> Option<Finding> {
    if source.header.iter().any(|comment| marked(comment, TABLE_MARK).is_some()) {
        let function = source.functions_with_body().into_iter().find(|index| {
            let line = source.tokens[*index].line;
            !source.is_test_line(line)
        })?;
        let line = source.tokens[function].line;
        return Some(Finding::violation(path, line, format!("a file marked `{TABLE_MARK}` holds no function")));
    }
    let lines = source.product_line_count();
    if lines > TOO_LONG_LINES {
        let message = format!("{lines} lines outside tests, the limit is {TOO_LONG_LINES}: split the file");
        return Some(Finding::violation(path, 1, message));
    }
    if lines > NEEDS_A_REASON_LINES && !has_reason(source) {
        let message =
            format!("{lines} lines outside tests: split the file, or say `{LONG_MARK} …` in a comment at its top");
        return Some(Finding::warning(path, 1, message));
    }
    None
}

fn has_reason(source: &RustSource) -> bool {
    source
        .header
        .iter()
        .filter_map(|comment| marked(comment, LONG_MARK))
        .any(|reason| reason.trim().chars().count() >= SHORTEST_REASON_CHARACTERS)
}

/// What follows a mark at the beginning of a comment.
fn marked<'a>(comment: &'a str, mark: &str) -> Option<&'a str> {
    comment.trim_start_matches(['/', '!', '*']).trim_start().strip_prefix(mark)
}

#[cfg(test)]
mod tests {
    use super::super::findings::expect_findings;
    use super::*;

    fn lines(count: usize) -> String {
        "const A: u8 = 1;\n".repeat(count)
    }

    #[test]
    fn length_is_judged_in_two_steps() {
        expect_findings(
            check,
            &[
                ("crates/a/src/fits.rs", &lines(600)),
                ("crates/a/src/long.rs", &lines(601)),
                ("crates/a/src/longer.rs", &lines(1000)),
                ("crates/a/src/too_long.rs", &lines(1001)),
            ],
            &[
                "crates/a/src/long.rs:1: warning: 601 lines",
                "crates/a/src/longer.rs:1: warning: 1000 lines",
                "crates/a/src/too_long.rs:1: 1001 lines",
            ],
        );
    }

    #[test]
    fn a_reason_lifts_the_first_limit_only() {
        let reason = "// tidy: long because the grammar is one table of states.\n";
        expect_findings(
            check,
            &[
                ("crates/a/src/explained.rs", &format!("{reason}{}", lines(900))),
                ("crates/a/src/excused.rs", &format!("// tidy: long because\n{}", lines(900))),
                ("crates/a/src/late.rs", &format!("{}{reason}", lines(900))),
                ("crates/a/src/too_long.rs", &format!("{reason}{}", lines(1000))),
            ],
            &[
                "crates/a/src/excused.rs:1: warning: ",
                "crates/a/src/late.rs:1: warning: ",
                "crates/a/src/too_long.rs:1: 1001 lines",
            ],
        );
    }

    #[test]
    fn tests_and_tables_are_exempt() {
        let test_module = format!("fn a() {{}}\n#[cfg(test)]\nmod tests {{\n{}}}\n", lines(2000));
        let table = format!("//! tidy: data table\n{}", lines(2000));
        expect_findings(
            check,
            &[
                ("crates/a/src/tests.rs", &lines(2000)),
                ("crates/a/tests/it/main.rs", &lines(2000)),
                ("crates/a/src/tested.rs", &test_module),
                ("crates/a/src/table.rs", &table),
                ("crates/a/src/no_table.rs", &format!("{table}fn logic() {{}}\n")),
            ],
            &["crates/a/src/no_table.rs:2002: a file marked"],
        );
    }
}
