package main

import (
	"countersign/casework"
	"countersign/domain"
	"countersign/internal/config"
	"countersign/languagemodel"
	"countersign/languagemodel/stage"
)

// models is the language model of this worker; client is nil if none is configured.
type models struct {
	client   casework.LanguageModel
	settings casework.ModelSettings
}

// languageModel returns the model that the operator set up.
func languageModel(settings config.Model) (models, error) {
	if settings.Endpoint == "" {
		return models{}, nil
	}
	if !domain.KnownCurrency(settings.Currency) {
		return models{}, domain.Invalid("COUNTERSIGN_MODEL_CURRENCY", "Unknown currency %q.",
			settings.Currency)
	}
	client, err := stage.New(languagemodel.Settings{Endpoint: settings.Endpoint, Model: settings.Name,
		APIKey: settings.Key, Timeout: settings.Timeout, Retries: settings.Retries,
		Stream: settings.Stream, Concurrency: settings.Concurrency})
	return models{client: client, settings: casework.ModelSettings{
		DocumentTypes: settings.DocumentTypes, MaxTokens: settings.MaxTokens,
		PerCase:    casework.ModelBudget{Tokens: settings.CaseTokens, CostMicros: settings.CaseCost},
		PerHour:    casework.ModelBudget{Tokens: settings.HourTokens, CostMicros: settings.HourCost},
		PerDay:     casework.ModelBudget{Tokens: settings.DayTokens, CostMicros: settings.DayCost},
		InputPrice: settings.InputPrice, OutputPrice: settings.OutputPrice,
		Currency: settings.Currency}}, err
}
