-- name: manifest_heads
-- Every manifest's latest version, without its body.
SELECT name, version, hash, kind, saved_at, saved_by
FROM manifests
WHERE tenant = :tenant
ORDER BY name;

-- name: manifest_heads_between
-- The same for a range of names.
SELECT name, version, kept, hash, kind, saved_at, saved_by
FROM manifests
WHERE tenant = :tenant AND name >= :first AND name <= :last
ORDER BY name;

-- name: manifest_bodies
-- The latest bodies, in the order of manifest_heads.
SELECT v.body
FROM manifests AS m
JOIN manifest_versions AS v
  ON v.tenant = m.tenant AND v.name = m.name AND v.version = m.version
WHERE m.tenant = :tenant
ORDER BY m.name;

-- name: manifest_bodies_between
SELECT m.name, v.body
FROM manifests AS m
JOIN manifest_versions AS v
  ON v.tenant = m.tenant AND v.name = m.name AND v.version = m.version
WHERE m.tenant = :tenant AND m.name >= :first AND m.name <= :last
ORDER BY m.name;

-- name: manifest_head
-- One manifest's latest version, and how many Environments were made from any of them.
SELECT name, version, kept, hash, kind, saved_at, saved_by, (
  SELECT count(*) FROM environments AS e
  WHERE e.tenant = :tenant AND e.manifest_name = :name
) AS environments
FROM manifests
WHERE tenant = :tenant AND name = :name;

-- name: manifest_latest
-- The same with the body.
SELECT v.name, v.version, v.hash, v.kind, v.saved_at, v.saved_by, v.body, (
  SELECT count(*) FROM environments AS e
  WHERE e.tenant = :tenant AND e.manifest_name = :name
) AS environments
FROM manifests AS m
JOIN manifest_versions AS v
  ON v.tenant = m.tenant AND v.name = m.name AND v.version = m.version
WHERE m.tenant = :tenant AND m.name = :name;

-- name: manifest_count
SELECT count(*) AS manifests FROM manifests WHERE tenant = :tenant;

-- name: manifest_version
-- One version, and how many Environments were made from it.
SELECT name, version, hash, kind, saved_at, saved_by, body, (
  SELECT count(*) FROM environments AS e
  WHERE e.tenant = :tenant AND e.manifest_name = :name AND e.manifest_version = :version
) AS environments
FROM manifest_versions
WHERE tenant = :tenant AND name = :name AND version = :version;

-- name: manifest_versions
SELECT name, version, hash, kind, saved_at, saved_by, body
FROM manifest_versions
WHERE tenant = :tenant AND name = :name
ORDER BY version DESC;

-- name: deleted_manifest
SELECT version FROM deleted_manifests WHERE tenant = :tenant AND name = :name;

-- name: deleted_manifests_between
SELECT name, version
FROM deleted_manifests
WHERE tenant = :tenant AND name >= :first AND name <= :last;

-- name: add_manifest
INSERT INTO manifests (tenant, name, version, kept, hash, kind, saved_at, saved_by)
VALUES (:tenant, :name, :version, 1, :hash, :kind, :saved_at, :saved_by);

-- name: advance_manifest
UPDATE manifests
SET version = :version, kept = kept + 1, hash = :hash, kind = :kind, saved_at = :saved_at,
    saved_by = :saved_by
WHERE tenant = :tenant AND name = :name;

-- name: add_manifest_version
INSERT INTO manifest_versions (tenant, name, version, hash, kind, saved_at, saved_by, body)
VALUES (:tenant, :name, :version, :hash, :kind, :saved_at, :saved_by, :body);

-- name: drop_oldest_versions
-- The oldest :excess versions that no Environment uses; never the latest.
DELETE FROM manifest_versions
WHERE tenant = :tenant AND name = :name AND version IN (
  SELECT v.version
  FROM manifest_versions AS v
  WHERE v.tenant = :tenant AND v.name = :name AND v.version < :latest
    AND NOT EXISTS (
      SELECT 1 FROM environments AS e
      WHERE e.tenant = v.tenant AND e.manifest_name = v.name AND e.manifest_version = v.version
    )
  ORDER BY v.version
  LIMIT :excess
);

-- name: reduce_kept_versions
UPDATE manifests SET kept = kept - :dropped WHERE tenant = :tenant AND name = :name;

-- name: delete_manifest_versions
DELETE FROM manifest_versions WHERE tenant = :tenant AND name = :name;

-- name: delete_manifest
DELETE FROM manifests WHERE tenant = :tenant AND name = :name;

-- name: remember_deleted_manifest
INSERT INTO deleted_manifests (tenant, name, version)
VALUES (:tenant, :name, :version)
ON CONFLICT (tenant, name) DO UPDATE SET version = excluded.version;
