package main

import (
	"context"
	"io"

	"countersign/casework"
	"countersign/domain"
	"countersign/internal/config"
	"countersign/languagemodel"
	"countersign/languagemodel/stage"
	"countersign/reading/ocr"
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
		Stream: settings.Stream, Concurrency: settings.Concurrency, ImageTokens: settings.ImageTokens})
	return models{client: client, settings: casework.ModelSettings{
		DocumentTypes: settings.DocumentTypes, MaxTokens: settings.MaxTokens,
		PerCase:    casework.ModelBudget{Tokens: settings.CaseTokens, CostMicros: settings.CaseCost},
		PerHour:    casework.ModelBudget{Tokens: settings.HourTokens, CostMicros: settings.HourCost},
		PerDay:     casework.ModelBudget{Tokens: settings.DayTokens, CostMicros: settings.DayCost},
		InputPrice: settings.InputPrice, OutputPrice: settings.OutputPrice,
		Currency: settings.Currency,
		Images: casework.ModelImageSettings{Send: settings.Input == "images", Pages: settings.ImagePages,
			Side: settings.ImageSide, Bytes: settings.ImageBytes, Tokens: int64(settings.ImageTokens)}}}, err
}

// imageReducer makes images of pages smaller by the reader of documents.
type imageReducer struct{ reader *ocr.Reader }

// Reduce returns the image within the bounds.
func (r imageReducer) Reduce(
	ctx context.Context, png io.Reader, side int, bytes int64, correlationID string,
) (casework.ModelImage, error) {
	reduced, err := r.reader.Reduce(ctx, png, ocr.ImageBounds{Side: side, Bytes: bytes}, correlationID)
	return casework.ModelImage{MediaType: reduced.MediaType, Width: reduced.Width, Height: reduced.Height,
		Bytes: reduced.Bytes}, err
}
