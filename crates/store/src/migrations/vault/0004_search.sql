-- The full-text index of what was said and answered. It holds no text of its own: a row is the `seq` of an entry. Entries
-- are taken in when somebody searches, not when they are written, so that a turn pays nothing for it.

CREATE VIRTUAL TABLE entry_search USING fts5 (
    text, content = '', contentless_delete = 1, tokenize = 'unicode61 remove_diacritics 2'
);

-- The last `seq` that was taken in.
CREATE TABLE entry_search_end (
    only INTEGER NOT NULL PRIMARY KEY CHECK (only = 1),
    seq INTEGER NOT NULL CHECK (seq >= 0)
) STRICT;

INSERT INTO entry_search_end (only, seq) VALUES (1, 0);
