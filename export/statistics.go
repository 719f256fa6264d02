package export

import "countersign/domain"

// Figure are the figures of one group of cases and reviews in a period. Values that are not counted,
// or that the reader may not see, are nil. Times are in seconds.
type Figure struct {
	Head
	By                 string     `json:"by"`
	Key                string     `json:"key"`
	PersonID           *domain.ID `json:"personId"`
	Person             string     `json:"person"`
	Submitted          *int64     `json:"submitted"`
	Ended              *int64     `json:"ended"`
	Archived           *int64     `json:"archived"`
	Rejected           *int64     `json:"rejected"`
	Abandoned          *int64     `json:"abandoned"`
	StraightThrough    *int64     `json:"straightThrough"`
	Drawn              *int64     `json:"drawn"`
	LeadMedianSeconds  *int64     `json:"leadMedianSeconds"`
	LeadP90Seconds     *int64     `json:"leadP90Seconds"`
	Opened             *int64     `json:"opened"`
	Decided            int64      `json:"decided"`
	Late               int64      `json:"late"`
	MissedClaims       int64      `json:"missedClaims"`
	WaitMedianSeconds  *int64     `json:"waitMedianSeconds"`
	WaitP90Seconds     *int64     `json:"waitP90Seconds"`
	WorkMedianSeconds  *int64     `json:"workMedianSeconds"`
	WorkP90Seconds     *int64     `json:"workP90Seconds"`
	TotalMedianSeconds *int64     `json:"totalMedianSeconds"`
	TotalP90Seconds    *int64     `json:"totalP90Seconds"`
}

// FigurePart is one line of the figures of steps, corrections and rules.
type FigurePart struct {
	Head
	Part          string `json:"part"` // step, field, vendor or rule
	Name          string `json:"name"`
	Count         int64  `json:"count"` // ended steps, corrections, or cases with a finding
	Waiting       *int64 `json:"waiting"`
	Cases         *int64 `json:"cases"`
	Overruled     *int64 `json:"overruled"`
	Archived      *int64 `json:"archived"`
	MedianSeconds *int64 `json:"medianSeconds"`
	P90Seconds    *int64 `json:"p90Seconds"`
}

// ReplayLine are figures of one queue in a replay. Values that are unknown are nil. Times are in
// seconds, errors in percent.
type ReplayLine struct {
	Head
	Queue              string   `json:"queue"`
	Figures            string   `json:"figures"` // recorded, replayed or changed
	Reviewers          *int     `json:"reviewers"`
	Opened             int      `json:"opened"`
	Decided            int      `json:"decided"`
	Open               int      `json:"open"`
	Late               int      `json:"late"`
	TotalMedianSeconds *int64   `json:"totalMedianSeconds"`
	TotalP90Seconds    *int64   `json:"totalP90Seconds"`
	PerReviewerSeconds *int64   `json:"perReviewerSeconds"` // work of each reviewer in a week
	ErrorWeeks         int      `json:"errorWeeks"`
	ErrorDecided       *Decimal `json:"errorDecided"`
	ErrorTime          *Decimal `json:"errorTime"`
}
