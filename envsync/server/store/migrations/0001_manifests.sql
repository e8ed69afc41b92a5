-- The first schema: who this server is, keys, manifests with their versions, and the columns of
-- Environments that say what each was made from.

CREATE TABLE schema_versions (
  version BIGINT NOT NULL PRIMARY KEY,
  program TEXT NOT NULL,
  applied_at TEXT NOT NULL
);

CREATE TABLE tenants (
  id TEXT COLLATE BINARY NOT NULL PRIMARY KEY,
  created_at TEXT NOT NULL
);

-- One row: the identity of this database, and the tenant that it serves.
CREATE TABLE hosts (
  id TEXT COLLATE BINARY NOT NULL PRIMARY KEY,
  tenant TEXT COLLATE BINARY NOT NULL,
  created_at TEXT NOT NULL
);

-- hash: hexadecimal SHA-256 of the key's text, which itself is kept nowhere.
CREATE TABLE keys (
  tenant TEXT COLLATE BINARY NOT NULL,
  role TEXT COLLATE BINARY NOT NULL,
  id TEXT COLLATE BINARY NOT NULL,
  hash TEXT COLLATE BINARY NOT NULL UNIQUE,
  created_at TEXT NOT NULL,
  rotated_at TEXT,
  PRIMARY KEY (tenant, role, id)
) WITHOUT ROWID;

-- What the list shows, so that a list without bodies never reads one: the latest version and
-- how many versions are kept.
CREATE TABLE manifests (
  tenant TEXT COLLATE BINARY NOT NULL,
  name TEXT COLLATE BINARY NOT NULL,
  version BIGINT NOT NULL,
  kept BIGINT NOT NULL,
  hash TEXT NOT NULL,
  kind TEXT NOT NULL,
  saved_at TEXT NOT NULL,
  saved_by TEXT NOT NULL,
  PRIMARY KEY (tenant, name)
) WITHOUT ROWID;

-- body: canonical JSON of the normalised manifest, sent as it stands here.
CREATE TABLE manifest_versions (
  tenant TEXT COLLATE BINARY NOT NULL,
  name TEXT COLLATE BINARY NOT NULL,
  version BIGINT NOT NULL,
  hash TEXT NOT NULL,
  kind TEXT NOT NULL,
  saved_at TEXT NOT NULL,
  saved_by TEXT NOT NULL,
  body TEXT NOT NULL,
  PRIMARY KEY (tenant, name, version)
);

-- The last number that a deleted name had, where the numbering continues.
CREATE TABLE deleted_manifests (
  tenant TEXT COLLATE BINARY NOT NULL,
  name TEXT COLLATE BINARY NOT NULL,
  version BIGINT NOT NULL,
  PRIMARY KEY (tenant, name)
) WITHOUT ROWID;

CREATE TABLE environments (
  tenant TEXT COLLATE BINARY NOT NULL,
  id TEXT COLLATE BINARY NOT NULL,
  manifest_name TEXT COLLATE BINARY,
  manifest_version BIGINT,
  PRIMARY KEY (tenant, id),
  FOREIGN KEY (tenant, manifest_name, manifest_version)
    REFERENCES manifest_versions (tenant, name, version)
) WITHOUT ROWID;

CREATE INDEX environments_by_manifest
  ON environments (tenant, manifest_name, manifest_version);
