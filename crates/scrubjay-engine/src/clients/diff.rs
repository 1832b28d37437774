//! What changes in a file, for people.

/// How many lines are shown around a change.
const AROUND: usize = 2;

/// The lines that go and come, with a few around them.
#[must_use]
pub fn diff(before: &str, after: &str) -> String {
    let (old, new): (Vec<&str>, Vec<&str>) = (before.lines().collect(), after.lines().collect());
    let lines = script(&old, &new);
    let changed: Vec<bool> = lines.iter().map(|(mark, _)| *mark != ' ').collect();
    let mut text = String::new();
    let mut skipped = false;
    for (at, (mark, line)) in lines.iter().enumerate() {
        let near = changed[at.saturating_sub(AROUND)..(at + AROUND + 1).min(changed.len())].contains(&true);
        if near {
            if skipped && !text.is_empty() {
                text.push_str("  …\n");
            }
            text.push_str(&format!("{mark} {line}\n"));
        }
        skipped = !near;
    }
    text
}

// The shortest way from one list of lines to the other. Settings are short; for
// a file of many thousand lines, the ends that agree are taken off first.
fn script<'a>(old: &[&'a str], new: &[&'a str]) -> Vec<(char, &'a str)> {
    let head = old.iter().zip(new).take_while(|(a, b)| a == b).count();
    let rest = old.len().min(new.len()) - head;
    let tail = old.iter().rev().zip(new.iter().rev()).take(rest).take_while(|(a, b)| a == b).count();
    let (mid_old, mid_new) = (&old[head..old.len() - tail], &new[head..new.len() - tail]);
    let mut lines: Vec<(char, &str)> = old[..head].iter().map(|line| (' ', *line)).collect();
    if mid_old.len().saturating_mul(mid_new.len()) > 4_000_000 {
        lines.extend(mid_old.iter().map(|line| ('-', *line)));
        lines.extend(mid_new.iter().map(|line| ('+', *line)));
    } else {
        lines.extend(middle(mid_old, mid_new));
    }
    lines.extend(old[old.len() - tail..].iter().map(|line| (' ', *line)));
    lines
}

fn middle<'a>(old: &[&'a str], new: &[&'a str]) -> Vec<(char, &'a str)> {
    // common[i][j]: how many lines of old[i..] and new[j..] agree at most.
    let mut common = vec![vec![0_u32; new.len() + 1]; old.len() + 1];
    for i in (0..old.len()).rev() {
        for j in (0..new.len()).rev() {
            common[i][j] =
                if old[i] == new[j] { common[i + 1][j + 1] + 1 } else { common[i + 1][j].max(common[i][j + 1]) };
        }
    }
    let (mut i, mut j) = (0, 0);
    let mut lines = Vec::new();
    while i < old.len() || j < new.len() {
        if i < old.len() && j < new.len() && old[i] == new[j] {
            lines.push((' ', old[i]));
            (i, j) = (i + 1, j + 1);
        } else if j == new.len() || (i < old.len() && common[i + 1][j] >= common[i][j + 1]) {
            lines.push(('-', old[i]));
            i += 1;
        } else {
            lines.push(('+', new[j]));
            j += 1;
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_are_shown_with_what_surrounds_them() {
        assert_eq!(diff("a\nb\nc\n", "a\nb\nc\n"), "");
        assert_eq!(diff("a\nb\nc\n", "a\nx\nc\n"), "  a\n- b\n+ x\n  c\n");
        assert_eq!(diff("", "a\n"), "+ a\n");
        assert_eq!(diff("a\n", ""), "- a\n");
        let long: String = (0..20).map(|number| format!("{number}\n")).collect();
        let shown = diff(&long, &long.replace("3\n", "x\n").replace("17\n", "y\n"));
        assert!(shown.contains("…") && !shown.contains("  9\n"), "{shown}");
    }
}
