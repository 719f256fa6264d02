-- Statistics over a period are read from what is recorded anyway; these indexes find it by its time.
-- +goose Up
-- Ends of cases and corrections of values. Few events are of these types.
CREATE INDEX events_counted ON events (type, at)
  WHERE type IN ('case.archived', 'case.rejected', 'case.abandoned', 'fields.corrected');
-- Reviews that were decided after their deadline.
CREATE INDEX reviews_late ON reviews (decide_by) WHERE status = 'decided' AND decided_at > decide_by;

-- +goose Down
SELECT 1 / 0;
