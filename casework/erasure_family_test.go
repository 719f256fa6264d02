package casework_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

	"countersign/casework"
	"countersign/domain"
)

// The parts of a file are erased together with it, each with its own event, and not alone.
func TestErasureOfAFileWithParts(t *testing.T) {
	t.Parallel()
	env := newErasureEnv(t)
	lea := env.person("lea", domain.RoleSenior)
	env.caseID = env.submitTwo(env.sam, "document_approval", "9000.00", "120.00", "80.00")
	env.claim(env.rita, env.caseID)
	split, err := env.split(env.rita, env.caseID, "", twoParts...)
	must(t, err)
	env.drainQueue()
	open := split.Parts[1]
	must(t, env.decide(lea, env.claim(lea, split.Parts[0]).ID, domain.Reject, erasedReason))
	env.later(11 * time.Minute) // the time to undo is over
	env.later(3651 * day)
	_, err = env.proposeErasure(env.ada)
	wantCode(t, err, domain.StateMismatch) // one part has not ended
	must(t, env.decide(lea, env.claim(lea, open).ID, domain.Reject, erasedReason))
	env.later(11 * time.Minute) // the time to undo is over
	env.later(3651 * day)

	_, err = env.svc.ProposeErasure(env.ctx, env.ada, casework.ProposeErasure{CaseID: split.Parts[0],
		Reason: "x"})
	wantCode(t, err, domain.StateMismatch)
	var refusal *domain.Error
	if want := "Propose to erase " + env.caseByID(env.caseID).Reference + "."; !errors.As(err, &refusal) ||
		refusal.Remedy != want {
		t.Errorf("a part alone: %v, want %q", refusal, want)
	}
	done, err := env.proposeErasure(env.ada)
	must(t, err)
	_, err = env.confirmed(env.adam, done.ProposalID)
	must(t, err)
	for _, id := range append(split.Parts, env.caseID) {
		if env.caseByID(id).ErasedAt.IsZero() || env.queryInt(`SELECT count(*) FROM events
			WHERE case_id = $1 AND type = 'case.erased'`, id) != 1 {
			t.Errorf("%s is not erased", id)
		}
	}
	env.sign()
	if result := env.verify(); len(result.Problems) > 0 {
		t.Error(problemsOf(result))
	}
}

// A proposal to lift a hold that was lifted since is out of date.
func TestLiftedHoldIsNotLiftedAgain(t *testing.T) {
	t.Parallel()
	env := newErasureEnv(t)
	hold, err := env.svc.PlaceLegalHold(env.ctx, env.ada, casework.PlaceLegalHold{CaseID: env.caseID,
		Reason: "court order 7"})
	must(t, err)
	propose := func() domain.ID {
		t.Helper()
		done, err := env.svc.ProposeHoldLift(env.ctx, env.ada, casework.ProposeHoldLift{HoldID: hold.HoldID,
			Reason: "settled"})
		must(t, err)
		return done.ProposalID
	}
	first := propose()
	// The same change is proposed once. With another text there are two proposals.
	env.asAdmin(`UPDATE legal_holds SET reason = 'court order 8'`)
	second := propose()
	_, err = env.confirmed(env.adam, first)
	must(t, err)
	_, err = env.confirmed(env.adam, second)
	wantCode(t, err, domain.StaleVersion)
	_, err = env.svc.ProposeHoldLift(env.ctx, env.ada, casework.ProposeHoldLift{HoldID: hold.HoldID,
		Reason: "again"})
	wantCode(t, err, domain.StateMismatch)
}

// lockedBlobs cannot remove one file.
type lockedBlobs struct {
	dirBlobs
	key string
}

func (b lockedBlobs) Remove(ctx context.Context, key string) error {
	if key == b.key {
		return errors.New("the file is locked")
	}
	return b.dirBlobs.Remove(ctx, key)
}

// A file that cannot be removed does not stop an erasure. The log names it, and no other file.
func TestLockedFileOfAnErasedCase(t *testing.T) {
	t.Parallel()
	env := newErasureEnv(t)
	env.later(3651 * day)
	done, err := env.proposeErasure(env.ada)
	must(t, err)
	key := env.caseByID(env.caseID).ManifestKey
	var log bytes.Buffer
	svc, err := casework.New(env.db, casework.Ports{Reader: env.reader, Notifier: env.notifier,
		Blobs: lockedBlobs{env.blobs, key}}, casework.Settings{}, slog.New(slog.NewTextHandler(&log, nil)))
	must(t, err)
	t.Cleanup(func() { svc.Close(context.WithoutCancel(env.ctx)) })
	_, err = svc.ConfirmControlChange(env.ctx, env.adam, casework.EndProposal{ProposalID: done.ProposalID})
	must(t, err)
	if text := log.String(); strings.Count(text, "not removed yet") != 1 || !strings.Contains(text, key) {
		t.Errorf("the log is %q", text)
	}
}
