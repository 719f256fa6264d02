package ocr

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"syscall"
	"time"

	"countersign/domain"
	"countersign/reading/ocr/sandbox"
)

// callerError returns TimedOut if the context of the caller has ended, otherwise the error itself.
func callerError(ctx context.Context, err error) error {
	if ctx.Err() == nil {
		return err
	}
	return domain.Errorf(domain.TimedOut, "Reading the document was interrupted.").
		WithRemedy("Retry in a few minutes.").WithCause(errors.Join(context.Cause(ctx), err))
}

// limitError returns the error of a child that was cancelled, exceeded a limit or could not be
// started, nil for any other ending.
func limitError(ctx context.Context, program string, result sandbox.Result) error {
	cause := fmt.Errorf("%s: %s: %s", program, result, shortenOutput(result.Stderr))
	switch result.Ending {
	case sandbox.Cancelled:
		return callerError(ctx, cause)
	case sandbox.WallLimit:
		return domain.Errorf(domain.TimedOut, "Reading the document took too long.").
			WithRemedy("Retry. If it fails again, submit a smaller or simpler copy.").
			WithCause(cause)
	case sandbox.CPULimit, sandbox.DiskLimit, sandbox.FileLimit, sandbox.OutputLimit:
		return tooComplexError().WithCause(cause)
	case sandbox.Exited, sandbox.Killed:
	}
	if isOutOfMemory(result) {
		return domain.Errorf(domain.FileTooComplex, "The page needs too much memory to be read.").
			WithRemedy("Scan it at 300 dpi or take a smaller photo.").WithCause(cause)
	}
	if isLauncherFailure(result) ||
		result.Ending == sandbox.Killed && result.Signal == syscall.SIGKILL {
		return engineError(cause) // caused by the machine, not by the file
	}
	return nil
}

// engineLimitError returns the error of an engine that was cancelled, exceeded a limit or could not be
// started, nil for any other ending. A page that used up its processor time, or half of it until the
// limit of wall-clock time, would do so again: that is the fault of the page, not of a busy machine.
func engineLimitError(
	ctx context.Context, program string, result sandbox.Result, cpu time.Duration,
) error {
	if result.Ending != sandbox.CPULimit &&
		(result.Ending != sandbox.WallLimit || result.CPU < cpu/2) {
		return limitError(ctx, program, result)
	}
	seconds := int(max(cpu, time.Second) / time.Second)
	return domain.Errorf(domain.FileTooComplex,
		"The text of a page could not be recognised within %d s.", seconds).
		WithRemedy("Submit a simpler copy, such as the pages without drawings, or enter the fields manually.").
		WithDetail("reason", "recognition_limit").WithDetail("seconds", strconv.Itoa(seconds)).
		WithCause(fmt.Errorf("%s: %s", program, result))
}

// isPageLimit reports whether a child exceeded a limit while the caller still waits.
func isPageLimit(ctx context.Context, err error) bool {
	return ctx.Err() == nil &&
		(domain.HasCode(err, domain.FileTooComplex) || domain.HasCode(err, domain.TimedOut))
}

// isOutOfMemory reports whether a child ended because it may not use more memory: by a signal or an
// exit code other than 0, after the message of its runtime about it.
func isOutOfMemory(result sandbox.Result) bool {
	return !result.OK() && slices.ContainsFunc(memoryMessages, func(message string) bool {
		return bytes.Contains(result.Stderr, []byte(message))
	})
}

// memoryMessages are what C++, ONNX Runtime, Go and leptonica write when an allocation fails.
var memoryMessages = []string{"std::bad_alloc", "bad allocation", "Failed to allocate memory",
	"fatal error: out of memory", "fatal error: runtime: out of memory",
	"fatal error: runtime: cannot allocate memory", "fatal error: failed to reserve page summary memory",
	"cannot reserve arena virtual address space", "calloc fail", "malloc fail"}

// isLauncherFailure reports whether the launcher of the program failed, not the program itself.
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

// decoderError returns the error of a program that only decodes a PDF. One that it cannot read is
// broken.
func decoderError(ctx context.Context, program string, result sandbox.Result) error {
	if result.OK() {
		return nil
	}
	if err := limitError(ctx, program, result); err != nil {
		return err
	}
	return brokenError("PDF", 0, fmt.Errorf("%s: %s: %s", program, result,
		shortenOutput(result.Stderr)))
}

// damagedError is the error of a file whose fault is not known more precisely.
func damagedError(cause error) error {
	return domain.Errorf(domain.DamagedFile, "The file is damaged and cannot be read.").
		WithRemedy("Check whether you can open it, save or scan it again, and submit the new copy.").
		WithCause(cause)
}

// brokenError is the error of a file of a kind that users know, such as JPEG, that cannot be decoded
// after so many bytes; 0 means that this is not known.
func brokenError(kind string, after int64, cause error) error {
	err := domain.Errorf(domain.DamagedFile, "The file is damaged: the %s cannot be read.", kind)
	reason := "broken"
	if after > 0 {
		err = domain.Errorf(domain.DamagedFile, "The file is damaged: the %s cannot be read after %s.", kind, sizeText(after))
		reason = "broken_after"
		_ = err.WithDetail("bytes", strconv.FormatInt(after, 10))
	}
	return err.WithRemedy("Save or scan it again and send the new copy.").WithDetail("reason", reason).
		WithDetail("kind", kind).WithCause(cause)
}

// sizeText returns a number of bytes as people read it.
func sizeText(bytes int64) string {
	switch {
	case bytes < 1000:
		return fmt.Sprintf("%d bytes", bytes)
	case bytes < 10_000_000:
		return fmt.Sprintf("%d kB", bytes/1000)
	}
	return fmt.Sprintf("%d MB", bytes/1_000_000)
}

func tooComplexError() *domain.Error {
	return domain.Errorf(domain.FileTooComplex, "The file is too complex to be rendered.").
		WithRemedy("Print or scan it to a simple PDF or image and submit that.")
}

func engineError(cause error) error {
	return domain.Errorf(domain.EngineFailed, "The text recognition failed.").
		WithRemedy("Retry, or enter the fields manually.").WithCause(cause)
}

// shortenOutput returns the end of a program's error output, for a log line.
func shortenOutput(text []byte) string {
	text = bytes.TrimSpace(text)
	if len(text) > 400 {
		text = text[len(text)-400:]
	}
	return string(bytes.ToValidUTF8(text, []byte("?")))
}
