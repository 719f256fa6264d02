package casework

import (
	"context"
	"errors"
	"slices"
	"strings"

	"countersign/domain"
	"countersign/rules"
)

// errEvaluateFirst makes a decision wait until its case was evaluated again.
var errEvaluateFirst = errors.New("casework: control data has changed")

// requirePresentControls refuses a case that control data may have changed and that was not
// evaluated again since.
func (c *command) requirePresentControls() error {
	if c.authority.ControlPending && !c.evaluated {
		return errEvaluateFirst
	}
	return nil
}

// errPairFirst makes an approval wait until its case was evaluated with the pairs that others have claimed, and with
// the vendors that share its account since.
var errPairFirst = errors.New("casework: the case was not evaluated with another one")

// maxEvaluations is how often a case is evaluated before a command that carries out a decision.
const maxEvaluations = 3

// withPresentControls runs a command that carries out a decision. If control data has changed and
// not all cases were evaluated again, it evaluates this case first. So it does if another case has claimed a pair or
// shares an account, but an approval is refused then if the evaluation changes the case, because the reviewer has not seen it.
func withPresentControls[T any](
	ctx context.Context, svc *Service, caseOf func() (domain.ID, error),
	run func(evaluated bool) (T, error),
) (result T, err error) {
	evaluated := false
	for range maxEvaluations {
		result, err = run(evaluated)
		byPair := errors.Is(err, errPairFirst)
		if !byPair && !errors.Is(err, errEvaluateFirst) {
			return result, err
		}
		id, err := caseOf()
		if err != nil {
			return result, err
		}
		var before []domain.Finding
		if byPair {
			if before, err = svc.aboutOthers(ctx, id); err != nil {
				return result, err
			}
		}
		changed, err := svc.evaluateAgain(ctx, id, severalCauses)
		if err != nil {
			return result, err
		}
		if changed && byPair {
			return result, svc.changedByOthers(ctx, id, before)
		}
		evaluated = true
	}
	return result, domain.Errorf(domain.Busy, "This case is being changed.").WithRemedy("Try again.")
}

// aboutOthers returns the findings of a case that name other cases: as duplicates, as copies or by their account.
func (svc *Service) aboutOthers(ctx context.Context, id domain.ID) ([]domain.Finding, error) {
	r := svc.db.Reader()
	rows, err := r.Findings(ctx, id)
	if err != nil {
		return nil, err
	}
	var all, about []domain.Finding
	for _, row := range rows {
		all = append(all, row.Finding)
	}
	for _, topic := range []rules.Topic{rules.Duplicates, rules.Copies, rules.Account} {
		found, err := svc.findingsOfTopic(ctx, r, all, topic)
		if err != nil {
			return nil, err
		}
		about = append(about, found...)
	}
	return about, nil
}

// changedByOthers refuses an approval whose case has other findings since. The sentences of the new ones say what the
// documents have in common.
func (svc *Service) changedByOthers(ctx context.Context, id domain.ID, before []domain.Finding) error {
	after, err := svc.aboutOthers(ctx, id)
	if err != nil {
		return err
	}
	said := []string{"Another document has changed the findings of this case while you had it open."}
	for i := range after {
		known := func(f domain.Finding) bool { return f.Hash() == after[i].Hash() }
		if !slices.ContainsFunc(before, known) {
			said = append(said, after[i].Message)
		}
	}
	return domain.Errorf(domain.StaleVersion, "%s", strings.Join(said, " ")).
		WithRemedy("Check the current state, then try again.")
}
