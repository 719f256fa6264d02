-- +goose Up
-- Every list of what waits is read queue by queue in its order, and ends at the first rows that fit. The amount stands in the
-- index so that what is above a person's limit is passed over without being read.
CREATE INDEX reviews_claim ON reviews (queue, priority DESC, decide_by, id, base_minor) WHERE status = 'open';
CREATE INDEX reviews_waiting ON reviews (queue, decide_by, id, base_minor) WHERE status IN ('open', 'claimed');
-- What somebody has.
CREATE INDEX reviews_held ON reviews (queue, status) WHERE status IN ('open', 'claimed') AND assignee <> '00000000-0000-0000-0000-000000000000';
-- The moment from which a review can be at risk: nobody took it in time, or a fifth of its time is left.
CREATE INDEX reviews_at_risk ON reviews (queue, (least(coalesce(at_risk_from, '-infinity'::timestamptz),
  CASE WHEN status = 'open' THEN claim_by ELSE 'infinity'::timestamptz END)) DESC, decide_by) WHERE status IN ('open', 'claimed');
-- In whose place these stand.
DROP INDEX reviews_queue, reviews_next;

-- +goose Down
SELECT 1 / 0;
