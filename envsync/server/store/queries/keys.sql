-- name: key_by_hash
SELECT tenant, id, role, hash, created_at, rotated_at FROM keys WHERE hash = :hash;

-- name: key_by_id
SELECT tenant, id, role, created_at, rotated_at
FROM keys
WHERE tenant = :tenant AND role = :role AND id = :id;

-- name: keys
SELECT tenant, id, role, created_at, rotated_at
FROM keys
WHERE tenant = :tenant
ORDER BY role, id;

-- name: add_key
INSERT INTO keys (tenant, role, id, hash, created_at)
VALUES (:tenant, :role, :id, :hash, :now);

-- name: rotate_key
UPDATE keys SET hash = :hash, rotated_at = :now
WHERE tenant = :tenant AND role = :role AND id = :id;

-- name: delete_key
DELETE FROM keys WHERE tenant = :tenant AND role = :role AND id = :id;
