//! Programs whose arguments are closed by more than the name of an option.

use super::options::{LOADS, NETWORK, OUTSIDE, RUNS, WRITES};
use super::words::{self, Word, stays_inside};

/// An argument and what it would do.
pub(super) type Violation<'a> = Option<(&'a str, &'static str)>;

const INLINE: &str = "code in an argument or from standard input is not run; write the script to a file and run that";

/// What closes a call of a program beside the table of options.
pub(super) fn violation<'a>(is: &dyn Fn(&str) -> bool, arguments: &'a [String]) -> Violation<'a> {
    if let Some(harmless) = interpreter(is) {
        return script(arguments, harmless);
    }
    match () {
        () if is("git") => git(arguments),
        () if is("tar gtar star bsdtar") => tar(arguments),
        () if is("rsync openrsync") => first(arguments, is_remote, NETWORK),
        () if is("zip") => {
            first(arguments, |word| word.starts_with('-') && !word.starts_with("--") && word.contains("TT"), RUNS)
        }
        () if is("cargo") => {
            command(arguments, "run r install add fetch publish login owner yank search update generate-lockfile", RUNS)
        }
        () if is("go") => command(arguments, "run generate get install tool telemetry env", RUNS),
        () if is("openssl") => {
            command(arguments, "s_client s_server s_time ocsp cmp ts engine", NETWORK).or_else(|| {
                first(arguments, |word| ["-engine", "-provider-path", "-config", "-provider"].contains(&word), LOADS)
            })
        }
        () if is("hg chg") => command(
            arguments,
            "serve push pull clone incoming outgoing email extdiff view bisect histedit debugssl",
            RUNS,
        ),
        () if is("svn") => first(arguments, |word| word.contains("://") && !word.starts_with("file://"), NETWORK),
        () if is("make gmake remake bmake") => first(
            arguments,
            |word| {
                ["SHELL", ".SHELLFLAGS", "MAKEFLAGS", "GNUMAKEFLAGS", "MAKE", "CC", "CXX", "LD", "AR", "AS"]
                    .iter()
                    .any(|name| sets(word, name))
            },
            RUNS,
        ),
        () if is("rustc rustdoc") => first(
            arguments,
            |word| {
                ["linker=", "ar=", "linker-flavor", "runtool", "llvm-args", "test-builder", "test-runtool"]
                    .iter()
                    .any(|part| word.contains(part))
                    || word.starts_with("-Z")
            },
            RUNS,
        ),
        () if is("sqlite3 sqlite duckdb") => sqlite(arguments),
        () if is("dc") => first(arguments, |word| word.contains('!'), RUNS),
        () if is("m4 gm4") => first(arguments, |word| word.contains("syscmd"), RUNS),
        () if is("gs ghostscript gsc") => first(
            arguments,
            |word| word.contains("%pipe%") || word.contains("(|") || word.contains("=|") || word.starts_with(['|']),
            RUNS,
        ),
        () if is("sox soxi") => first(arguments, |word| word.starts_with('|'), RUNS),
        () if is("dvips") => first(
            arguments,
            |word| word.starts_with(['!', '|']) || word.starts_with("-o!") || word.starts_with("-o|"),
            RUNS,
        ),
        () if is("pandoc") => {
            let code = |word: &str| word.split(['=', '+', '-']).any(|part| part.ends_with(".lua"));
            first(arguments, code, LOADS).or_else(|| first(arguments, is_url, NETWORK))
        }
        () if is(
            "convert magick mogrify identify montage composite compare animate display import stream conjure gm",
        ) =>
        {
            first(arguments, magick_reaches, RUNS)
        }
        () if is("exiftool") => first(arguments, |word| word.contains("${") || word == "-@", RUNS),
        () if is("ffmpeg ffprobe ffplay avconv") => first(arguments, is_url, NETWORK),
        () if is("soffice libreoffice localc lowriter loimpress") => first(
            arguments,
            |word| {
                word.contains("macro:") || word.contains("vnd.sun.star") || word.starts_with("-env:") || is_url(word)
            },
            RUNS,
        ),
        () if is("java javac javaw") => first(
            arguments,
            |word| {
                [
                    "-javaagent",
                    "-agentlib",
                    "-agentpath",
                    "-J",
                    "@",
                    "-XX:OnError",
                    "-XX:OnOutOfMemoryError",
                    "-XX:Flags",
                    "-Djdk.attach",
                ]
                .iter()
                .any(|start| word.starts_with(start))
            },
            LOADS,
        ),
        () if is("chmod") => first(arguments, sets_identity, WRITES),
        () if is("jq yq gojq jaq") => first(arguments, |word| word == "-L" || word.starts_with("-L/"), LOADS),
        () => None,
    }
}

