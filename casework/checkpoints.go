package casework

import (
	"context"
	"maps"
	"slices"
	"time"

	"countersign/audit"
	"countersign/domain"
	"countersign/store"
)

// Bounds of what one checkpoint covers. What is left is covered by the next one, immediately.
const (
	checkpointPage   = 20_000
	checkpointEvents = 200_000
	accessLeafLines  = 5_000
	checkpointLines  = 100_000
)

// checkpointsLeader names the row lease under which one program signs checkpoints.
const checkpointsLeader = "checkpoints"

// LeadCheckpoints acquires or renews the lease of the program that signs checkpoints.
func (svc *Service) LeadCheckpoints(ctx context.Context, holder string, ttl time.Duration) (bool,
	error) {
	return svc.db.Autocommit().AcquireLeadership(ctx, checkpointsLeader, holder, ttl)
}

// SignCheckpoint adds to the log what happened since its newest checkpoint and signs the new state.
// It reports whether there is more. If nothing happened it signs nothing. It returns StateMismatch,
// and signs nothing, if the newest checkpoint is not signed by the keys or the stored state of the
// log is not that of the checkpoint: then the record was changed.
func (svc *Service) SignCheckpoint(ctx context.Context, signer audit.Signer) (more bool, err error) {
	log, err := svc.checkpointLog(ctx, signer.Origin())
	if err != nil {
		return false, err
	}
	next, err := svc.nextCheckpoint(ctx, log, signer)
	if err != nil {
		return false, err
	}
	leaves, more, err := next.collect(ctx, svc.db.Reader())
	if err != nil || len(leaves) == 0 {
		return false, err
	}
	now, err := svc.db.Reader().Clock(ctx)
	if err != nil {
		return false, err
	}
	first := int64(next.tree.Size())
	sealed, err := next.tree.Seal(signer, audit.Checkpoint{At: now, Events: next.events,
		Access: next.access}, next.before, leaves)
	if err != nil {
		return false, alteredLog(signer.Origin(), err)
	}
	return more, svc.db.InTx(ctx, func(tx *store.Tx) error {
		return tx.AddCheckpoint(ctx, log, first, sealed, now)
	})
}

func alteredLog(origin string, cause error) error {
	return domain.Errorf(domain.StateMismatch,
		"The checkpoints of log %s were altered, so no further checkpoint is signed.", origin).
		WithRemedy("Run countersign audit verify.").WithCause(cause)
}

// checkpointLog returns the log of the name, which it begins if there is none.
func (svc *Service) checkpointLog(ctx context.Context, origin string) (store.CheckpointLog, error) {
	log, err := svc.db.Reader().CheckpointLog(ctx, origin)
	if !domain.HasCode(err, domain.NotFound) {
		return log, err
	}
	err = svc.db.InTx(ctx, func(tx *store.Tx) error {
		log, err = tx.OpenCheckpointLog(ctx, origin)
		return err
	})
	return log, err
}

// nextCheckpoint is a checkpoint that is being made.
type nextCheckpoint struct {
	tree           *audit.MerkleLog
	before         *audit.SignedCheckpoint
	events, access domain.FeedPosition // up to which the leaves cover
}

func (svc *Service) nextCheckpoint(ctx context.Context, log store.CheckpointLog,
	signer audit.Signer) (*nextCheckpoint, error) {
	stored, err := svc.db.Reader().NewestCheckpoint(ctx, log.ID)
	if domain.HasCode(err, domain.NotFound) {
		return &nextCheckpoint{tree: audit.NewMerkleLog()}, nil
	}
	if err != nil {
		return nil, err
	}
	before, err := audit.OpenNote([]byte(stored.Note), signer.Keys())
	if err != nil {
		return nil, alteredLog(log.Origin, err)
	}
	tree, err := audit.ParseMerkleLog(stored.State)
	if err != nil {
		return nil, alteredLog(log.Origin, err)
	}
	return &nextCheckpoint{tree: tree, before: &before, events: before.Events,
		access: before.Access}, nil
}

