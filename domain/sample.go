package domain

import (
	"strconv"
	"strings"
	"time"
)

// Stratum is how a case was archived, by which its share in the quality sample is chosen.
type Stratum string

// The strata.
const (
	StratumStraight Stratum = "straight" // without an approval of a person
	StratumApproved Stratum = "approved"
)

// SampleStatus is the status of a sample.
type SampleStatus string

// The statuses. The last three are final.
const (
	SampleOpen      SampleStatus = "open"      // waits for a checker
	SampleDisputed  SampleStatus = "disputed"  // the checker disagreed; waits for a third person
	SampleAgreed    SampleStatus = "agreed"    // the checker agreed
	SampleConfirmed SampleStatus = "confirmed" // the third person found the archived case right
	SampleWrong     SampleStatus = "wrong"     // the third person found it wrong
)

// Sample is an archived case that was drawn to be checked again.
type Sample struct {
	ID           ID
	CaseID       ID
	Process      string
	Stratum      Stratum
	Queue        string // of the last approval; "" if there was none
	Confidential bool   // the process has confidential reviews, whichever the case was in
	Submitter    ID
	Share        int      // when the case was archived, in millionths
	Reasons      []string // why it was drawn with a higher probability
	Probability  float64
	ArchivedAt   time.Time
	DrawnAt      time.Time
	Status       SampleStatus
	// Assignee has the sample until AssignedUntil; NoID if it waits.
	Assignee      ID
	AssignedUntil time.Time
	CorrectionID  ID        // the correction case of a wrong one, else NoID
	EndedAt       time.Time // zero while the sample is open or disputed
}

// SampleCheck is what one person found about a sample: the blind check, or its settlement by a third
// person.
type SampleCheck struct {
	SampleID ID
	Settles  bool
	Person   ID
	// Blind says that the person could not read the case otherwise and had not opened it.
	Blind bool
	// Approves is the verdict: of a check, whether the person would approve the document; of a
	// settlement, whether the case was archived rightly.
	Approves bool
	Compared []ComparedField
	Rules    []string // of the findings of the archived case
	Reason   string
	At       time.Time
}

// ComparedField is a field of an archived case beside what a checker read.
type ComparedField struct {
	Field    string      `json:"field"`
	Archived string      `json:"archived"` // normalised; "" = none
	Checked  string      `json:"checked"`
	Source   FieldSource `json:"source,omitempty"` // of the archived value
	Agrees   bool        `json:"agrees"`
}

// RuleCorrection is the rule of the finding of a correction case. No rule set has it.
const RuleCorrection = "correction"

// millionthsPerPercent converts shares, which are stored in millionths.
const millionthsPerPercent = 10_000

// ParseShare parses a share in percent, from 0 to 100 with at most four decimals, as millionths.
func ParseShare(percent string) (int, error) {
	whole, decimals, _ := strings.Cut(strings.TrimSpace(percent), ".")
	digits := whole + decimals + strings.Repeat("0", max(0, 4-len(decimals)))
	millionths, err := strconv.Atoi(digits)
	if err != nil || whole == "" || len(decimals) > 4 || len(whole) > 3 || digits[0] == '-' ||
		digits[0] == '+' || millionths > 100*millionthsPerPercent {
		return 0, Invalid("percent", "%.20q is not a share from 0 to 100 percent.", percent).
			WithRemedy("Enter a number such as 2 or 0.5.")
	}
	return millionths, nil
}

// ShareText returns a share of millionths in percent.
func ShareText(millionths int) string {
	return strconv.FormatFloat(float64(millionths)/millionthsPerPercent, 'f', -1, 64)
}
