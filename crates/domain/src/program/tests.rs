//! The policy at its borders; the table of cases and the long list of spellings are run by the tests of `tools`.

use super::{judge_argv, judge_name};

fn closed(line: &str) -> bool {
    let argv = crate::argv::split(line).unwrap_or_else(|fault| panic!("{line:?}: {fault}"));
    judge_argv(&argv).is_err()
}

#[test]
fn closed_programs_are_closed_by_version_and_target_too() {
    for name in
        ["sh", "python3.12", "perl5.36-sh", "bash", "ld-linux-x86-64.so.2", "mkfs.ext4", "LS", "x86_64-linux-gnu-sh"]
    {
        let open = name == "perl5.36-sh";
        assert_eq!(judge_name(name).is_err(), !open, "{name}");
    }
    for name in ["ls", "grep", "7z", "b2sum", "md5sum", "g++", "gcc-14", "sqlite3", "wc"] {
        assert_eq!(judge_name(name), Ok(()), "{name}");
    }
}

#[test]
fn scripts_of_sed_are_read() {
    for line in [
        "sed 's/a/b/w x' f",
        "sed -n 's/a/b/e' f",
        "sed '1e id' f",
        "sed 'w x' f",
        "sed -e p -e 'W x' f",
        "sed --expression='s,a,b,w x' f",
        "sed --expr 'w x' f",
        "sed '/a/,/b/{s/x/y/;w z\n}' f",
        "sed -ne '1!w x' f",
        "sed -f script f",
        "sed -nf script f",
        "sed -i 's/a/b/' /etc/passwd",
        "sed -ni.bak p ../../x",
        "sed -i/tmp/x/ p f",
        "sed 's/[/]/w/w x' f",
    ] {
        assert!(closed(line), "{line}");
    }
    for line in [
        "sed s/a/b/g f",
        "sed -n '/we/p' f",
        "sed -e 's/w/e/' -e '$d' f",
        "sed 'y/ew/we/' f",
        "sed 's|/usr|/opt|;s/x/w/2g' f",
        "sed '1,3d;/e w/!d' f",
        "sed -i s/a/b/ notes.txt",
        "sed 'a we end' f",
        "sed ':w;N;$!bw;s/\\n/ /g' f",
    ] {
        assert!(!closed(line), "{line}");
    }
}

#[test]
fn programs_of_awk_are_read() {
    for line in [
        "awk 'BEGIN{system(\"id\")}'",
        "awk 'BEGIN{system (\"id\")}'",
        "awk '{print | \"sort\"}' f",
        "awk '{print > \"x\"}' f",
        "awk '{print $1 >> \"x\"}' f",
        "awk '{printf(\"%s\", $1) > \"x\"}' f",
        "awk 'BEGIN{\"id\" | getline x; print x}'",
        "awk 'BEGIN{\"id\" |& getline x}'",
        "awk -f prog f",
        "awk -vx=1 -f prog f",
        "gawk -i inplace '{print}' f",
        "gawk -lfilefuncs 1 f",
        "gawk 'BEGIN{f=\"system\"; @f(\"id\")}'",
        "gawk -e 'BEGIN{system(\"id\")}'",
        "awk -- 'BEGIN{system(\"id\")}'",
        "awk 'BEGIN{if (1) /\"/ ; x = 1 | \"id\" ; y = \"/\"}'",
    ] {
        assert!(closed(line), "{line}");
    }
    for line in [
        "awk '{print $1}' f",
        "awk -F: '$3 > 100 {print $1}' f",
        "awk '/a|b/ {n++} END {print n}' f",
        "awk '$1 == \"a\" || $2 >= 3' f",
        "awk 'BEGIN {x = 6 / 2; print (x > 2)}'",
        "awk -v OFS=, '{$1=$1; print}' f",
        "awk '{s += $2 / 2} END {printf \"%.2f\\n\", s}' f",
    ] {
        assert!(!closed(line), "{line}");
    }
}

