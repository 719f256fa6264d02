package web

import (
	"testing"

	"countersign/domain"
)

func TestEveryCodeHasAStatus(t *testing.T) {
	t.Parallel()
	families := map[domain.ErrorKind][2]int{
		domain.KindInvalid: {400, 499}, domain.KindUnauthenticated: {401, 429},
		domain.KindForbidden: {403, 403}, domain.KindNotFound: {404, 404},
		domain.KindConflict: {409, 409}, domain.KindFailedPrecondition: {409, 503},
		domain.KindUnavailable: {429, 504}, domain.KindInternal: {500, 500},
	}
	for _, code := range domain.Codes() {
		status, ok := statuses[code]
		if family := families[code.Kind()]; !ok || status < family[0] || status > family[1] {
			t.Errorf("%s is answered with %d, want one of %v", code, status, family)
		}
	}
	if len(statuses) != len(domain.Codes()) {
		t.Errorf("%d statuses for %d codes", len(statuses), len(domain.Codes()))
	}
}
