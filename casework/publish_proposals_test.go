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

func (env *testEnv) processDocument(key string, version int) string {
	env.t.Helper()
	row, err := env.db.Reader().Definition(env.ctx, key, version)
	must(env.t, err)
	return row.Document
}

func (env *testEnv) proposeProcess(by domain.Actor, document string) domain.ID {
	env.t.Helper()
	proposed, err := env.svc.ProposeProcess(env.ctx, by, casework.Propose{Document: document})
	must(env.t, err)
	return proposed.ProposalID
}

// Publishing a definition does not affect running cases: each ends with the version it started
// with, and new cases use the newest.
func TestRunningCasesKeepTheirDefinition(t *testing.T) {
	t.Parallel()
	const running = 200
	env := newTestEnv(t)
	sam, lea := env.person("sam", domain.RoleSubmitter), env.person("lea", domain.RoleSenior)
	ada, abe := env.admins()
	var cases []domain.ID
	for i := range running {
		// totals and numbers that make no document a possible duplicate of another
		env.reader.xml = invoiceXML(fmt.Sprintf("%d.00", 2000+i), documentNumber(""))
		cases = append(cases, env.submit(sam, fmt.Sprintf("document %d", i)))
		env.drainQueue()
	}
	document := strings.Replace(env.processDocument("document_approval", 1), "      approve: archive", "      approve: second", 1) + `  - id: second
    kind: review
    queue: L2
    level: 2
    on: {approve: archive, reject: seal_rejected, return: validate}
`
	proposal := env.proposeProcess(ada, document)
	_, err := env.svc.PublishProcess(env.ctx, abe, casework.EndProposal{ProposalID: proposal})
	wantCode(t, err, domain.ConfirmationNeeded) // no user has the queue L2
	_, err = env.svc.PublishProcess(env.ctx, abe,
		casework.EndProposal{ProposalID: proposal, Confirm: true})
	must(t, err)
	for _, id := range cases {
		review := env.claim(lea, id)
		must(t, env.decide(lea, review.ID, domain.Approve, "checked"))
	}
	env.drainQueue()
	for _, id := range cases {
		if c := env.caseByID(id); c.Status != domain.Archived || c.ProcessVersion != 1 {
			t.Fatalf("%s is %s with version %d", c.Reference, c.Status, c.ProcessVersion)
		}
	}
	env.reader.xml = invoiceXML("2000.00", "R-new")
	id := env.submit(sam, "new")
	env.drainQueue()
	must(t, env.decide(lea, env.claim(lea, id).ID, domain.Approve, ""))
	env.drainQueue()
	if c := env.caseByID(id); c.ProcessVersion != 2 || env.openReview(id).Node != "second" {
		t.Errorf("a new case has version %d", c.ProcessVersion)
	}
}

// TestUnknownQueueIsRefused checks that a process with a stage on a queue that no worker serves
// cannot be proposed.
func TestUnknownQueueIsRefused(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	ada, _ := env.admins()
	document := strings.Replace(env.processDocument("document_approval", 1), "queue: ocr",
		"queue: ocrr", 1)
	const sentence = `No worker serves the queue "ocrr". ` +
		`The work queues are light, ocr, model, timers, connect.`
	checked, err := env.svc.CheckProcess(env.ctx, ada, document)
	must(t, err)
	if problems := checked.Report.Problems; len(problems) != 1 ||
		problems[0].Rule != "queue" || problems[0].Message != sentence {
		t.Errorf("the check reports %v", problems)
	}
	_, err = env.svc.ProposeProcess(env.ctx, ada, casework.Propose{Document: document})
	wantCode(t, err, domain.UnsoundDefinition)
	if !strings.Contains(err.Error(), sentence) {
		t.Errorf("the refusal says %q", err)
	}
	known := strings.Replace(document, "queue: ocrr", "queue: ocr", 1)
	checked, err = env.svc.CheckProcess(env.ctx, ada, known)
	must(t, err)
	if len(checked.Report.Problems) != 0 {
		t.Errorf("the known queue is refused: %v", checked.Report.Problems)
	}
}