/// Interpreters that may run a script file, each with the options that may stand before it.
const INTERPRETERS: &[(&str, &[&str])] = &[
    ("node nodejs", &["--no-warnings", "--trace-warnings", "--check", "-c"]),
    ("perl perl5", &["-w", "-W", "-c", "-t", "-T", "-u"]),
    ("ruby jruby truffleruby", &["-w", "-W", "-c", "-W0", "-W1", "-W2", "--yjit"]),
    ("php", &["-n", "-q", "-l", "--no-header", "--syntax-check"]),
    ("lua luajit texlua luau", &["-E", "-W"]),
];

fn interpreter(is: &dyn Fn(&str) -> bool) -> Option<&'static [&'static str]> {
    INTERPRETERS.iter().find(|(names, _)| is(names)).map(|(_, harmless)| *harmless)
}

/// The script file among the arguments of an interpreter that is known by these names.
pub(super) fn script_file<'a>(names: &[String], arguments: &'a [String]) -> Option<&'a str> {
    let is = |list: &str| list.split_whitespace().any(|known| names.iter().any(|name| name == known));
    let harmless = interpreter(&is)?;
    arguments.iter().map(String::as_str).find(|word| !harmless.contains(word)).filter(|word| !word.starts_with('-'))
}

fn first<'a>(arguments: &'a [String], closes: impl Fn(&str) -> bool, because: &'static str) -> Violation<'a> {
    arguments.iter().find(|word| closes(word)).map(|word| (word.as_str(), because))
}

/// A program whose first word that is no option is a command of its own.
fn command<'a>(arguments: &'a [String], closed: &str, because: &'static str) -> Violation<'a> {
    let named = arguments.iter().find(|word| !word.starts_with('-') && !word.starts_with('+'))?;
    closed.split_whitespace().any(|name| name == named).then_some((named.as_str(), because))
}

/// An interpreter may run a script file and nothing else: only harmless options may stand before the file.
fn script<'a>(arguments: &'a [String], harmless: &[&str]) -> Violation<'a> {
    let version = ["--version", "-v", "-V", "--help", "-h"];
    match arguments {
        [] => Some(("", INLINE)),
        [only] if version.contains(&only.as_str()) => None,
        _ => match arguments.iter().find(|word| !harmless.contains(&word.as_str())) {
            None => arguments.last().map(|word| (word.as_str(), INLINE)),
            Some(word) if word.starts_with('-') || word.starts_with("/dev/") || word.starts_with("/proc/") => {
                Some((word.as_str(), INLINE))
            }
            Some(word) if !stays_readable(word) => Some((word.as_str(), INLINE)),
            Some(_) => None,
        },
    }
}

/// A script has the name of a file, with a letter in it.
fn stays_readable(name: &str) -> bool {
    name.contains(|c: char| c.is_alphanumeric()) && name != "inspect" && name != "debug"
}

const GIT_CLOSED: &str = "config filter-branch difftool mergetool send-email daemon shell instaweb web--browse gui \
                          citool p4 svn cvsimport cvsexportcommit cvsserver archimport quiltimport imap-send bugreport \
                          diagnose hook maintenance credential credential-cache credential-store credential-osxkeychain \
                          credential-manager remote-ext remote-fd remote-http remote-https upload-pack receive-pack \
                          upload-archive http-backend http-fetch http-push help gitk lfs annex var sh-setup filter-repo \
                          fetch-pack send-pack for-each-repo fsmonitor--daemon submodule--helper verify-commit verify-tag \
                          merge-index merge-one-file fast-import interpret-trailers";
