package views

import (
	"context"
	"fmt"

	"countersign/domain"
	"countersign/workflow"
)

// versionKey identifies one published version of a process or rule set. A published version is
// immutable.
type versionKey struct {
	key    string
	number int
}

// definition returns the process version that the case was started with. It parses each version
// once.
func (v *Views) definition(ctx context.Context, c domain.Case) (*workflow.Definition, error) {
	wanted := versionKey{c.ProcessKey, c.ProcessVersion}
	if known, ok := v.definitions.Load(wanted); ok {
		if def, ok := known.(*workflow.Definition); ok {
			return def, nil
		}
	}
	rows, err := v.reader.Definitions(ctx)
	if err != nil {
		return nil, err
	}
	for _, row := range rows {
		if (versionKey{row.Key, row.Version}) != wanted {
			continue
		}
		def, err := workflow.Parse([]byte(row.Document))
		if err != nil {
			return nil, fmt.Errorf("views: published definition %s version %d: %w", row.Key,
				row.Version, err)
		}
		v.definitions.Store(wanted, def)
		return def, nil
	}
	return nil, domain.Errorf(domain.ProcessorNotFound, "Process %s version %d is not published.",
		c.ProcessKey, c.ProcessVersion)
}

// hasAmount reports whether the case's process has an amount, in which case decision limits apply.
func (v *Views) hasAmount(ctx context.Context, c domain.Case) (bool, error) {
	def, err := v.definition(ctx, c)
	if err != nil {
		return false, err
	}
	return def.HasAmount, nil
}
