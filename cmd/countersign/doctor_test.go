package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"countersign/domain"
)

// The doctor says only what it compared: without the queue it does not claim that the queue agrees.
func TestDoctorOfAHealthyDatabase(t *testing.T) {
	t.Parallel()
	o := newOperatorTool(t)
	const unset = "the queue is not inspected because REDIS_URL is not set\n"
	for args, messages := range map[string]string{"doctor": unset, "doctor --no-redis": "",
		"doctor --repair": unset} {
		code, out, said := o.run(strings.Fields(args)...)
		if code != exitDone || out != "database and files agree\n" || said != messages {
			t.Errorf("%s: exit code %d, output %q, messages %q", args, code, out, said)
		}
	}
	if out := o.ok("--json", "doctor", "--no-redis"); out != "[]\n" {
		t.Errorf("the JSON is %q, want an empty list", out)
	}
}

// The doctor says that a chosen engine is missing, which is no difference: documents are read by the
// other one.
func TestDoctorNamesAMissingEngine(t *testing.T) {
	t.Parallel()
	o := newOperatorTool(t)
	o.engine = "ppocr"
	code, out, said := o.run("doctor", "--no-redis")
	if code != exitDone || out != "database and files agree\n" || strings.Count(said, "\n") != 1 ||
		!strings.Contains(said, "reads documents by tesseract, because ppocr is not installed") {
		t.Errorf("exit code %d, output %q, messages %q", code, out, said)
	}
}

// orphan writes a file that no case names.
func (o *operatorTool) orphan() string {
	o.t.Helper()
	path := filepath.Join(o.folder, domain.NewID().String(), strings.Repeat("ab", 32))
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		o.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("left over"), 0o600); err != nil {
		o.t.Fatal(err)
	}
	return path
}

// Differences make the exit code 1, until all of them are repaired; a repair changes nothing that
// was not reported.
func TestDoctorReportsAndRepairs(t *testing.T) {
	t.Parallel()
	o := newOperatorTool(t)
	orphan := o.orphan()
	if out := o.ok("doctor", "--no-redis"); out != "database and files agree\n" {
		t.Errorf("a file younger than --grace is reported:\n%s", out)
	}
	doctor := []string{"doctor", "--no-redis", "--grace", "1ns"}
	code, out, messages := o.run(doctor...)
	if code != exitFailed || messages != "" || !strings.HasPrefix(out, "orphan_file: ") ||
		!strings.HasSuffix(out, "\n1 difference\n") {
		t.Errorf("exit code %d, output %q, messages %q", code, out, messages)
	}
	code, out, _ = o.run(append([]string{"--json"}, doctor...)...)
	if code != exitFailed || strings.Count(out, "\n") != 1 ||
		!strings.HasPrefix(out, `[{"kind":"orphan_file"`) ||
		!strings.Contains(out, `"repairable":true`) {
		t.Errorf("exit code %d: %s", code, out)
	}
	if _, err := os.Stat(orphan); err != nil {
		t.Errorf("a doctor without --repair removed the file: %v", err)
	}
	o.orphan()
	code, out, messages = o.run(append(doctor, "--repair")...)
	if code != exitDone || !strings.HasSuffix(out, "\n2 differences\n") || messages !=
		"2 repaired. Run countersign doctor again to see what remains.\n" {
		t.Errorf("exit code %d, output %q, messages %q", code, out, messages)
	}
	if _, err := os.Stat(orphan); !os.IsNotExist(err) {
		t.Errorf("the repair left the file: %v", err)
	}
	if out := o.ok(doctor...); out != "database and files agree\n" {
		t.Errorf("after the repair:\n%s", out)
	}
}
