// Package stage is the language model of the service layer: it translates between its port and the
// client.
//
// What may enter: the translation. What never happens here: decisions about a case or a retry, SQL.
package stage

import (
	"context"

	"countersign/casework"
	"countersign/domain"
	"countersign/languagemodel"
)

// Model is a client as the service layer uses it.
type Model struct {
	client *languagemodel.Client
	name   string
}

var _ casework.LanguageModel = Model{}

// New returns the model of the settings.
func New(settings languagemodel.Settings) (Model, error) {
	client, err := languagemodel.New(settings)
	return Model{client, settings.Model}, err
}

// Name returns the name of the model.
func (m Model) Name() string { return m.name }

// Ask asks the model. The calls and tokens are also returned when it fails.
func (m Model) Ask(ctx context.Context, r casework.ModelRequest) (casework.ModelAnswer, error) {
	request := languagemodel.Request{System: r.System, User: r.User, SchemaName: r.SchemaName,
		Schema: r.Schema, MaxTokens: r.MaxTokens}
	for _, image := range r.Images {
		request.Images = append(request.Images,
			languagemodel.Image{Label: image.Label, MediaType: image.MediaType, Bytes: image.Bytes})
	}
	answer, err := m.client.Ask(ctx, request)
	made := casework.ModelAnswer{JSON: answer.JSON, Model: answer.Model,
		InputTokens:  int64(answer.Usage.InputTokens),
		OutputTokens: int64(answer.Usage.OutputTokens)}
	for _, call := range answer.Calls {
		made.Calls = append(made.Calls, domain.ModelCall{Status: call.Status, Outcome: call.Outcome,
			Milliseconds: call.Took.Milliseconds(), InputTokens: int64(call.Usage.InputTokens),
			OutputTokens: int64(call.Usage.OutputTokens)})
	}
	return made, err
}
