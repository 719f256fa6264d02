-- What the pages of a document show: rules compare it with the type of the document and with its e-invoice.
-- +goose Up
ALTER TABLE documents
  ADD COLUMN features text[], -- NULL = not examined, as in documents read by an earlier program
  ADD COLUMN not_printed text[] NOT NULL DEFAULT '{}';
