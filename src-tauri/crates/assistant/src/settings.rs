//! The user's choices: one JSON file under Stet home, read by every Stet process, written whole.
//!
//! No key ever stands here (see `secrets`). What a newer version wrote and this one does not know is kept as it is; a file that
//! cannot be read is set aside and said, and the defaults hold.

use std::{
    collections::BTreeMap,
    fs, io,
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use ts_rs::TS;

const FILE: &str = "settings.json";

/// The language of the window.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum Language {
    /// As the system says.
    #[default]
    System,
    En,
    Zh,
}

/// The colours of the window.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum Theme {
    #[default]
    System,
    Light,
    Dark,
}

/// What happens with an edit that the assistant made.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum Review {
    /// It waits as a proposal.
    #[default]
    Ask,
    /// It is saved at once, with undo at hand.
    Commit,
}

/// One endpoint that serves models.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[ts(optional_fields)]
pub struct Provider {
    /// The word in `stet key set PROVIDER` and `model: "provider/model"`.
    pub id: String,
    pub name: String,
    pub base_url: String,
    /// The gateway's preset; recognised from the address when absent.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub dialect: Option<String>,
    #[serde(default)]
    pub models: Vec<String>,
    /// Servers on this machine often want no key.
    #[serde(default = "yes")]
    pub needs_key: bool,
    /// How many tokens its models take in at once, question and answer together; 64 000 is assumed when absent. The conversation is
    /// shortened to it.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub context_tokens: Option<u32>,
    /// Further headers, such as an organisation.
    #[serde(default)]
    pub headers: Vec<(String, String)>,
}

/// How long snapshots are kept; whatever is the only copy of something stays anyway.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(default)]
pub struct Retention {
    /// Snapshots older than this may go; 0 keeps them for ever.
    pub days: u32,
    /// Of one file at most this many are kept; 0 means no limit.
    pub per_file: u32,
    /// All together at most this many megabytes as stored; 0 means no limit.
    pub megabytes: u32,
}

impl Default for Retention {
    fn default() -> Retention {
        Retention { days: 180, per_file: 500, megabytes: 4_096 }
    }
}

/// Bounds of one assistant turn.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(default)]
pub struct TurnLimits {
    /// Requests to the model in one turn.
    pub steps: u32,
    /// Tokens in one turn, all requests together; 0 means no limit.
    pub tokens: u32,
    /// Seconds for one turn.
    pub seconds: u32,
    /// Text longer than this many characters goes through a fence or a Markdown Diff.
    pub inline_characters: u32,
}

impl Default for TurnLimits {
    fn default() -> TurnLimits {
        TurnLimits { steps: 24, tokens: 0, seconds: 900, inline_characters: 500 }
    }
}

/// Everything the user can choose.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, TS)]
#[serde(default)]
#[ts(optional_fields)]
pub struct Settings {
    pub language: Language,
    pub theme: Theme,
    pub review: Review,
    /// The author of tracked changes and comments; the system's user name when empty.
    pub author: String,
    /// `provider/model`, or `builtin`; the built-in model when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    pub providers: Vec<Provider>,
    pub retention: Retention,
    pub turn: TurnLimits,
    /// A fixed protocol for experiments: `function_call`, `fence`, `markdown_diff`, or `ab` for each in turn; chosen by payload when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub protocol: Option<String>,
    /// Files opened lately, newest first.
    pub recent: Vec<String>,
    /// Parts of documents that no model may see, by file id: `sheet:Data`, `range:Data!B2:D9`, `slide:256`, `notes`, `section:A > B`.
    pub kept_out: BTreeMap<String, Vec<String>>,
    /// What a newer version wrote.
    #[serde(flatten)]
    #[ts(skip)]
    pub unknown: Map<String, Value>,
}

/// Below this not even the tools and one short file fit.
pub const SMALLEST_CONTEXT: u32 = 2_048;

/// Recent files that are remembered.
const RECENT_KEPT: usize = 30;

