package sandbox

import (
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"time"
)

// listenProbe listens on a port that the probe must not be able to reach.
func listenProbe(ctx context.Context) (net.Listener, string, error) {
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, "", err
	}
	return listener, listener.Addr().String(), nil
}

// probe runs inside the sandbox and tries forbidden operations. Its arguments are the mode, a
// world-readable file outside, and the address of a listener outside. It returns exit code 0 if the
// sandbox prevents them.
func probe(args []string) int {
	if len(args) != 3 {
		return 2
	}
	mode, secret, address := Mode(args[0]), args[1], args[2]
	failed := 0
	fail := func(format string, values ...any) {
		fmt.Fprintf(os.Stderr, format+"\n", values...)
		failed = 1
	}
	if err := os.WriteFile("probe", []byte("x"), 0o600); err != nil {
		fail("cannot write in its own folder: %v", err)
	}
	if mode == LimitsOnly {
		return failed
	}
	if _, err := os.ReadFile(secret); err == nil {
		fail("read a file outside")
	}
	if err := os.WriteFile(filepath.Join(filepath.Dir(secret), "planted"), nil, 0o600); err == nil {
		fail("wrote a file outside")
	}
	if err := os.WriteFile("../in/planted", nil, 0o600); err == nil {
		fail("wrote among its inputs")
	}
	if connection, err := net.DialTimeout("tcp", address, time.Second); err == nil {
		_ = connection.Close()
		fail("reached the network")
	}
	if process, err := os.StartProcess("/bin/true", []string{"true"}, &os.ProcAttr{}); err == nil {
		_, _ = process.Wait()
		fail("started a process")
	}
	return failed
}
