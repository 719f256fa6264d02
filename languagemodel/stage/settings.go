package stage

import (
	"countersign/casework"
	"countersign/domain"
	"countersign/internal/config"
	"countersign/languagemodel"
)

// Configured is the language model that an operator set up; Client is nil if there is none.
type Configured struct {
	Client   casework.LanguageModel
	Settings casework.ModelSettings
}

// FromConfig returns the model that the operator set up.
func FromConfig(settings config.Model) (Configured, error) {
	if settings.Endpoint == "" {
		return Configured{}, nil
	}
	if !domain.KnownCurrency(settings.Currency) {
		return Configured{}, domain.Invalid("COUNTERSIGN_MODEL_CURRENCY", "Unknown currency %q.",
			settings.Currency)
	}
	client, err := New(languagemodel.Settings{Endpoint: settings.Endpoint, Model: settings.Name,
		APIKey: settings.Key, Timeout: settings.Timeout, Retries: settings.Retries,
		Stream: settings.Stream, Concurrency: settings.Concurrency,
		ImageTokens: settings.ImageTokens})
	return Configured{Client: client, Settings: casework.ModelSettings{
		DocumentTypes: settings.DocumentTypes, MaxTokens: settings.MaxTokens,
		PerCase:    casework.ModelBudget{Tokens: settings.CaseTokens, CostMicros: settings.CaseCost},
		PerHour:    casework.ModelBudget{Tokens: settings.HourTokens, CostMicros: settings.HourCost},
		PerDay:     casework.ModelBudget{Tokens: settings.DayTokens, CostMicros: settings.DayCost},
		InputPrice: settings.InputPrice, OutputPrice: settings.OutputPrice,
		Currency: settings.Currency,
		Images: casework.ModelImageSettings{Send: settings.Input == "images", Pages: settings.ImagePages,
			Side: settings.ImageSide, Bytes: settings.ImageBytes, Tokens: int64(settings.ImageTokens)}}}, err
}
