package events_test

import (
	"strings"
	"testing"

	"countersign/domain"
	"countersign/events"
	"countersign/events/generated"
)

func filled(
	t *testing.T, body events.Body, actor domain.ID, before, after domain.Status,
) *domain.Event {
	t.Helper()
	event := &domain.Event{Seq: 7, Actor: actor, StatusBefore: before, StatusAfter: after,
		At: moment}
	if err := events.SetBody(event, body); err != nil {
		t.Fatal(err)
	}
	return event
}

func TestViewHidesStaffEvents(t *testing.T) {
	t.Parallel()
	viewer, officer := domain.ID{1}, domain.ID{2}
	for _, body := range bodies() {
		event := filled(t, body, officer, domain.Processing, domain.InReview)
		visible, ok := events.View(event, domain.AudienceAll, viewer)
		if !ok {
			t.Fatalf("%s changed the status, but the submitter sees nothing", event.Type)
		}
		if visible.Actor != domain.NoID {
			t.Errorf("%s shows its actor", event.Type)
		}
		for _, secret := range []string{"AML", "reviewId", "queue", "assignee", "outcome", "risk",
			"findings", `"by"`} {
			if strings.Contains(string(visible.Body), secret) ||
				strings.Contains(visible.Sentence(), secret) {
				t.Errorf("%s shows %s: %s %s", event.Type, secret, visible.Body, visible.Sentence())
			}
		}
		if events.AudienceOf(event.Type) == domain.AudienceStaff &&
			visible.Type != events.StatusChanged {
			t.Errorf("%s is for staff but is shown with its own type", event.Type)
		}
		event.StatusBefore = domain.InReview
		if visible, ok := events.View(event, domain.AudienceAll, viewer); ok &&
			events.AudienceOf(event.Type) == domain.AudienceStaff {
			t.Errorf("%s did not change the status but is shown as %s", event.Type, visible.Type)
		}
		if visible, ok := events.View(event, domain.AudienceStaff, viewer); !ok ||
			string(visible.Body) != string(event.Body) || visible.Actor != officer {
			t.Errorf("staff do not see the whole %s", event.Type)
		}
	}
}

func TestViewShowsPublicProperties(t *testing.T) {
	t.Parallel()
	submitter := domain.ID{1}
	event := filled(t, generated.CaseReturnedV1{Reason: "which one?", ReenterAt: "validate"},
		submitter, domain.InReview, domain.Returned)
	// The field score is from a newer program.
	event.Body = []byte(`{"reason":"which one?","reenterAt":"validate","score":9}`)
	visible, ok := events.View(event, domain.AudienceAll, submitter)
	if !ok || string(visible.Body) != `{"reason":"which one?"}` ||
		visible.Sentence() != "The document was returned to the submitter: which one?" ||
		visible.Actor != submitter {
		t.Fatalf("got %+v", visible)
	}
	event.Body = nil
	visible, ok = events.View(event, domain.AudienceAll, submitter)
	if !ok || visible.Body != nil ||
		visible.Sentence() != "The document was returned to the submitter: …." {
		t.Fatalf("after erasure: %+v", visible)
	}
	event.SchemaVersion = 99
	event.StatusBefore = event.StatusAfter
	if _, ok := events.View(event, domain.AudienceAll, submitter); ok {
		t.Fatal("an unknown version was shown to everyone")
	}
}

func TestRenderSentence(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		kind domain.EventType
		body string
		want string
	}{
		"parts left out": {domain.StageCompleted, `{"behaviour":"read","summary":{"pages":2}}`,
			"Read completed, 2 pages."},
		"no part": {domain.StageCompleted, `{"behaviour":"read"}`, "Read completed."},
		"every part": {domain.CaseSubmitted,
			`{"fileName":"a.pdf","documentType":"invoice","declaredAmount":"1.00","declaredCurrency":"EUR"}`, "The file a.pdf was submitted as invoice, declared 1.00 EUR."},
		"half a part": {domain.CaseSubmitted,
			`{"fileName":"a.pdf","documentType":"invoice","declaredAmount":"1.00"}`,
			"The file a.pdf was submitted as invoice."},
		"a number": {domain.PolicyPublished, `{"policyVersion":12}`,
			"Policy version 12 was published."},
		"a whole sentence": {domain.CaseRejected, `{"reason":"Not ordered."}`,
			"The document was rejected: Not ordered."},
		"one in a part": {domain.ReviewDecidedEvent,
			`{"verdict":"reject","reason":"Who ordered it?"}`,
			"The review was decided: reject, Who ordered it?"},
		"texts and no texts": {"route.reevaluated", `{"causes":["exchange rates","other cases"],"cases":[]}`,
			"The case was evaluated again because of changes in exchange rates, other cases."},
		"braces in a value": {domain.CaseRejected, `{"reason":"{reason} [x]"}`,
			"The document was rejected: {reason} [x]."},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			version := 1
			if tc.kind == "route.reevaluated" {
				version = 2
			}
			contract, _ := events.ContractOf(tc.kind, version)
			if got := contract.RenderSentence([]byte(tc.body)); got != tc.want {
				t.Fatalf("got %q, want %q", got, tc.want)
			}
		})
	}
}
