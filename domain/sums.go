package domain

import (
	"strconv"
	"time"
)

// SumBand returns the band in which an amount in minor units is summed: amounts with the same length
// and the same first two digits share one. It rises with the amount. The database has the same
// function.
func SumBand(baseMinor int64) int {
	if baseMinor < 10 {
		return int(baseMinor)
	}
	text := strconv.FormatInt(baseMinor, 10)
	return (len(text)-2)*90 + int(text[0]-'0')*10 + int(text[1]-'0')
}

// CountedSum identifies the other documents whose amounts a finding adds up: those that shared one of the subjects with
// the case at the time At, were submitted since Since, and were below the amount Below each.
type CountedSum struct {
	By        string    `json:"by"`       // counterparty, account or submitter
	Subjects  []string  `json:"subjects"` // ids of parties, accounts or the id of the submitter
	Since     time.Time `json:"since"`
	Below     int64     `json:"below"` // in minor units of the base currency
	At        time.Time `json:"at"`
	Documents int       `json:"documents"` // without the case
	BaseMinor int64     `json:"sum"`       // with the case
	Own       int64     `json:"own"`       // of the case
}
