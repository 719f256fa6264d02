package casework_test

import (
	"errors"
	"strings"
	"testing"

	"countersign/casework"
	"countersign/domain"
)

// slower returns the text of a built-in process with another deadline.
func (env *testEnv) slower(within string) string {
	env.t.Helper()
	document := strings.Replace(env.processDocument("content_review", 1), "claim_within: 2h",
		"claim_within: "+within, 1)
	return document
}

func (env *testEnv) comment(by domain.Actor, proposal domain.ID, text string) domain.ID {
	env.t.Helper()
	done, err := env.svc.AddComment(env.ctx, by, casework.AddComment{ProposalID: proposal, Text: text})
	must(env.t, err)
	return done.CommentID
}

func (env *testEnv) commentsOf(proposal domain.ID) []domain.ProposalComment {
	env.t.Helper()
	p, err := env.db.Reader().Proposal(env.ctx, proposal)
	must(env.t, err)
	comments, err := env.db.Reader().ProposalComments(env.ctx, p)
	must(env.t, err)
	return comments
}

// A publisher confirms the unresolved comments that they read, and no others: neither a general
// confirmation nor one of earlier comments covers a comment that was written meanwhile.
func TestUnresolvedCommentsAreConfirmedByName(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	ada, abe := env.admins()
	proposal := env.proposeProcess(ada, env.slower("3h"))
	first := env.comment(abe, proposal, "Why three hours?\nTwo were enough.")
	publish := casework.EndProposal{ProposalID: proposal, Confirm: true}
	_, err := env.svc.PublishProcess(env.ctx, abe, publish)
	wantCode(t, err, domain.ConfirmationNeeded)
	if !strings.Contains(err.Error(), "abe: “Why three hours?…”") {
		t.Errorf("the refusal does not name the comment: %v", err)
	}
	later := env.comment(ada, proposal, "Because of the holidays.")
	publish.Unresolved = []domain.ID{first}
	_, err = env.svc.PublishProcess(env.ctx, abe, publish)
	wantCode(t, err, domain.ConfirmationNeeded)
	if strings.Contains(err.Error(), "three hours") || !strings.Contains(err.Error(), "holidays") {
		t.Errorf("the refusal names other comments: %v", err)
	}
	publish.Unresolved = []domain.ID{first, later}
	_, err = env.svc.PublishProcess(env.ctx, abe, publish)
	must(t, err)
}

// A resolved comment needs no confirmation. Its author and the proposer may resolve it, once.
func TestCommentsAreResolvedByAuthorOrProposer(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	ada, abe := env.admins()
	eve := env.person("eve", domain.RoleAdmin)
	proposal := env.proposeProcess(ada, env.slower("3h"))
	byAuthor, byProposer := env.comment(abe, proposal, "one"), env.comment(abe, proposal, "two")
	resolve := func(by domain.Actor, id domain.ID) error {
		_, err := env.svc.ResolveComment(env.ctx, by, casework.ResolveComment{CommentID: id})
		return err
	}
	wantCode(t, resolve(eve, byAuthor), domain.NotPermitted)
	// A rival proposal gives no right over the comments on a text that is still open.
	env.proposeProcess(eve, env.slower("4h"))
	wantCode(t, resolve(eve, byAuthor), domain.NotPermitted)
	must(t, resolve(abe, byAuthor))
	must(t, resolve(ada, byProposer))
	wantCode(t, resolve(ada, byProposer), domain.StateMismatch)
	_, err := env.svc.PublishProcess(env.ctx, abe, casework.EndProposal{ProposalID: proposal, Confirm: true})
	must(t, err)
}

// A proposer cannot lose the comments by withdrawing the text and proposing it again.
func TestANewTextKeepsTheComments(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	ada, abe := env.admins()
	first := env.proposeProcess(ada, env.slower("3h"))
	objection := env.comment(abe, first, "Do not.")
	_, err := env.svc.WithdrawProcess(env.ctx, ada, casework.EndProposal{ProposalID: first})
	must(t, err)
	second := env.proposeProcess(ada, env.slower("3h"))
	comments := env.commentsOf(second)
	if len(comments) != 1 || comments[0].ID != objection || comments[0].ProposalID != first {
		t.Fatalf("the second text has the comments %v", comments)
	}
	_, err = env.svc.PublishProcess(env.ctx, abe, casework.EndProposal{ProposalID: second, Confirm: true})
	wantCode(t, err, domain.ConfirmationNeeded)
	// The proposer of the present text may resolve what was written about the withdrawn one.
	_, err = env.svc.ResolveComment(env.ctx, ada, casework.ResolveComment{CommentID: objection})
	must(t, err)
	_, err = env.svc.PublishProcess(env.ctx, abe, casework.EndProposal{ProposalID: second, Confirm: true})
	must(t, err)
	third := env.proposeProcess(ada, env.slower("5h"))
	if comments := env.commentsOf(third); len(comments) != 0 {
		t.Errorf("the next version has the comments of a finished one: %v", comments)
	}
}

