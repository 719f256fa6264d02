package blob

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// putUntilKilled is the argument that makes the test binary put files and then wait to be killed.
const putUntilKilled = "put-until-killed="

func TestMain(m *testing.M) {
	for _, argument := range os.Args[1:] {
		if dir, ok := strings.CutPrefix(argument, putUntilKilled); ok {
			os.Exit(put(dir))
		}
	}
	os.Exit(m.Run())
}

func put(dir string) int {
	f, err := OpenFolder(dir)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	t := &testing.T{}
	for _, key := range putSamples(t, f, 20) {
		fmt.Println(key)
	}
	fmt.Println("done")
	_, _ = bufio.NewReader(os.Stdin).ReadString('\n') // never arrives
	return 2
}

// A killed process leaves its segment to the next one; the machine crashes before any file was
// flushed.
func TestSegmentOfAKilledProcess(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	child := exec.Command(program, putUntilKilled+dir)
	child.Stderr = os.Stderr
	if _, err = child.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := child.StdoutPipe()
	if err == nil {
		err = child.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	var keys []string
	lines := bufio.NewScanner(out)
	for lines.Scan() && lines.Text() != "done" {
		keys = append(keys, lines.Text())
	}
	living := openTestFolder(t, dir)
	if left := segments(t, dir); len(left) != 1 {
		t.Errorf("segments while the owner lives: %v", left)
	}
	if err := child.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = child.Wait()
	if len(keys) != 20 {
		t.Fatalf("%d keys", len(keys))
	}
	for _, key := range keys {
		if err := os.Remove(filepath.Join(dir, blobPath(key))); err != nil {
			t.Fatal(err)
		}
	}
	requireBlobs(t, openTestFolder(t, dir), keys)
	if left := segments(t, dir); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
	requireBlobs(t, living, keys)
}