fn yes() -> bool {
    true
}

impl Settings {
    /// Puts a file at the head of the recent ones.
    pub fn remember(&mut self, path: &str) {
        self.recent.retain(|known| known != path);
        self.recent.insert(0, path.to_owned());
        self.recent.truncate(RECENT_KEPT);
    }

    /// What cannot be as it is, in words; empty when everything can.
    pub fn problems(&self) -> Vec<String> {
        let mut problems = Vec::new();
        for (index, provider) in self.providers.iter().enumerate() {
            let is_word = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
            if provider.id.is_empty() || !provider.id.chars().all(is_word) {
                problems.push(format!(
                    "The provider id {:?} may hold letters, digits, `-`, `_` and `.` only.",
                    provider.id
                ));
            }
            if self.providers.iter().take(index).any(|other| other.id == provider.id) {
                problems.push(format!("Two providers have the id {:?}.", provider.id));
            }
            if provider.context_tokens.is_some_and(|tokens| tokens < SMALLEST_CONTEXT) {
                problems.push(format!("A model needs a context of at least {SMALLEST_CONTEXT} tokens."));
            }
            if !provider.base_url.starts_with("http://") && !provider.base_url.starts_with("https://") {
                problems.push(format!(
                    "The address {:?} does not begin with http:// or https://.",
                    provider.base_url
                ));
            }
        }
        if self.turn.steps == 0 || self.turn.seconds == 0 {
            problems.push("A turn needs at least one step and one second.".into());
        }
        let protocols = ["function_call", "fence", "markdown_diff", "ab"];
        if self.protocol.as_deref().is_some_and(|protocol| !protocols.contains(&protocol)) {
            problems.push(format!("`protocol` is one of {}.", protocols.join(", ")));
        }
        problems
    }
}

/// Why settings could not be read or written.
#[derive(Debug, thiserror::Error)]
pub enum SettingsError {
    #[error("could not {what} {path}: {source}")]
    Io { what: &'static str, path: PathBuf, source: io::Error },
    #[error("{0}")]
    Invalid(String),
}

/// Settings as read, and what was wrong with the file.
#[derive(Debug, Clone, Default)]
pub struct Loaded {
    pub settings: Settings,
    pub warning: Option<String>,
}

/// Reads the settings; no file means the defaults.
pub fn load(home: &Path) -> Result<Loaded, SettingsError> {
    let path = home.join(FILE);
    let text = match fs::read_to_string(&path) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Loaded::default()),
        Err(source) => return Err(SettingsError::Io { what: "read", path, source }),
    };
    match serde_json::from_str(&text) {
        Ok(settings) => Ok(Loaded { settings, warning: None }),
        Err(error) => {
            let aside = path.with_extension("damaged.json");
            fs::rename(&path, &aside).map_err(|source| SettingsError::Io {
                what: "set aside",
                path,
                source,
            })?;
            let warning =
                format!("The settings could not be read ({error}); they lie in {} now.", aside.display());
            Ok(Loaded { settings: Settings::default(), warning: Some(warning) })
        }
    }
}

/// Changes the settings by a partial object: given fields replace, `null` takes a field back to its default, the rest stays.
///
/// Refused as a whole when the result makes no sense; then nothing is written.
pub fn update(home: &Path, partial: &Value) -> Result<Settings, SettingsError> {
    let Value::Object(partial) = partial else {
        return Err(SettingsError::Invalid("The change is not an object.".into()));
    };
    change(home, |settings| {
        let mut whole =
            serde_json::to_value(&*settings).map_err(|error| SettingsError::Invalid(error.to_string()))?;
        merge(&mut whole, partial);
        *settings =
            serde_json::from_value(whole).map_err(|error| SettingsError::Invalid(error.to_string()))?;
        Ok(())
    })
}

