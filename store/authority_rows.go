package store

import (
	"context"
	"encoding/json"
	"fmt"

	"countersign/audit"
)

// AuthorityRows are the rows that decide who may do what. The versions of the policy are apart, because
// their text has another form in the database.
type AuthorityRows struct {
	audit.AuthorityRows
	Policies []PolicyText
}

// PolicyText is the text of a version of the policy.
type PolicyText struct {
	Version  int64
	Rules    json.RawMessage
	Proposed string // document of the proposal; "" for the built-in policy
}

// AuthorityRows reads the rows that decide who may do what, with the heads of the system streams, in
// one statement and so of one moment.
func (r Reader) AuthorityRows(ctx context.Context) (rows AuthorityRows, err error) {
	var text []byte
	err = r.q.QueryRow(ctx, `SELECT json_build_object(
		'Heads', (SELECT json_agg(json_build_object('Stream', id, 'Seq', last_seq)) FROM streams),
		'People', (SELECT json_agg(json_build_object('ID', u.id, 'Email', u.email,
			'EmployeeID', coalesce(u.employee_id, ''), 'Disabled', u.disabled,
			'Roles', ARRAY(SELECT role FROM user_roles x WHERE x.user_id = u.id ORDER BY role COLLATE "C"),
			'Queues', ARRAY(SELECT queue FROM user_queues x WHERE x.user_id = u.id ORDER BY queue COLLATE "C"),
			'Skills', ARRAY(SELECT skill FROM user_skills x WHERE x.user_id = u.id ORDER BY skill COLLATE "C"))
			ORDER BY u.id) FROM users u),
		'Limits', (SELECT json_agg(json_build_object('Role', role, 'Action', action,
			'DocumentType', document_type, 'Unlimited', unlimited, 'BaseMinor', base_minor)
			ORDER BY role, action, document_type) FROM limits),
		'Conflicts', (SELECT json_agg(json_build_object('ID', id, 'Person', person, 'Party', party_id)
			ORDER BY id) FROM conflicts WHERE ended_at IS NULL),
		'Delegations', (SELECT json_agg(json_build_object('ID', id, 'From', giver, 'To', taker,
			'ValidFrom', valid_from, 'ValidUntil', valid_until, 'Queues', queues,
			'DocumentTypes', document_types, 'BaseMinor', base_minor)
			ORDER BY id) FROM delegations WHERE ended_at IS NULL),
		'Versions', (SELECT json_agg(json_build_object('Kind', kind, 'Key', key, 'Version', version,
			'SHA256', encode(sha256(convert_to(document, 'UTF8')), 'hex')) ORDER BY kind, key, version)
			FROM (SELECT 'process' AS kind, key, version, document FROM process_definitions
			WHERE status = 'published' UNION ALL SELECT 'rule_set', key, version, document FROM rule_sets
			UNION ALL SELECT 'document_type', key, version, document FROM document_types) v),
		'Owners', (SELECT json_agg(json_build_object('Process', process, 'Required', required,
			'Owners', ARRAY(SELECT o::text FROM unnest(owners) o ORDER BY o::text COLLATE "C")) ORDER BY process)
			FROM (SELECT DISTINCT ON (process) process, owners, required FROM process_owners
			ORDER BY process, version DESC) o WHERE required > 0),
		'Rehearsals', (SELECT json_agg(json_build_object('ID', t.id, 'Proposal', t.proposal_id, 'By', t.run_by,
			'SHA256', encode(sha256(convert_to(t.report, 'UTF8')), 'hex'),
			'TextSHA256', encode(sha256(convert_to(q.document, 'UTF8')), 'hex'), 'Base', q.base_version,
			'BaseSHA256', t.base_sha256) ORDER BY t.id)
			FROM rehearsal_reports t JOIN proposals q ON q.id = t.proposal_id),
		'Policies', (SELECT json_agg(json_build_object('Version', p.version, 'Rules', p.rules,
			'Proposed', coalesce(o.document, '')) ORDER BY p.version) FROM policies p
			LEFT JOIN proposals o ON o.id = p.proposal_id))`).Scan(&text)
	if err == nil {
		err = json.Unmarshal(text, &rows)
	}
	if err != nil {
		err = fmt.Errorf("store: read the rows of authority: %w", translate(err, "authority rows"))
	}
	return rows, err
}
