//! `stet ops`: every operation of the edit language, as it is read off the language itself.

use assistant::AppError;
use documents::edit::{Field, Operation, operations};
use serde::Serialize;

use crate::{arguments::OpsArguments, exit::Exit, output};

#[derive(Debug, Serialize)]
struct Operations {
    ok: bool,
    operations: Vec<Operation>,
}

/// What one batch looks like for each format.
const EXAMPLES: [(&str, &str, &str); 4] = [
    ("text", "Text and Markdown", r#"[{"op":"replace_text","find":"teh","replace":"the"}]"#),
    ("xlsx", "Workbooks", r#"[{"op":"xlsx_set_cell","sheet":"Data","cell":"B4","value":120}]"#),
    ("pptx", "Presentations", r#"[{"op":"pptx_set_title","slide":3,"text":"Results"}]"#),
    ("docx", "Word documents", r#"[{"op":"docx_set_paragraph","at":"p5","text":"New words."}]"#),
];

pub(crate) fn run(arguments: &OpsArguments) -> Exit {
    let wanted = arguments.format.as_deref();
    let fits = |operation: &Operation| {
        wanted.is_none_or(|wanted| wanted == operation.format || wanted == operation.op)
    };
    let operations: Vec<Operation> = operations().into_iter().filter(fits).collect();
    if operations.is_empty() {
        let message = format!("There is no operation {:?}.", wanted.unwrap_or_default());
        let error = AppError::invalid_arguments(message)
            .hint("Formats: text, xlsx, pptx, docx; without a format all operations are listed.");
        return output::error(&error, arguments.json, Exit::of(&error));
    }
    output::answer(&Operations { ok: true, operations }, arguments.json, for_people)
}

fn for_people(answer: &Operations) -> String {
    let mut text = String::new();
    for (format, name, example) in EXAMPLES {
        let fitting: Vec<&Operation> =
            answer.operations.iter().filter(|operation| operation.format == format).collect();
        if fitting.is_empty() {
            continue;
        }
        text += &format!("{name}, for example {example}\n");
        for operation in fitting {
            text += &format!("  {}  {}\n", operation.op, operation.about);
            for field in &operation.fields {
                text += &line(field);
            }
        }
        text.push('\n');
    }
    text + "Fields in brackets may be left out. A batch is a list of operations, applied in order, all or none: stet apply FILE --ops OPS.json --expected-rev current\n"
}

fn line(field: &Field) -> String {
    let name = if field.required { field.name.clone() } else { format!("[{}]", field.name) };
    format!("      {name}: {}\n", field.holds)
}
