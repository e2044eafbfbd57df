//! The command line as clap reads it (CONTRACT, section 5).

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};

/// What a newcomer needs after the list of commands.
const FIRST_STEPS: &str = "First steps:
  stet outline report.docx                          what is in it, and the address of each place
  stet ask report.docx 'replace \"May\" with \"June\"'  say it, see the difference, agree
  stet history report.docx                          what happened; `stet undo report.docx` goes back

Exact edits:
  stet ops xlsx                                      the operations for a workbook, with their fields
  echo '[{\"op\":\"xlsx_set_cell\",\"cell\":\"B4\",\"value\":120}]' | stet apply budget.xlsx --ops - --expected-rev current

A model of your own:
  stet models add ID https://host/v1 --model NAME    `stet key set ID` keeps its key, `stet models use ID/NAME` chooses it

Every write names the revision it was made for (--expected-rev N, or `current`). `-` reads standard input. --json answers with one
JSON object on standard output; messages go to standard error. `stet COMMAND --help` has examples for each command.

Exit status: 0 done, 1 internal or I/O, 2 usage, 3 edit refused, 4 conflict, 5 revision required, 6 document cannot be opened,
7 model or endpoint, 130 cancelled. Stet's data lie in $STET_HOME, else in the platform's data folder.";

/// Edits Word, Excel, PowerPoint and text files in place: verified, revisioned, reversible.
///
/// Ask in words with `stet ask`, or send exact operations with `stet apply`. Nothing else of a file changes, every write keeps a snapshot,
/// and `stet undo` goes back.
#[derive(Debug, Parser)]
#[command(name = "stet", version, after_help = FIRST_STEPS)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Show what is in a document and where.
    #[command(
        after_help = "Examples:\n  stet outline report.docx\n  stet outline budget.xlsx --range 'Data!A1:F40' --json"
    )]
    Outline(OutlineArguments),
    /// Apply one batch of operations.
    #[command(
        after_help = "Examples:\n  stet apply notes.md --ops ops.json --expected-rev 3\n  echo '[{\"op\":\"replace_text\",\"find\":\"teh\",\"replace\":\"the\"}]' | stet apply notes.md --ops - --expected-rev current\n  stet apply budget.xlsx --ops ops.json --expected-rev current --dry-run --json"
    )]
    Apply(ApplyArguments),
    /// Show what a batch would change, or what changed since a snapshot.
    #[command(
        after_help = "Examples:\n  stet diff budget.xlsx --ops ops.json\n  stet diff notes.md --snapshot snap-000002"
    )]
    Diff(DiffArguments),
    /// List the snapshots of a file, newest first.
    #[command(
        after_help = "Examples:\n  stet history notes.md\n  stet history notes.md --accept prop-000001\n  stet history notes.md --reject all"
    )]
    History(HistoryArguments),
    /// Bring a snapshot back as a new revision.
    #[command(
        after_help = "Examples:\n  stet restore notes.md snap-000001\n  stet restore notes.md snap-000001 --expected-rev 4 --json"
    )]
    Restore(RestoreArguments),
    /// Go one state back.
    #[command(after_help = "Examples:\n  stet undo notes.md\n  stet undo budget.xlsx --json")]
    Undo(StepArguments),
    /// Take one undo back.
    #[command(after_help = "Examples:\n  stet redo notes.md\n  stet redo notes.md --expected-rev 3")]
    Redo(StepArguments),
    /// Say where a file is now that was renamed or moved; its history goes with it.
    #[command(after_help = "Examples:\n  mv draft.docx contract.docx && stet moved draft.docx contract.docx")]
    Moved(MovedArguments),
    /// Check a document, alone or against another version.
    #[command(
        after_help = "Examples:\n  stet verify deck.pptx\n  stet verify deck.pptx --against deck-as-received.pptx\n  stet verify '*.docx' --json"
    )]
    Verify(VerifyArguments),
    /// Make a file that does not exist yet.
    #[command(
        after_help = "Examples:\n  stet new minutes.docx --from minutes.md\n  stet new rows.xlsx --from rows.csv\n  pbpaste | stet new notes.md --from -"
    )]
    New(NewArguments),
    /// Say what should change; see it; agree.
    #[command(
        after_help = "Examples:\n  stet ask notes.md 'replace \"teh\" with \"the\"'\n  stet ask budget.xlsx '把B4设为120' --yes"
    )]
    Ask(AskArguments),
    /// Apply Markdown Diff blocks to a text file, all or none.
    #[command(
        after_help = "Examples:\n  stet patch notes.md --diff changes.md\n  some-model | stet patch notes.md --diff - --dry-run\n\nA block names the file and the revision it was made for (`stet outline` tells it); text around the blocks is passed over:\n  ```edit:notes.md rev:3\n  <<<<<<< SEARCH\n  the old lines\n  =======\n  the new lines\n  >>>>>>> REPLACE\n  ```"
    )]
    Patch(PatchArguments),
    /// Keep a provider's key in the keychain, or remove it.
    #[command(
        after_help = "Examples:\n  stet key set openai < key.txt\n  stet key status openai\n  stet key clear openai"
    )]
    Key {
        #[command(subcommand)]
        command: KeyCommand,
    },
    /// Show the local counters.
    #[command(after_help = "Examples:\n  stet metrics\n  stet metrics --json")]
    Metrics {
        /// Answer with one JSON object.
        #[arg(long)]
        json: bool,
    },
    /// List the endpoints of the settings; add, remove or choose one.
    #[command(
        after_help = "Examples:\n  stet models\n  stet models add openai https://api.openai.com/v1 --model gpt-4.1-mini\n  stet models add local http://127.0.0.1:11434/v1 --no-key --model qwen2.5\n  stet models use openai/gpt-4.1-mini\n  stet models remove local\n\nThe key of an endpoint is kept with `stet key set ID`."
    )]
    Models(ModelsArguments),
    /// List the operations of a batch, with their fields.
    #[command(after_help = "Examples:\n  stet ops\n  stet ops xlsx\n  stet ops docx_set_paragraph --json")]
    Ops(OpsArguments),
    /// Give other programs whole, valid tool calls from any endpoint, until Ctrl-C.
    #[command(
        after_help = "Examples:\n  stet proxy --upstream https://api.example.com/v1\n  STET_UPSTREAM_KEY=… stet proxy --upstream http://127.0.0.1:8080/v1 --listen 127.0.0.1:8750 --token none"
    )]
    Proxy(ProxyArguments),
    /// Serve the documents of some folders to other people's agents (MCP).
    #[command(
        after_help = "Examples:\n  stet mcp --root ~/Documents/reports\n  stet mcp --root . --commit\n  stet mcp --root . --http 8760\n\nIn a client's configuration:\n  { \"mcpServers\": { \"stet\": { \"command\": \"stet\", \"args\": [\"mcp\", \"--root\", \"/home/me/reports\"] } } }\n\nWithout --root the client's roots are open, else the folder it was started in.\nAn edit waits as a proposal: see it with `stet history FILE`, take it with `--accept ID`."
    )]
    Mcp(McpArguments),
    /// Run the fixed edit test set against an endpoint.
    #[command(
        after_help = "Examples:\n  stet eval --endpoint builtin\n  STET_UPSTREAM_KEY=… stet eval --endpoint https://api.example.com/v1 --model small --json"
    )]
    Eval(EvalArguments),
    /// Write completions for a shell.
    #[command(
        after_help = "Examples:\n  stet completions bash > ~/.local/share/bash-completion/completions/stet\n  stet completions zsh > ~/.zfunc/_stet"
    )]
    Completions { shell: clap_complete::Shell },
    /// Write the man page.
    #[command(after_help = "Examples:\n  stet man | man -l -\n  stet man > ~/.local/share/man/man1/stet.1")]
    Man,
}

