package casework

import (
	"context"
	"slices"
	"time"

	"countersign/domain"
	"countersign/search"
	"countersign/store"
)

// searchLeader names the row lease under which one program fills the search index.
const searchLeader = "search"

// How many events and cases one round of the search index handles.
const (
	searchEvents = 800
	searchCases  = 400
)

// LeadSearch acquires or renews the lease of the program that fills the search index.
func (svc *Service) LeadSearch(ctx context.Context, holder string, ttl time.Duration) (bool, error) {
	return svc.db.Autocommit().AcquireLeadership(ctx, searchLeader, holder, ttl)
}

// IndexSearch indexes the cases of the next events of the feed, the next cases of renamed people, and then
// the next cases that are indexed again because the rules changed or an operator asked for it. It reports
// whether there may be more. The position and the index are written in one transaction, so no event is
// left out.
func (svc *Service) IndexSearch(ctx context.Context) (more bool, err error) {
	state, err := svc.db.Reader().SearchState(ctx)
	if err != nil {
		return false, err
	}
	if state.Version != search.Version {
		return true, svc.fillSearch(ctx, domain.NoID, false)
	}
	more, err = svc.indexEvents(ctx, state)
	if err == nil && state.Renamed {
		var renamed bool
		renamed, err = svc.indexRenamed(ctx)
		more = more || renamed
	}
	if err != nil || more || !state.Filling {
		return more, err
	}
	_, more, err = svc.fillNext(ctx, state.Filled)
	return more, err
}

// indexEvents indexes the cases of the next events.
func (svc *Service) indexEvents(ctx context.Context, state store.SearchState) (more bool, err error) {
	page, err := svc.db.Reader().FeedAfter(ctx, store.FeedQuery{After: state.Position, Limit: searchEvents})
	if err != nil || !advances(state.Position, page) {
		return false, err
	}
	ids := make([]domain.ID, 0, len(page.Events))
	for i := range page.Events {
		if id := page.Events[i].Stream; !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	err = svc.indexWork(ctx, func(w *searchRound) error {
		if err := w.indexCases(ids); err != nil {
			return err
		}
		return w.tx.AdvanceSearch(ctx, state.Position, page.Next)
	})
	if domain.HasCode(err, domain.LeaseLost) {
		return true, nil
	}
	return err == nil && !page.Complete, err
}

// indexRenamed indexes the next cases of people who were renamed. The names are read after the cases are
// taken, so a rename that commits meanwhile queues them again.
func (svc *Service) indexRenamed(ctx context.Context) (more bool, err error) {
	queue := workSpec{operation: "indexSearch", callerLogsRefusal: true}
	err = svc.runUnitOfWork(ctx, domain.SystemActor(), queue, func(w *unitOfWork) error {
		return w.tx.QueueRenamed(ctx)
	})
	if err != nil {
		return false, err
	}
	err = svc.indexWork(ctx, func(w *searchRound) error {
		ids, err := w.tx.TakeRenamed(ctx, searchCases)
		if err != nil {
			return err
		}
		more = len(ids) == searchCases
		return w.indexCases(ids)
	})
	return more, err
}

// searchRound is a transaction that changes the search index.
type searchRound struct {
	*unitOfWork
	epoch domain.ID // of the words for typos
	words []string  // that the table of words for typos has when the transaction is committed
}

// indexWork runs a change of the search index. What it reads of cases is read under the lock, so that an
// erasure is either seen or removes what was indexed.
func (svc *Service) indexWork(ctx context.Context, work func(*searchRound) error) error {
	spec := workSpec{operation: "indexSearch", callerLogsRefusal: true}
	var round *searchRound
	err := svc.runUnitOfWork(ctx, domain.SystemActor(), spec, func(w *unitOfWork) (err error) {
		round = &searchRound{unitOfWork: w}
		if err := w.tx.LockSearch(ctx); err != nil {
			return err
		}
		if round.epoch, err = w.tx.SearchWordsEpoch(ctx); err != nil {
			return err
		}
		return work(round)
	})
	if err == nil {
		svc.searchWords.Add(round.epoch, round.words)
	}
	return err
}

func (svc *Service) fillSearch(ctx context.Context, filled domain.ID, done bool) error {
	return svc.indexWork(ctx, func(w *searchRound) error {
		return w.tx.FillSearch(ctx, search.Version, filled, done)
	})
}

// fillNext indexes the next cases after one, and returns how many there were.
func (svc *Service) fillNext(ctx context.Context, after domain.ID) (n int, more bool, err error) {
	ids, err := svc.db.Reader().CasesAfter(ctx, after, searchCases)
	if err != nil {
		return 0, false, err
	}
	more = len(ids) == searchCases
	if len(ids) > 0 {
		after = ids[len(ids)-1]
	}
	err = svc.indexWork(ctx, func(w *searchRound) error {
		if err := w.indexCases(ids); err != nil {
			return err
		}
		return w.tx.FillSearch(ctx, search.Version, after, !more)
	})
	return len(ids), more, err
}

// indexCases writes the present state of cases to the index. A case that is erased or does not exist is
// removed from it.
func (w *searchRound) indexCases(ids []domain.ID) error {
	if len(ids) == 0 {
		return nil
	}
	tokens, found := map[string]bool{}, map[domain.ID]bool{}
	rows, err := w.svc.searchRows(w.ctx, w.tx.Reader, ids, func(index *search.Index) {
		w.svc.searchWords.Missing(index, w.epoch, tokens)
	})
	if err != nil {
		return err
	}
	for i := range rows {
		found[rows[i].CaseID] = true
	}
	words := []string{}
	for token, word := range tokens {
		if word {
			words = append(words, token)
		}
	}
	slices.Sort(words) // neighbours in the index of words
	w.words = append(w.words, words...)
	gone := []domain.ID{}
	for _, id := range ids {
		if !found[id] {
			gone = append(gone, id)
		}
	}
	_, err = w.tx.IndexCases(w.ctx, rows, words, gone)
	return err
}

// searchRows computes the rows of the index for those of the cases that exist and are not erased, and calls
// indexed with the words of each. A process that cannot be read counts as one with confidential reviews.
func (svc *Service) searchRows(ctx context.Context, r store.Reader, ids []domain.ID, indexed func(*search.Index)) (
	[]store.SearchRow, error) {
	sources, err := r.SearchSources(ctx, ids)
	if err != nil {
		return nil, err
	}
	rows := make([]store.SearchRow, 0, len(sources))
	var index search.Index
	for i := range sources {
		source := &sources[i]
		def, err := svc.definitions.get(ctx, r, source.ProcessKey, source.ProcessVersion)
		index.Fill(source.Texts())
		rows = append(rows, store.SearchRow{CaseID: source.CaseID, Words: index.Vector(),
			Confidential: err != nil || def.Confidential()})
		indexed(&index)
	}
	return rows, nil
}

// RebuildSearch indexes every case again, removes words that no case has, and returns how many cases it
// indexed. The search works meanwhile. The operator runs it.
func (svc *Service) RebuildSearch(ctx context.Context) (int, error) {
	total := 0
	err := svc.fillSearch(ctx, domain.NoID, false)
	for more := true; more && err == nil; {
		var state store.SearchState
		if state, err = svc.db.Reader().SearchState(ctx); err != nil || !state.Filling {
			break // a worker indexed the last cases
		}
		var n int
		n, more, err = svc.fillNext(ctx, state.Filled)
		total += n
	}
	if err != nil {
		return total, err
	}
	return total, svc.indexWork(ctx, func(w *searchRound) error {
		return w.tx.CleanSearch(ctx)
	})
}
