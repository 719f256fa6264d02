package devservices

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"
)

// S3 is a private S3 service for tests: versitygw over a folder, with versions and object lock.
type S3 struct {
	Endpoint, AccessKey, SecretKey string

	program   string
	arguments []string
	process   *exec.Cmd
	said      bytes.Buffer
}

// StartS3 builds the service, in the version that tools/s3 pins, and starts it on a free port with its data
// in the folder.
func StartS3(ctx context.Context, folder string) (*S3, error) {
	program, err := buildS3(ctx)
	if err != nil {
		return nil, err
	}
	data, versions := filepath.Join(folder, "data"), filepath.Join(folder, "versions")
	attributes := filepath.Join(folder, "attributes") // not every file system keeps them with the files
	for _, dir := range []string{data, versions, attributes} {
		if err := os.Mkdir(dir, 0o700); err != nil {
			return nil, err
		}
	}
	free, err := FreeAddress()
	if err != nil {
		return nil, err
	}
	s := &S3{Endpoint: "http://" + free.String(), AccessKey: "countersign", SecretKey: "only for tests",
		program: program, arguments: []string{"--port", free.String(), "--quiet", "posix",
			"--sidecar", attributes, "--versioning-dir", versions, data}}
	return s, s.Start(ctx)
}

// buildS3 builds the service once for all test processes of a checkout, which wait for each other.
func buildS3(ctx context.Context) (program string, err error) {
	checkout, err := Checkout()
	if err != nil {
		return "", err
	}
	state := StateDir(checkout)
	if err := os.MkdirAll(state, 0o755); err != nil { //nolint:gosec // other accounts pass through it
		return "", err
	}
	turn, err := os.OpenFile(filepath.Join(state, "s3-build"), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return "", err
	}
	defer func() { _ = turn.Close() }()
	if err := syscall.Flock(int(turn.Fd()), syscall.LOCK_EX); err != nil {
		return "", err
	}
	program = filepath.Join(state, "versitygw")
	build := exec.CommandContext(ctx, "go", "build", "-buildvcs=false", "-trimpath", "-modfile=tools/s3/go.mod",
		"-o", program, "github.com/versity/versitygw/cmd/versitygw")
	build.Dir, build.Env = checkout, append(build.Environ(), "CGO_ENABLED=0")
	if output, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build versitygw: %w: %s", err, output)
	}
	return program, nil
}

// Start starts the service again at its address, with its data, after Close.
func (s *S3) Start(ctx context.Context) error {
	s.process = exec.Command(s.program, s.arguments...) //nolint:noctx // ended by Close
	s.process.Env = append(s.process.Environ(), "ROOT_ACCESS_KEY_ID="+s.AccessKey,
		"ROOT_SECRET_ACCESS_KEY="+s.SecretKey)
	s.said.Reset()
	s.process.Stdout, s.process.Stderr = &s.said, &s.said
	if err := s.process.Start(); err != nil {
		return err
	}
	if err := awaitListener(ctx, s.arguments[1]); err != nil {
		s.Close()
		return fmt.Errorf("versitygw does not listen: %w: %s", err, s.said.String())
	}
	return nil
}

// Close stops the service. Its data stay in the folder.
func (s *S3) Close() {
	_ = s.process.Process.Kill()
	_ = s.process.Wait()
}

// awaitListener waits until a program listens at the address.
func awaitListener(ctx context.Context, address string) error {
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	ticker := time.NewTicker(20 * time.Millisecond)
	defer ticker.Stop()
	for {
		connection, err := (&net.Dialer{}).DialContext(ctx, "tcp", address)
		if err == nil {
			return connection.Close()
		}
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return err
		}
	}
}
