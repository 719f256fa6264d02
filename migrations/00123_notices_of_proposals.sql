-- The unread notices about proposals, which end with the proposal.
-- +goose Up
CREATE INDEX notices_proposal ON notices (proposal_id) WHERE kind = 'proposal' AND read_at IS NULL;

-- +goose Down
SELECT 1 / 0;
