package ocr

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"syscall"

	"countersign/domain"
	"countersign/reading/ocr/sandbox"
)

// interrupted makes an error of our caller's giving up; anything else is passed on.
func interrupted(ctx context.Context, err error) error {
	if ctx.Err() == nil {
		return err
	}
	return domain.Fail(domain.TimedOut, "Reading the document was interrupted.").
		WithWayOut("Retry it a little later.").Because(errors.Join(context.Cause(ctx), err))
}

// overLimit judges the endings that mean the same for every program: nil if the child ended within its limits.
func overLimit(ctx context.Context, program string, result sandbox.Result) error {
	cause := fmt.Errorf("%s: %s: %s", program, result, tail(result.Stderr))
	switch result.Ending {
	case sandbox.Cancelled:
		return interrupted(ctx, cause)
	case sandbox.WallLimit:
		return domain.Fail(domain.TimedOut, "Reading the document took too long.").
			WithWayOut("Retry it; if it fails again, send a smaller or simpler copy.").Because(cause)
	case sandbox.CPULimit, sandbox.DiskLimit, sandbox.FileLimit, sandbox.OutputLimit:
		return tooComplex().Because(cause)
	case sandbox.Exited, sandbox.Killed:
	}
	if launcherFailed(result) || result.Ending == sandbox.Killed && result.Signal == syscall.SIGKILL {
		return engineFailed(cause) // the machine's fault, not the file's
	}
	return nil
}

// launcherFailed reports that not the program but what should have started it failed.
func launcherFailed(result sandbox.Result) bool {
	if result.Ending != sandbox.Exited || result.ExitCode == 0 {
		return false
	}
	for _, prefix := range []string{"bwrap:", "prlimit:", "launcher:"} {
		if bytes.HasPrefix(result.Stderr, []byte(prefix)) {
			return true
		}
	}
	return result.ExitCode == 126 || result.ExitCode == 127
}

// decoderFailed judges a program that only decodes: what it cannot read is damaged.
func decoderFailed(ctx context.Context, program string, result sandbox.Result) error {
	if result.OK() {
		return nil
	}
	if err := overLimit(ctx, program, result); err != nil {
		return err
	}
	return damaged(fmt.Errorf("%s: %s: %s", program, result, tail(result.Stderr)))
}

func damaged(cause error) error {
	return domain.Fail(domain.DamagedFile, "The file is damaged and cannot be read.").
		WithWayOut("Open it on your side, save or scan it again, and send the new copy.").Because(cause)
}

func tooComplex() *domain.Error {
	return domain.Fail(domain.FileTooComplex, "The file needs more time or memory to draw than any document should.").
		WithWayOut("Print or scan it to a plain PDF or image and send that.")
}

func engineFailed(cause error) error {
	return domain.Fail(domain.EngineFailed, "The text recognition failed.").
		WithWayOut("Retry it, or enter the fields by hand.").Because(cause)
}

// tail shortens a program's complaints for a log line.
func tail(text []byte) string {
	text = bytes.TrimSpace(text)
	if len(text) > 400 {
		text = text[len(text)-400:]
	}
	return string(bytes.ToValidUTF8(text, []byte("?")))
}
