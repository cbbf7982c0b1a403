//! riad-inside: the first program inside every confinement. It checks the walls from within, tells the server, starts
//! the command when the server says so, reaps what the command leaves, and ends all of it when the server lets go.
//!
//! It is pid 1 of its own process namespace, so when it ends the kernel ends everything inside. It talks over one
//! socket, the leash, in lines of text. It builds no wall, knows no path of the host and has no dependency.
#![allow(clippy::disallowed_methods, reason = "the helper reads its own /proc and leaves by exit code")]

mod plan;
mod sys;
mod tries;
mod walls;

use plan::Plan;
use std::ffi::{CString, OsStr};
use std::io::{self, Read, Write};
use std::os::unix::ffi::OsStrExt;
use sys::{Ended, Forked};

/// The numbers under which the launcher hands its descriptors over; `src/bubblewrap.rs` has the same.
const LEASH: i32 = 3;
const INPUT: i32 = 4;
const OUTPUT: i32 = 5;
const ERRORS: i32 = 6;

const PR_SET_DUMPABLE: i32 = 4;
const SIGTERM: i32 = 15;

/// Where to look for a program named without a slash.
const PROGRAM_FOLDERS: [&str; 2] = ["/usr/bin", "/bin"];

fn main() {
    if let Err(error) = serve() {
        say(&format!("broken {error}"));
        sys::leave(70);
    }
    sys::leave(0);
}

fn serve() -> io::Result<()> {
    sys::close_from(ERRORS as u32 + 1)?;
    // The command has the same user as this process; not being dumpable keeps it out of /proc/1/fd and from the leash.
    sys::control(PR_SET_DUMPABLE, 0)?;
    let plan = Plan::read(LEASH)?;
    for (wall, found) in walls::check(&plan) {
        match found {
            Ok(()) => say(&format!("wall {wall} held")),
            Err(reason) => say(&format!("wall {wall} missing {reason}")),
        }
    }
    say("checked");
    let mut leash = Leash::default();
    if leash.next_line()?.as_deref() != Some("go") {
        return Ok(());
    }
    run(&plan, &mut leash)
}

/// Starts the command and stays until the server lets go of the leash.
fn run(plan: &Plan, leash: &mut Leash) -> io::Result<()> {
    let events = sys::child_events()?;
    let (failed, failing) = sys::pipe()?;
    let program = match sys::split()? {
        Forked::Child => become_command(plan, failing),
        Forked::Parent(pid) => pid,
    };
    for descriptor in [failing, INPUT, OUTPUT, ERRORS] {
        sys::close_one(descriptor);
    }
    let mut reason = [0_u8; 64];
    let length = sys::read_some(failed, &mut reason)?;
    if length > 0 {
        say(&format!("failed {}", String::from_utf8_lossy(&reason[..length])));
        return Ok(());
    }
    say("running");
    loop {
        let (from_server, child) = sys::wait_for(LEASH, events);
        if child {
            reap(program, events)?;
        }
        if from_server && !obey(program, leash)? {
            tell_what_is_left();
            return Ok(());
        }
    }
}

fn reap(program: i32, events: i32) -> io::Result<()> {
    sys::read_some(events, &mut [0; 128])?;
    while let Some((pid, ended)) = sys::reap() {
        if pid != program {
            continue;
        }
        match ended {
            Ended::Exit(code) => say(&format!("ended exit {code}")),
            Ended::Signal(number) => say(&format!("ended signal {number}")),
        }
    }
    Ok(())
}

/// Does what the next line of the server says; false when it is time to go.
fn obey(program: i32, leash: &mut Leash) -> io::Result<bool> {
    let Some(line) = leash.next_line()? else { return Ok(false) };
    let number = |text: &str| text.trim().parse::<i32>().map_err(io::Error::other);
    // A process that has just ended is no error: whoever asked will hear of its end.
    let _gone = match line.split_once(' ').unwrap_or((&line, "")) {
        ("term", _) => sys::send(-1, SIGTERM),
        ("signal", which) => sys::send(program, number(which)?),
        _ => return Ok(false),
    };
    Ok(true)
}