// collect reads the leaves of everything after the newest checkpoint and below the end of the feed.
func (n *nextCheckpoint) collect(ctx context.Context, r store.Reader) (leaves []audit.Leaf, more bool,
	err error) {
	end, err := r.FeedEnd(ctx)
	if err != nil {
		return nil, false, err
	}
	moved, moreEvents, err := n.readEvents(ctx, r, end)
	if err != nil {
		return nil, false, err
	}
	for _, stream := range slices.SortedFunc(maps.Keys(moved.heads), domain.CompareIDs) {
		leaves = append(leaves, moved.heads[stream])
	}
	passkeys, err := passkeyLeaves(ctx, r, moved.passkeys)
	if err != nil {
		return nil, false, err
	}
	rows, err := decisionLeaves(ctx, r, moved.decided)
	if err != nil {
		return nil, false, err
	}
	ranges, moreLines, err := n.readAccess(ctx, r, end)
	return slices.Concat(leaves, passkeys, rows, ranges), moreEvents || moreLines, err
}

// movedStreams is what the events of a checkpoint concern.
type movedStreams struct {
	heads    map[domain.ID]audit.Leaf // newest event by stream
	decided  map[decidedReview]int64  // number of the event by review
	passkeys map[domain.ID]int64      // number of the event by passkey
}

// readEvents returns what moved since the checkpoint before.
func (n *nextCheckpoint) readEvents(ctx context.Context, r store.Reader, end domain.FeedPosition) (
	moved movedStreams, more bool, err error) {
	moved = movedStreams{map[domain.ID]audit.Leaf{}, map[decidedReview]int64{}, map[domain.ID]int64{}}
	for count := 0; count < checkpointEvents; {
		page, err := r.CheckpointEvents(ctx, n.events, end, checkpointPage)
		if err != nil {
			return moved, false, err
		}
		for i := range page {
			e := &page[i]
			if moved.heads[e.Stream].Seq < e.Seq {
				moved.heads[e.Stream] = audit.Leaf{Kind: audit.LeafHead, Subject: e.Stream, Seq: e.Seq,
					Hash: e.Hash}
			}
			if e.Review != domain.NoID {
				moved.decided[decidedReview{e.Stream, e.Review}] = e.Seq
			}
			if e.Passkey != domain.NoID {
				moved.passkeys[e.Passkey] = e.Seq
			}
			n.events = e.Position
		}
		if count += len(page); len(page) < checkpointPage {
			if n.events.Before(end) {
				n.events = end
			}
			return moved, false, nil
		}
	}
	return moved, true, nil
}

// passkeyLeaves returns the leaves of registered passkeys.
func passkeyLeaves(ctx context.Context, r store.Reader, registered map[domain.ID]int64) ([]audit.Leaf,
	error) {
	if len(registered) == 0 {
		return nil, nil
	}
	passkeys, err := r.Passkeys(ctx, slices.SortedFunc(maps.Keys(registered), domain.CompareIDs))
	var leaves []audit.Leaf
	for _, p := range passkeys {
		leaves = append(leaves, audit.Leaf{Kind: audit.LeafPasskey, Subject: domain.PeopleStream.ID,
			Item: p.ID, Person: p.UserID, Seq: registered[p.ID], Hash: audit.KeyOf(p).Hash()})
	}
	return leaves, err
}

type decidedReview struct{ caseID, review domain.ID }

