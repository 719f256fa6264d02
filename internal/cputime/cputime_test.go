package cputime

import (
	"os"
	"slices"
	"testing"
)

// A name may contain parentheses and blanks, as those of tmux and of a browser's processes do. The
// fields behind it were shifted, so a bench read another number as processor time.
func TestFieldsAreThoseBehindTheName(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		line string
		want []string
	}{
		"a plain name":              {"17 (worker) S 1 17", []string{"S", "1", "17"}},
		"a name with a blank":       {"17 (Web Content) R 1", []string{"R", "1"}},
		"a name with a parenthesis": {"17 (tmux: (x) client) S 4", []string{"S", "4"}},
		"a name that ends with one": {"17 (a)) S 4", []string{"S", "4"}},
		"a name like a state":       {"17 (a) S 9 9) Z 1", []string{"Z", "1"}},
		"no process":                {"", nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := fieldsAfterName(tc.line); !slices.Equal(got, tc.want) {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
}

func TestTimeOfProcesses(t *testing.T) {
	t.Parallel()
	if _, err := os.Stat("/proc/self/stat"); err != nil {
		if Process(os.Getpid()) != 0 {
			t.Error("a time is reported without /proc")
		}
		return
	}
	before := Process(os.Getpid())
	for sum := 0; Process(os.Getpid()) == before; sum++ {
		// works until the processor time of this process has grown by a tick
		_ = sum * sum
	}
	own, family := Process(os.Getpid()), Family(os.Getpid())
	if own <= before || family < own {
		t.Errorf("before %s, after %s, with children %s", before, own, family)
	}
}

func TestAProcessThatDoesNotExistUsesNothing(t *testing.T) {
	t.Parallel()
	for _, pid := range []int{0, -1, 1 << 30} {
		if used := Process(pid); used != 0 {
			t.Errorf("process %d used %s", pid, used)
		}
	}
	if pid := Child("no such program"); pid != 0 {
		t.Errorf("the child is %d", pid)
	}
}
