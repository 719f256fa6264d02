package casework

import (
	"context"
	"errors"

	"countersign/domain"
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
		changed, err := svc.evaluateAgain(ctx, id, severalCauses)
		switch {
		case err != nil:
			return result, err
		case changed && byPair:
			return result, domain.Errorf(domain.StaleVersion,
				"A case with the same document or account was submitted while you had this open.").
				WithRemedy("Check the current state, then try again.")
		}
		evaluated = true
	}
	return result, domain.Errorf(domain.Busy, "This case is being changed.").WithRemedy("Try again.")
}
