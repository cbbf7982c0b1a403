//! Options that close a call: those that start a program, write elsewhere or load configuration.

use super::words::{self, Word, abbreviates, stays_inside};
use super::{ProgramFault, awk, sed, special};

/// What a closed option would do.
pub(super) const RUNS: &str = "it would start another program; do that step in a call of its own";
/// See [`RUNS`].
pub(super) const WRITES: &str =
    "it would write to another place; let the output come back, or name a file below `work/`";
/// See [`RUNS`].
pub(super) const DELETES: &str = "it would take files away while it searches; list them first";
/// See [`RUNS`].
pub(super) const LOADS: &str = "it would load configuration or code; leave it out";
/// See [`RUNS`].
pub(super) const NETWORK: &str = "it would talk to another machine; a command has no network";
/// See [`RUNS`].
pub(super) const OUTSIDE: &str = "it lies outside the folders a command may write; name a file below `work/`";

/// The options of one kind of program.
///
/// A closed option is written `--name` (abbreviations count), `-x` (in a cluster too), or `-word` (one dash, whole);
/// with `~` behind it, abbreviations of `-word` count too.
struct Policy {
    names: &'static str,
    /// Letters that take a value, so that what follows them is no letter.
    valued: &'static str,
    closed: &'static [(&'static str, &'static str)],
    /// Whole names that are harmless although they abbreviate a closed one.
    harmless: &'static [&'static str],
    /// Options whose value is a file to be written: letters and long names.
    outputs: &'static [&'static str],
    /// Which operands are written to.
    writes: Writes,
}

enum Writes {
    Nothing,
    FirstOperand,
    /// All but the first.
    BehindFirst,
    LastOperand,
    EveryOperand,
}

const PLAIN: Policy =
    Policy { names: "", valued: "", closed: &[], harmless: &[], outputs: &[], writes: Writes::Nothing };

/// Judges the arguments of a program that is known by these names.
pub(super) fn judge(program: &str, names: &[String], arguments: &[String]) -> Result<(), ProgramFault> {
    let is = |list: &str| list.split_whitespace().any(|known| names.iter().any(|name| name == known));
    let found = POLICIES.iter().filter(|policy| is(policy.names)).find_map(|policy| policy.violation(arguments));
    let found = found.or_else(|| match () {
        () if is("sed gsed ssed minised") => sed::violation(arguments),
        () if is("awk gawk mawk nawk original-awk bwk goawk frawk pgawk igawk") => awk::violation(arguments),
        () => special::violation(&is, arguments),
    });
    match found {
        None => Ok(()),
        Some((argument, because)) => {
            Err(ProgramFault::Argument { program: program.to_owned(), argument: argument.to_owned(), because })
        }
    }
}

impl Policy {
    fn violation<'a>(&self, arguments: &'a [String]) -> Option<(&'a str, &'static str)> {
        let one_dash = arguments.iter().find_map(|argument| Some((argument.as_str(), self.one_dash(argument)?)));
        one_dash.or_else(|| self.in_words(&words::read(arguments, self.valued)))
    }

    /// `-word`, which a program with such options reads whole.
    fn one_dash(&self, argument: &str) -> Option<&'static str> {
        let given = argument.strip_prefix('-')?;
        let given = given.strip_prefix('-').unwrap_or(given);
        let given = given.split_once('=').map_or(given, |(name, _)| name);
        self.closed.iter().find_map(|(spelling, because)| {
            let word = spelling.strip_prefix('-').filter(|word| !word.starts_with('-') && word.len() > 1)?;
            let hit = match word.strip_suffix('~') {
                Some(word) => given.len() > 2 && abbreviates(given, word),
                None => given == word,
            };
            hit.then_some(*because)
        })
    }

    fn in_words<'a>(&self, words: &[(&'a str, Word<'a>)]) -> Option<(&'a str, &'static str)> {
        let closed = words.iter().find_map(|(raw, word)| Some((*raw, self.closes(*word)?)));
        closed.or_else(|| self.written(words).into_iter().find(|name| !stays_inside(name)).map(|name| (name, OUTSIDE)))
    }

    /// The names of what is written: values of options, and operands.
    fn written<'a>(&self, words: &[(&'a str, Word<'a>)]) -> Vec<&'a str> {
        let next = |at: usize| words.get(at + 1).map(|(raw, _)| *raw);
        let options = words.iter().enumerate().filter_map(|(at, (_, word))| self.output(*word, next(at)));
        let operands = || words.iter().filter(|(_, word)| matches!(word, Word::Operand(_))).map(|(raw, _)| *raw);
        match self.writes {
            Writes::Nothing => options.collect(),
            Writes::FirstOperand => options.chain(operands().take(1)).collect(),
            Writes::BehindFirst => options.chain(operands().skip(1)).collect(),
            Writes::LastOperand => options.chain(last_operands(words)).collect(),
            Writes::EveryOperand => options.chain(operands()).collect(),
        }
    }

    /// The file that an option names as one to be written: its value, for a long name also that in the next argument.
    fn output<'a>(&self, word: Word<'a>, next: Option<&'a str>) -> Option<&'a str> {
        match word {
            Word::Letter(letter, value) => value.filter(|_| self.outputs.contains(&&*letter.encode_utf8(&mut [0; 4]))),
            Word::Long(name, value) => {
                let hit = self.outputs.iter().any(|output| output.len() > 1 && abbreviates(name, output));
                value.or(next).filter(|_| hit)
            }
            Word::Operand(_) => None,
        }
    }

    fn closes(&self, word: Word<'_>) -> Option<&'static str> {
        let hit = |spelling: &str| match word {
            Word::Letter(letter, _) => spelling.strip_prefix('-').is_some_and(|rest| rest.chars().eq([letter])),
            Word::Long(given, _) => {
                spelling.strip_prefix("--").is_some_and(|name| abbreviates(given, name))
                    && !self.harmless.contains(&given)
            }
            Word::Operand(_) => false,
        };
        self.closed.iter().find(|(spelling, _)| hit(spelling)).map(|(_, because)| *because)
    }
}

