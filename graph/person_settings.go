package graph

import (
	"context"
	"slices"
	"strings"

	"countersign/casework"
	"countersign/graph/donotuse"
)

func (r queryResolver) PersonSettings(ctx context.Context) ([]donotuse.PersonSetting, error) {
	chosen, err := r.views.PersonSettings(ctx, callerOf(ctx))
	if err != nil {
		return nil, err
	}
	settings := make([]donotuse.PersonSetting, 0, len(chosen))
	for name, value := range chosen {
		settings = append(settings, donotuse.PersonSetting{Name: name, Value: value})
	}
	slices.SortFunc(settings, func(a, b donotuse.PersonSetting) int {
		return strings.Compare(string(a.Name), string(b.Name))
	})
	return settings, nil
}

func (r mutationResolver) SetPersonSetting(ctx context.Context, in donotuse.SetPersonSettingInput) (
	*donotuse.SetPersonSettingPayload, error) {
	err := r.service.SetPersonSetting(ctx, callerOf(ctx), casework.SetPersonSetting{
		Once: casework.Once{Key: valueOrEmpty(in.IdempotencyKey)}, Name: in.Name, Value: in.Value})
	payload := &donotuse.SetPersonSettingPayload{Done: err == nil}
	payload.UserErrors, err = userErrorsOf(err)
	return payload, err
}