/// Names the processes that will end with this one.
fn tell_what_is_left() {
    for pid in walls::processes().unwrap_or_default().into_iter().filter(|pid| *pid != 1).take(16) {
        let name = std::fs::read(format!("/proc/{pid}/comm")).unwrap_or_default();
        let state = std::fs::read(format!("/proc/{pid}/stat")).unwrap_or_default();
        let name = String::from_utf8_lossy(&name).trim().to_owned();
        let is_dead = String::from_utf8_lossy(&state).rsplit_once(") ").is_some_and(|(_, rest)| rest.starts_with('Z'));
        if !name.is_empty() && !is_dead {
            say(&format!("left {name}"));
        }
    }
}

/// The child's side: from here on this process is the command. Never returns.
fn become_command(plan: &Plan, failing: i32) -> ! {
    let error = match prepare(plan) {
        Ok(()) if plan.tries => {
            tries::run(plan);
            sys::leave(0)
        }
        Ok(()) => execute(plan),
        Err(error) => error,
    };
    let _server_hears_of_the_exit_code_then = sys::write_all(failing, error.as_bytes());
    sys::leave(127)
}

fn prepare(plan: &Plan) -> Result<(), String> {
    let step = |name: &'static str| move |error: io::Error| format!("{name} {}", error.raw_os_error().unwrap_or(0));
    sys::new_session().map_err(step("session"))?;
    sys::default_signals();
    for (place, descriptor) in [(0, INPUT), (1, OUTPUT), (2, ERRORS)] {
        sys::duplicate(descriptor, place).map_err(step("descriptors"))?;
    }
    sys::close_from_at_exec(3).map_err(step("descriptors"))?;
    for (resource, value) in &plan.limits {
        sys::limit(*resource, *value).map_err(step("limits"))?;
    }
    std::env::set_current_dir(OsStr::from_bytes(plan.directory.as_bytes())).map_err(step("directory"))
}

fn execute(plan: &Plan) -> String {
    let Some(name) = plan.arguments.first() else { return "program 2".to_owned() };
    let mut worst = 2;
    for path in places(name) {
        let number = sys::execute(&path, &plan.arguments, &plan.environment).raw_os_error().unwrap_or(0);
        // ENOENT and ENOTDIR only mean: look in the next folder.
        if number != 2 && number != 20 {
            worst = number;
        }
    }
    format!("program {worst}")
}

/// The paths that a program's name may mean.
fn places(name: &CString) -> Vec<CString> {
    if name.as_bytes().contains(&b'/') {
        return vec![name.clone()];
    }
    let beneath = |folder: &&str| CString::new([folder.as_bytes(), b"/", name.as_bytes()].concat()).ok();
    PROGRAM_FOLDERS.iter().filter_map(beneath).collect()
}

/// Tells the server one line. A server that is gone ends this process by itself, so an error means nothing here.
fn say(line: &str) {
    let _server_is_gone = sys::write_all(LEASH, format!("{line}\n").as_bytes());
}

/// The server's end of the leash, read line by line.
#[derive(Default)]
struct Leash {
    pending: Vec<u8>,
}

impl Leash {
    /// The next line, or nothing when the server has let go.
    fn next_line(&mut self) -> io::Result<Option<String>> {
        let mut buffer = [0_u8; 256];
        loop {
            if let Some(end) = self.pending.iter().position(|byte| *byte == b'\n') {
                let line = self.pending.drain(..=end).take(end).collect::<Vec<_>>();
                return Ok(Some(String::from_utf8_lossy(&line).into_owned()));
            }
            match sys::read_some(LEASH, &mut buffer)? {
                0 => return Ok(None),
                count => self.pending.extend_from_slice(&buffer[..count]),
            }
        }
    }
}

/// Standard output of a try, which is where its verdict goes.
fn print(line: &str) {
    let mut out = io::stdout();
    let _reader_is_gone = writeln!(out, "{line}").and_then(|()| out.flush());
}

/// A whole small file as text.
fn text_of(path: &str) -> io::Result<String> {
    let mut text = String::new();
    std::fs::File::open(path)?.read_to_string(&mut text)?;
    Ok(text)
}
