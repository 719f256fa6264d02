-- +goose Up
-- One row: how often a session or an API token was ended or shortened. Readings of the event log carry it in their snapshot,
-- so that no server sends an event that was committed after the end of the credential that would receive it.
CREATE TABLE credential_changes (
  id      int PRIMARY KEY DEFAULT 1 CHECK (id = 1),
  version bigint NOT NULL DEFAULT 1
);
INSERT INTO credential_changes DEFAULT VALUES;
GRANT SELECT, UPDATE ON credential_changes TO countersign_app;

-- +goose StatementBegin
CREATE FUNCTION raise_credential_changes() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE credential_changes SET version = version + 1;
  RETURN NULL;
END $$;
-- +goose StatementEnd
-- Before the statement, so that the counter is always locked before the sessions and tokens: two of them never deadlock.
CREATE TRIGGER credentials_change BEFORE DELETE OR UPDATE OF user_id, expires_at, ended_at ON sessions
  FOR EACH STATEMENT EXECUTE FUNCTION raise_credential_changes();
CREATE TRIGGER credentials_change BEFORE DELETE OR UPDATE OF user_id, expires_at, revoked_at ON api_tokens
  FOR EACH STATEMENT EXECUTE FUNCTION raise_credential_changes();

-- The scopes of a token never change: whoever wants others makes another token. Connections may rely on those they began with.
CREATE TRIGGER scopes_are_fixed BEFORE UPDATE OF scopes ON api_tokens
  FOR EACH ROW WHEN (NEW.scopes IS DISTINCT FROM OLD.scopes) EXECUTE FUNCTION refuse_change();

-- +goose Down
SELECT 1 / 0;
