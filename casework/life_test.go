package casework_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"

	"countersign/audit"
	"countersign/casework"
	"countersign/domain"
)

func (w *world) process(key string, version int) string {
	w.t.Helper()
	row, err := w.db.Reader().Definition(w.ctx, key, version)
	must(w.t, err)
	return row.Document
}

func (w *world) proposeProcess(by domain.Actor, document string) domain.ID {
	w.t.Helper()
	proposed, err := w.hall.ProposeProcess(w.ctx, by, casework.Propose{Document: document})
	must(w.t, err)
	return proposed.ProposalID
}

// A definition that is published while cases run disturbs none: each ends by the version it began with, new ones take
// the newest.
func TestAPublishedDefinitionDisturbsNoRunningCase(t *testing.T) {
	t.Parallel()
	const running = 200
	w := newWorld(t)
	sam, lea := w.person("sam", domain.RoleSubmitter), w.person("lea", domain.RoleSenior)
	ada, abe := w.admins()
	var cases []domain.ID
	for i := range running {
		w.desk.xml = invoiceXML("2000.00", fmt.Sprintf("R-%d", i))
		cases = append(cases, w.submit(sam, fmt.Sprintf("document %d", i)))
	}
	document := strings.Replace(w.process("document_approval", 1), "      approve: archive", "      approve: second", 1) + `  - id: second
    kind: review
    queue: L2
    level: 2
    on: {approve: archive, reject: seal_rejected, return: validate}
`
	proposal := w.proposeProcess(ada, document)
	w.work() // all stand before their review
	_, err := w.hall.PublishProcess(w.ctx, abe, casework.EndProposal{ProposalID: proposal})
	wantCode(t, err, domain.ConfirmationNeeded) // nobody works L2
	_, err = w.hall.PublishProcess(w.ctx, abe, casework.EndProposal{ProposalID: proposal, Confirm: true})
	must(t, err)
	for _, id := range cases {
		review := w.claim(lea, id)
		must(t, w.decide(lea, review.ID, domain.Approve, ""))
	}
	w.work()
	for _, id := range cases {
		if c := w.kase(id); c.Status != domain.Archived || c.ProcessVersion != 1 {
			t.Fatalf("%s is %s by version %d", c.Reference, c.Status, c.ProcessVersion)
		}
	}
	w.desk.xml = invoiceXML("2000.00", "R-new")
	id := w.submit(sam, "new")
	w.work()
	must(t, w.decide(lea, w.claim(lea, id).ID, domain.Approve, ""))
	w.work()
	if c := w.kase(id); c.ProcessVersion != 2 || w.openReview(id).Node != "second" {
		t.Errorf("a new case is by version %d", c.ProcessVersion)
	}
}

// Every command on a proposal can be repeated, and says no to whoever may not.
func TestAProposalsLife(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ada, abe := w.admins()
	rita := w.person("rita", domain.RoleL1)
	document := strings.Replace(w.process("content_review", 1), "claim_within: 2h", "claim_within: 3h", 1)
	in := casework.Propose{Once: casework.Once{Key: "k"}, Document: document, Note: "slower", ExpectedVersion: "1"}
	first, err := w.hall.ProposeProcess(w.ctx, ada, in)
	must(t, err)
	again, err := w.hall.ProposeProcess(w.ctx, ada, in)
	must(t, err)
	if again.ProposalID != first.ProposalID {
		t.Error("the same command made two proposals")
	}
	in.Note = "other"
	_, err = w.hall.ProposeProcess(w.ctx, ada, in)
	wantCode(t, err, domain.IdempotencyMismatch)
	end := casework.EndProposal{Once: casework.Once{Key: "p"}, ProposalID: first.ProposalID, Confirm: true}
	_, err = w.hall.PublishProcess(w.ctx, rita, end)
	wantCode(t, err, domain.NotPermitted)
	_, err = w.hall.PublishProcess(w.ctx, ada, end)
	wantCode(t, err, domain.FourEyes)
	_, err = w.hall.PublishRuleSet(w.ctx, abe, end)
	wantCode(t, err, domain.NotFound)
	stale := end
	stale.ExpectedVersion = "published"
	_, err = w.hall.PublishProcess(w.ctx, abe, stale)
	wantCode(t, err, domain.StaleVersion)
	for range 2 {
		published, err := w.hall.PublishProcess(w.ctx, abe, end)
		must(t, err)
		if published.Version != 2 {
			t.Errorf("published %+v", published)
		}
	}
	_, err = w.hall.WithdrawProcess(w.ctx, ada, casework.EndProposal{ProposalID: first.ProposalID})
	wantCode(t, err, domain.StateMismatch)
	_, err = w.hall.RestoreProcess(w.ctx, ada, casework.Restore{Key: "content_review", Version: 9})
	wantCode(t, err, domain.NotFound)
	_, err = w.hall.ProposeProcess(w.ctx, domain.Actor{UserID: ada.UserID, OnBehalfOf: abe.UserID}, casework.Propose{Document: document})
	wantCode(t, err, domain.NotPermitted)
	_, err = w.hall.ProposeProcess(w.ctx, domain.SystemActor(), casework.Propose{Document: document})
	if err == nil {
		t.Error("the system proposes")
	}
	w.verifyStream(domain.DefinitionStream("content_review"), 3)
}

// verifyStream walks the chain of a stream that is no case's, up to the head on its record, and counts its events.
func (w *world) verifyStream(stream domain.SystemStream, events int) {
	w.t.Helper()
	var head audit.Head
	must(w.t, w.owner.QueryRow(w.ctx, `SELECT last_seq, head_hash FROM streams WHERE id = $1`, stream.ID).Scan(&head.Seq, &head.Hash))
	if log := w.walk(stream.ID, head); len(log) != events {
		w.t.Errorf("%d events on %s, want %d", len(log), stream.Name, events)
	}
}

// The second belt: past the hall, the database refuses a version without its proposal, and a proposer who publishes.
func TestVersionsNeedTwoPersonsInTheDatabaseToo(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ada, abe := w.admins()
	proposal := w.proposeProcess(ada, w.process("content_review", 1))
	for name, sql := range map[string]string{
		"without a proposal":  `INSERT INTO process_definitions (key, version, document, published_by) VALUES ('x', 1, 'd', '%[2]s')`,
		"of an open proposal": `INSERT INTO process_definitions (key, version, document, published_by, proposal_id) SELECT key, 2, document, '%[2]s', id FROM proposals WHERE id = '%[3]s'`,
		"by the proposer":     `UPDATE proposals SET status = 'published', decided_by = '%[1]s', decided_at = clock() WHERE id = '%[3]s'`,
		"another text":        `UPDATE proposals SET document = 'other' WHERE id = '%[3]s'`,
		"a rule set likewise": `INSERT INTO rule_sets (key, version, document, published_by) VALUES ('x', 1, 'd', '%[2]s')`,
		"a rule set's text":   `UPDATE rule_sets SET document = 'other'`,
		"no proposal":         `DELETE FROM proposals`,
	} {
		_, err := w.owner.Exec(w.ctx, strings.NewReplacer("%[1]s", ada.UserID.String(), "%[2]s", abe.UserID.String(), "%[3]s", proposal.String()).Replace(sql))
		var refused *pgconn.PgError
		if err == nil || !errors.As(err, &refused) || refused.Code != "CS009" && refused.Code != "CS010" && refused.Code != "23514" {
			t.Errorf("%s: %v", name, err)
		}
	}
}
