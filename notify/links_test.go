package notify_test

import (
	"path"
	"slices"
	"testing"

	"countersign/domain"
	"countersign/notify"
)

// Each kind of notice can be switched off by the link of its e-mail.
func TestLinksKnowEveryKind(t *testing.T) {
	t.Parallel()
	links, person := notify.NewLinks([]byte("a key of the test"), "https://review.example"), domain.NewID()
	for _, kind := range domain.NoticeKinds() {
		found, kinds, err := links.Open(path.Base(links.Unsubscribe(person, []domain.NoticeKind{kind})))
		if err != nil || found != person || !slices.Equal(kinds, []domain.NoticeKind{kind}) {
			t.Errorf("the link of %s is for %v of %s, %v", kind, kinds, found, err)
		}
	}
}