/// Commands of git with what closes them: a word, or a letter of a cluster.
const GIT_NESTED: &[(&str, &str)] = &[
    ("bisect", "run"),
    ("submodule", "foreach"),
    ("submodule", "update"),
    ("submodule", "add"),
    ("stash", "-p"),
    ("checkout", "-p"),
    ("reset", "-p"),
    ("restore", "-p"),
    ("add", "-p"),
    ("commit", "-p"),
    ("commit", "-e"),
    ("commit", "-S"),
    ("merge", "-S"),
    ("tag", "-s"),
    ("tag", "-u"),
    ("am", "-i"),
    ("am", "-S"),
    ("notes", "edit"),
    ("rebase", "-x"),
    ("rebase", "-i"),
    ("clone", "-u"),
    ("clone", "-c"),
    ("grep", "-O"),
    ("add", "-i"),
    ("add", "-e"),
];
const GIT_READS_CONFIG: &[&str] = &["--get", "--get-all", "--list", "-l", "get", "list", "--get-regexp"];

fn git(arguments: &[String]) -> Violation<'_> {
    if let Some(found) = first(arguments, |word| word.contains("ext::") || word.contains("fd::"), RUNS) {
        return Some(found);
    }
    if let Some(found) = first(arguments, |word| is_url(word) || is_login(word), NETWORK) {
        return Some(found);
    }
    let at = command_of_git(arguments)?;
    let (name, rest) = arguments[at..].split_first()?;
    // Options of git itself, before its command: `-c` sets configuration, `-p` starts a pager.
    let global = |word: &&String| word.starts_with("-c") || *word == "-p";
    if let Some(word) = arguments[..at].iter().find(global) {
        return Some((word, LOADS));
    }
    if name == "config" && rest.first().is_some_and(|word| GIT_READS_CONFIG.contains(&word.as_str())) {
        return None;
    }
    if GIT_CLOSED.split_whitespace().any(|closed| closed == name) {
        return Some((name, RUNS));
    }
    let closes = |word: &String, closed: &str| match closed.strip_prefix('-') {
        Some(letter) => word.starts_with('-') && !word.starts_with("--") && word.contains(letter),
        None => word == closed,
    };
    if let Some(found) = git_writes(name, rest) {
        return Some((found, OUTSIDE));
    }
    let nested = |word: &&String| GIT_NESTED.iter().any(|(command, closed)| command == name && closes(word, closed));
    rest.iter().find(nested).map(|word| (word.as_str(), RUNS))
}

/// A file or folder elsewhere that a command of git would write.
fn git_writes<'a>(name: &str, rest: &'a [String]) -> Option<&'a str> {
    let places: Vec<&str> = match name {
        "archive" | "format-patch" => {
            let words = words::read(rest, "o");
            words.iter().filter_map(|(_, word)| if let Word::Letter('o', file) = word { *file } else { None }).collect()
        }
        "bundle" if rest.first().is_some_and(|word| word == "create") => rest[1..].iter().map(String::as_str).collect(),
        "worktree" if rest.first().is_some_and(|word| word == "add" || word == "move") => {
            rest[1..].iter().map(String::as_str).collect()
        }
        "apply" | "checkout-index" => {
            let value = |word: &'a String| word.strip_prefix("--directory=").or_else(|| word.strip_prefix("--prefix="));
            rest.iter().filter_map(value).collect()
        }
        _ => Vec::new(),
    };
    places.into_iter().find(|place| !place.starts_with('-') && !stays_inside(place))
}

/// Where the command stands among git's arguments: its own options come first, `-C` with a folder.
fn command_of_git(arguments: &[String]) -> Option<usize> {
    let mut at = 0;
    loop {
        match arguments.get(at)?.as_str() {
            "-C" | "--namespace" | "--super-prefix" | "--attr-source" => at += 2,
            word if word.starts_with('-') => at += 1,
            _ => return Some(at),
        }
    }
}

const TAR_VALUED: &str = "bCfFgHIKLNTVX";

