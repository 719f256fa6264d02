package views

import (
	"context"
	"fmt"

	"countersign/domain"
	"countersign/workflow"
)

// version names one published version of a process; it never changes.
type version struct {
	key    string
	number int
}

// hasAmount reports whether the case's process has an amount, so that limits are asked. Each version is read once.
func (v *Views) hasAmount(ctx context.Context, c domain.Case) (bool, error) {
	wanted := version{c.ProcessKey, c.ProcessVersion}
	if known, ok := v.amounts.Load(wanted); ok {
		return known == true, nil
	}
	rows, err := v.reader.Definitions(ctx)
	if err != nil {
		return false, err
	}
	for _, row := range rows {
		if (version{row.Key, row.Version}) != wanted {
			continue
		}
		def, err := workflow.Parse([]byte(row.Document))
		if err != nil {
			return false, fmt.Errorf("views: published definition %s version %d: %w", row.Key, row.Version, err)
		}
		v.amounts.Store(wanted, def.HasAmount)
		return def.HasAmount, nil
	}
	return false, domain.Fail(domain.ProcessorNotFound, "the process %s version %d is not published", c.ProcessKey, c.ProcessVersion)
}
