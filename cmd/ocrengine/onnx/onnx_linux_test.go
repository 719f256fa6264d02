package onnx

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// installed returns the folder of the real library and networks, installed as by
// scripts/install.sh.
func installed(t *testing.T) string {
	t.Helper()
	root, err := filepath.Abs("../../..")
	if err != nil {
		t.Fatal(err)
	}
	folder := filepath.Join(root, ".data", "ocrengine")
	install := exec.Command(filepath.Join(root, "scripts", "ocrengine", "install.sh"), folder)
	if out, err := install.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return folder
}

func TestRunOfANetwork(t *testing.T) {
	t.Parallel()
	folder := installed(t)
	library, err := Open(filepath.Join(folder, "libonnxruntime.so.1"))
	if err != nil {
		t.Fatal(err)
	}
	defer library.Close()
	session, err := library.Load(filepath.Join(folder, "ch_ppocr_mobile_v2.0_cls_infer.onnx"))
	if err != nil {
		t.Fatal(err)
	}
	shape := []int64{1, 3, 48, 192}
	for range 3 {
		result, dimensions, err := session.Run(make([]float32, 3*48*192), shape)
		if err != nil || len(dimensions) != 2 || dimensions[1] != 2 || len(result) != 2 {
			t.Fatalf("%v: %v %v", err, result, dimensions)
		}
		if sum := result[0] + result[1]; sum < 0.99 || sum > 1.01 {
			t.Errorf("%v are no probabilities", result)
		}
	}
	for name, c := range map[string]struct {
		values int
		shape  []int64
	}{"no shape": {1, nil}, "another count": {5, shape}, "no values": {0, []int64{0, 3, 48, 192}},
		"negative": {4, []int64{-2, -2}}, "another rank": {4, []int64{2, 2}}} {
		if _, _, err := session.Run(make([]float32, c.values), c.shape); err == nil {
			t.Errorf("%s: no error", name)
		} else if name == "another rank" && !strings.Contains(err.Error(), "rank") {
			t.Errorf("the message of the library is lost: %v", err)
		}
	}
	session.Close()
	session.Close()
	library.Close()
}

func TestFilesThatAreNoNetworks(t *testing.T) {
	t.Parallel()
	folder := installed(t)
	library, err := Open(filepath.Join(folder, "libonnxruntime.so.1"))
	if err != nil {
		t.Fatal(err)
	}
	defer library.Close()
	text := filepath.Join(t.TempDir(), "network.onnx")
	if err := os.WriteFile(text, []byte("no network"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{text, filepath.Join(folder, "missing.onnx")} {
		if _, err := library.Load(path); err == nil || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: %v", path, err)
		}
	}
	for _, path := range []string{text, "libc.so.6"} {
		if _, err := Open(path); err == nil {
			t.Errorf("%s is ONNX Runtime", path)
		}
	}
}
