package browser

import (
	"testing"

	"countersign/internal/modelvendor"
)

// otherInvoice is what the language model answers from: the code is on the page of the story
// and no other reader finds it; the date and the total are not on the page.
const otherInvoice = `Muster Werke GmbH
Buyer: Nordkauf AG
Invoice code: XK-90
Due date: 2031-01-31
Total: 987,654.32
Currency: EUR
`

// modelSettings starts a language model of this environment and returns the settings that name it. Only
// the process document_approval_model asks it.
func modelSettings(t *testing.T) []string {
	t.Helper()
	vendor, err := modelvendor.Start(modelvendor.Options{Always: modelvendor.OtherDocument,
		Other: otherInvoice})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(vendor.Close)
	return []string{"COUNTERSIGN_MODEL_ENDPOINT=" + vendor.URL, "COUNTERSIGN_MODEL_NAME=stub",
		"COUNTERSIGN_MODEL_DOCUMENT_TYPES=invoice", "COUNTERSIGN_MODEL_INPUT=images", "COUNTERSIGN_MODEL_INPUT_PRICE=2000000",
		"COUNTERSIGN_MODEL_OUTPUT_PRICE=8000000"}
}
