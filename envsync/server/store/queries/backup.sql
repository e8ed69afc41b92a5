-- Every table, whole. An order makes two backups of the same content the same.

-- name: backup_tenants
SELECT id, created_at
FROM tenants
ORDER BY id;

-- name: restore_tenants
INSERT INTO tenants (id, created_at)
VALUES (:id, :created_at);

-- name: clear_tenants
DELETE FROM tenants;

-- name: backup_hosts
SELECT id, tenant, created_at
FROM hosts
ORDER BY id;

-- name: restore_hosts
INSERT INTO hosts (id, tenant, created_at)
VALUES (:id, :tenant, :created_at);

-- name: clear_hosts
DELETE FROM hosts;

-- name: backup_keys
SELECT tenant, role, id, hash, created_at, rotated_at
FROM keys
ORDER BY tenant, role, id;

-- name: restore_keys
INSERT INTO keys (tenant, role, id, hash, created_at, rotated_at)
VALUES (:tenant, :role, :id, :hash, :created_at, :rotated_at);

-- name: clear_keys
DELETE FROM keys;

-- name: backup_manifests
SELECT tenant, name, version, kept, hash, kind, saved_at, saved_by
FROM manifests
ORDER BY tenant, name;

-- name: restore_manifests
INSERT INTO manifests (tenant, name, version, kept, hash, kind, saved_at, saved_by)
VALUES (:tenant, :name, :version, :kept, :hash, :kind, :saved_at, :saved_by);

-- name: clear_manifests
DELETE FROM manifests;

-- name: backup_manifest_versions
SELECT tenant, name, version, hash, kind, saved_at, saved_by, body
FROM manifest_versions
ORDER BY tenant, name, version;

-- name: restore_manifest_versions
INSERT INTO manifest_versions (tenant, name, version, hash, kind, saved_at, saved_by, body)
VALUES (:tenant, :name, :version, :hash, :kind, :saved_at, :saved_by, :body);

-- name: clear_manifest_versions
DELETE FROM manifest_versions;

-- name: backup_deleted_manifests
SELECT tenant, name, version
FROM deleted_manifests
ORDER BY tenant, name;

-- name: restore_deleted_manifests
INSERT INTO deleted_manifests (tenant, name, version)
VALUES (:tenant, :name, :version);

-- name: clear_deleted_manifests
DELETE FROM deleted_manifests;

-- name: backup_environments
SELECT tenant, id, manifest_name, manifest_version
FROM environments
ORDER BY tenant, id;

-- name: restore_environments
INSERT INTO environments (tenant, id, manifest_name, manifest_version)
VALUES (:tenant, :id, :manifest_name, :manifest_version);

-- name: clear_environments
DELETE FROM environments;

-- name: contents
-- What a restore would overwrite.
SELECT
  (SELECT count(*) FROM manifests) AS manifests,
  (SELECT count(*) FROM keys) AS keys,
  (SELECT count(*) FROM environments) AS environments;
