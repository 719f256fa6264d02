package workflow

import (
	"testing"
)

func TestBuiltinDefinitionsParse(t *testing.T) {
	t.Parallel()
	sources, err := Builtin()
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range sources {
		t.Log(s.Key, s.Version)
	}
}
