-- name: schema_version
SELECT version, program FROM schema_versions ORDER BY version DESC LIMIT 1;

-- name: record_schema_version
INSERT INTO schema_versions (version, program, applied_at) VALUES (:version, :program, :now);

-- name: host
SELECT id, tenant FROM hosts;

-- name: add_host
INSERT INTO hosts (id, tenant, created_at) VALUES (:id, :tenant, :now);

-- name: add_tenant
INSERT INTO tenants (id, created_at) VALUES (:id, :now);
