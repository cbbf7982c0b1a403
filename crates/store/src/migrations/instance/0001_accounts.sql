-- The instance database: who may sign in and how. No content of anybody stands here.

CREATE TABLE settings (
    name TEXT NOT NULL PRIMARY KEY,
    value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- Seed data is applied once and recorded, so a seeded row that was deleted stays deleted.
CREATE TABLE seeds (
    name TEXT NOT NULL PRIMARY KEY,
    applied_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE roles (
    name TEXT NOT NULL PRIMARY KEY CHECK (name GLOB '[a-z]*'),
    label TEXT NOT NULL,
    ui TEXT NOT NULL CHECK (ui IN ('full', 'simple')),
    permission_group TEXT NOT NULL,
    profile TEXT NOT NULL,
    auto_grant INTEGER NOT NULL CHECK (auto_grant IN (0, 1)),
    privacy_tier TEXT NOT NULL CHECK (privacy_tier IN ('device', 'trusted', 'any')),
    vault_kind TEXT NOT NULL CHECK (vault_kind IN ('private', 'open', 'either')),
    second_approval TEXT NOT NULL CHECK (json_valid(second_approval)),
    supervision TEXT NOT NULL CHECK (supervision IN ('none', 'notice', 'consent')),
    lease INTEGER NOT NULL CHECK (lease IN (0, 1))
) STRICT, WITHOUT ROWID;

CREATE TABLE role_capabilities (
    role TEXT NOT NULL REFERENCES roles (name) ON DELETE CASCADE,
    capability TEXT NOT NULL,
    PRIMARY KEY (role, capability)
) STRICT, WITHOUT ROWID;

-- `password_wrap` ties each person to the one password wrap: without it the transaction cannot commit.
CREATE TABLE people (
    id TEXT NOT NULL PRIMARY KEY CHECK (length(id) = 32),
    handle TEXT NOT NULL UNIQUE,
    name TEXT NOT NULL,
    role TEXT NOT NULL REFERENCES roles (name),
    state TEXT NOT NULL CHECK (state IN ('active', 'deactivated', 'deleting')),
    locale TEXT NOT NULL,
    zone TEXT NOT NULL,
    vault_kind TEXT NOT NULL CHECK (vault_kind IN ('private', 'open')),
    generation INTEGER NOT NULL CHECK (generation >= 1),
    -- The highest write counter of the vault that is known to be durable. The vault may be ahead, never behind.
    vault_writes INTEGER NOT NULL DEFAULT 0 CHECK (vault_writes >= 0),
    created_at INTEGER NOT NULL,
    password_wrap TEXT DEFAULT 'password'
        CHECK (password_wrap = 'password' OR (password_wrap IS NULL AND state = 'deleting')),
    UNIQUE (id, generation),
    FOREIGN KEY (id, password_wrap) REFERENCES key_wraps (person, kind) DEFERRABLE INITIALLY DEFERRED
) STRICT, WITHOUT ROWID;

-- The handle is for good.
CREATE TRIGGER people_handle_stays BEFORE UPDATE OF id, handle ON people
WHEN NEW.handle IS NOT OLD.handle OR NEW.id IS NOT OLD.id
BEGIN SELECT RAISE(ABORT, 'a handle never changes'); END;

CREATE TABLE key_wraps (
    person TEXT NOT NULL,
    kind TEXT NOT NULL CHECK (kind IN ('password', 'recovery', 'instance', 'lease')),
    generation INTEGER NOT NULL,
    version INTEGER NOT NULL CHECK (version = 1),
    record BLOB NOT NULL CHECK (length(record) = 104),
    salt BLOB CHECK (length(salt) = 16),
    memory_kib INTEGER CHECK (memory_kib BETWEEN 65536 AND 1048576),
    passes INTEGER CHECK (passes BETWEEN 1 AND 10),
    lanes INTEGER CHECK (lanes BETWEEN 1 AND 4),
    expires_at INTEGER,
    PRIMARY KEY (person, kind),
    FOREIGN KEY (person, generation) REFERENCES people (id, generation) DEFERRABLE INITIALLY DEFERRED,
    CHECK ((kind = 'password') = (salt IS NOT NULL)),
    CHECK ((kind = 'password') = (memory_kib IS NOT NULL)),
    CHECK ((kind = 'password') = (passes IS NOT NULL)),
    CHECK ((kind = 'password') = (lanes IS NOT NULL)),
    CHECK ((kind = 'lease') = (expires_at IS NOT NULL))
) STRICT, WITHOUT ROWID;

CREATE TRIGGER instance_wrap_needs_open_vault BEFORE INSERT ON key_wraps
WHEN NEW.kind = 'instance' AND (SELECT vault_kind FROM people WHERE id = NEW.person) IS NOT 'open'
BEGIN SELECT RAISE(ABORT, 'only an open vault has an instance wrap'); END;

CREATE TRIGGER wrap_stays_in_place BEFORE UPDATE OF person, kind ON key_wraps
BEGIN SELECT RAISE(ABORT, 'a wrap never moves'); END;

CREATE TRIGGER private_vault_has_no_instance_wrap BEFORE UPDATE OF vault_kind ON people
WHEN NEW.vault_kind = 'private' AND EXISTS (SELECT 1 FROM key_wraps WHERE person = NEW.id AND kind = 'instance')
BEGIN SELECT RAISE(ABORT, 'delete the instance wrap first'); END;

CREATE TABLE devices (
    id INTEGER PRIMARY KEY,
    token BLOB NOT NULL UNIQUE CHECK (length(token) = 32),
    person TEXT NOT NULL REFERENCES people (id) ON DELETE CASCADE,
    name TEXT NOT NULL,
    first_used INTEGER NOT NULL,
    last_used INTEGER NOT NULL
) STRICT;

-- `token` is the SHA-256 of what the browser holds.
CREATE TABLE sessions (
    token BLOB NOT NULL PRIMARY KEY CHECK (length(token) = 32),
    person TEXT NOT NULL REFERENCES people (id) ON DELETE CASCADE,
    device INTEGER REFERENCES devices (id) ON DELETE CASCADE,
    created_at INTEGER NOT NULL,
    used_at INTEGER NOT NULL,
    idle_ends INTEGER NOT NULL,
    ends INTEGER NOT NULL,
    proved_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX sessions_of_person ON sessions (person);

-- One row a try, written before the derivation and taken back when it was right. The handle is hashed, because
-- people type passwords into the wrong field.
CREATE TABLE attempts (
    id INTEGER PRIMARY KEY,
    handle BLOB NOT NULL CHECK (length(handle) = 32),
    address BLOB NOT NULL,
    device INTEGER,
    at INTEGER NOT NULL
) STRICT;

CREATE INDEX attempts_by_handle ON attempts (handle, at);
CREATE INDEX attempts_by_address ON attempts (address, at);

-- One-time codes, hashed. A used one stays until it would have expired, so that it is known as used.
CREATE TABLE codes (
    hash BLOB NOT NULL PRIMARY KEY CHECK (length(hash) = 32),
    kind TEXT NOT NULL CHECK (kind = 'invitation'),
    role TEXT NOT NULL REFERENCES roles (name),
    made_by TEXT NOT NULL REFERENCES people (id),
    made_at INTEGER NOT NULL,
    ends INTEGER NOT NULL,
    used_at INTEGER
) STRICT, WITHOUT ROWID;
