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
