package graph

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/vektah/gqlparser/v2/gqlerror"

	"countersign/domain"
	"countersign/graph/transport"
)

func TestEveryCodeIsPresented(t *testing.T) {
	t.Parallel()
	for _, code := range domain.Codes() {
		look, listed := presentations[code]
		if !listed {
			t.Errorf("%s has no presentation", code)
			continue
		}
		switch kind := code.Kind(); {
		case kind == domain.KindInternal && look.safe == "":
			t.Errorf("%s is internal and would be shown", code)
		case kind == domain.KindUnauthenticated && look.refusal != nil:
			t.Errorf("%s concerns authentication, not the command", code)
		}
	}
	if len(presentations) != len(domain.Codes()) {
		t.Errorf("%d presentations of %d codes", len(presentations), len(domain.Codes()))
	}
}

func TestRefusalsBecomeUserErrors(t *testing.T) {
	t.Parallel()
	for _, code := range domain.Codes() {
		cause := fmt.Errorf("decide: %w", domain.Errorf(code, "No.").WithRemedy("Yes.").
			WithDetail("holder", "Ada"))
		shown, err := userErrorsOf(cause)
		if wants := presentations[code].refusal != nil; wants != (err == nil && len(shown) == 1) {
			t.Errorf("%s: %v %v", code, shown, err)
		}
	}
	if shown, err := userErrorsOf(nil); err != nil || shown == nil || len(shown) != 0 {
		t.Errorf("no error: %v %v", shown, err)
	}
	if _, err := userErrorsOf(errors.New("disk")); err == nil {
		t.Error("an unknown error became a user error")
	}
}

func TestThePresenter(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	show := presenter(slog.New(slog.NewTextHandler(&log, nil)))
	ctx := transport.WithCaller(context.Background(), domain.Actor{RequestID: "r-1"})

	shown := show(ctx, fmt.Errorf("read: %w", errors.New("password=hush")))
	if strings.Contains(shown.Message, "hush") || shown.Extensions["code"] != "Internal" ||
		shown.Extensions["requestId"] != "r-1" {
		t.Errorf("an unknown error is presented as %+v", shown)
	}
	if text := log.String(); strings.Count(text, "\n") != 1 || !strings.Contains(text, "hush") ||
		!strings.Contains(text, "r-1") {
		t.Errorf("the log: %s", text)
	}
	log.Reset()
	shown = show(ctx, &gqlerror.Error{Err: domain.Invalid("first", "too many").
		WithRemedy("Ask for less."), Message: "x"})
	if shown.Message != "too many" || shown.Extensions["remedy"] != "Ask for less." ||
		shown.Extensions["wayOut"] != "Ask for less." ||
		shown.Extensions["field"] != "first" || shown.Extensions["kind"] != "invalid" {
		t.Errorf("a domain error is presented as %+v", shown)
	}
	shown = show(ctx, gqlerror.Errorf("Cannot query field"))
	if shown.Message != "Cannot query field" {
		t.Errorf("a library error is presented as %+v", shown)
	}
	show(ctx, fmt.Errorf("read: %w", context.Canceled))
	if log.Len() != 0 {
		t.Errorf("the log: %s", log.String())
	}
}
