//! `ricasso mcp`: the tools of a dialect for one MCP client.

use super::args::DialectArgs;
use super::{call, print};
use crate::dialect::Life;
use crate::exit;
use ricasso_os::{Cancel, Keeper};

/// Serves until the client is gone, and returns the exit code.
pub(super) fn mcp(args: &DialectArgs) -> u8 {
    match try_mcp(args) {
        Ok(()) => 0,
        Err(error) => {
            print::error(error.as_ref());
            exit::OURS
        }
    }
}

fn try_mcp(args: &DialectArgs) -> Result<(), Box<dyn std::error::Error>> {
    // The server has threads, and its keeper must not; the link leads to this very program, also
    // when its file was replaced meanwhile.
    let keeper = Keeper::of_our_own()?;
    let signals = Cancel::on_signals()?;
    let session = format!("mcp-{}", std::process::id());
    let opened = call::open(args, "mcp", &session, keeper, Life::Long)?;
    for warning in &opened.warnings {
        print::say(warning);
    }
    Ok(crate::mcp::serve(opened, &signals)?)
}
