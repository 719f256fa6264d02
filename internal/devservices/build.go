package devservices

import (
	"context"
	"fmt"
	"os"
	"os/exec"
)

// BuildPrograms builds the programs of this checkout into the folder, in the same way as make
// build, and lets every account run them, because sandboxed children run under another one.
func BuildPrograms(ctx context.Context, folder string) error {
	checkout, err := Checkout()
	if err != nil {
		return err
	}
	if err := os.Chmod(folder, 0o755); err != nil { //nolint:gosec // every account has to run them
		return err
	}
	cmd := exec.CommandContext(ctx, "go", "build", "-buildvcs=false", "-trimpath", "-o", folder+"/",
		"./cmd/...", "./examples/ledger", "./examples/mailbox")
	cmd.Dir = checkout
	cmd.Env = append(cmd.Environ(), "CGO_ENABLED=0")
	if output, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("build the programs: %w: %s", err, output)
	}
	return nil
}