/// The first argument of tar is a cluster of letters even without a dash, with the values in the next arguments; and a
/// file name with a colon in it is another machine.
fn tar(arguments: &[String]) -> Violation<'_> {
    let old_style = arguments.first().filter(|word| !word.starts_with('-'));
    if let Some(word) = old_style.filter(|word| word.contains(['I', 'F', 'P'])) {
        return Some((word, RUNS));
    }
    if let Some(values) = old_style {
        let mut rest = arguments[1..].iter();
        for letter in values.chars().filter(|letter| TAR_VALUED.contains(*letter)) {
            let value = rest.next()?;
            if letter == 'f' && value.contains(':') {
                return Some((value, NETWORK));
            }
            if letter == 'C' && !stays_inside(value) {
                return Some((value, OUTSIDE));
            }
        }
    }
    let words = words::read(arguments, TAR_VALUED);
    let next = |at: usize| words.get(at + 1).map(|(raw, _)| *raw);
    let mut files = words.iter().enumerate().filter_map(|(at, (raw, word))| match word {
        Word::Letter('f', Some(file)) => Some((*raw, *file)),
        Word::Long(name, file) if words::abbreviates(name, "file") => Some((*raw, file.or_else(|| next(at))?)),
        Word::Letter(..) | Word::Long(..) | Word::Operand(_) => None,
    });
    files.find(|(_, file)| file.contains(':')).map(|(raw, _)| (raw, NETWORK))
}

/// `sqlite3` has commands of its own that start programs and write files; `-safe` turns them off.
fn sqlite(arguments: &[String]) -> Violation<'_> {
    let closed = ["-init", "--init", "-cmd", "--cmd", "-unsafe-testing", "-interactive"];
    let safe = arguments.iter().any(|word| word == "-safe" || word == "--safe");
    if let Some(found) = first(arguments, |word| closed.contains(&word), RUNS) {
        return Some(found);
    }
    if safe {
        return None;
    }
    let last = arguments.last().map_or("", String::as_str);
    Some((last, "its own commands could start programs or write files; give `-safe` as the first argument"))
}

fn magick_reaches(word: &str) -> bool {
    let prefixes = [
        "|",
        "@",
        "msl:",
        "mvg:",
        "ephemeral:",
        "url:",
        "http:",
        "https:",
        "ftp:",
        "show:",
        "win:",
        "x:",
        "scan:",
        "text:",
        "label:@",
        "caption:@",
        "print:",
    ];
    let lower = word.to_ascii_lowercase();
    prefixes.iter().any(|prefix| lower.starts_with(prefix))
}

/// `host:path`, `user@host:path` or a URL, and no file name.
fn is_remote(word: &str) -> bool {
    let head = word.split('/').next().unwrap_or("");
    !word.starts_with('-') && (head.contains(':') || is_url(word))
}

fn is_url(word: &str) -> bool {
    word.split_once("://").is_some_and(|(scheme, _)| {
        let scheme = scheme.rsplit(['=', ',']).next().unwrap_or(scheme);
        scheme != "file"
            && !scheme.is_empty()
            && scheme.bytes().all(|b| b.is_ascii_alphanumeric() || b"+.-".contains(&b))
    })
}

/// `user@host:path`, as ssh writes a place.
fn is_login(word: &str) -> bool {
    word.split_once('@').is_some_and(|(user, rest)| {
        let plain =
            |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_alphanumeric() || b"._-".contains(&b));
        plain(user) && rest.split_once(':').is_some_and(|(host, _)| plain(host))
    })
}

fn sets(word: &str, name: &str) -> bool {
    word.split_once('=').is_some_and(|(left, _)| left.trim_end_matches([':', '?', '+', '!']) == name)
}

/// Bits that let a program run as its owner or group.
fn sets_identity(word: &str) -> bool {
    let octal = word.len() >= 4 && word.bytes().all(|b| matches!(b, b'0'..=b'7'));
    if octal {
        return word.as_bytes()[..word.len() - 3].iter().any(|digit| matches!(digit, b'2'..=b'7'));
    }
    word.split(',').any(|part| {
        part.split_once(['+', '=']).is_some_and(|(who, bits)| {
            who.bytes().all(|b| b"ugoa".contains(&b))
                && bits.contains('s')
                && bits.bytes().all(|b| b"rwxXstugo".contains(&b))
        })
    })
}
