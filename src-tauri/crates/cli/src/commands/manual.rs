//! `stet completions` and `stet man`: generated from the same definition as the command line itself.

use clap::CommandFactory;
use clap_complete::Shell;

use crate::{arguments::Arguments, exit::Exit, output};

/// Writes completions for a shell.
pub(crate) fn completions(shell: Shell) -> Exit {
    let mut text = Vec::new();
    clap_complete::generate(shell, &mut Arguments::command(), "stet", &mut text);
    output::raw(&text)
}

/// Writes the man page.
pub(crate) fn man() -> Exit {
    let mut text = Vec::new();
    match clap_mangen::Man::new(Arguments::command()).render(&mut text) {
        Ok(()) => output::raw(&text),
        Err(error) => output::fail_plainly(&format!("cannot make the man page: {error}")),
    }
}