/// Reads, changes and writes the settings while no other Stet process does.
pub fn change(
    home: &Path,
    work: impl FnOnce(&mut Settings) -> Result<(), SettingsError>,
) -> Result<Settings, SettingsError> {
    let lock_path = home.join("locks").join("settings.lock");
    let failed = |what| {
        let path = lock_path.clone();
        move |source| SettingsError::Io { what, path, source }
    };
    let lock = fs::File::create(&lock_path).map_err(failed("open"))?;
    lock.lock().map_err(failed("lock"))?;
    let mut settings = load(home)?.settings;
    work(&mut settings)?;
    let problems = settings.problems();
    if !problems.is_empty() {
        return Err(SettingsError::Invalid(problems.join(" ")));
    }
    save(home, &settings)?;
    Ok(settings)
}

/// RFC 7396, except that lists are replaced whole like there.
fn merge(whole: &mut Value, partial: &Map<String, Value>) {
    let Value::Object(whole) = whole else { return };
    for (key, value) in partial {
        match value {
            Value::Null => {
                whole.shift_remove(key);
            }
            Value::Object(inner) if whole.get(key).is_some_and(Value::is_object) => {
                if let Some(existing) = whole.get_mut(key) {
                    merge(existing, inner);
                }
            }
            other => {
                whole.insert(key.clone(), other.clone());
            }
        }
    }
}

fn save(home: &Path, settings: &Settings) -> Result<(), SettingsError> {
    let path = home.join(FILE);
    let temporary = home.join("settings.json.new");
    let text =
        serde_json::to_string_pretty(settings).map_err(|error| SettingsError::Invalid(error.to_string()))?;
    let written = fs::write(&temporary, text + "\n")
        .and_then(|()| fs::File::open(&temporary)?.sync_all())
        .and_then(|()| fs::rename(&temporary, &path));
    written.map_err(|source| SettingsError::Io { what: "write", path, source })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn home() -> tempfile::TempDir {
        let home = tempfile::tempdir().unwrap();
        fs::create_dir(home.path().join("locks")).unwrap();
        home
    }

    #[test]
    fn partial_changes_keep_the_rest_and_what_is_unknown() {
        let home = home();
        fs::write(home.path().join(FILE), r#"{"theme":"dark","from_the_future":{"a":1}}"#).unwrap();
        let settings = update(home.path(), &json!({"retention": {"days": 7}, "author": "Ada"})).unwrap();
        assert_eq!(
            (settings.theme, settings.retention.days, settings.retention.per_file),
            (Theme::Dark, 7, 500)
        );
        let again = load(home.path()).unwrap().settings;
        assert_eq!(again, settings);
        assert_eq!(again.unknown["from_the_future"], json!({"a": 1}));
        assert_eq!(update(home.path(), &json!({"author": null})).unwrap().author, "");
    }

    #[test]
    fn nonsense_is_refused_and_nothing_written() {
        let home = home();
        let provider = |id: &str, url: &str| json!({"id": id, "name": "x", "base_url": url});
        for change in [
            json!({"theme": "purple"}),
            json!([]),
            json!({"providers": [provider("a b", "https://x")]}),
            json!({"providers": [provider("a", "ftp://x")]}),
            json!({"providers": [provider("a", "https://x"), provider("a", "https://y")]}),
            json!({"turn": {"steps": 0}}),
            json!({"providers": [{"id": "a", "name": "x", "base_url": "https://x", "context_tokens": 100}]}),
            json!({"providers": [{"id": "a", "name": "x", "base_url": "https://x", "context_tokens": -1}]}),
            json!({"protocol": "telepathy"}),
        ] {
            assert!(update(home.path(), &change).is_err(), "{change}");
        }
        assert!(!home.path().join(FILE).exists());
    }

    #[test]
    fn a_damaged_file_is_set_aside_and_said() {
        let home = home();
        fs::write(home.path().join(FILE), "{").unwrap();
        let loaded = load(home.path()).unwrap();
        assert!(loaded.warning.is_some() && home.path().join("settings.damaged.json").exists());
        assert_eq!(loaded.settings, Settings::default());
    }
}