// Comments are written by administrators on open proposals, and are bounded.
func TestCommentsAreRefused(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	ada, abe := env.admins()
	rita := env.person("rita", domain.RoleL1)
	ann := env.person("ann", domain.RoleAuditor)
	proposal := env.proposeProcess(ada, env.slower("3h"))
	add := func(by domain.Actor, text, part string) error {
		_, err := env.svc.AddComment(env.ctx, by,
			casework.AddComment{ProposalID: proposal, Text: text, Part: part})
		return err
	}
	wantCode(t, add(rita, "hello", ""), domain.NotPermitted)
	wantCode(t, add(ann, "hello", ""), domain.NotPermitted)
	wantCode(t, add(abe, " \u200b\n", ""), domain.InvalidInput)
	wantCode(t, add(abe, strings.Repeat("x", domain.MaxNoteText+1), ""), domain.InvalidInput)
	wantCode(t, add(abe, "hello", "no_such_node"), domain.InvalidInput)
	must(t, add(abe, "hello", "archive"))
	for range 29 {
		must(t, add(abe, "again", ""))
	}
	wantCode(t, add(abe, "too many", ""), domain.RateLimited)
	_, err := env.svc.WithdrawProcess(env.ctx, ada, casework.EndProposal{ProposalID: proposal})
	must(t, err)
	wantCode(t, add(ada, "late", ""), domain.StateMismatch)
	control, err := env.db.Reader().Proposal(env.ctx, proposal)
	must(t, err)
	if control.Document != strings.Replace(env.slower("3h"), "version: 1", "version: 2", 1) {
		t.Error("a comment changed the proposed text")
	}
}

// Comments are part of the record: the event has the text, and the row is not changed.
func TestCommentsAreRecorded(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	ada, abe := env.admins()
	proposal := env.proposeProcess(ada, env.slower("3h"))
	id := env.comment(abe, proposal, "Why?")
	stream := domain.DefinitionStream("content_review")
	var body string
	must(t, env.owner.QueryRow(env.ctx, `SELECT body::text FROM events WHERE case_id = $1
		AND type = 'proposal.commented'`, stream.ID).Scan(&body))
	if !strings.Contains(body, "Why?") || !strings.Contains(body, id.String()) {
		t.Errorf("the event is %s", body)
	}
	for _, statement := range []string{
		`UPDATE proposal_comments SET text = 'Fine.'`, `DELETE FROM proposal_comments`,
		`UPDATE proposal_comments SET author = resolved_by, resolved_at = clock(), resolved_by = author`,
	} {
		if _, err := env.owner.Exec(env.ctx, statement); err == nil {
			t.Errorf("%s was executed", statement)
		}
	}
}

// The proposer and those who commented get a notice, without the person who wrote, and people who may
// not see proposals any more get none.
func TestNoticesOfComments(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	ada, abe := env.admins()
	eve := env.person("eve", domain.RoleAdmin)
	proposal := env.proposeProcess(ada, env.slower("3h"))
	env.comment(abe, proposal, "Why?")
	env.wantNotices(ada, "comment*")
	env.comment(ada, proposal, "Because.")
	env.wantNotices(abe, "comment* proposal*")
	env.wantNotices(eve, "proposal*")
	env.wantNotices(ada, "comment*")
}

// Two people who change one proposal at the same time: one text replaces it, the other is refused with
// a sentence, and no text is lost. Both texts stay, as proposals or with their author.
func TestTwoPeopleChangeOneProposal(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	ada, abe := env.admins()
	original := env.proposeProcess(ada, env.slower("3h"))
	texts := map[domain.ID]string{ada.UserID: env.slower("4h"), abe.UserID: env.slower("5h")}
	type answer struct {
		by   domain.Actor
		done casework.ProposalResult
		err  error
	}
	answers := make(chan answer, len(texts))
	for _, by := range []domain.Actor{ada, abe} {
		go func() {
			done, err := env.svc.ProposeProcess(env.ctx, by,
				casework.Propose{Document: texts[by.UserID], Replaces: original})
			answers <- answer{by, done, err}
		}()
	}
	var winner, loser answer
	for range texts {
		if one := <-answers; one.err == nil {
			winner = one
		} else {
			loser = one
		}
	}
	wantCode(t, loser.err, domain.StaleVersion)
	var refusal *domain.Error
	if !errors.As(loser.err, &refusal) || !strings.Contains(refusal.Message, "is already withdrawn, by") ||
		refusal.Remedy == "" {
		t.Errorf("the refusal says %q", loser.err)
	}
	kept, err := env.db.Reader().Proposal(env.ctx, winner.done.ProposalID)
	must(t, err)
	replaced, err := env.db.Reader().Proposal(env.ctx, original)
	must(t, err)
	if kept.Status != domain.ProposalOpen || replaced.Status != domain.ProposalWithdrawn ||
		!strings.Contains(replaced.Document, "claim_within: 3h") {
		t.Errorf("kept %s, replaced %s", kept.Status, replaced.Status)
	}
	// The other text can be proposed beside it; publishing one refuses the other, which stays readable.
	rival := env.proposeProcess(loser.by, texts[loser.by.UserID])
	_, err = env.svc.PublishProcess(env.ctx, loser.by, casework.EndProposal{ProposalID: kept.ID, Confirm: true})
	must(t, err)
	_, err = env.svc.PublishProcess(env.ctx, winner.by, casework.EndProposal{ProposalID: rival, Confirm: true})
	wantCode(t, err, domain.StaleVersion)
	stale, err := env.db.Reader().Proposal(env.ctx, rival)
	must(t, err)
	if stale.Document != strings.Replace(texts[loser.by.UserID], "version: 1", "version: 2", 1) {
		t.Error("the text of the second person is lost")
	}
}
