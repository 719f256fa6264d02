-- Notices: what a person should know, derived from the feed, once for each event, person and kind.
-- +goose Up
CREATE TABLE notice_cursor (
  one   boolean PRIMARY KEY DEFAULT true CHECK (one),
  -- Every event up to this position has its notices.
  era   int NOT NULL,
  txid  xid8 NOT NULL,
  event bigint NOT NULL
);
INSERT INTO notice_cursor (era, txid, event) SELECT end_era, end_txid, 0 FROM feed_end();

CREATE TABLE notices (
  id         uuid PRIMARY KEY,
  recipient  uuid NOT NULL REFERENCES users,
  kind       text NOT NULL,
  stream     uuid NOT NULL,
  seq        bigint NOT NULL,
  case_id    uuid,
  review_id  uuid,
  person     uuid REFERENCES users, -- whom the notice names, as the delegator
  due        timestamptz,           -- the deadline that the notice names
  at         timestamptz NOT NULL,  -- when it is shown
  status     text NOT NULL CHECK (status IN ('scheduled', 'shown', 'void')),
  read_at    timestamptz,
  mail       text NOT NULL CHECK (mail IN ('none', 'waiting', 'sent', 'refused', 'dropped')),
  mail_at    timestamptz, -- when the e-mail is due
  attempts   int NOT NULL DEFAULT 0,
  mail_error text NOT NULL DEFAULT '',
  UNIQUE (stream, seq, recipient, kind)
);
CREATE INDEX notices_list ON notices (recipient, at DESC, id DESC) WHERE status = 'shown';
CREATE INDEX notices_unread ON notices (recipient) WHERE status = 'shown' AND read_at IS NULL;
CREATE INDEX notices_age ON notices (at);
CREATE INDEX notices_scheduled ON notices (at) WHERE status = 'scheduled';
CREATE INDEX notices_mail ON notices (mail_at) WHERE mail = 'waiting' AND status = 'shown';
CREATE INDEX notices_review ON notices (review_id) WHERE read_at IS NULL;
CREATE INDEX notices_case ON notices (case_id) WHERE read_at IS NULL;

-- What a person chose; without a row the default of the kind holds.
CREATE TABLE notice_settings (
  user_id uuid NOT NULL REFERENCES users,
  kind    text NOT NULL,
  mail    text NOT NULL CHECK (mail IN ('immediately', 'digest', 'off')),
  PRIMARY KEY (user_id, kind)
);

CREATE TABLE notice_people (
  user_id     uuid PRIMARY KEY REFERENCES users,
  calendar    text NOT NULL DEFAULT '',  -- e-mails are sent in its working time; '' = always
  refused     text NOT NULL DEFAULT '',  -- the address that the mail server refused
  refusal     text NOT NULL DEFAULT '',  -- its answer
  refused_at  timestamptz,
  mailed_at   timestamptz -- the newest e-mail
);

-- The key that signs the links with which people unsubscribe.
INSERT INTO installation_keys VALUES ('notices', sha256(convert_to(
  gen_random_uuid()::text || gen_random_uuid()::text || gen_random_uuid()::text, 'UTF8')));

GRANT SELECT, UPDATE ON notice_cursor TO countersign_app;
GRANT SELECT, INSERT, UPDATE ON notice_people TO countersign_app;
GRANT SELECT, INSERT, UPDATE, DELETE ON notices, notice_settings TO countersign_app;

-- +goose Down
SELECT 1 / 0;
