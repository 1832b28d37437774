//! Where Scrubjay lives: its home folder, the user's configuration file, and names that become file names.

use std::path::{Path, PathBuf};

use super::error::ConfigError;
use super::origin::Origin;

/// Name of the user's configuration file.
const USER_FILE_NAME: &str = "config.toml";

/// The home folder: the flag, else `SCRUBJAY_HOME`, else `$XDG_DATA_HOME/scrubjay`, else
/// `~/.local/share/scrubjay`. Always absolute; nothing is created. An empty variable counts as not set.
pub fn home_dir(flag: Option<&Path>, env: impl Fn(&str) -> Option<String>) -> Result<PathBuf, ConfigError> {
    match chosen_home(flag, &env)? {
        Some(home) => Ok(home),
        None => Ok(xdg_dir("XDG_DATA_HOME", ".local/share", &env)?.join("scrubjay")),
    }
}

/// The user's configuration file: `config.toml` in a home folder that was chosen by flag or `SCRUBJAY_HOME`, else
/// `$XDG_CONFIG_HOME/scrubjay/config.toml`, else `~/.config/scrubjay/config.toml`. It need not exist.
pub fn user_file(flag: Option<&Path>, env: impl Fn(&str) -> Option<String>) -> Result<PathBuf, ConfigError> {
    match chosen_home(flag, &env)? {
        Some(home) => Ok(home_user_file(&home)),
        None => Ok(xdg_dir("XDG_CONFIG_HOME", ".config", &env)?.join("scrubjay").join(USER_FILE_NAME)),
    }
}

/// Checks an agent's name, which becomes part of file names: 1 to 64 of `a-z 0-9 . _ -`, not starting with a dot.
pub fn validate_agent_name(name: &str) -> Result<(), ConfigError> {
    if is_agent_name(name) {
        return Ok(());
    }
    Err(ConfigError::AgentName { name: name.to_owned(), origin: Origin::Flag })
}

pub(super) fn is_agent_name(name: &str) -> bool {
    let allowed = |byte: u8| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'.' | b'_' | b'-');
    (1..=64).contains(&name.len()) && !name.starts_with('.') && name.bytes().all(allowed)
}

pub(super) fn home_user_file(home: &Path) -> PathBuf {
    home.join(USER_FILE_NAME)
}

fn chosen_home(flag: Option<&Path>, env: &impl Fn(&str) -> Option<String>) -> Result<Option<PathBuf>, ConfigError> {
    let variable = || env("SCRUBJAY_HOME").filter(|value| !value.is_empty()).map(PathBuf::from);
    let Some(path) = flag.map(Path::to_owned).or_else(variable) else {
        return Ok(None);
    };
    match std::path::absolute(&path) {
        Ok(absolute) => Ok(Some(absolute)),
        Err(source) => Err(ConfigError::Absolute { path, source }),
    }
}

/// A folder of the XDG Base Directory specification, which says that relative values are to be ignored.
fn xdg_dir(variable: &str, below_home: &str, env: &impl Fn(&str) -> Option<String>) -> Result<PathBuf, ConfigError> {
    let absolute = |name: &str| env(name).map(PathBuf::from).filter(|path| path.is_absolute());
    if let Some(folder) = absolute(variable) {
        return Ok(folder);
    }
    let home = absolute("HOME").ok_or(ConfigError::NoHome { variable: "HOME" })?;
    Ok(home.join(below_home))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(flag: Option<&str>, variables: &[(&str, &str)], home: &str, file: &str) {
        let env = |name: &str| {
            let found = variables.iter().find(|(variable, _)| *variable == name);
            found.map(|(_, value)| (*value).to_owned())
        };
        let flag = flag.map(Path::new);
        assert_eq!(home_dir(flag, env).unwrap(), Path::new(home), "{flag:?} {variables:?}");
        assert_eq!(user_file(flag, env).unwrap(), Path::new(file), "{flag:?} {variables:?}");
    }

    #[test]
    fn the_home_folder_is_found_in_order() {
        let user = ("HOME", "/u");
        check(Some("/f"), &[("SCRUBJAY_HOME", "/e"), user], "/f", "/f/config.toml");
        check(None, &[("SCRUBJAY_HOME", "/e"), ("XDG_DATA_HOME", "/x"), user], "/e", "/e/config.toml");
        check(None, &[("XDG_DATA_HOME", "/x"), user], "/x/scrubjay", "/u/.config/scrubjay/config.toml");
        check(None, &[("XDG_DATA_HOME", "/x"), ("XDG_CONFIG_HOME", "/c")], "/x/scrubjay", "/c/scrubjay/config.toml");
        let plain = ("/u/.local/share/scrubjay", "/u/.config/scrubjay/config.toml");
        check(None, &[user], plain.0, plain.1);
        check(None, &[("SCRUBJAY_HOME", ""), ("XDG_DATA_HOME", ""), user], plain.0, plain.1);
        check(None, &[("XDG_DATA_HOME", "relative"), ("XDG_CONFIG_HOME", "./c"), user], plain.0, plain.1);
    }

    #[test]
    fn a_relative_home_becomes_absolute() {
        let expected = std::env::current_dir().unwrap().join("here");
        assert_eq!(home_dir(Some(Path::new("here")), |_| None).unwrap(), expected);
        let variable = |name: &str| (name == "SCRUBJAY_HOME").then(|| "here".to_owned());
        assert_eq!(home_dir(None, variable).unwrap(), expected);
    }

    #[test]
    fn without_a_home_the_error_says_what_to_set() {
        for home in [None, Some(""), Some("relative")] {
            let env = |name: &str| {
                if name == "HOME" { home.map(str::to_owned) } else { None }
            };
            let message = home_dir(None, env).unwrap_err().to_string();
            assert!(message.contains("HOME is not set") && message.contains("--home DIR"), "{message}");
        }
        assert!(matches!(home_dir(Some(Path::new("")), |_| None), Err(ConfigError::Absolute { .. })));
    }

    #[test]
    fn agent_names() {
        let long = "a".repeat(64);
        for name in ["default", "a", "0", "work.2_x-y", "-", "_", "a..b", &long] {
            assert!(validate_agent_name(name).is_ok(), "{name}");
        }
        let too_long = "a".repeat(65);
        let refused =
            ["", ".", "..", ".hidden", "../x", "a/b", "a\\b", "A", "ä", "a b", "a\0", "a\n", "a:b", &too_long];
        for name in refused {
            let message = validate_agent_name(name).unwrap_err().to_string();
            assert!(message.contains("use 1 to 64 of a-z"), "{message}");
        }
    }
}
