-- One person's vault: what it is, the conversations and their journal.

-- One row. `writes` counts writing transactions, `head` the entries of all conversations, `opened` the openings.
CREATE TABLE identity (
    only INTEGER NOT NULL PRIMARY KEY CHECK (only = 1),
    person TEXT NOT NULL CHECK (length(person) = 32),
    generation INTEGER NOT NULL CHECK (generation >= 1),
    writes INTEGER NOT NULL CHECK (writes >= 0),
    opened INTEGER NOT NULL CHECK (opened >= 0),
    epoch TEXT NOT NULL,
    head INTEGER NOT NULL CHECK (head >= 0)
) STRICT;

CREATE TRIGGER identity_stays BEFORE DELETE ON identity
BEGIN SELECT RAISE(ABORT, 'a vault keeps its identity'); END;

CREATE TRIGGER counters_only_grow BEFORE UPDATE ON identity
WHEN NEW.head < OLD.head OR NEW.writes < OLD.writes OR NEW.opened < OLD.opened OR NEW.person IS NOT OLD.person
BEGIN SELECT RAISE(ABORT, 'the counters of a vault only grow'); END;

CREATE TABLE conversations (
    id TEXT NOT NULL PRIMARY KEY,
    title TEXT NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('open', 'archived')),
    -- A word of the server about the last turn, for lists; the journal alone decides.
    turn_state TEXT NOT NULL DEFAULT '',
    head INTEGER NOT NULL DEFAULT 0 CHECK (head >= 0),
    -- The newest message, the newest message that a reply had seen, and whether a turn may be unfinished: where a start
    -- has to look. The fold of the entries decides.
    last_said INTEGER NOT NULL DEFAULT 0,
    last_seen INTEGER NOT NULL DEFAULT 0,
    unfinished INTEGER NOT NULL DEFAULT 0 CHECK (unfinished IN (0, 1)),
    created_at INTEGER NOT NULL,
    changed_at INTEGER NOT NULL
) STRICT;

CREATE INDEX conversations_by_change ON conversations (state, changed_at DESC, id);

CREATE INDEX conversations_unfinished ON conversations (id) WHERE unfinished = 1;

CREATE TABLE entries (
    conversation TEXT NOT NULL REFERENCES conversations (id) ON DELETE RESTRICT ON UPDATE RESTRICT,
    number INTEGER NOT NULL,
    seq INTEGER NOT NULL UNIQUE,
    version INTEGER NOT NULL,
    at INTEGER NOT NULL,
    turn TEXT NOT NULL,
    frame TEXT NOT NULL,
    -- The client's id of a message, so that sending twice records once.
    message TEXT,
    -- The id of a question, so that its conversation is found.
    approval TEXT,
    body TEXT NOT NULL CHECK (json_valid(body)),
    PRIMARY KEY (conversation, number)
) STRICT;

CREATE UNIQUE INDEX entries_by_message ON entries (conversation, message) WHERE message IS NOT NULL;

CREATE INDEX entries_by_approval ON entries (approval) WHERE approval IS NOT NULL;

-- Numbers and seqs are dense by construction: an entry fits only at both ends, and moves both ends on.
CREATE TRIGGER entries_grow_at_their_end BEFORE INSERT ON entries
WHEN NEW.number IS NOT (SELECT head + 1 FROM conversations WHERE id = NEW.conversation)
  OR NEW.seq IS NOT (SELECT head + 1 FROM identity)
BEGIN SELECT RAISE(ABORT, 'the journal only grows at its end'); END;

CREATE TRIGGER entries_move_the_ends AFTER INSERT ON entries
BEGIN
    UPDATE conversations SET head = NEW.number, changed_at = max(changed_at, NEW.at) WHERE id = NEW.conversation;
    UPDATE identity SET head = NEW.seq;
END;

CREATE TRIGGER entries_are_not_changed BEFORE UPDATE ON entries
BEGIN SELECT RAISE(ABORT, 'the journal is append-only'); END;

CREATE TRIGGER entries_are_not_deleted BEFORE DELETE ON entries
BEGIN SELECT RAISE(ABORT, 'the journal is append-only'); END;

CREATE TRIGGER conversation_ends_only_grow BEFORE UPDATE OF head, id ON conversations
WHEN NEW.head < OLD.head OR NEW.id IS NOT OLD.id
BEGIN SELECT RAISE(ABORT, 'the end of a conversation only grows'); END;

-- What was answered to a request with this key, so that the same request again gets the same answer.
CREATE TABLE idempotency (
    key TEXT NOT NULL PRIMARY KEY,
    route TEXT NOT NULL,
    request BLOB NOT NULL CHECK (length(request) = 32),
    opened INTEGER NOT NULL,
    at INTEGER NOT NULL,
    status INTEGER,
    body BLOB,
    CHECK ((status IS NULL) = (body IS NULL))
) STRICT;

CREATE INDEX idempotency_by_age ON idempotency (at);
