package casework_test

import (
	"errors"
	"strings"
	"testing"

	"countersign/casework"
	"countersign/domain"
)

// wantRefusal checks that the second of two senders gets a sentence about what the first one did.
func (env *testEnv) wantRefusal(what string, err error, code domain.Code, says string) {
	env.t.Helper()
	var refused *domain.Error
	if !errors.As(err, &refused) || refused.Code != code || !strings.Contains(refused.Message, says) {
		env.t.Errorf("%s: %v, want %s with %q", what, err, code, says)
	}
}

// Two people act on one proposal: the second reads who has done what, in either order of the commands.
func TestTheSecondOfTwoOnOneProposalReadsWhoDecided(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	ada, adil, anna := env.person("ada", domain.RoleAdmin), env.person("adil", domain.RoleAdmin),
		env.person("anna", domain.RoleAdmin)
	lower := func(days int) casework.EndProposal {
		done, err := env.svc.SetRetention(env.ctx, ada, casework.SetRetention{Days: days, Reason: "law"})
		must(t, err)
		return casework.EndProposal{ProposalID: done.ProposalID, ExpectedVersion: string(domain.ProposalOpen), Reason: "no"}
	}
	confirm := func(by domain.Actor, in casework.EndProposal) error {
		return errOf(env.svc.ConfirmControlChange(env.ctx, by, in))
	}
	withdraw := func(by domain.Actor, in casework.EndProposal) error {
		return errOf(env.svc.WithdrawControlChange(env.ctx, by, in))
	}
	present, err := env.db.Reader().PresentRetention(env.ctx, "")
	must(t, err)
	days := present.Days
	for what, row := range map[string]struct {
		first, second func(domain.Actor, casework.EndProposal) error
		says          string
	}{
		"withdrawn, then confirmed": {withdraw, confirm, "withdrawn, by adil"},
		"withdrawn twice":           {withdraw, withdraw, "withdrawn, by adil"},
		"confirmed, then withdrawn": {confirm, withdraw, "published, by adil"},
		"confirmed twice":           {confirm, confirm, "published, by adil"},
	} {
		days--
		proposal := lower(days)
		must(t, row.first(adil, proposal))
		for range 2 {
			env.wantRefusal(what, row.second(anna, proposal), domain.StaleVersion, row.says)
			read := proposal
			read.ExpectedVersion = ""
			env.wantRefusal(what, row.second(anna, read), domain.StateMismatch, row.says)
		}
	}
}

// Two people have the same incident open. One acts; the other action is refused with a sentence and changes
// nothing, also after the step has failed again.
func TestTheSecondOfTwoOnOneIncident(t *testing.T) {
	t.Parallel()
	type action func(env *testEnv, by domain.Actor, on casework.CaseTarget) error
	actions := map[string]action{
		"retry": func(env *testEnv, by domain.Actor, on casework.CaseTarget) error {
			return errOf(env.svc.RetryIncident(env.ctx, by, on))
		},
		"enter": func(env *testEnv, by domain.Actor, on casework.CaseTarget) error {
			return errOf(env.svc.EnterFields(env.ctx, by, casework.EnterFields{CaseTarget: on,
				Fields: []casework.FieldInput{{Name: domain.FieldTotal, Value: "12.00"},
					{Name: domain.FieldCurrency, Value: "EUR"}}}))
		},
		"replace": func(env *testEnv, by domain.Actor, on casework.CaseTarget) error {
			return errOf(env.svc.ReplaceDocument(env.ctx, by,
				casework.ReplaceDocument{CaseTarget: on, File: upload("another " + by.UserID.String())}))
		},
		"abandon": func(env *testEnv, by domain.Actor, on casework.CaseTarget) error {
			return errOf(env.svc.AbandonCase(env.ctx, by,
				casework.AbandonCase{CaseTarget: on, Reason: "sent twice"}))
		},
	}
	for first, act := range actions {
		t.Run(first, func(t *testing.T) {
			t.Parallel()
			env := newTestEnv(t)
			sam := env.person("sam", domain.RoleSubmitter)
			env.reader.err = domain.Errorf(domain.DamagedFile, "The file is damaged.")
			for second, late := range actions {
				id := env.submit(sam, "damaged "+second)
				env.drainQueue()
				on := casework.CaseTarget{CaseID: id,
					ExpectedVersion: casework.CaseVersion(env.caseByID(id)),
					Once:            casework.Once{Expect: []domain.Status{domain.Incident}}}
				must(t, act(env, sam, on))
				events := len(env.eventTypes(id))
				for range 2 {
					err := late(env, sam, on)
					var refused *domain.Error
					if !errors.As(err, &refused) || refused.Message == "" ||
						refused.Code != domain.StaleVersion && refused.Code != domain.StateMismatch {
						t.Errorf("%s after %s: %v", second, first, err)
					}
				}
				if now := len(env.eventTypes(id)); now != events {
					t.Errorf("%s after %s: %d events, then %d", second, first, events, now)
				}
				env.drainQueue()
				env.verifyCaseLog(id)
			}
		})
	}
}

// Two people record the absence of a third: the second reads that it exists.
func TestTheSecondOfTwoAbsences(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	mia, max := env.person("mia", domain.RoleManager), env.person("max", domain.RoleManager)
	jan := env.person("jan", domain.RoleL1)
	absent := func(by domain.Actor) (casework.DelegationResult, error) {
		return env.svc.SetAbsence(env.ctx, by, casework.SetAbsence{Person: jan.UserID,
			Until: env.now().Add(day)})
	}
	must(t, errOf(absent(mia)))
	for range 2 {
		env.wantRefusal("absence", errOf(absent(max)), domain.StateMismatch, "jan is already out of office")
	}
}
