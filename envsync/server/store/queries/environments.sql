-- name: environments_by_manifest
-- How many Environments each manifest has.
SELECT manifest_name, count(*) AS environments
FROM environments
WHERE tenant = :tenant AND manifest_name IS NOT NULL
GROUP BY manifest_name;

-- name: environments_by_version
-- How many Environments each version of a manifest has.
SELECT manifest_version, count(*) AS environments
FROM environments
WHERE tenant = :tenant AND manifest_name = :name
GROUP BY manifest_version;

-- name: environments_by_version_between
SELECT manifest_name, manifest_version, count(*) AS environments
FROM environments
WHERE tenant = :tenant AND manifest_name >= :first AND manifest_name <= :last
GROUP BY manifest_name, manifest_version;

-- name: environments_of_manifest
SELECT id
FROM environments
WHERE tenant = :tenant AND manifest_name = :name
ORDER BY id
LIMIT :at_most;
