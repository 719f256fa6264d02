-- Numbers are compared in the form of number_key, whose index replaced this one.
-- +goose Up
DROP INDEX cases_number;

-- +goose Down
SELECT 1 / 0;
