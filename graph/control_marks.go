package graph

import (
	"context"
	"strconv"
	"strings"

	"countersign/casework"
	"countersign/domain"
	"countersign/graph/donotuse"
)

func (r queryResolver) DrawMarks(ctx context.Context) ([]donotuse.DrawMark, error) {
	marks, err := r.views.DrawMarks(ctx, callerOf(ctx))
	shown := make([]donotuse.DrawMark, 0, len(marks))
	for _, mark := range marks {
		one := donotuse.DrawMark{Process: mark.Process, Reason: mark.Reason, By: mark.SetBy,
			Since: mark.Since}
		if mark.BaseMinor != nil {
			one.Amount = &domain.Money{Minor: *mark.BaseMinor, Currency: domain.BaseCurrency}
		}
		shown = append(shown, one)
	}
	return shown, err
}

func (drawMarkResolver) SetBy(ctx context.Context, mark *donotuse.DrawMark) (
	*domain.User, error) {
	return personOrSystem(ctx, mark.By)
}

func (r mutationResolver) ProposeDrawMark(ctx context.Context,
	in donotuse.ProposeDrawMarkInput) (*donotuse.ControlPayload, error) {
	mark := casework.ProposeDrawMark{
		Once:    casework.Once{Key: valueOrEmpty(in.IdempotencyKey)},
		Process: in.Process, Reason: in.Reason}
	if amount := strings.TrimSpace(in.Amount); amount != "" {
		parsed, err := domain.ParseMoney(amount, domain.BaseCurrency)
		if err == nil && parsed.Minor <= 0 {
			err = domain.Invalid("amount", "The mark must be above zero, or empty for none.")
		}
		if err != nil {
			return controlPayload(nil, false, err)
		}
		mark.BaseMinor = parsed.Minor
	}
	done, err := r.service.ProposeDrawMark(ctx, callerOf(ctx), mark)
	return controlPayload([]casework.ControlResult{done}, false, err)
}

// markTextOf returns the mark of a proposal as an amount.
func markTextOf(minor string) string {
	n, err := strconv.ParseInt(minor, 10, 64)
	if err != nil {
		return ""
	}
	return domain.Money{Minor: n, Currency: domain.BaseCurrency}.FormatGrouped()
}