// decisionLeaves returns the leaves of decisions and of their votes that were not revoked meanwhile.
func decisionLeaves(ctx context.Context, r store.Reader, decided map[decidedReview]int64) ([]audit.Leaf,
	error) {
	if len(decided) == 0 {
		return nil, nil
	}
	var cases []domain.ID
	for key := range decided {
		cases = append(cases, key.caseID)
	}
	slices.SortFunc(cases, domain.CompareIDs)
	cases = slices.Compact(cases)
	decisions, err := r.RecordedDecisions(ctx, cases...)
	if err != nil {
		return nil, err
	}
	votes, err := r.VotesOfCases(ctx, cases...)
	if err != nil {
		return nil, err
	}
	var leaves []audit.Leaf
	for i := range decisions {
		d := &decisions[i]
		seq, ok := decided[decidedReview{d.CaseID, d.ReviewID}]
		if !ok {
			continue // an earlier checkpoint has it
		}
		hash, err := audit.DecisionHash(d)
		if err != nil {
			return nil, err
		}
		leaves = append(leaves, audit.Leaf{Kind: audit.LeafDecision, Subject: d.CaseID,
			Item: d.ReviewID, Seq: seq, Hash: hash})
	}
	for _, v := range votes {
		if seq, ok := decided[decidedReview{v.CaseID, v.ReviewID}]; ok {
			leaves = append(leaves, audit.Leaf{Kind: audit.LeafVote, Subject: v.CaseID,
				Item: v.ReviewID, Person: v.Person, Duty: v.Duty, Seq: seq, Hash: audit.VoteHash(v)})
		}
	}
	return leaves, nil
}

// readAccess returns the leaves of the access log.
func (n *nextCheckpoint) readAccess(ctx context.Context, r store.Reader, end domain.FeedPosition) (
	leaves []audit.Leaf, more bool, err error) {
	for count := 0; count < checkpointLines; {
		// No line is at the end of the feed itself, because ids begin at 1.
		lines, err := r.AccessRange(ctx, n.access, end, accessLeafLines)
		if err != nil {
			return nil, false, err
		}
		batch := audit.NewAccessRange(n.access)
		for i := range lines {
			batch.Add(&lines[i])
		}
		if len(lines) < accessLeafLines {
			batch.Extend(end) // no line may be added before it later
		}
		leaf, ok := batch.Leaf()
		if ok {
			leaves, n.access = append(leaves, leaf), leaf.Until
		}
		if count += len(lines); len(lines) < accessLeafLines {
			return leaves, false, nil
		}
	}
	return leaves, true, nil
}

// SignedCheckpoint returns the newest stored checkpoint of the log; NotFound if there is none.
func (svc *Service) SignedCheckpoint(ctx context.Context, keys audit.Keys) (audit.SealedCheckpoint,
	error) {
	log, err := svc.db.Reader().CheckpointLog(ctx, keys.Origin())
	if err != nil {
		return audit.SealedCheckpoint{}, err
	}
	stored, err := svc.db.Reader().NewestCheckpoint(ctx, log.ID)
	return audit.SealedCheckpoint{Note: []byte(stored.Note)}, err
}

// ProveCheckpoint proves that the checkpoint of size continues the one of the older size.
func (svc *Service) ProveCheckpoint(ctx context.Context, origin string, older, size uint64) ([][]byte,
	error) {
	r := svc.db.Reader()
	log, err := r.CheckpointLog(ctx, origin)
	if err != nil {
		return nil, err
	}
	return audit.ConsistencyProof(older, size, func(level uint, index uint64, count int) ([][]byte,
		error) {
		return r.CheckpointHashes(ctx, log.ID, level, index, count)
	})
}

// RecordCheckpointCopy records that a place outside of the database keeps the checkpoint.
func (svc *Service) RecordCheckpointCopy(ctx context.Context, origin string, size uint64, place,
	signature string) error {
	log, err := svc.db.Reader().CheckpointLog(ctx, origin)
	if err != nil {
		return err
	}
	return svc.db.InTx(ctx, func(tx *store.Tx) error {
		return tx.AddCheckpointCopy(ctx, log.ID, int64(size), place, signature)
	})
}

// CopiedCheckpoints returns the size of the newest checkpoint in each place.
func (svc *Service) CopiedCheckpoints(ctx context.Context, origin string) (map[string]uint64, error) {
	log, err := svc.db.Reader().CheckpointLog(ctx, origin)
	if err != nil {
		return nil, err
	}
	copies, err := svc.db.Reader().NewestCheckpointCopies(ctx, log.ID)
	sizes := make(map[string]uint64, len(copies))
	for _, found := range copies {
		sizes[found.Place] = uint64(found.Size)
	}
	return sizes, err
}
