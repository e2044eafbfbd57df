//! The command line as clap reads it (CONTRACT, section 5).

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};

/// Edits Word, Excel, PowerPoint and text files in place: verified, revisioned, reversible.
#[derive(Debug, Parser)]
#[command(name = "stet", version)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Show what is in a document and where.
    Outline(OutlineArguments),
    /// Apply one batch of operations.
    Apply(ApplyArguments),
    /// Show what a batch would change, or what changed since a snapshot.
    Diff(DiffArguments),
    /// List the snapshots of a file, newest first.
    History(FileArguments),
    /// Bring a snapshot back as a new revision.
    Restore(RestoreArguments),
    /// Go one state back.
    Undo(StepArguments),
    /// Take one undo back.
    Redo(StepArguments),
    /// Check a document, alone or against another version.
    Verify(VerifyArguments),
    /// Make a file that does not exist yet.
    New(NewArguments),
    /// Say what should change; see it; agree.
    #[command(
        after_help = "Examples:\n  stet ask notes.md 'replace \"teh\" with \"the\"'\n  stet ask budget.xlsx '把B4设为120' --yes"
    )]
    Ask(AskArguments),
    /// Apply Markdown Diff blocks to a text file, all or none.
    Patch(PatchArguments),
    /// Keep a provider's key in the keychain, or remove it.
    Key {
        #[command(subcommand)]
        command: KeyCommand,
    },
    /// Show the local counters.
    Metrics {
        #[arg(long)]
        json: bool,
    },
    /// List the endpoints of the settings.
    Models {
        #[arg(long)]
        json: bool,
    },
    /// Give other programs whole, valid tool calls from any endpoint, until Ctrl-C.
    Proxy(ProxyArguments),
    /// Run the fixed edit test set against an endpoint.
    Eval(EvalArguments),
    /// Write completions for a shell.
    Completions { shell: clap_complete::Shell },
    /// Write the man page.
    Man,
}

#[derive(Debug, Args)]
pub(crate) struct AskArguments {
    /// The files (patterns with `*` and `?` are fine), and last the instruction.
    #[arg(required = true, num_args = 1.., value_name = "FILE… INSTRUCTION")]
    pub(crate) files_and_words: Vec<String>,
    /// `builtin`, or `provider/model`; the settings' choice when left out.
    #[arg(long)]
    pub(crate) model: Option<String>,
    /// Show what would change and write nothing.
    #[arg(long, conflicts_with = "yes")]
    pub(crate) dry_run: bool,
    /// Write without asking; a snapshot is kept.
    #[arg(long)]
    pub(crate) yes: bool,
    /// Answer with one JSON object.
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct PatchArguments {
    #[command(flatten)]
    pub(crate) file: FileArguments,
    /// Text with `edit:` blocks; `-` reads standard input.
    #[arg(long, value_name = "DIFF.md")]
    pub(crate) diff: PathBuf,
    /// Apply in memory only.
    #[arg(long)]
    pub(crate) dry_run: bool,
}

#[derive(Debug, Args)]
pub(crate) struct ProxyArguments {
    /// The endpoint's base address, for instance `https://host/v1`. Its key comes from STET_UPSTREAM_KEY or `--provider`.
    #[arg(long, value_name = "URL")]
    pub(crate) upstream: String,
    /// A loopback address; port 0 takes a free one.
    #[arg(long, value_name = "127.0.0.1:PORT", default_value = "127.0.0.1:0")]
    pub(crate) listen: String,
    /// What clients must send; `none` for no check; a random one when left out.
    #[arg(long)]
    pub(crate) token: Option<String>,
    /// Take the upstream's key from the keychain, as kept by `stet key set`.
    #[arg(long)]
    pub(crate) provider: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct EvalArguments {
    /// The endpoint's base address, or `builtin`. Its key comes from STET_UPSTREAM_KEY.
    #[arg(long, value_name = "URL")]
    pub(crate) endpoint: String,
    /// The model's name at the endpoint.
    #[arg(long)]
    pub(crate) model: Option<String>,
    /// Another set of cases.
    #[arg(long, value_name = "DIR")]
    pub(crate) cases: Option<PathBuf>,
    /// Leave out the cases in free words.
    #[arg(long)]
    pub(crate) commands_only: bool,
    /// Keep rows here as they come, and go on from them.
    #[arg(long, value_name = "FILE")]
    pub(crate) progress: Option<PathBuf>,
    /// Answer with one JSON object.
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum KeyCommand {
    /// Read a key from standard input and keep it.
    Set {
        provider: String,
        #[arg(long)]
        json: bool,
    },
    /// Remove a key.
    Clear {
        provider: String,
        #[arg(long)]
        json: bool,
    },
    /// Say where a key is.
    Status {
        provider: String,
        #[arg(long)]
        json: bool,
    },
}

#[derive(Debug, Args)]
pub(crate) struct FileArguments {
    pub(crate) file: PathBuf,
    /// Answer with one JSON object.
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct OutlineArguments {
    #[command(flatten)]
    pub(crate) file: FileArguments,
    /// A window in the document's own words: `10-40`, `Data!A1:F40`.
    #[arg(long)]
    pub(crate) range: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct ApplyArguments {
    #[command(flatten)]
    pub(crate) file: FileArguments,
    /// The `ops` array, or the whole batch; `-` reads standard input.
    #[arg(long, value_name = "OPS.json")]
    pub(crate) ops: PathBuf,
    /// The revision that the batch was made for, or `current`.
    #[arg(long, value_name = "N|current")]
    pub(crate) expected_rev: Option<ExpectedRev>,
    /// Apply in memory only.
    #[arg(long)]
    pub(crate) dry_run: bool,
}

#[derive(Debug, Args)]
pub(crate) struct DiffArguments {
    #[command(flatten)]
    pub(crate) file: FileArguments,
    /// What would this batch change?
    #[arg(long, value_name = "OPS.json", required_unless_present = "snapshot", conflicts_with = "snapshot")]
    pub(crate) ops: Option<PathBuf>,
    /// What changed since this snapshot?
    #[arg(long, value_name = "ID")]
    pub(crate) snapshot: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct RestoreArguments {
    pub(crate) file: PathBuf,
    pub(crate) snapshot: String,
    /// The revision that is expected to be replaced; the current one when left out.
    #[arg(long, value_name = "N|current")]
    pub(crate) expected_rev: Option<ExpectedRev>,
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct StepArguments {
    #[command(flatten)]
    pub(crate) file: FileArguments,
    /// The revision that is expected to be replaced; the current one when left out.
    #[arg(long, value_name = "N|current")]
    pub(crate) expected_rev: Option<ExpectedRev>,
}

#[derive(Debug, Args)]
pub(crate) struct VerifyArguments {
    #[command(flatten)]
    pub(crate) file: FileArguments,
    /// Another version of the same document.
    #[arg(long, value_name = "ORIGINAL")]
    pub(crate) against: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct NewArguments {
    #[command(flatten)]
    pub(crate) file: FileArguments,
    /// What to make it from; `-` reads standard input.
    #[arg(long, value_name = "SOURCE")]
    pub(crate) from: Option<PathBuf>,
}

/// `--expected-rev`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ExpectedRev {
    Number(u64),
    Current,
}

impl std::str::FromStr for ExpectedRev {
    type Err = std::num::ParseIntError;

    fn from_str(text: &str) -> Result<ExpectedRev, Self::Err> {
        if text == "current" { Ok(ExpectedRev::Current) } else { text.parse().map(ExpectedRev::Number) }
    }
}
