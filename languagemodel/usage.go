package languagemodel

import (
	"encoding/json"
	"math"
)

const (
	// bytesPerToken is lower than that of any common language, so that estimates are too high
	// rather than too low.
	bytesPerToken = 3
	// mostImageTokens is more than any known model has for one image.
	mostImageTokens = 50_000
	// A claim of fewer tokens than one per mostBytesPerToken bytes, or of more than the request
	// allows, cannot be true.
	mostBytesPerToken = 20
	claimTolerance    = 1000
)

// claimedUsage is what the endpoint reports; 0 = nothing usable.
type claimedUsage struct{ input, output int }

// parseUsage reads the counts; a count that is not a whole positive number is ignored.
func parseUsage(text json.RawMessage) claimedUsage {
	var counts struct {
		Prompt     any `json:"prompt_tokens"`
		Completion any `json:"completion_tokens"`
	}
	if json.Unmarshal(text, &counts) != nil {
		return claimedUsage{}
	}
	return claimedUsage{wholeCount(counts.Prompt), wholeCount(counts.Completion)}
}

func wholeCount(value any) int {
	count, _ := value.(float64)
	if count < 0 || count > math.MaxInt32 || count != math.Trunc(count) {
		return 0
	}
	return int(count)
}

func tokensOf(bytes int) int { return (bytes + bytesPerToken - 1) / bytesPerToken }

// usageOf returns the tokens of a call: the claims that can be true, and estimates for the others.
// A call that the endpoint did not accept uses none; one that broke uses what is estimated, because
// the provider charges for it. Images never count less than the setting, because a claim for the text
// alone looks the same as one for both.
func (r reply) usageOf(p prompt) Usage {
	if !r.sent {
		return Usage{}
	}
	used := Usage{InputTokens: r.usage.input, OutputTokens: r.usage.output}
	least := p.text / mostBytesPerToken
	if used.InputTokens < max(1, least) ||
		used.InputTokens > len(p.body)-p.encodedImages+p.images*mostImageTokens+claimTolerance {
		used.InputTokens = tokensOf(p.text) + p.images*p.imageTokens
	}
	if p.images > 0 {
		used.InputTokens = max(used.InputTokens, least+p.images*p.imageTokens)
	}
	if used.OutputTokens < max(1, len(r.text)/mostBytesPerToken) ||
		used.OutputTokens > max(p.maxTokens, len(r.text))+claimTolerance {
		used.OutputTokens = tokensOf(len(r.text))
	}
	return used
}
