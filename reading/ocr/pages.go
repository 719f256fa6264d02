package ocr

import (
	"context"
	"sync"
)

// eachPage runs the work for pages 0..count-1, several at once as the Reader's bound allows, and stops at the first
// error, which it returns.
func (t *task) eachPage(ctx context.Context, count int, work func(ctx context.Context, i int) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var group sync.WaitGroup
	var once sync.Once
	var first error
	fail := func(err error) {
		once.Do(func() { first = err })
		cancel(err)
	}
	for i := range count {
		select {
		case t.turns <- struct{}{}:
		case <-ctx.Done():
			group.Wait()
			if first == nil {
				first = interrupted(ctx, ctx.Err())
			}
			return first
		}
		group.Go(func() {
			defer func() { <-t.turns }()
			if err := work(ctx, i); err != nil {
				fail(err)
			}
		})
	}
	group.Wait()
	return first
}
