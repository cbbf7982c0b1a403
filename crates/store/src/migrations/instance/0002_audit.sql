-- The audit log: append-only, each row bound to the one before it by SHA-256. Ids and counts, never content.

CREATE TABLE audit (
    number INTEGER PRIMARY KEY CHECK (number >= 1),
    at INTEGER NOT NULL,
    actor TEXT,
    subject TEXT,
    act TEXT NOT NULL,
    previous BLOB NOT NULL CHECK (length(previous) = 32),
    hash BLOB NOT NULL CHECK (length(hash) = 32)
) STRICT;

CREATE TRIGGER audit_grows_at_its_end BEFORE INSERT ON audit
WHEN NEW.number IS NOT (SELECT coalesce(max(number), 0) + 1 FROM audit)
BEGIN SELECT RAISE(ABORT, 'the audit log only grows at its end'); END;

CREATE TRIGGER audit_is_not_changed BEFORE UPDATE ON audit
BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END;

CREATE TRIGGER audit_is_not_deleted BEFORE DELETE ON audit
BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END;
