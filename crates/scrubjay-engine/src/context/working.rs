//! Working memory: the task, its constraints, the last tool results and as much
//! of the conversation as fits, the newest first.

use scrubjay_ingest::Vocabulary;

use super::cut::shorten;
use super::left_out::LeftOut;

/// A message of a conversation.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Message {
    /// Who says it.
    pub role: String,
    /// What is said.
    pub content: String,
}

/// What an agent works on right now.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Work {
    /// What is to be done.
    pub task: String,
    /// What must be kept to.
    pub constraints: Vec<String>,
    /// What tools gave back, oldest first: the tool's name, if known, and its
    /// result.
    pub tool_results: Vec<(String, String)>,
    /// The conversation, oldest first.
    pub conversation: Vec<Message>,
}

/// Working memory, fitted into a number of tokens.
#[derive(Debug, Clone, Default)]
pub struct Fitted {
    /// The messages, oldest first.
    pub messages: Vec<Message>,
    /// Their exact number of tokens.
    pub tokens: usize,
    /// What did not fit.
    pub left_out: Vec<LeftOut>,
    /// Whether more room would help.
    pub hungry: bool,
}

/// Splits a conversation before it is shortened: what may be summarised, and the
/// last messages, which stay as they are.
#[must_use]
pub fn recency_buffer<T>(messages: &[T], keep: usize) -> (&[T], &[T]) {
    messages.split_at(messages.len().saturating_sub(keep))
}

impl Work {
    /// The tokens of all of it.
    #[must_use]
    pub fn tokens(&self, vocabulary: Vocabulary) -> usize {
        let texts = std::iter::once(&self.task)
            .chain(&self.constraints)
            .chain(self.tool_results.iter().map(|(_, result)| result))
            .chain(self.conversation.iter().map(|message| &message.content));
        texts.map(|text| vocabulary.count(text)).sum()
    }

    /// Fits it into `budget` tokens: the task and its constraints first, then the
    /// newest messages and up to `tool_results` of the last tool results.
    #[must_use]
    pub fn fit(&self, budget: usize, tool_results: usize, slack: usize, vocabulary: Vocabulary) -> Fitted {
        let mut fitted = Fitted::default();
        let head = self.head(budget, slack, vocabulary, &mut fitted);
        let left = budget.saturating_sub(vocabulary.count(&head));
        let (old, last) = recency_buffer(&self.tool_results, tool_results);
        for (tool, result) in old {
            let what = if tool.is_empty() { "tool result".to_owned() } else { format!("result of {tool}") };
            fitted.left_out.push(LeftOut::new(
                what,
                "working",
                "older than the last results",
                vocabulary.count(result),
            ));
        }
        // Results get half of the room if the conversation wants the other half.
        let wanted: usize = last.iter().map(|result| vocabulary.count(&lines(result))).sum::<usize>() + RESULTS_TOKENS;
        let reserved = if last.is_empty() { 0 } else { wanted.min(left / 2) };
        let mut conversation = Fitted::default();
        self.talk(left - reserved, slack, vocabulary, &mut conversation);
        let mut results = Fitted::default();
        let tools = tool_lines(last, left - conversation.tokens, slack, vocabulary, &mut results);
        // What the results did not need goes back to the conversation.
        let used = vocabulary.count(&tools);
        if conversation.hungry && left > used + conversation.tokens {
            conversation = Fitted::default();
            self.talk(left - used, slack, vocabulary, &mut conversation);
        }
        fitted.hungry |= conversation.hungry || results.hungry;
        fitted.left_out.append(&mut conversation.left_out);
        fitted.left_out.append(&mut results.left_out);
        let head = format!("{head}{tools}").trim_end().to_owned();
        if !head.is_empty() {
            fitted.messages.push(Message { role: "user".to_owned(), content: head });
        }
        fitted.messages.append(&mut conversation.messages);
        fitted.tokens = fitted.messages.iter().map(|message| vocabulary.count(&message.content)).sum();
        fitted
    }

    fn head(&self, budget: usize, slack: usize, vocabulary: Vocabulary, fitted: &mut Fitted) -> String {
        let mut head = String::new();
        if !self.task.trim().is_empty() {
            let room = budget.saturating_sub(vocabulary.count(TASK) + 1);
            match shorten(self.task.trim(), room, slack, vocabulary) {
                Some(task) => {
                    fitted.hungry |= task != self.task.trim();
                    head = format!("{TASK}{task}\n");
                }
                None => {
                    let tokens = vocabulary.count(&self.task);
                    fitted.left_out.push(LeftOut::new("the task".to_owned(), "working", "no room", tokens));
                    fitted.hungry = true;
                    return head;
                }
            }
        }
        for (number, constraint) in self.constraints.iter().enumerate() {
            let heading = if number == 0 { CONSTRAINTS } else { "" };
            let longer = format!("{head}{heading}- {}\n", constraint.trim());
            if vocabulary.count(&longer) <= budget {
                head = longer;
            } else {
                let tokens = vocabulary.count(constraint);
                fitted.left_out.push(LeftOut::new(format!("constraint {}", number + 1), "working", "no room", tokens));
                fitted.hungry = true;
            }
        }
        head
    }

