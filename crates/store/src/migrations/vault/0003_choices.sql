-- What a person chose (which model and profile answer, how far a conversation may travel), and the profiles and commands
-- that they wrote, with all their versions.

-- One row for each conversation of which something was chosen; the empty name is what holds where nothing was.
CREATE TABLE choices (
    conversation TEXT NOT NULL PRIMARY KEY,
    model TEXT CHECK (length(model) BETWEEN 1 AND 200),
    profile TEXT CHECK (length(profile) BETWEEN 1 AND 100),
    tier TEXT CHECK (tier IN ('device', 'trusted', 'any')),
    changed_at INTEGER NOT NULL
) STRICT;

CREATE TABLE own_texts (
    kind TEXT NOT NULL CHECK (kind IN ('agent', 'command')),
    name TEXT NOT NULL CHECK (length(name) BETWEEN 1 AND 64),
    text TEXT NOT NULL CHECK (length(CAST(text AS BLOB)) <= 65536),
    version INTEGER NOT NULL CHECK (version >= 1),
    changed_at INTEGER NOT NULL,
    PRIMARY KEY (kind, name)
) STRICT;

-- A null text says that it was removed by this version. Versions outlive their text, since a turn may still run on one.
CREATE TABLE own_text_versions (
    kind TEXT NOT NULL CHECK (kind IN ('agent', 'command')),
    name TEXT NOT NULL,
    version INTEGER NOT NULL CHECK (version >= 1),
    text TEXT,
    at INTEGER NOT NULL,
    PRIMARY KEY (kind, name, version)
) STRICT;

CREATE TRIGGER own_text_versions_are_not_changed BEFORE UPDATE ON own_text_versions
BEGIN SELECT RAISE(ABORT, 'a version is kept as it was'); END;
