-- +goose Up
CREATE SEQUENCE case_reference;

CREATE TABLE streams (
  id        uuid PRIMARY KEY,
  name      text NOT NULL UNIQUE,
  last_seq  bigint NOT NULL DEFAULT 0,
  head_hash bytea NOT NULL DEFAULT decode(repeat('00', 32), 'hex'),
  last_txid xid8 NOT NULL DEFAULT '0'
);
INSERT INTO streams (id, name) VALUES
  ('00000000-0000-7000-8000-000000000001', 'policy'),
  ('00000000-0000-7000-8000-000000000002', 'people');

CREATE TABLE cases (
  id              uuid PRIMARY KEY,
  reference       text NOT NULL UNIQUE,
  process_key     text NOT NULL,
  process_version int NOT NULL,
  document_type   text NOT NULL DEFAULT '',
  channel         text NOT NULL CHECK (channel IN ('web', 'api', 'cli', 'mail', 'folder')),
  counterparty    text NOT NULL DEFAULT '',
  party_id        uuid NOT NULL DEFAULT '00000000-0000-0000-0000-000000000000',
  country         text NOT NULL DEFAULT '',
  amount_minor    bigint NOT NULL DEFAULT 0,
  currency        text NOT NULL DEFAULT '',
  amount_known    boolean NOT NULL DEFAULT false,
  base_minor      bigint NOT NULL DEFAULT 0,
  rate_id         uuid NOT NULL DEFAULT '00000000-0000-0000-0000-000000000000',
  declared_minor  bigint NOT NULL DEFAULT 0,
  declared_currency text NOT NULL DEFAULT '',
  document_number text NOT NULL DEFAULT '',
  marking         jsonb NOT NULL,
  status          text NOT NULL CHECK (status IN ('received', 'processing', 'in_review', 'returned', 'approved',
                    'settling', 'archived', 'rejected', 'incident', 'abandoned')),
  outcome         text NOT NULL DEFAULT '' CHECK (outcome IN ('', 'archived', 'rejected', 'abandoned')),
  outcome_reason  text NOT NULL DEFAULT '',
  risk            int NOT NULL DEFAULT 0 CHECK (risk BETWEEN 0 AND 100),
  -- No foreign key: users are never deleted, and its check would share-lock one row from every submission.
  submitter       uuid NOT NULL,
  correlation_id  text NOT NULL,
  manifest_key    text NOT NULL DEFAULT '',
  version         bigint NOT NULL DEFAULT 1,
  facts_revision  bigint NOT NULL DEFAULT 1,
  last_seq        bigint NOT NULL DEFAULT 0,
  head_hash       bytea NOT NULL DEFAULT decode(repeat('00', 32), 'hex') CHECK (octet_length(head_hash) = 32),
  last_txid       xid8 NOT NULL DEFAULT '0',
  created_at      timestamptz NOT NULL DEFAULT clock(),
  updated_at      timestamptz NOT NULL DEFAULT clock(),
  CONSTRAINT final_case_has_manifest CHECK (status NOT IN ('archived', 'rejected', 'abandoned') OR manifest_key <> ''),
  CONSTRAINT known_amount_has_currency CHECK (NOT amount_known OR currency <> '')
) WITH (fillfactor = 70);
CREATE INDEX cases_submitter ON cases (submitter, id);
CREATE INDEX cases_party ON cases (party_id, id);
CREATE INDEX cases_number ON cases (document_number, party_id) WHERE document_number <> '';

CREATE TABLE documents (
  case_id    uuid NOT NULL,
  id         uuid NOT NULL,
  revision   int NOT NULL,
  file_name  text NOT NULL,
  media_type text NOT NULL,
  size       bigint NOT NULL CHECK (size > 0),
  sha256     bytea NOT NULL CHECK (octet_length(sha256) = 32),
  blob_key   text NOT NULL,
  created_by uuid NOT NULL,
  created_at timestamptz NOT NULL DEFAULT clock(),
  -- Set when the file was read: the blob of the e-invoice found in it, '' if there is none.
  read_at        timestamptz,
  structured_key text NOT NULL DEFAULT '',
  PRIMARY KEY (case_id, id),
  UNIQUE (case_id, revision)
) PARTITION BY RANGE (case_id);
CREATE INDEX documents_sha256 ON documents (sha256);

