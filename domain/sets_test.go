package domain

import (
	"bytes"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func TestStatusesAreCompleteAndFinalOnesEndACase(t *testing.T) {
	t.Parallel()
	final := map[Status]bool{Archived: true, Rejected: true, Abandoned: true}
	seen := map[Status]bool{}
	for _, status := range Statuses() {
		if seen[status] {
			t.Errorf("%s is listed twice", status)
		}
		seen[status] = true
		if status.Final() != final[status] {
			t.Errorf("%s is final: %t", status, status.Final())
		}
	}
	for _, status := range []Status{Received, Processing, InReview, Returned, Approved, Settling,
		Archived, Rejected, Incident, Abandoned} {
		if !seen[status] {
			t.Errorf("%s is not listed", status)
		}
	}
	if Status("").Final() || Status("Archived").Final() {
		t.Error("an unknown status is final")
	}
}

func TestChannelsAreAClosedSet(t *testing.T) {
	t.Parallel()
	for channel, valid := range map[Channel]bool{ChannelWeb: true, ChannelAPI: true,
		ChannelCLI: true, ChannelMail: true, ChannelFolder: true, "": false, "fax": false,
		"WEB": false, "web ": false} {
		if channel.Valid() != valid {
			t.Errorf("%q is valid: %t", channel, channel.Valid())
		}
	}
}

// One person publishes what another proposed; only the four kinds of control data are limited to
// changes that ease a control.
func TestKindsOfControlDataAreSeparateFromVersionedTexts(t *testing.T) {
	t.Parallel()
	for _, kind := range []ProposalKind{ProposeProcess, ProposeRuleSet, ProposePolicy, "", "rates"} {
		if kind.IsControl() {
			t.Errorf("%q is control data", kind)
		}
	}
	for _, kind := range ControlKinds() {
		if !kind.IsControl() {
			t.Errorf("%q is not control data", kind)
		}
	}
	kinds := ControlKinds()
	kinds[0] = "changed by a caller"
	if !ControlCountryRisk.IsControl() {
		t.Error("a caller can change the set of kinds")
	}
}

func TestStrategiesAreDistinct(t *testing.T) {
	t.Parallel()
	list := Strategies()
	slices.Sort(list)
	if len(slices.Compact(list)) != 4 || slices.Contains(list, "") {
		t.Errorf("strategies %q", Strategies())
	}
}

// Only recognised values may be misread. The values of an e-invoice, a program or a person are
// statements, which a reviewer cannot replace alone.
func TestMachineSourcesAreThoseThatRecogniseAPage(t *testing.T) {
	t.Parallel()
	for source, machine := range map[FieldSource]bool{SourceText: true, SourceOCR: true,
		SourceLLM: true, SourceXML: false, SourceHuman: false, SourceDeclared: false,
		SourceExternal: false, "": false} {
		if source.IsMachine() != machine {
			t.Errorf("%q is a machine: %t", source, source.IsMachine())
		}
	}
}

func TestFieldTableHasEveryFieldOnceWithLabels(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, spec := range FieldSpecs() {
		if seen[spec.Name] || spec.Name == "" || spec.Type == "" || spec.English == "" ||
			spec.Chinese == "" {
			t.Errorf("the row %+v is incomplete or repeated", spec)
		}
		seen[spec.Name] = true
		if found, known := FieldSpecOf(spec.Name); !known || found != spec {
			t.Errorf("%s is found as %+v", spec.Name, found)
		}
		if !slices.Contains(FieldNamesOf(spec.Type), spec.Name) {
			t.Errorf("%s is not among the fields of type %s", spec.Name, spec.Type)
		}
	}
	if !slices.Equal(FieldNamesOf(FieldTypeMoney),
		[]string{FieldNet, FieldTax, FieldTotal, FieldPrepaid, FieldAmountDue}) {
		t.Errorf("amounts are %q, in the order of a form", FieldNamesOf(FieldTypeMoney))
	}
	if _, known := FieldSpecOf("cost_centre"); known || len(FieldNamesOf("colour")) != 0 {
		t.Error("a field or type that does not exist is known")
	}
	FieldSpecs()[0].Name = "changed by a caller"
	if FieldNames()[0] != FieldVendor {
		t.Error("a caller can change the table of fields")
	}
}

func TestBandsAreOneForEachPowerOfTen(t *testing.T) {
	t.Parallel()
	for minor, want := range map[int64]int{0: 0, 1: 0, 999: 0, 1_000: 1, 9_999: 1, 10_000: 2,
		99_999: 2, 100_000: 3, MaxMinor: 13, -5_000: 0} {
		if got := BandOf(minor); got != want {
			t.Errorf("%d is in band %d, want %d", minor, got, want)
		}
	}
}

// The queue is sorted by band, so a larger amount must never be in a lower one.
func TestBandsGrowWithTheAmount(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		a := rapid.Int64Range(0, MaxMinor).Draw(t, "a")
		b := rapid.Int64Range(a, MaxMinor).Draw(t, "b")
		if BandOf(a) > BandOf(b) {
			t.Fatalf("%d is in band %d, %d in band %d", a, BandOf(a), b, BandOf(b))
		}
		if a >= 1000 && BandOf(a*10) != BandOf(a)+1 {
			t.Fatalf("ten times %d is in band %d", a, BandOf(a*10))
		}
	})
}

