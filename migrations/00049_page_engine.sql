-- The engine that recognised the words of a page, by which the confidence of its values is calibrated. '' = a text layer, or
-- read before engines were recorded.
-- +goose Up
ALTER TABLE pages ADD COLUMN engine text NOT NULL DEFAULT '';

-- +goose Down
SELECT 1 / 0;
