package redistest_test

import (
	"testing"

	"countersign/internal/redistest"
)

func TestServersAreApart(t *testing.T) {
	t.Parallel()
	one, two := redistest.New(t), redistest.New(t)
	if err := redistest.Client(t, one).Set(t.Context(), "k", 1, 0).Err(); err != nil {
		t.Fatal(err)
	}
	if n := redistest.Client(t, two).Exists(t.Context(), "k").Val(); n != 0 {
		t.Error("a key of one server shows in the other")
	}
	if err := one.Kill(); err != nil {
		t.Fatal(err)
	}
	if err := redistest.Client(t, one).Ping(t.Context()).Err(); err == nil {
		t.Error("a killed server answers")
	}
	if err := one.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	if n := redistest.Client(t, one).DBSize(t.Context()).Val(); n != 0 {
		t.Error("a killed server kept keys")
	}
}
