-- Private memory: Markdown notes, all their versions and their full-text index; and the heads of the audit log
-- that this vault has seen.

CREATE TABLE notes (
    id INTEGER PRIMARY KEY,
    path TEXT NOT NULL UNIQUE CHECK (length(CAST(path AS BLOB)) BETWEEN 1 AND 200),
    text TEXT NOT NULL CHECK (length(CAST(text AS BLOB)) <= 65536),
    hash BLOB NOT NULL CHECK (length(hash) = 32),
    version INTEGER NOT NULL CHECK (version >= 1),
    changed_at INTEGER NOT NULL
) STRICT;

-- A null text says that the note was deleted by this version. Versions outlive their note.
CREATE TABLE note_versions (
    path TEXT NOT NULL,
    version INTEGER NOT NULL CHECK (version >= 1),
    text TEXT,
    hash BLOB CHECK (length(hash) = 32),
    at INTEGER NOT NULL,
    origin TEXT NOT NULL CHECK (json_valid(origin)),
    PRIMARY KEY (path, version),
    CHECK ((text IS NULL) = (hash IS NULL))
) STRICT;

CREATE TRIGGER note_versions_are_not_changed BEFORE UPDATE ON note_versions
BEGIN SELECT RAISE(ABORT, 'a version is kept as it was'); END;

CREATE VIRTUAL TABLE note_search USING fts5 (
    path, text, content = 'notes', content_rowid = 'id', tokenize = 'unicode61 remove_diacritics 2'
);

CREATE TRIGGER notes_are_indexed AFTER INSERT ON notes
BEGIN INSERT INTO note_search (rowid, path, text) VALUES (NEW.id, NEW.path, NEW.text); END;

CREATE TRIGGER notes_are_unindexed AFTER DELETE ON notes
BEGIN INSERT INTO note_search (note_search, rowid, path, text) VALUES ('delete', OLD.id, OLD.path, OLD.text); END;

CREATE TRIGGER notes_are_reindexed AFTER UPDATE ON notes
BEGIN
    INSERT INTO note_search (note_search, rowid, path, text) VALUES ('delete', OLD.id, OLD.path, OLD.text);
    INSERT INTO note_search (rowid, path, text) VALUES (NEW.id, NEW.path, NEW.text);
END;

CREATE TABLE audit_heads (
    number INTEGER NOT NULL PRIMARY KEY,
    hash BLOB NOT NULL CHECK (length(hash) = 32),
    seen_at INTEGER NOT NULL
) STRICT;
