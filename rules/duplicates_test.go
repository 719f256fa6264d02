package rules

import "testing"

// Equal receipts of one day are two purchases if both numbers are certain. A number that may be misread says
// nothing, whichever of them has it; a certain time does.
func TestUnsureNumbersOfReceipts(t *testing.T) {
	t.Parallel()
	receipt := func(number string, unsure bool) DocumentKey {
		return DocumentKey{Type: receiptType, Numbers: []string{number}, NumberUnsure: unsure,
			Dates: []string{"2017-02-10"}, Totals: []int64{740}}
	}
	at := func(key DocumentKey, time string) DocumentKey { key.Time = time; return key }
	for name, row := range map[string]struct {
		one, other DocumentKey
		want       DuplicateKind
	}{
		"both certain":     {receipt("001188", false), receipt("00118887", false), NoDuplicate},
		"one is unsure":    {receipt("001188", true), receipt("00118887", false), SameContent},
		"both are unsure":  {receipt("001188", true), receipt("00118887", true), SameContent},
		"at another time":  {at(receipt("001188", true), "09:15"), at(receipt("00118887", true), "11:15"), NoDuplicate},
		"the same, unsure": {receipt("001188", true), receipt("001188", true), SameNumber},
	} {
		if got, back := row.one.Compare(row.other), row.other.Compare(row.one); got != row.want || back != got {
			t.Errorf("%s: %q and %q, want %q", name, got, back, row.want)
		}
	}
}