#[test]
fn gnu_sed_goes_on_behind_a_label() {
    for line in ["sed ':a e id' f", "sed 'b X e id' f", "sed 'tX  w x' f", "sed 'v 4.2 e id' f"] {
        assert!(closed(line), "{line}");
    }
    for line in ["sed ': a' f", "sed ':a;N;$!ba;s/x/y/' f", "sed '/a/b end' f", "sed 'v 4.2' f"] {
        assert!(!closed(line), "{line}");
    }
}

#[test]
fn what_stands_behind_i_is_the_suffix_and_no_script() {
    for line in ["sed -iep '1e id' f", "sed -i.ep '1e id' f", "sed -niexp 'w x' f"] {
        assert!(closed(line), "{line}");
    }
    assert!(!closed("sed -ie s/a/b/ f"));
}

#[test]
fn a_line_of_awk_that_goes_on_hides_nothing() {
    for line in [
        "awk '{ print $1,\n $1 > \"x\" }' f",
        "awk '{ print 1 &&\n 2 > \"x\" }' f",
        "awk '{ print $1, # all\n $2 > \"x\" }' f",
        "awk 'BEGIN { # a \\\n print \"y\" | \"id\" }'",
        "awk 'BEGIN { print 1, \\\n 2 > \"x\" }'",
    ] {
        assert!(closed(line), "{line}");
    }
    assert!(!closed("awk '{ print $1,\n $2\n}\n$3 > 5' f"));
}

#[test]
fn a_slash_in_awk_that_can_be_read_two_ways_closes_the_call() {
    for line in [
        "awk 'BEGIN { getline / 1; \"id\" | getline z; x = 1 / 2 }'",
        "awk '/[/]\"/ { print | \"id\" ; x = \"y\" } # \"' f",
    ] {
        assert!(closed(line), "{line}");
    }
    assert!(!closed("awk '/[^/]*$/ { print $1 }' f"));
}

#[test]
fn a_long_option_may_have_its_value_in_the_next_argument() {
    for line in [
        "sort --output /etc/x y",
        "cp --target-directory /etc x",
        "cp a /etc/x --suffix .old",
        "tar --directory / -xf x",
        "tar --file host:x -x",
        "pandoc --output /etc/x y",
        "install --target-directory /etc x",
    ] {
        assert!(closed(line), "{line}");
    }
    for line in ["sort --output sorted y", "cp a b --suffix .old", "tar --directory sub --file x.tar -x"] {
        assert!(!closed(line), "{line}");
    }
}

#[test]
fn what_is_written_without_an_option_is_known_too() {
    for line in [
        "uniq a /etc/b",
        "split -b 1 x /etc/y",
        "csplit -f /etc/x y 1",
        "shuf -e a -o ../x",
        "xxd -r x /etc/y",
        "iconv -o /etc/x y",
        "pdftotext x.pdf /etc/y",
        "zip /etc/x.zip y",
        "dos2unix ../x",
        "git archive -o /etc/x HEAD",
        "git format-patch -o /etc HEAD",
        "git bundle create /etc/x HEAD",
        "git worktree add ../x",
    ] {
        assert!(closed(line), "{line}");
    }
    for line in [
        "uniq /usr/share/dict/words",
        "split -b 1 /usr/share/x part-",
        "xxd /usr/share/x",
        "zip -r all.zip notes",
        "git archive -o all.tar HEAD",
        "git worktree list",
    ] {
        assert!(!closed(line), "{line}");
    }
}

#[test]
fn what_starts_a_program_by_a_value_is_closed() {
    for line in [
        "git commit -S -m x",
        "git tag -s v1",
        "git submodule update --init",
        "git cat-file --filters HEAD:x",
        "git merge-index id -a",
        "git archive --remote=x HEAD",
        "git add -p",
        "gs -o '|id' y",
        "gs -sOutputFile='|id' y",
        "sox '|id' y.wav",
        "dvips -o '!id' x",
        "pandoc -t x.lua y",
        "pandoc --to=x.lua y",
        "pandoc http://x/y",
        "bat --pager=id x",
        "prename 'system(1)' x",
    ] {
        assert!(closed(line), "{line}");
    }
    for line in ["git commit -m x", "git tag v1", "git add x", "git branch --remotes", "bat x", "pandoc -o y.html x.md"]
    {
        assert!(!closed(line), "{line}");
    }
}
