//! `scripted-openai SCRIPT.json [ADDRESS]`: the scripted server as a program, for tests that start real processes.
//!
//! It prints its base address as one line and serves until its standard input ends.

#![expect(clippy::disallowed_methods, reason = "a program of tests reads the script that it is named")]
#![expect(clippy::print_stdout, reason = "the address is what it is asked for")]

use std::error::Error;
use std::net::{Ipv4Addr, SocketAddr};

use testkit::server::{Script, ScriptedOpenAi};
use tokio::io::AsyncReadExt as _;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let path = arguments.next().ok_or("Name a file with the script: scripted-openai SCRIPT.json [ADDRESS]")?;
    let free = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
    let address = arguments.next().map_or(Ok(free), |text| text.parse())?;
    let text = std::fs::read_to_string(&path).map_err(|fault| format!("{path} cannot be read: {fault}"))?;
    let script: Script = serde_json::from_str(&text).map_err(|fault| format!("{path} is no script: {fault}"))?;
    let server = ScriptedOpenAi::start_on(address, script).await?;
    println!("{}", server.base_url());
    let mut rest = Vec::new();
    tokio::io::stdin().read_to_end(&mut rest).await?;
    Ok(())
}
