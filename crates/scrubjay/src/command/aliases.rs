//! Other names of commands, and what people mean by words that are none.

/// Other names of a command, by its words.
pub(crate) fn of(words: &str) -> &'static [&'static str] {
    match words {
        "recall" => &["search", "find"],
        "list" => &["ls"],
        "forget" => &["rm"],
        "config show" => &["get"],
        _ => &[],
    }
}

/// The commands that do what someone means who types this word, the likeliest
/// first.
pub(crate) fn meant_by(word: &str) -> &'static [&'static str] {
    let word = word.to_lowercase();
    let found = MEANINGS.iter().find(|(words, _)| words.split(' ').any(|known| known == word));
    found.map_or(&[], |(_, commands)| commands)
}

/// Words, and the commands that they mean.
const MEANINGS: &[(&str, &[&str])] = &[
    ("delete del remove erase drop", &["forget", "purge"]),
    ("destroy wipe clear reset shred", &["purge", "forget"]),
    ("add save store note put new create insert write learn memorize memorise remind", &["remember"]),
    ("query ask lookup look grep q question retrieve what who where why when", &["recall"]),
    ("get view cat print read", &["show", "recall"]),
    ("update change modify replace rename", &["edit", "correct"]),
    ("fix mend", &["correct", "doctor --repair"]),
    ("revert rollback back", &["undo", "restore"]),
    ("unforget undelete recover", &["restore", "undo", "restore-backup"]),
    ("diff log changes audit blame", &["history", "logs"]),
    ("memories all facts", &["list", "list --kind fact"]),
    ("conversations chats threads history-of", &["sessions"]),
    ("people persons things names", &["entities"]),
    ("who-is whois about", &["entity"]),
    ("init setup connect wire hooks enable integrate", &["install"]),
    ("disconnect disable remove-hooks", &["uninstall"]),
    ("start up run daemon server listen", &["serve"]),
    ("kill quit down shutdown", &["stop"]),
    ("health check diagnose verify fsck", &["doctor", "status"]),
    ("info stat statistics count size summary-of", &["stats", "status"]),
    ("settings setting options preferences configure set", &["config show", "config set"]),
    ("dump download", &["export", "backup"]),
    ("load upload migrate ingest", &["import", "capture"]),
    ("message log-message record tell", &["capture", "remember"]),
    ("reindex rebuild scan crawl", &["index", "sync", "reembed"]),
    ("embed embeddings vectors vectorize", &["reembed"]),
    ("todo tasks", &["task show", "task begin"]),
    ("upgrade self-update", &["version"]),
    ("dedupe dedup duplicates merge", &["review", "consolidate"]),
    ("cost costs usage price bill money", &["spend"]),
    ("model providers llm", &["models"]),
    ("folders files vault sources-add", &["sources"]),
    ("queue work pending", &["jobs", "confirmations"]),
    ("approve accept yes allow", &["confirmations", "review keep"]),
    ("reject deny no", &["confirmations", "review reject"]),
    ("pin protect keep", &["confirm", "review keep"]),
    ("today week news weekly report summary", &["digest"]),
    ("gc vacuum cleanup clean prune tidy", &["maintain", "decay"]),
    ("auth login key keys", &["token"]),
    ("prompt augment", &["inject", "context"]),
    ("manual docs doc manpage manpages", &["help", "man"]),
    ("completion autocomplete shell", &["completions"]),
    ("example examples tutorial try tour", &["demo"]),
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::derive;

    #[test]
    fn what_is_meant_is_there_and_what_is_there_is_not_in_the_list() {
        let mut root = derive::root(80);
        root.build();
        let mut seen = std::collections::BTreeSet::new();
        for (words, commands) in MEANINGS {
            for word in words.split(' ') {
                assert!(root.find_subcommand(word).is_none(), "{word} is a command");
                assert!(seen.insert(word), "{word} is there twice");
            }
            for command in *commands {
                let mut level = &root;
                for word in command.split(' ').take_while(|word| !word.starts_with('-')) {
                    level = level.find_subcommand(word).unwrap_or_else(|| panic!("{command}"));
                }
            }
        }
        assert_eq!(meant_by("Delete"), ["forget", "purge"]);
        assert!(meant_by("zebra").is_empty());
    }
}