    // The newest messages that fit. The first that does not is cut; what is older
    // than that stays out.
    fn talk(&self, room: usize, slack: usize, vocabulary: Vocabulary, fitted: &mut Fitted) {
        let mut full = false;
        for (number, message) in self.conversation.iter().enumerate().rev() {
            let left = room - fitted.tokens;
            let tokens = vocabulary.count(&message.content);
            if message.content.trim().is_empty() {
                continue;
            }
            let content = if full {
                None
            } else if tokens <= left {
                Some(message.content.clone())
            } else {
                full = true;
                shorten(&message.content, left, slack, vocabulary).map(std::borrow::Cow::into_owned)
            };
            match content {
                Some(content) => {
                    fitted.tokens += vocabulary.count(&content);
                    fitted.messages.insert(0, Message { role: message.role.clone(), content });
                }
                None => {
                    let what = format!("message {}", number + 1);
                    fitted.left_out.push(LeftOut::new(what, "working", "older than what fits", tokens));
                }
            }
        }
        fitted.hungry = full;
    }
}

const TASK: &str = "[Current task]\n";
const CONSTRAINTS: &str = "\n[Constraints]\n";
const RESULTS: &str = "\n[Recent tool results]\n";
const RESULTS_TOKENS: usize = 8;

fn lines((tool, result): &(String, String)) -> String {
    let name = if tool.is_empty() { String::new() } else { format!("[{tool}] ") };
    format!("{name}{}\n", result.trim_end())
}

// The newest results that fit, oldest first.
fn tool_lines(
    results: &[(String, String)],
    room: usize,
    slack: usize,
    vocabulary: Vocabulary,
    fitted: &mut Fitted,
) -> String {
    let mut body = String::new();
    for result in results.iter().rev() {
        let own = lines(result);
        let whole = format!("{RESULTS}{own}{body}");
        if vocabulary.count(&whole) <= room {
            body = format!("{own}{body}");
            continue;
        }
        fitted.hungry = true;
        let left = room.saturating_sub(vocabulary.count(&format!("{RESULTS}{body}")) + 1);
        let cut = shorten(&own, left, slack, vocabulary).map(|own| format!("{own}\n{body}"));
        match cut.filter(|cut| vocabulary.count(&format!("{RESULTS}{cut}")) <= room) {
            Some(cut) => body = cut,
            None => {
                let what =
                    if result.0.is_empty() { "tool result".to_owned() } else { format!("result of {}", result.0) };
                fitted.left_out.push(LeftOut::new(what, "working", "no room", vocabulary.count(&result.1)));
            }
        }
    }
    if body.is_empty() { body } else { format!("{RESULTS}{body}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WORDS: Vocabulary = Vocabulary::Cl100kBase;

    fn message(content: &str) -> Message {
        Message { role: "user".to_owned(), content: content.to_owned() }
    }

    #[test]
    fn the_last_messages_are_preserved() {
        let messages: Vec<usize> = (0..25).collect();
        let (to_summarise, preserved) = recency_buffer(&messages, 10);
        assert_eq!((to_summarise.len(), preserved), (15, &messages[15..]));
        assert_eq!(recency_buffer(&messages[..3], 10), (&[][..], &messages[..3]));
        assert_eq!(recency_buffer::<u8>(&[], 10), (&[][..], &[][..]));
    }

    #[test]
    fn the_newest_stays_and_the_task_comes_first() {
        let work = Work {
            task: "Fix the parser".to_owned(),
            constraints: vec!["No new dependency".to_owned()],
            tool_results: (0..4).map(|number| ("grep".to_owned(), format!("match {number}"))).collect(),
            conversation: (0..20).map(|number| message(&format!("This is message number {number} of many."))).collect(),
        };
        let fitted = work.fit(120, 2, 4, WORDS);
        assert!(fitted.tokens <= 120 && fitted.tokens >= 108, "{}", fitted.tokens);
        let first = &fitted.messages[0].content;
        assert!(first.starts_with("[Current task]\nFix the parser\n\n[Constraints]\n- No new dependency\n"), "{first}");
        assert!(first.ends_with("[Recent tool results]\n[grep] match 2\n[grep] match 3"), "{first}");
        assert!(fitted.messages.last().unwrap().content.contains("number 19"));
        assert!(fitted.left_out.iter().any(|left| left.what == "message 1"));
        assert_eq!(fitted.left_out.iter().filter(|left| left.reason == "older than the last results").count(), 2);
    }

    #[test]
    fn no_room_is_said() {
        let work = Work { task: "Fix the parser".to_owned(), ..Work::default() };
        let fitted = work.fit(3, 5, 1, WORDS);
        assert!(fitted.messages.is_empty() && fitted.left_out[0].what == "the task");
    }
}
