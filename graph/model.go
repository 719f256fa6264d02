package graph

import (
	"context"
	"encoding/hex"
	"strings"

	"countersign/domain"
	"countersign/graph/donotuse"
	"countersign/graph/shape"
)

// maxModelRuns bounds the runs of one case in an answer.
const maxModelRuns = 20

func (r caseResolver) ModelRuns(ctx context.Context, c *shape.Case) ([]donotuse.ModelRun, error) {
	runs, err := r.views.Reader().ModelRuns(ctx, c.ID, maxModelRuns)
	if err != nil {
		return nil, err
	}
	shown := make([]donotuse.ModelRun, 0, len(runs))
	for i := range runs {
		run := &runs[i]
		one := donotuse.ModelRun{At: run.At, Model: run.Model, Node: run.Node,
			DocumentRevision: run.DocumentRevision, Outcome: donotuse.ModelOutcomeAnswered,
			ErrorCode: string(run.ErrorCode), Error: run.ErrorText, InputTokens: run.InputTokens,
			OutputTokens: run.OutputTokens, CostMicros: run.CostMicros, Currency: run.Currency,
			TookMs: run.Took.Milliseconds(), PromptVersion: run.PromptVersion,
			PromptHash: hex.EncodeToString(run.PromptHash), Prompt: run.Prompt, Answer: run.Answer,
			MaxTokens: run.Parameters.MaxTokens, Pages: run.Parameters.Pages,
			Removed: run.Parameters.Removed, Calls: make([]donotuse.ModelCall, 0, len(run.Calls)),
			Input: donotuse.ModelInputText, ImageCount: run.Parameters.Images,
			Images: sentImages(run), OmittedImages: omittedImages(run)}
		if run.Input == domain.ModelTextAndImages {
			one.Input = donotuse.ModelInputTextAndImages
		}
		if run.Outcome == domain.ModelFailed {
			one.Outcome = donotuse.ModelOutcomeFailed
		}
		for _, call := range run.Calls {
			one.Calls = append(one.Calls, donotuse.ModelCall{Status: call.Status, Outcome: call.Outcome,
				Ms: call.Milliseconds, InputTokens: call.InputTokens, OutputTokens: call.OutputTokens})
		}
		shown = append(shown, one)
	}
	return shown, nil
}

func sentImages(run *domain.ModelRun) []donotuse.ModelImage {
	shown := make([]donotuse.ModelImage, 0, len(run.Images.Sent))
	for _, image := range run.Images.Sent {
		shown = append(shown, donotuse.ModelImage{Page: image.Page, Sha256: image.SHA256,
			SourceSha256: image.Source, MediaType: image.MediaType, Width: image.Width, Height: image.Height,
			Bytes: image.Bytes})
	}
	return shown
}

func omittedImages(run *domain.ModelRun) []donotuse.ModelOmission {
	shown := make([]donotuse.ModelOmission, 0, len(run.Images.Omitted))
	for _, omission := range run.Images.Omitted {
		shown = append(shown, donotuse.ModelOmission{Pages: omission.Pages,
			Reason: donotuse.ModelOmissionReason(strings.ToUpper(string(omission.Reason)))})
	}
	return shown
}
