package testsignal_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	"countersign/internal/testsignal"
)

func TestSilentByDefault(t *testing.T) {
	t.Parallel()
	var s testsignal.Signal[int]
	for range 5000 {
		s.Raise(1)
	}
	if s.Moments() != nil {
		t.Error("a silent signal has a channel")
	}
}

func TestMomentsComeInOrder(t *testing.T) {
	t.Parallel()
	var s testsignal.Signal[int]
	s.Arm(t)
	go func() {
		for i := range 10 {
			s.Raise(i)
		}
	}()
	if first := s.Wait(); first != 0 {
		t.Errorf("first %d", first)
	}
	if found := s.WaitFor(func(n int) bool { return n > 4 }); found != 5 {
		t.Errorf("found %d", found)
	}
	if next := <-s.Moments(); next != 6 {
		t.Errorf("next %d", next)
	}
}

func TestFailures(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) { // its clock jumps over the 30 s
		var s testsignal.Signal[string]
		notes := &recorder{}
		s.Arm(notes)
		s.Wait()
		s.Raise("other")
		s.WaitFor(func(string) bool { return false })
		for range 1001 {
			s.Raise("unread")
		}
		for _, want := range []string{"waited 30s for a moment", "1 others passed",
			"more than 1000 moments"} {
			if !strings.Contains(notes.text, want) {
				t.Errorf("%q is missing in:\n%s", want, notes.text)
			}
		}
	})
}

type recorder struct{ text string }

func (r *recorder) Helper() {}

func (r *recorder) Fatalf(format string, args ...any) { r.Errorf(format, args...) }

func (r *recorder) Errorf(format string, args ...any) {
	r.text += fmt.Sprintf(format,
		args...) + "\n"
}
