package main

import (
	"context"
	"fmt"
	"slices"
	"time"

	"countersign/casework"
	"countersign/doctype"
	"countersign/domain"
	"countersign/internal/config"
	"countersign/languagemodel/stage"
	"countersign/reading/extraction"
	"countersign/reading/parsing"
)

// languageModel asks the model of the settings of the worker about what was read. It uses the prompt,
// the client and the search in the page of the product. The budgets of the settings are sums in a
// database and do not apply here.
type languageModel struct {
	stage.Configured
	kinds map[string]*domain.DocumentType
}

// newLanguageModel returns the model of the environment, nil if none is configured.
func newLanguageModel() (*languageModel, error) {
	settings, err := config.Load()
	if err != nil {
		return nil, err
	}
	configured, err := stage.FromConfig(settings.Model)
	if err != nil || configured.Client == nil {
		return nil, err
	}
	kinds, err := builtinKinds()
	return &languageModel{configured, kinds}, err
}

// builtinKinds returns the built-in document types by their keys.
func builtinKinds() (map[string]*domain.DocumentType, error) {
	kinds := map[string]*domain.DocumentType{}
	sources, err := doctype.Builtin()
	if err != nil {
		return nil, err
	}
	for _, source := range sources {
		kind, err := doctype.ParsePublished(source.YAML)
		if err != nil {
			return nil, err
		}
		kinds[kind.Key] = kind
	}
	return kinds, nil
}

// asked is what the model did with one document. The zero value is one that was not sent.
type asked struct {
	outcome    string // answered, not_allowed, no_text, or the code of the error
	answer     casework.ModelAnswer
	took       time.Duration
	images     int // sent
	assertions []domain.Assertion
}

// ask asks the model about a document that is submitted as the type. fields are those extracted.
func (m *languageModel) ask(
	ctx context.Context, doc saved, documentType string, fields []domain.Field,
) (asked, error) {
	kind := m.kinds[documentType]
	switch {
	case !m.Settings.Allows(documentType):
		return asked{outcome: "not_allowed"}, nil
	case kind == nil:
		return asked{}, fmt.Errorf("there is no built-in document type %q", documentType)
	}
	images, sent := m.imagesOf(kind, doc)
	if len(images) == 0 && !slices.ContainsFunc(doc.Pages, func(page domain.Page) bool { return len(page.Words) > 0 }) {
		return asked{outcome: "no_text"}, nil
	}
	request, err := parsing.Build(kind, doc.Pages, nil, sent...)
	if err != nil {
		return asked{}, err
	}
	begin := time.Now()
	answer, err := m.Client.Ask(ctx, casework.ModelRequest{System: request.System, User: request.User, Images: images,
		SchemaName: request.SchemaName, Schema: request.Schema, MaxTokens: m.Settings.MaxTokens})
	result := asked{outcome: domain.ModelAnswered, answer: answer, took: time.Since(begin), images: len(images)}
	switch {
	case err != nil && ctx.Err() != nil:
		return result, err
	case err != nil:
		result.outcome = string(domain.CodeOf(err))
		if len(answer.Calls) > 0 {
			result.outcome = answer.Calls[len(answer.Calls)-1].Outcome
		}
		return result, nil
	}
	stated, err := request.Parse(answer.JSON)
	if err != nil {
		result.outcome = domain.ModelFailed
		return result, nil
	}
	currency := ""
	if at := indexOf(fields, domain.FieldCurrency); at >= 0 {
		currency = fields[at].Normalised
	}
	result.assertions = parsing.Ground(kind, doc.Pages, stated, currency)
	return result, nil
}

// askAbout asks the model of the settings about a document whose truth is known; nil if there is no
// model or nothing to compare.
func askAbout(ctx context.Context, s settings, doc saved, known truth) (*asked, error) {
	if s.model == nil || known == nil || doc.Err != "" {
		return nil, nil
	}
	fields := extraction.Extract(doc.Pages, extraction.Hints{})
	answer, err := s.model.ask(ctx, doc, documentTypeOf(known), fields)
	return &answer, err
}

// documentTypeOf returns the type as which a document is submitted.
func documentTypeOf(known truth) string {
	if slices.Contains(known["doc_type"], "receipt") {
		return "receipt"
	}
	return "invoice"
}

// indexOf returns the index of the field that has a value, or -1.
func indexOf(fields []domain.Field, name string) int {
	return slices.IndexFunc(fields, func(f domain.Field) bool { return f.Name == name && f.Normalised != "" })
}
