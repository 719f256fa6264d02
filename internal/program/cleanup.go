package program

import "context"

// Cleanup is what must be undone when a program ends, in the opposite order. The zero value is
// empty.
type Cleanup struct{ undo []func() }

// Add registers one undo.
func (c *Cleanup) Add(undo func()) { c.undo = append(c.undo, undo) }

// Background runs fn in a goroutine until Run of the cleanup; its context ends then, and its return
// is waited for.
func (c *Cleanup) Background(fn func(context.Context)) {
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() { defer close(ended); fn(ctx) }()
	c.Add(func() { stop(); <-ended })
}

// Run undoes everything, the last first. A second call does nothing.
func (c *Cleanup) Run() {
	for len(c.undo) > 0 {
		last := c.undo[len(c.undo)-1]
		c.undo = c.undo[:len(c.undo)-1]
		last()
	}
}