#[derive(Debug, Args)]
pub(crate) struct AskArguments {
    /// The files (patterns with `*` and `?` are fine), and last the instruction. The built-in model does it in each of them, or in the
    /// one that the instruction names (`… in notes.md`).
    #[arg(required = true, num_args = 2.., value_name = "FILE… INSTRUCTION")]
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
pub(crate) struct ModelsArguments {
    #[command(subcommand)]
    pub(crate) command: Option<ModelsCommand>,
    /// Answer with one JSON object.
    #[arg(long, global = true)]
    pub(crate) json: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum ModelsCommand {
    /// Add an endpoint that speaks chat-completions.
    Add(NewProvider),
    /// Take an endpoint out of the settings.
    Remove {
        /// Its id, as `stet models` lists it.
        provider: String,
    },
    /// Choose the model that `stet ask` and the app use.
    Use {
        /// `provider/model`, or `builtin`.
        model: String,
    },
}

#[derive(Debug, Args)]
pub(crate) struct NewProvider {
    /// A word of your choice: letters, digits, `-`, `_` and `.`.
    #[arg(value_name = "ID")]
    pub(crate) provider: String,
    /// Its base address, for instance `https://host/v1`.
    #[arg(value_name = "URL")]
    pub(crate) base_url: String,
    /// A model's name at the endpoint; may be given several times.
    #[arg(long)]
    pub(crate) model: Vec<String>,
    /// The name to show.
    #[arg(long)]
    pub(crate) name: Option<String>,
    /// The endpoint takes requests without a key.
    #[arg(long)]
    pub(crate) no_key: bool,
    /// How many tokens its models take in at once.
    #[arg(long, value_name = "N")]
    pub(crate) context_tokens: Option<u32>,
}

#[derive(Debug, Args)]
pub(crate) struct OpsArguments {
    /// `text`, `xlsx`, `pptx`, `docx`, or one operation; all when left out.
    pub(crate) format: Option<String>,
    /// Answer with one JSON object.
    #[arg(long)]
    pub(crate) json: bool,
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
pub(crate) struct McpArguments {
    /// A folder that clients may reach, with everything below it; may be given several times.
    #[arg(long, value_name = "DIR")]
    pub(crate) root: Vec<PathBuf>,
    /// Write edits at once, each with its snapshot.
    #[arg(long, conflicts_with = "stage")]
    pub(crate) commit: bool,
    /// Keep edits as proposals until the user accepts them (the default).
    #[arg(long)]
    pub(crate) stage: bool,
    /// Serve over HTTP on this port of 127.0.0.1 instead of standard input and output; 0 takes a free one.
    #[arg(long, value_name = "PORT")]
    pub(crate) http: Option<u16>,
    /// What HTTP clients must send; `none` for no check; a random one when left out.
    #[arg(long, requires = "http")]
    pub(crate) token: Option<String>,
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
    /// Sent with each request, so that a run can be repeated where the endpoint has seeds.
    #[arg(long, default_value_t = 1, value_name = "N")]
    pub(crate) seed: u64,
    /// Sent with each request.
    #[arg(long, default_value_t = 0.0, value_name = "T")]
    pub(crate) temperature: f64,
    /// One way for all new text, or `ab` to deal the three out case by case.
    #[arg(long, value_parser = ["function_call", "fence", "markdown_diff", "ab"])]
    pub(crate) protocol: Option<String>,
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
        /// The provider's id, as `stet models` lists it.
        provider: String,
        /// Answer with one JSON object.
        #[arg(long)]
        json: bool,
    },
    /// Remove a key.
    Clear {
        /// The provider's id, as `stet models` lists it.
        provider: String,
        /// Answer with one JSON object.
        #[arg(long)]
        json: bool,
    },
    /// Say where a key is.
    Status {
        /// The provider's id, as `stet models` lists it.
        provider: String,
        /// Answer with one JSON object.
        #[arg(long)]
        json: bool,
    },
}

#[derive(Debug, Args)]
pub(crate) struct FileArguments {
    /// The document; a quoted pattern is fine if it means one file.
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
pub(crate) struct HistoryArguments {
    #[command(flatten)]
    pub(crate) file: FileArguments,
    /// Write the proposal that waits, as the next revision; `all` takes every one of this file.
    #[arg(long, value_name = "ID", conflicts_with = "reject")]
    pub(crate) accept: Option<String>,
    /// Drop the proposal that waits.
    #[arg(long, value_name = "ID")]
    pub(crate) reject: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct RestoreArguments {
    /// The document.
    pub(crate) file: PathBuf,
    /// The snapshot's id from `stet history`.
    pub(crate) snapshot: String,
    /// The revision that is expected to be replaced; the current one when left out.
    #[arg(long, value_name = "N|current")]
    pub(crate) expected_rev: Option<ExpectedRev>,
    /// Answer with one JSON object.
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct MovedArguments {
    /// Where it was.
    pub(crate) from: PathBuf,
    /// Where it is.
    pub(crate) to: PathBuf,
    /// Answer with one JSON object.
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
    /// One file or several; patterns with `*` and `?` are fine.
    #[arg(required = true, num_args = 1.., value_name = "FILE")]
    pub(crate) files: Vec<String>,
    /// Answer with one JSON object.
    #[arg(long)]
    pub(crate) json: bool,
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
