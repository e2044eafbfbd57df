//! The suite: one binary, one module per subject.

// The lints know `#[test]` functions; helpers beside them are tests too.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout)]

#[path = "suite/agent.rs"]
mod agent;
#[path = "suite/cli.rs"]
mod cli;
#[path = "suite/containers.rs"]
mod containers;
#[path = "suite/docx_adversaries.rs"]
mod docx_adversaries;
#[path = "suite/docx_fidelity.rs"]
mod docx_fidelity;
#[path = "suite/docx_markdown.rs"]
mod docx_markdown;
#[path = "suite/docx_properties.rs"]
mod docx_properties;
#[path = "suite/docx_readers.rs"]
mod docx_readers;
#[path = "suite/docx_revisions.rs"]
mod docx_revisions;
#[path = "suite/docx_rules.rs"]
mod docx_rules;
#[path = "suite/gateway.rs"]
mod gateway;
#[path = "suite/mcp.rs"]
mod mcp;
#[path = "suite/package.rs"]
mod package;
#[path = "suite/pptx_corpus.rs"]
mod pptx_corpus;
#[path = "suite/pptx_fidelity.rs"]
mod pptx_fidelity;
#[path = "suite/pptx_hard_text.rs"]
mod pptx_hard_text;
#[path = "suite/pptx_outline.rs"]
mod pptx_outline;
#[path = "suite/pptx_owned.rs"]
mod pptx_owned;
#[path = "suite/pptx_pointers.rs"]
mod pptx_pointers;
#[path = "suite/pptx_readers.rs"]
mod pptx_readers;
#[path = "suite/pptx_receipts.rs"]
mod pptx_receipts;
#[path = "suite/pptx_sections.rs"]
mod pptx_sections;
#[path = "suite/pptx_slides.rs"]
mod pptx_slides;
#[path = "suite/pptx_text.rs"]
mod pptx_text;
#[path = "suite/previews.rs"]
mod previews;
#[path = "suite/properties.rs"]
mod properties;
#[path = "suite/random_ops.rs"]
mod random_ops;
#[path = "suite/shell.rs"]
mod shell;
#[path = "suite/text.rs"]
mod text;
#[path = "suite/tidy.rs"]
mod tidy;
#[path = "suite/where_from.rs"]
mod where_from;
#[path = "suite/workspace.rs"]
mod workspace;
#[path = "suite/xlsx_every_op.rs"]
mod xlsx_every_op;
#[path = "suite/xlsx_fidelity.rs"]
mod xlsx_fidelity;
#[path = "suite/xlsx_office.rs"]
mod xlsx_office;
#[path = "suite/xlsx_ops.rs"]
mod xlsx_ops;
#[path = "suite/xlsx_oracle.rs"]
mod xlsx_oracle;
#[path = "suite/xlsx_readers.rs"]
mod xlsx_readers;
#[path = "suite/xlsx_references.rs"]
mod xlsx_references;
#[path = "suite/xlsx_sheets.rs"]
mod xlsx_sheets;
#[path = "suite/xlsx_stale.rs"]
mod xlsx_stale;
#[path = "suite/xlsx_values.rs"]
mod xlsx_values;
