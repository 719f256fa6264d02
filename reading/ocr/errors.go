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

// callerError makes an error of our caller's giving up; anything else is passed on.
func callerError(ctx context.Context, err error) error {
	if ctx.Err() == nil {
		return err
	}
	return domain.Errorf(domain.TimedOut, "Reading the document was interrupted.").
		WithRemedy("Retry it a little later.").WithCause(errors.Join(context.Cause(ctx), err))
}

// limitError judges the endings that mean the same for every program: nil if the child ended within its limits.
func limitError(ctx context.Context, program string, result sandbox.Result) error {
	cause := fmt.Errorf("%s: %s: %s", program, result, shortenOutput(result.Stderr))
	switch result.Ending {
	case sandbox.Cancelled:
		return callerError(ctx, cause)
	case sandbox.WallLimit:
		return domain.Errorf(domain.TimedOut, "Reading the document took too long.").
			WithRemedy("Retry it; if it fails again, send a smaller or simpler copy.").WithCause(cause)
	case sandbox.CPULimit, sandbox.DiskLimit, sandbox.FileLimit, sandbox.OutputLimit:
		return tooComplexError().WithCause(cause)
	case sandbox.Exited, sandbox.Killed:
	}
	if isLauncherFailure(result) || result.Ending == sandbox.Killed && result.Signal == syscall.SIGKILL {
		return engineError(cause) // the machine's fault, not the file's
	}
	return nil
}

// isLauncherFailure reports that not the program but what should have started it failed.
func isLauncherFailure(result sandbox.Result) bool {
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

// decoderError judges a program that only decodes: what it cannot read is damaged.
func decoderError(ctx context.Context, program string, result sandbox.Result) error {
	if result.OK() {
		return nil
	}
	if err := limitError(ctx, program, result); err != nil {
		return err
	}
	return damagedError(fmt.Errorf("%s: %s: %s", program, result, shortenOutput(result.Stderr)))
}

func damagedError(cause error) error {
	return domain.Errorf(domain.DamagedFile, "The file is damaged and cannot be read.").
		WithRemedy("Open it on your side, save or scan it again, and send the new copy.").WithCause(cause)
}

func tooComplexError() *domain.Error {
	return domain.Errorf(domain.FileTooComplex, "The file needs more time or memory to draw than any document should.").
		WithRemedy("Print or scan it to a plain PDF or image and send that.")
}

func engineError(cause error) error {
	return domain.Errorf(domain.EngineFailed, "The text recognition failed.").
		WithRemedy("Retry it, or enter the fields by hand.").WithCause(cause)
}

// shortenOutput shortens a program's complaints for a log line.
func shortenOutput(text []byte) string {
	text = bytes.TrimSpace(text)
	if len(text) > 400 {
		text = text[len(text)-400:]
	}
	return string(bytes.ToValidUTF8(text, []byte("?")))
}
