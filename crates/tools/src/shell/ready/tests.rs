//! Where the path of a script leads.

use super::*;

fn folder(root: Root, parts: &[&str]) -> Folder {
    Folder { root, parts: parts.iter().map(|part| (*part).to_owned()).collect(), home: Ok(Vec::new()) }
}

#[test]
fn the_path_of_a_script_is_that_of_the_tools() {
    let home = folder(Root::Home, &[]);
    let work = folder(Root::Work, &["made"]);
    for (from, written, path) in [
        (&home, format!("{MOUNTED_WORK}/a.py"), "work/a.py"),
        (&work, format!("{MOUNTED_HOME}/a.py"), "~/a.py"),
        (&work, format!("{MOUNTED_WORK}shop/a.py"), "~/workshop/a.py"),
        (&home, "a.py".to_owned(), "a.py"),
        (&home, "work/a.py".to_owned(), "work/a.py"),
        (&work, "a.py".to_owned(), "work/made/a.py"),
    ] {
        assert_eq!(script_path(&written, from).as_deref(), Ok(path), "{written}");
    }
}

#[test]
fn a_folder_whose_name_begins_like_a_root_is_no_root() {
    let home = folder(Root::Home, &[]);
    for written in [format!("{MOUNTED_HOME}stead/a.py"), "/etc/a.py".to_owned()] {
        assert!(script_path(&written, &home).is_err(), "{written}");
    }
}