// The policy is evaluated for a placeholder exactly as for a case that the caller may not read, so
// the placeholder must be complete: a missing value could make a rule fail earlier.
func TestPlaceholdersOfAbsentRowsAreComplete(t *testing.T) {
	t.Parallel()
	id := NewID()
	absent, review := AbsentCase(id), AbsentReview(id)
	if absent.ID != id || absent.Status.Final() || !absent.AmountKnown || absent.Country == "" ||
		absent.DocumentType == "" || absent.Amount.Currency != BaseCurrency {
		t.Errorf("the case %+v", absent)
	}
	if review.ID != id || review.CaseID != id || review.Queue == "" || review.Duty == "" ||
		review.Level == 0 || review.Status != ReviewOpen || review.Assignee != NoID {
		t.Errorf("the review %+v", review)
	}
	if absent.Submitter != NoID || review.Submitter != NoID {
		t.Error("a placeholder belongs to a person")
	}
}

func TestReviewsArePausedFromAMoment(t *testing.T) {
	t.Parallel()
	var review Review
	if review.Paused() {
		t.Error("a new review is paused")
	}
	review.PausedAt = SystemClock{}.Now()
	if !review.Paused() {
		t.Error("a paused review is not")
	}
}

// Streams of the system sort below every case, because partitions divide by id.
func TestSystemStreamsSortBelowEveryCase(t *testing.T) {
	t.Parallel()
	now := NewID()
	for _, stream := range []SystemStream{PolicyStream, PeopleStream, ControlStream,
		DefinitionStream("invoice"), RuleSetStream("invoice"), {"queues", QueuesTopic},
		{"rights", RightsTopic}} {
		if bytes.Compare(stream.ID[:], now[:]) >= 0 {
			t.Errorf("%s (%s) does not sort below a case", stream.Name, stream.ID)
		}
	}
}

func TestStreamsOfKeysAreStableAndDistinct(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		a := rapid.StringMatching(`[a-z_]{1,20}`).Draw(t, "a")
		b := rapid.StringMatching(`[a-z_]{1,20}`).Draw(t, "b")
		if first, second := DefinitionStream(a), DefinitionStream(a); first != second {
			t.Fatal("a stream changes")
		}
		if a != b && DefinitionStream(a).ID == DefinitionStream(b).ID ||
			DefinitionStream(a).ID == RuleSetStream(a).ID {
			t.Fatalf("%s and %s share a stream", a, b)
		}
	})
}