CREATE TABLE pages (
  case_id    uuid NOT NULL,
  revision   int NOT NULL,
  number     int NOT NULL,
  raster_key text NOT NULL,
  width      int NOT NULL,
  height     int NOT NULL,
  dpi        int NOT NULL,
  rotation   int NOT NULL DEFAULT 0,
  source     text NOT NULL,
  text       text NOT NULL,
  words      jsonb NOT NULL,
  PRIMARY KEY (case_id, revision, number)
) PARTITION BY RANGE (case_id);

CREATE TABLE fields (
  case_id    uuid NOT NULL,
  name       text NOT NULL,
  raw        text NOT NULL,
  normalised text NOT NULL,
  page       int NOT NULL DEFAULT 0,
  box        jsonb,
  confidence double precision NOT NULL,
  source     text NOT NULL,
  grounded   boolean NOT NULL,
  revision   bigint NOT NULL,
  set_by     uuid NOT NULL DEFAULT '00000000-0000-0000-0000-000000000000',
  PRIMARY KEY (case_id, name)
) PARTITION BY RANGE (case_id);

CREATE TABLE findings (
  case_id      uuid NOT NULL,
  stage        text NOT NULL, -- the node that found it; a new run of the node replaces its own findings
  rule         text NOT NULL,
  rule_version int NOT NULL,
  severity     text NOT NULL CHECK (severity IN ('info', 'warning', 'blocking')),
  score        int NOT NULL,
  message      text NOT NULL,
  evidence     jsonb NOT NULL DEFAULT '{}',
  revision     bigint NOT NULL,
  PRIMARY KEY (case_id, stage, rule)
) PARTITION BY RANGE (case_id);

CREATE TABLE stage_runs (
  case_id      uuid NOT NULL,
  id           uuid NOT NULL,
  node         text NOT NULL,
  visit        int NOT NULL,
  kind         text NOT NULL CHECK (kind IN ('stage', 'timer', 'claim_by', 'at_risk', 'decide_by', 'saga')),
  subject      uuid NOT NULL DEFAULT '00000000-0000-0000-0000-000000000000',
  attempt      int NOT NULL DEFAULT 1,
  queue        text NOT NULL,
  run_after    timestamptz NOT NULL,
  status       text NOT NULL CHECK (status IN ('pending', 'leased', 'done', 'failed', 'incident', 'cancelled')),
  lease_token  uuid NOT NULL DEFAULT '00000000-0000-0000-0000-000000000000',
  lease_until  timestamptz NOT NULL DEFAULT '-infinity',
  ring         int NOT NULL DEFAULT 0,
  next_ring_at timestamptz NOT NULL,
  failures     int NOT NULL DEFAULT 0,
  expiries     int NOT NULL DEFAULT 0,
  worker       text NOT NULL DEFAULT '',
  error_code   text NOT NULL DEFAULT '',
  error_text   text NOT NULL DEFAULT '',
  created_at   timestamptz NOT NULL DEFAULT clock(),
  ended_at     timestamptz,
  PRIMARY KEY (case_id, id),
  UNIQUE (case_id, node, visit, kind, subject, attempt),
  CONSTRAINT leased_has_token CHECK (status <> 'leased' OR lease_token <> '00000000-0000-0000-0000-000000000000')
) PARTITION BY RANGE (case_id) ;
CREATE INDEX stage_runs_due ON stage_runs (next_ring_at) WHERE status = 'pending';
CREATE INDEX stage_runs_leased ON stage_runs (lease_until) WHERE status = 'leased';
CREATE INDEX stage_runs_incident ON stage_runs (ended_at) WHERE status = 'incident';

CREATE TABLE events (
  case_id        uuid NOT NULL,
  seq            bigint NOT NULL CHECK (seq > 0),
  type           text NOT NULL,
  schema_version int NOT NULL,
  actor          uuid NOT NULL,
  on_behalf_of   uuid NOT NULL,
  correlation_id text NOT NULL,
  at             timestamptz NOT NULL,
  status_before  text NOT NULL,
  status_after   text NOT NULL,
  marking_before text NOT NULL, -- canonical JSON, hashed as it stands
  marking_after  text NOT NULL,
  prev_hash      bytea NOT NULL CHECK (octet_length(prev_hash) = 32),
  body_hash      bytea NOT NULL CHECK (octet_length(body_hash) = 32),
  hash           bytea NOT NULL CHECK (octet_length(hash) = 32),
  salt           bytea NOT NULL,
  body           text NOT NULL,
  id             bigint GENERATED ALWAYS AS IDENTITY (CACHE 1),
  era            int NOT NULL DEFAULT 1,
  txid           xid8 NOT NULL,
  PRIMARY KEY (case_id, seq)
) PARTITION BY RANGE (case_id);