/// The last operand. One that stands right behind a long option may be the value of that, so the one before counts too.
fn last_operands<'a>(words: &[(&'a str, Word<'a>)]) -> Vec<&'a str> {
    let mut last = Vec::new();
    for (at, (raw, word)) in words.iter().enumerate().rev() {
        if !matches!(word, Word::Operand(_)) {
            continue;
        }
        last.push(*raw);
        let behind_option = at > 0 && matches!(words[at - 1].1, Word::Long(_, None));
        if !behind_option {
            break;
        }
    }
    last
}

const POLICIES: &[Policy] = &[
    Policy {
        names: "find gfind bfs",
        closed: &[
            ("-exec", RUNS),
            ("-execdir", RUNS),
            ("-ok", RUNS),
            ("-okdir", RUNS),
            ("-delete", DELETES),
            ("-rm", DELETES),
            ("-fprint", WRITES),
            ("-fprint0", WRITES),
            ("-fprintf", WRITES),
            ("-fprintx", WRITES),
            ("-fls", WRITES),
        ],
        ..PLAIN
    },
    Policy {
        names: "fd fdfind fd-find",
        valued: "dtecEojSC",
        closed: &[("-x", RUNS), ("-X", RUNS), ("--exec", RUNS), ("--exec-batch", RUNS)],
        ..PLAIN
    },
    Policy {
        names: "rg ripgrep rga",
        valued: "efgtTmABCMjEdr",
        closed: &[
            ("--pre", RUNS),
            ("--hostname-bin", RUNS),
            ("-z", RUNS),
            ("--search-zip", RUNS),
            ("--rga-config-file", LOADS),
        ],
        ..PLAIN
    },
    Policy {
        names: "ag ack ack-grep ugrep ug",
        closed: &[("--pager", RUNS), ("--filter", RUNS), ("--ackrc", LOADS), ("--config", LOADS)],
        ..PLAIN
    },
    Policy {
        names: "sort gsort",
        valued: "kotST",
        closed: &[("--compress-program", RUNS)],
        outputs: &["o", "output", "T", "temporary-directory"],
        ..PLAIN
    },
    Policy {
        names: "tar gtar star",
        valued: "bCfFgHIKLNTVX",
        closed: &[
            ("-I", RUNS),
            ("--use-compress-program", RUNS),
            ("-F", RUNS),
            ("--info-script", RUNS),
            ("--new-volume-script", RUNS),
            ("--to-command", RUNS),
            ("--checkpoint-action", RUNS),
            ("--rsh-command", RUNS),
            ("--rmt-command", RUNS),
            ("-P", WRITES),
            ("--absolute-names", WRITES),
            ("--volno-file", WRITES),
        ],
        harmless: &["checkpoint", "to-stdout"],
        outputs: &["C", "directory", "cd", "one-top-level", "index-file", "listed-incremental", "g"],
        ..PLAIN
    },
    Policy {
        names: "bsdtar libarchive-tar",
        valued: "bCfIsTX",
        closed: &[("--use-compress-program", RUNS), ("-P", WRITES), ("--absolute-paths", WRITES)],
        outputs: &["C", "cd", "directory"],
        ..PLAIN
    },
    Policy {
        names: "cpio bsdcpio gcpio",
        valued: "CDEFHIMORW",
        closed: &[
            ("--rsh-command", RUNS),
            ("--rmt-command", RUNS),
            ("-F", NETWORK),
            ("--file", NETWORK),
            ("--absolute-filenames", WRITES),
        ],
        harmless: &["filter"],
        outputs: &["D", "directory", "O"],
        ..PLAIN
    },
    Policy { names: "pax", valued: "bfopstxBEGTU", closed: &[("-Z", RUNS), ("--use-compress-program", RUNS)], ..PLAIN },
    Policy {
        names: "zip zipnote zipsplit",
        valued: "btnPsixTZ",
        closed: &[("--unzip-command", RUNS), ("--out", WRITES), ("-O", WRITES)],
        outputs: &["b", "temp-path"],
        writes: Writes::FirstOperand,
        ..PLAIN
    },
    Policy { names: "unzip funzip", valued: "dPx", outputs: &["d"], ..PLAIN },
    Policy {
        names: "7z 7za 7zr 7zz p7zip rar unrar",
        closed: &[("-sfx", RUNS), ("-spf", WRITES), ("-spf2", WRITES)],
        ..PLAIN
    },
    Policy {
        names: "split gsplit",
        valued: "abClnt",
        closed: &[("--filter", RUNS)],
        writes: Writes::BehindFirst,
        ..PLAIN
    },
    Policy { names: "csplit gcsplit", valued: "bfn", outputs: &["f", "prefix"], ..PLAIN },
    Policy { names: "uniq guniq", valued: "fsw", writes: Writes::BehindFirst, ..PLAIN },
    Policy { names: "shuf gshuf", valued: "ino", outputs: &["o", "output"], ..PLAIN },
    Policy { names: "xxd", valued: "cglnosR", writes: Writes::BehindFirst, ..PLAIN },
    Policy { names: "ptx gptx", valued: "bFgioSwW", writes: Writes::BehindFirst, ..PLAIN },
    Policy { names: "iconv", valued: "fto", outputs: &["o", "output"], ..PLAIN },
    Policy {
        names: "pdftotext pdftohtml pdftocairo pdftoppm pdfimages pdfseparate",
        writes: Writes::BehindFirst,
        ..PLAIN
    },
    Policy { names: "pdfunite", writes: Writes::LastOperand, ..PLAIN },
    Policy { names: "dos2unix unix2dos mac2unix unix2mac strip", writes: Writes::EveryOperand, ..PLAIN },
    Policy {
        names: "bat batcat delta",
        closed: &[("--pager", RUNS), ("--config-file", LOADS), ("--paging", RUNS)],
        ..PLAIN
    },
    Policy { names: "sox soxi", writes: Writes::LastOperand, ..PLAIN },
    Policy {
        names: "rsync openrsync",
        valued: "eBTfM@",
        closed: &[
            ("-e", RUNS),
            ("--rsh", RUNS),
            ("--rsync-path", RUNS),
            ("-M", RUNS),
            ("--remote-option", RUNS),
            ("--daemon", NETWORK),
            ("--config", LOADS),
            ("--password-file", NETWORK),
            ("--early-input", NETWORK),
            ("--write-batch", RUNS),
            ("--only-write-batch", RUNS),
        ],
        outputs: &["log-file", "backup-dir", "partial-dir", "T", "temp-dir"],
        writes: Writes::LastOperand,
        ..PLAIN
    },
    Policy {
        names: "git",
        valued: "C",
        closed: &[
            ("--config-env", LOADS),
            ("--config", LOADS),
            ("--exec-path", RUNS),
            ("--git-dir", LOADS),
            ("--work-tree", WRITES),
            ("--upload-pack", RUNS),
            ("--receive-pack", RUNS),
            ("--exec", RUNS),
            ("--extcmd", RUNS),
            ("--ext-diff", RUNS),
            ("--textconv", RUNS),
            ("--open-files-in-pager", RUNS),
            ("--paginate", RUNS),
            ("--template", LOADS),
            ("--output", WRITES),
            ("--output-directory", WRITES),
            ("--interactive", RUNS),
            ("--edit", RUNS),
            ("--tree-filter", RUNS),
            ("--index-filter", RUNS),
            ("--msg-filter", RUNS),
            ("--env-filter", RUNS),
            ("--commit-filter", RUNS),
            ("--tag-name-filter", RUNS),
            ("--smtp-server", NETWORK),
            ("--sendmail-cmd", RUNS),
            ("--to-cmd", RUNS),
            ("--cc-cmd", RUNS),
            ("--header-cmd", RUNS),
            ("--separate-git-dir", WRITES),
            ("--signed", RUNS),
            ("--gpg-sign", RUNS),
            ("--filter-process", RUNS),
            ("--show-signature", RUNS),
            ("--filters", RUNS),
            ("--remote", NETWORK),
            ("--edit-description", RUNS),
        ],
        harmless: &[
            "text",
            "output-indicator-new",
            "output-indicator-old",
            "output-indicator-context",
            "remotes",
            "filter",
        ],
        ..PLAIN
    },
    Policy {
        names: "hg chg",
        closed: &[
            ("--config", LOADS),
            ("--config-file", LOADS),
            ("--ssh", RUNS),
            ("--remotecmd", RUNS),
            ("--tool", RUNS),
            ("--pager", RUNS),
            ("--debugger", RUNS),
            ("--profile", RUNS),
            ("--program", RUNS),
        ],
        ..PLAIN
    },
    Policy {
        names: "svn svnadmin svnlook",
        closed: &[
            ("--config-option", LOADS),
            ("--config-dir", LOADS),
            ("--diff-cmd", RUNS),
            ("--diff3-cmd", RUNS),
            ("--editor-cmd", RUNS),
        ],
        ..PLAIN
    },
    Policy {
        names: "diff3 sdiff",
        valued: "oWI",
        closed: &[("--diff-program", RUNS)],
        outputs: &["o", "output"],
        ..PLAIN
    },
    Policy {
        names: "patch gpatch",
        valued: "BDdFgioprVxYz",
        closed: &[("-e", RUNS), ("--ed", RUNS)],
        outputs: &["o", "output", "d", "directory", "r", "reject-file"],
        ..PLAIN
    },
    Policy { names: "make gmake remake bmake", valued: "CfIjlOoW", closed: &[("--eval", RUNS), ("-E", RUNS)], ..PLAIN },
    Policy {
        names: "gcc g++ cc c++ cpp gfortran gdc gnat gcc-ar clang clang++ clang-cl icc tcc ld ld.bfd ld.gold ld.lld lld mold as",
        closed: &[
            ("-wrapper", RUNS),
            ("-fplugin", LOADS),
            ("-fpass-plugin", LOADS),
            ("-specs", LOADS),
            ("-B", RUNS),
            ("-load", LOADS),
            ("-plugin", LOADS),
            ("--config", LOADS),
            ("--ld-path", RUNS),
            ("-fuse-ld", RUNS),
        ],
        harmless: &["c"],
        ..PLAIN
    },
    Policy {
        names: "go gofmt",
        closed: &[("-exec", RUNS), ("-toolexec", RUNS), ("-vettool", RUNS), ("-extld", RUNS), ("-overlay", LOADS)],
        ..PLAIN
    },
    Policy { names: "cargo", closed: &[("--config", LOADS), ("-Z", LOADS)], ..PLAIN },
    Policy {
        names: "cmake ccmake ctest cpack",
        closed: &[
            ("-P", RUNS),
            ("-E", RUNS),
            ("-S", LOADS),
            ("--script", RUNS),
            ("--build-and-test", RUNS),
            ("--toolchain", LOADS),
        ],
        ..PLAIN
    },
    Policy {
        names: "gpg gpg2 gpgv gpgsm gpg-connect-agent",
        closed: &[
            ("--agent-program", RUNS),
            ("--dirmngr-program", RUNS),
            ("--keyboxd-program", RUNS),
            ("--exec-path", RUNS),
            ("--photo-viewer", RUNS),
            ("--load-extension", LOADS),
            ("--options", LOADS),
            ("--homedir", LOADS),
            ("--keyserver", NETWORK),
            ("--recv-keys", NETWORK),
            ("--receive-keys", NETWORK),
            ("--send-keys", NETWORK),
            ("--refresh-keys", NETWORK),
            ("--search-keys", NETWORK),
            ("--fetch-keys", NETWORK),
        ],
        outputs: &["output", "o"],
        valued: "oruN",
        ..PLAIN
    },
    Policy {
        names: "tex etex latex pdftex pdflatex xetex xelatex luatex lualatex luahbtex platex uplatex context texexec \
                texi2dvi texi2pdf mf mpost lollipop",
        closed: &[
            ("-shell-escape~", RUNS),
            ("-enable-write18~", RUNS),
            ("-shell-restricted~", RUNS),
            ("-cnf-line~", LOADS),
            ("-command", RUNS),
        ],
        outputs: &["output-directory"],
        ..PLAIN
    },
    Policy {
        names: "latexmk arara tectonic",
        closed: &[
            ("-e", RUNS),
            ("-r", LOADS),
            ("-latex", RUNS),
            ("-pdflatex", RUNS),
            ("-xelatex", RUNS),
            ("-lualatex", RUNS),
            ("-pv", RUNS),
            ("-pvc", RUNS),
            ("-p", RUNS),
            ("-usepretex", RUNS),
            ("-shell-escape~", RUNS),
        ],
        ..PLAIN
    },
    Policy {
        names: "gs ghostscript gsc gswin32c ps2pdf ps2ascii epstopdf",
        closed: &[("-dNOSAFER", RUNS), ("-dDELAYSAFER", RUNS), ("-nosafe", RUNS)],
        ..PLAIN
    },
    Policy {
        names: "pandoc",
        valued: "frtowLFDdVMHBAcT",
        closed: &[
            ("-F", RUNS),
            ("--filter", RUNS),
            ("-L", RUNS),
            ("--lua-filter", RUNS),
            ("--pdf-engine", RUNS),
            ("--pdf-engine-opt", RUNS),
            ("-d", LOADS),
            ("--defaults", LOADS),
            ("--data-dir", LOADS),
            ("--extract-media", WRITES),
        ],
        outputs: &["o", "output", "log"],
        ..PLAIN
    },
    Policy {
        names: "exiftool",
        closed: &[
            ("-config", LOADS),
            ("-if", RUNS),
            ("-if1", RUNS),
            ("-if2", RUNS),
            ("-listen", NETWORK),
            ("-stay_open", RUNS),
            ("-use", LOADS),
        ],
        ..PLAIN
    },
    Policy {
        names: "soffice libreoffice localc lowriter loimpress oosplash unoconv unoserver",
        closed: &[("--accept", NETWORK), ("-accept", NETWORK), ("--infilter-run", RUNS)],
        outputs: &["outdir"],
        ..PLAIN
    },
    Policy { names: "groff troff nroff pic soelim gpic grap", closed: &[("-U", RUNS)], ..PLAIN },
    Policy {
        names: "xmllint xsltproc xmlstarlet",
        closed: &[("--shell", RUNS)],
        outputs: &["output", "o"],
        valued: "o",
        ..PLAIN
    },
    Policy { names: "date gdate", valued: "dfrs", closed: &[("-s", WRITES), ("--set", WRITES)], ..PLAIN },
    Policy {
        names: "install ginstall",
        valued: "gmotS",
        closed: &[("--strip-program", RUNS)],
        outputs: &["t", "target-directory"],
        writes: Writes::LastOperand,
        ..PLAIN
    },
    Policy { names: "objcopy strip objdump nm readelf ar ranlib", closed: &[("--plugin", LOADS)], ..PLAIN },
    Policy {
        names: "ctags etags universal-ctags readtags",
        closed: &[("--options", LOADS), ("--options-maybe", LOADS), ("--_interactive", RUNS), ("--filter", RUNS)],
        ..PLAIN
    },
    Policy { names: "logrotate debconf dialog-run", closed: &[("-m", RUNS), ("--mail", RUNS)], ..PLAIN },
    Policy {
        names: "cp gcp",
        valued: "tSZ",
        outputs: &["t", "target-directory"],
        writes: Writes::LastOperand,
        ..PLAIN
    },
    Policy {
        names: "mv gmv ln gln link symlink",
        valued: "tSZ",
        outputs: &["t", "target-directory"],
        writes: Writes::EveryOperand,
        ..PLAIN
    },
    Policy { names: "mkdir gmkdir mkfifo", valued: "m", writes: Writes::EveryOperand, ..PLAIN },
    Policy { names: "touch gtouch", valued: "dtr", writes: Writes::EveryOperand, ..PLAIN },
    Policy { names: "truncate gtruncate fallocate", valued: "srlo", writes: Writes::EveryOperand, ..PLAIN },
    Policy {
        names: "mktemp gmktemp tempfile",
        valued: "pd",
        outputs: &["p", "d", "tmpdir", "directory"],
        writes: Writes::EveryOperand,
        ..PLAIN
    },
    Policy {
        names: "rm grm rmdir unlink shred gshred srm wipe tee gtee sponge rename prename file-rename trash trash-put",
        writes: Writes::EveryOperand,
        ..PLAIN
    },
    Policy { names: "chown chgrp gchown", valued: "", writes: Writes::EveryOperand, ..PLAIN },
    Policy { names: "chmod", writes: Writes::EveryOperand, ..PLAIN },
];
