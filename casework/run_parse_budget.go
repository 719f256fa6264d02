package casework

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"countersign/domain"
	"countersign/store"
)

// ModelSettings say what may be asked of a language model, and at what cost. The zero value allows
// nothing.
type ModelSettings struct {
	// DocumentTypes are the types whose text, and whose images as Images says, may leave; empty means none.
	DocumentTypes []string
	Images        ModelImageSettings
	MaxTokens     int // of one answer; default 4,096
	// PerCase, PerHour and PerDay (UTC) bound the calls of this installation.
	PerCase, PerHour, PerDay ModelBudget
	// InputPrice and OutputPrice are those of a million tokens, in millionths of Currency.
	InputPrice, OutputPrice int64
	Currency                string // default USD
}

// ModelBudget is the most that calls may use; 0 is no bound.
type ModelBudget struct {
	Tokens     int64
	CostMicros int64
}

func (s ModelSettings) withDefaults() ModelSettings {
	if s.MaxTokens == 0 {
		s.MaxTokens = 4096
	}
	if s.Currency == "" {
		s.Currency = domain.BaseCurrency
	}
	s.Images = s.Images.withDefaults()
	return s
}

// Allows reports whether the text of documents of the type may leave.
func (s ModelSettings) Allows(documentType string) bool {
	return slices.Contains(s.DocumentTypes, documentType)
}

// Cost returns what tokens cost in millionths of the currency, rounded up.
func (s ModelSettings) Cost(input, output int64) int64 {
	const million = 1_000_000
	return (input*s.InputPrice + output*s.OutputPrice + million - 1) / million
}

// modelReservation is what a call may use until it has ended.
type modelReservation struct {
	caseID        domain.ID
	at            time.Time
	input, output int64
	costMicros    int64
}

// budgetUsedUp is the refusal of a call because a budget is used up. frees is when it frees; zero for
// the budget of a case, which does not.
type budgetUsedUp struct {
	refusal *domain.Error
	frees   time.Time
	waits   bool // the stage waits until then
}

func (b *budgetUsedUp) Error() string { return b.refusal.Error() }

// Unwrap returns the error for users.
func (b *budgetUsedUp) Unwrap() error { return b.refusal }

// awaitedBudget returns when the budget frees for which a stage waits.
func awaitedBudget(failure error) (frees time.Time, waits bool) {
	var used *budgetUsedUp
	if !errors.As(failure, &used) || !used.waits || used.frees.IsZero() {
		return time.Time{}, false
	}
	return used.frees, true
}

// reserveModelBudget reserves what one call may use. It commits before the call, so that all workers
// together exceed a budget by no more than the calls under way.
func (svc *Service) reserveModelBudget(
	ctx context.Context, caseID domain.ID, input, output int64,
) (modelReservation, error) {
	settings := svc.settings.Models
	reserved := modelReservation{caseID: caseID, input: input, output: output,
		costMicros: settings.Cost(input, output)}
	err := svc.db.InTx(ctx, func(tx *store.Tx) error {
		var err error
		if reserved.at, err = tx.Clock(ctx); err != nil {
			return err
		}
		sums, err := tx.AddModelSpending(ctx, caseID, reserved.at, input+output, reserved.costMicros)
		if err != nil {
			return err
		}
		return settings.checkSpending(sums, reserved)
	})
	return reserved, err
}

// checkSpending returns an error if a sum is above its budget. Of several the one that frees last counts.
func (s ModelSettings) checkSpending(sums []store.ModelSpending, reserved modelReservation) error {
	at := reserved.at.UTC()
	var refusal error
	for _, one := range []struct {
		scope, name string
		budget      ModelBudget
		frees       time.Time
	}{
		{"hour", "this hour", s.PerHour, at.Truncate(time.Hour).Add(time.Hour)},
		{"day", "this day", s.PerDay, at.Truncate(24 * time.Hour).Add(24 * time.Hour)},
		{"case", "this case", s.PerCase, time.Time{}},
	} {
		at := slices.IndexFunc(sums, func(sum store.ModelSpending) bool { return sum.Scope == one.scope })
		if at < 0 || !one.budget.exceededBy(sums[at].Tokens, sums[at].CostMicros) {
			continue
		}
		if one.budget.exceededBy(reserved.input+reserved.output, reserved.costMicros) {
			one.frees = time.Time{} // one call alone is above it
		}
		refusal = &budgetUsedUp{refusal: budgetError(one.name, one.frees, reserved.at), frees: one.frees}
		if one.frees.IsZero() {
			break
		}
	}
	return refusal
}

func (b ModelBudget) exceededBy(tokens, costMicros int64) bool {
	return b.Tokens > 0 && tokens > b.Tokens || b.CostMicros > 0 && costMicros > b.CostMicros
}

func budgetError(name string, frees, now time.Time) *domain.Error {
	if frees.IsZero() {
		return domain.Errorf(domain.StateMismatch,
			"A call of the language model on this document does not fit into the budget of %s.", name).
			WithRemedy("Continue without the model, or ask an operator to raise the budget.")
	}
	return domain.Errorf(domain.RateLimited,
		"The budget of language models for %s is used up. It frees at %s UTC.", name,
		frees.Format("2006-01-02 15:04")).
		WithRemedy("Continue without the model, or wait until then.").WithRetryAfter(frees.Sub(now))
}

// settleModelBudget replaces a reservation by what was used, and keeps the run with the case. It does
// so even if the worker is stopping, because the tokens are used.
func (svc *Service) settleModelBudget(
	ctx context.Context, reserved modelReservation, run domain.ModelRun,
) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
	defer cancel()
	err := svc.db.InTx(ctx, func(tx *store.Tx) error {
		_, err := tx.AddModelSpending(ctx, reserved.caseID, reserved.at,
			run.InputTokens+run.OutputTokens-reserved.input-reserved.output,
			run.CostMicros-reserved.costMicros)
		if err != nil {
			return err
		}
		return tx.AddModelRun(ctx, run)
	})
	if err != nil {
		return fmt.Errorf("casework: keep the run of the model: %w", err)
	}
	return nil
}
