package ocr

import (
	"testing"
	"time"

	"countersign/domain"
	"countersign/reading/ocr/sandbox"
)

// A page that used much of its processor time would use it again; a busy machine may be less busy.
func TestEngineLimits(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		result sandbox.Result
		code   domain.Code
	}{
		"processor time":    {sandbox.Result{Ending: sandbox.CPULimit}, domain.FileTooComplex},
		"time, much used":   {sandbox.Result{Ending: sandbox.WallLimit, CPU: 20 * time.Second}, domain.FileTooComplex},
		"time, little used": {sandbox.Result{Ending: sandbox.WallLimit, CPU: 19 * time.Second}, domain.TimedOut},
		"output":            {sandbox.Result{Ending: sandbox.OutputLimit}, domain.FileTooComplex},
	} {
		err := engineLimitError(t.Context(), "tesseract", c.result, 40*time.Second)
		if !domain.HasCode(err, c.code) || Transient(err) != (c.code == domain.TimedOut) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := engineLimitError(t.Context(), "tesseract", sandbox.Result{Ending: sandbox.Exited},
		time.Second); err != nil {
		t.Error(err)
	}
}
