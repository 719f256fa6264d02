package graph

import (
	"countersign/domain"
	"countersign/graph/shape"
)

// group makes one batch of the cases of a list; known cases are not read again.
func (l *loaders) group(ids []domain.ID, known ...*shape.Case) {
	for _, c := range known {
		l.cases.Prime(c.ID, c)
	}
	f := l.newCaseBatch(ids)
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, id := range ids {
		if l.batches[id] == nil {
			l.batches[id] = f
		}
	}
}

// batchOf returns the batch of the case; a single case gets a batch of its own.
func (l *loaders) batchOf(id domain.ID) *caseBatch {
	l.mu.Lock()
	defer l.mu.Unlock()
	f := l.batches[id]
	if f == nil {
		f = l.newCaseBatch([]domain.ID{id})
		l.batches[id] = f
	}
	return f
}