CREATE TABLE reviews (
  id            uuid PRIMARY KEY,
  case_id       uuid NOT NULL REFERENCES cases,
  node          text NOT NULL,
  visit         int NOT NULL,
  seat          int NOT NULL,
  queue         text NOT NULL,
  level         int NOT NULL,
  duty          text NOT NULL,
  assignee      uuid NOT NULL DEFAULT '00000000-0000-0000-0000-000000000000',
  status        text NOT NULL CHECK (status IN ('open', 'claimed', 'decided', 'cancelled')),
  claim_by      timestamptz NOT NULL,
  decide_by     timestamptz NOT NULL,
  claimed_at    timestamptz,
  claim_until   timestamptz NOT NULL DEFAULT '-infinity',
  priority      int NOT NULL DEFAULT 0,
  draft         bytea,
  version       bigint NOT NULL DEFAULT 1,
  submitter     uuid NOT NULL,
  party_id      uuid NOT NULL,
  base_minor    bigint NOT NULL,
  amount_known  boolean NOT NULL,
  band          int NOT NULL,
  document_type text NOT NULL,
  country       text NOT NULL,
  created_at    timestamptz NOT NULL DEFAULT clock(),
  decided_at    timestamptz,
  UNIQUE (case_id, node, visit, seat),
  CONSTRAINT claimed_has_assignee CHECK (status <> 'claimed' OR assignee <> '00000000-0000-0000-0000-000000000000')
);
CREATE INDEX reviews_queue ON reviews (queue, band, priority DESC, decide_by, id) WHERE status = 'open';
CREATE INDEX reviews_assignee ON reviews (assignee, decide_by, id) WHERE status IN ('open', 'claimed');
CREATE INDEX reviews_claim_lease ON reviews (claim_until) WHERE status = 'claimed';

CREATE TABLE decisions (
  case_id      uuid NOT NULL,
  id           uuid NOT NULL,
  review_id    uuid NOT NULL,
  actor        uuid NOT NULL,
  on_behalf_of uuid NOT NULL DEFAULT '00000000-0000-0000-0000-000000000000',
  verdict      text NOT NULL CHECK (verdict IN ('approve', 'reject', 'return', 'escalate')),
  reason       text NOT NULL DEFAULT '',
  evidence     jsonb NOT NULL,
  at           timestamptz NOT NULL,
  PRIMARY KEY (case_id, id),
  UNIQUE (case_id, review_id),
  CONSTRAINT refusal_has_reason CHECK (verdict = 'approve' OR reason <> '')
) PARTITION BY RANGE (case_id);

CREATE TABLE votes (
  case_id   uuid NOT NULL REFERENCES cases,
  duty      text NOT NULL,
  person    uuid NOT NULL REFERENCES users,
  review_id uuid NOT NULL REFERENCES reviews,
  PRIMARY KEY (case_id, duty, person)
);

CREATE TABLE case_interests (
  case_id uuid NOT NULL REFERENCES cases,
  person  uuid NOT NULL, -- as cases.submitter
  reason  text NOT NULL CHECK (reason IN ('submitter', 'set_amount', 'set_payee', 'own_account')),
  PRIMARY KEY (case_id, person, reason)
);

CREATE TABLE access_log (
  id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  at         timestamptz NOT NULL DEFAULT clock(),
  actor      uuid NOT NULL,
  action     text NOT NULL,
  case_id    uuid NOT NULL DEFAULT '00000000-0000-0000-0000-000000000000',
  object     text NOT NULL DEFAULT '',
  code       text NOT NULL DEFAULT '', -- '' = done, else the refusal's code
  request_id text NOT NULL DEFAULT ''
);
CREATE INDEX access_log_case ON access_log (case_id, at) WHERE case_id <> '00000000-0000-0000-0000-000000000000';

-- +goose Down
SELECT 1 / 0;
