-- +goose Up
-- The orders of the list of cases (ADR 0094). Both columns change with the facts of a case, not with each step.
CREATE INDEX cases_risk_order ON cases (risk, id);
CREATE INDEX cases_amount_order ON cases (base_minor, id);

-- +goose Down
SELECT 1 / 0;
