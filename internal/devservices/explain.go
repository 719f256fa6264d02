package devservices

import (
	"errors"
	"io/fs"
	"slices"
	"strings"
	"syscall"

	"countersign/domain"
)

// explainText turns what a server wrote before it ended into a sentence with a remedy; the cause
// goes to the log.
func explainText(said, dir string, port int, cause error) error {
	for _, known := range []struct {
		sign   string
		answer func() *domain.Error
	}{
		{"No space left on device", func() *domain.Error { return diskFull(dir) }},
		{"Address already in use", func() *domain.Error { return portTaken(port) }},
		{"Permission denied", func() *domain.Error {
			return domain.Errorf(domain.Unavailable,
				"The account the server runs under may not enter %s.", dir).
				WithRemedy("Choose a folder whose parents it may enter, or run as an ordinary user.")
		}},
		{"error while loading shared libraries", func() *domain.Error {
			return domain.Errorf(domain.Unavailable, "A library the server needs is missing.").
				WithRemedy("Run scripts/install.sh again.")
		}},
		{"could not create shared memory", func() *domain.Error {
			return domain.Errorf(domain.Unavailable,
				"The system has no shared memory left for a database.").
				WithRemedy("End other servers, or raise the limit of shared memory.")
		}},
	} {
		if strings.Contains(said, known.sign) {
			return known.answer().WithCause(cause)
		}
	}
	return domain.Errorf(domain.Unavailable, "The private server in %s did not start: %s", dir,
		lastLine(said)).
		WithRemedy("Its full log is %s/log.", dir).WithCause(cause)
}

// explainIO turns a failed file operation into a sentence; anything else passes unchanged.
func explainIO(err error, dir string) error {
	var ours *domain.Error
	switch {
	case err == nil:
		return nil
	case errors.As(err, &ours):
		return err
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return diskFull(dir).WithCause(err)
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS):
		return domain.Errorf(domain.Unavailable, "The folder %s cannot be written.", dir).
			WithRemedy("Make it writable for this user, or run from another checkout.").WithCause(
			err)
	}
	return err
}

func portTaken(port int) *domain.Error {
	return domain.Errorf(domain.Unavailable, "Port %d on 127.0.0.1 is in use by another program.",
		port).
		WithRemedy("Stop that program or choose another port.")
}

// lastLine is the last line that names a failure, else the last line at all: a server's very last
// words are only that it is shut down.
func lastLine(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	for _, line := range slices.Backward(lines) {
		for _, sign := range []string{"FATAL:", "PANIC:", "ERROR:", "error:"} {
			if strings.Contains(line, sign) {
				return strings.TrimSpace(line)
			}
		}
	}
	return strings.TrimSpace(lines[len(lines)-1])
}
