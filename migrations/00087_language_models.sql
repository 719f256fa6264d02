-- What language models were asked about cases and what they cost, and the budget of these calls.
-- +goose Up
CREATE TABLE model_runs (
  id                uuid PRIMARY KEY,
  case_id           uuid NOT NULL REFERENCES cases,
  run_id            uuid NOT NULL, -- stage run
  node              text NOT NULL,
  document_revision int NOT NULL,
  at                timestamptz NOT NULL DEFAULT clock(),
  model             text NOT NULL,
  prompt_version    int NOT NULL,
  prompt_hash       bytea NOT NULL, -- SHA-256 of the prompt and its schema; '' after the erasure of the case
  parameters        jsonb NOT NULL,
  outcome           text NOT NULL CHECK (outcome IN ('answered', 'failed')),
  error_code        text NOT NULL DEFAULT '',
  error_text        text NOT NULL DEFAULT '',
  calls             jsonb NOT NULL, -- each HTTP request: status, outcome, milliseconds, tokens
  input_tokens      bigint NOT NULL CHECK (input_tokens >= 0),
  output_tokens     bigint NOT NULL CHECK (output_tokens >= 0),
  cost_micros       bigint NOT NULL CHECK (cost_micros >= 0), -- millionths of the currency
  currency          text NOT NULL,
  took_ms           bigint NOT NULL CHECK (took_ms >= 0),
  prompt            text NOT NULL, -- '' after the erasure of the case, as the answer
  answer            text NOT NULL
);
CREATE INDEX model_runs_case ON model_runs (case_id, at);
GRANT SELECT, INSERT ON model_runs TO countersign_app;
CREATE TRIGGER model_runs_stay BEFORE UPDATE OR DELETE ON model_runs FOR EACH ROW EXECUTE FUNCTION refuse_change_unless_erasing();

-- Tokens and money that calls have used or reserved: of an hour, a day (UTC) or a case. Each call reserves what it may
-- use before it is made, and puts what it used in its place afterwards.
CREATE TABLE model_budget (
  scope       text NOT NULL CHECK (scope IN ('hour', 'day', 'case')),
  subject     text NOT NULL, -- begin of the hour or day, or id of the case
  tokens      bigint NOT NULL CHECK (tokens >= 0),
  cost_micros bigint NOT NULL CHECK (cost_micros >= 0),
  PRIMARY KEY (scope, subject)
);
GRANT SELECT, INSERT, UPDATE ON model_budget TO countersign_app;

-- +goose StatementBegin
-- The erasure of a case removes what left about it and what came back.
CREATE FUNCTION erase_model_runs() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  UPDATE model_runs SET prompt = '', answer = '', prompt_hash = '', error_text = '' WHERE case_id = NEW.id;
  RETURN NULL;
END $$;
-- +goose StatementEnd
CREATE TRIGGER model_runs_erased AFTER UPDATE OF erased_at ON cases FOR EACH ROW
  WHEN (OLD.erased_at IS NULL AND NEW.erased_at IS NOT NULL) EXECUTE FUNCTION erase_model_runs();

-- +goose Down
SELECT 1 / 0;