// Every command on a proposal is idempotent and refuses users without the right.
func TestProposalLifecycle(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	ada, abe := env.admins()
	rita := env.person("rita", domain.RoleL1)
	document := strings.Replace(env.processDocument("content_review", 1), "claim_within: 2h",
		"claim_within: 3h", 1)
	in := casework.Propose{Once: casework.Once{Key: "k"}, Document: document, Note: "slower",
		ExpectedVersion: "1"}
	first, err := env.svc.ProposeProcess(env.ctx, ada, in)
	must(t, err)
	again, err := env.svc.ProposeProcess(env.ctx, ada, in)
	must(t, err)
	if again.ProposalID != first.ProposalID {
		t.Error("the same command created two proposals")
	}
	in.Note = "other"
	_, err = env.svc.ProposeProcess(env.ctx, ada, in)
	wantCode(t, err, domain.IdempotencyMismatch)
	end := casework.EndProposal{Once: casework.Once{Key: "p"}, ProposalID: first.ProposalID,
		Confirm: true}
	_, err = env.svc.PublishProcess(env.ctx, rita, end)
	wantCode(t, err, domain.NotPermitted)
	_, err = env.svc.PublishProcess(env.ctx, ada, end)
	wantCode(t, err, domain.FourEyes)
	_, err = env.svc.PublishRuleSet(env.ctx, abe, end)
	wantCode(t, err, domain.NotFound)
	stale := end
	stale.ExpectedVersion = "published"
	_, err = env.svc.PublishProcess(env.ctx, abe, stale)
	wantCode(t, err, domain.StaleVersion)
	for range 2 {
		published, err := env.svc.PublishProcess(env.ctx, abe, end)
		must(t, err)
		if published.Version != 2 {
			t.Errorf("published %+v", published)
		}
	}
	_, err = env.svc.WithdrawProcess(env.ctx, ada,
		casework.EndProposal{ProposalID: first.ProposalID})
	wantCode(t, err, domain.StateMismatch)
	_, err = env.svc.RestoreProcess(env.ctx, ada,
		casework.Restore{Key: "content_review", Version: 9})
	wantCode(t, err, domain.NotFound)
	_, err = env.svc.ProposeProcess(env.ctx,
		domain.Actor{UserID: ada.UserID, OnBehalfOf: abe.UserID},
		casework.Propose{Document: document})
	wantCode(t, err, domain.NotPermitted)
	_, err = env.svc.ProposeProcess(env.ctx, domain.SystemActor(),
		casework.Propose{Document: document})
	if err == nil {
		t.Error("the system actor proposed a process")
	}
	env.verifyStream(domain.DefinitionStream("content_review"), 3)
}

// verifyStream verifies the hash chain of a system stream up to its recorded head and counts its
// events.
func (env *testEnv) verifyStream(stream domain.SystemStream, events int) {
	env.t.Helper()
	var head audit.ChainHead
	must(env.t, env.owner.QueryRow(env.ctx, `SELECT last_seq, head_hash FROM streams WHERE id = $1`,
		stream.ID).Scan(&head.Seq, &head.Hash))
	if log := env.verifyStreamEvents(stream.ID, head); len(log) != events {
		env.t.Errorf("%d events on %s, want %d", len(log), stream.Name, events)
	}
}

// Independently of the service layer, the database refuses a version without a proposal, and
// publication by the proposer.
func TestDatabaseRequiresTwoPersonsPerVersion(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	ada, abe := env.admins()
	proposal := env.proposeProcess(ada, env.processDocument("content_review", 1))
	for name, sql := range map[string]string{
		"without a proposal":            `INSERT INTO process_definitions (key, version, document, published_by) VALUES ('x', 1, 'd', '%[2]s')`,
		"of an open proposal":           `INSERT INTO process_definitions (key, version, document, published_by, proposal_id) SELECT key, 2, document, '%[2]s', id FROM proposals WHERE id = '%[3]s'`,
		"by the proposer":               `UPDATE proposals SET status = 'published', decided_by = '%[1]s', decided_at = clock() WHERE id = '%[3]s'`,
		"another text":                  `UPDATE proposals SET document = 'other' WHERE id = '%[3]s'`,
		"a rule set without a proposal": `INSERT INTO rule_sets (key, version, document, published_by) VALUES ('x', 1, 'd', '%[2]s')`,
		"a rule set's text":             `UPDATE rule_sets SET document = 'other'`,
		"deleting a proposal":           `DELETE FROM proposals`,
	} {
		_, err := env.owner.Exec(env.ctx,
			strings.NewReplacer("%[1]s", ada.UserID.String(), "%[2]s", abe.UserID.String(), "%[3]s",
				proposal.String()).Replace(sql))
		var pgErr *pgconn.PgError
		if err == nil || !errors.As(err, &pgErr) ||
			pgErr.Code != "CS009" && pgErr.Code != "CS010" && pgErr.Code != "23514" {
			t.Errorf("%s: %v", name, err)
		}
	}
}
