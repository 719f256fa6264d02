package views

import (
	"bytes"
	"context"
	"fmt"
	"time"

	"countersign/audit"
	"countersign/domain"
	"countersign/store"
)

// ExternalPlace is a place outside of the database that keeps checkpoints.
type ExternalPlace interface {
	Name() string
	Notes(ctx context.Context) ([]audit.ExternalNote, error)
}

// LogTrust is what the checkpoints of the audit log are verified with. Without keys they are not
// verified.
type LogTrust struct {
	Keys   audit.Keys
	Places []ExternalPlace
}

// LogResult is the result of verifying the checkpoints.
type LogResult struct {
	// Verified is false if no public key is configured.
	Verified bool
	audit.LogReport
	// Away are the places that could not be asked.
	Away []string
	// OpenEvents and OpenAccesses happened after the newest external checkpoint: the owner of the
	// database could still change them unseen.
	OpenEvents, OpenAccesses int64
}

// verifyLog verifies the checkpoints and compares them with the rows and with the places.
func (v *Views) verifyLog(ctx context.Context) (*LogResult, []AuditProblem, error) {
	result := &LogResult{Verified: v.trust.Keys.Origin() != ""}
	if !result.Verified {
		return result, nil, nil
	}
	verifier := logVerification{reader: v.reader, result: result, trust: v.trust}
	if err := verifier.run(ctx); err != nil {
		return result, nil, err
	}
	return result, verifier.problems, verifier.countOpen(ctx)
}

// logVerification is one verification of the log.
type logVerification struct {
	reader   store.Reader
	trust    LogTrust
	log      store.CheckpointLog
	result   *LogResult
	problems []AuditProblem
}

func (l *logVerification) run(ctx context.Context) error {
	log, err := l.reader.CheckpointLog(ctx, l.trust.Keys.Origin())
	if err != nil && !domain.HasCode(err, domain.NotFound) {
		return err
	}
	l.log = log
	// Read before the places, because a place may get a checkpoint meanwhile.
	copies, err := l.reader.NewestCheckpointCopies(ctx, l.log.ID)
	if err != nil {
		return err
	}
	external, byPlace := l.readPlaces(ctx)
	l.result.LogReport, err = audit.VerifyLog(audit.LogVerification{Keys: l.trust.Keys,
		External: external,
		Compare: func(before, checkpoint audit.Checkpoint, leaves []audit.Leaf) (*audit.Break, error) {
			return l.compare(ctx, before, checkpoint, leaves)
		}}, l.reader.SealedCheckpoints(ctx, l.log.ID))
	if err != nil {
		return err
	}
	if l.result.Break != nil {
		return l.report(ctx, l.result.Break)
	}
	l.reportMissingCopies(copies, byPlace)
	return l.reportUncovered(ctx)
}

// readPlaces reads the external checkpoints, and the size of the newest one in each place that
// answered.
func (l *logVerification) readPlaces(ctx context.Context) (all []audit.ExternalNote,
	newest map[string]uint64) {
	newest = map[string]uint64{}
	for _, place := range l.trust.Places {
		notes, err := place.Notes(ctx)
		if err != nil {
			l.result.Away = append(l.result.Away, place.Name())
			continue
		}
		all = append(all, notes...)
		newest[place.Name()] = 0
		for _, note := range notes {
			if parsed, err := audit.ParseNote(note.Note); err == nil {
				newest[place.Name()] = max(newest[place.Name()], parsed.Size)
			}
		}
	}
	return all, newest
}

// reportMissingCopies reports places that lack a checkpoint which they have kept.
func (l *logVerification) reportMissingCopies(copies []store.CheckpointCopy,
	newest map[string]uint64) {
	for _, kept := range copies {
		if has, asked := newest[kept.Place]; asked && has < uint64(kept.Size) {
			l.problems = append(l.problems, AuditProblem{Reference: "the " + kept.Place,
				Message: fmt.Sprintf(
					"a checkpoint of %d leaves was kept here at %s, but the newest one has %d leaves",
					kept.Size, kept.At.UTC().Format(time.RFC3339), has)})
		}
	}
}

// reportUncovered reports events that were added below the newest checkpoint.
func (l *logVerification) reportUncovered(ctx context.Context) error {
	event, err := l.reader.UncoveredEvent(ctx, l.log.ID, l.result.Newest.Events)
	if domain.HasCode(err, domain.NotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	return l.report(ctx, &audit.Break{Stream: event.Stream, Seq: event.Seq,
		Kind: audit.BreakAlteredRow, Message: "the newest checkpoint does not have this event, " +
			"although it was written before"})
}

// report names the stream of a break for people.
func (l *logVerification) report(ctx context.Context, found *audit.Break) error {
	l.result.Break = found
	name := "the log of checkpoints"
	if found.Stream != domain.NoID {
		name = found.Stream.String()
		c, err := l.reader.Case(ctx, found.Stream)
		switch {
		case err == nil:
			name = c.Reference
		case !domain.HasCode(err, domain.NotFound):
			return err
		}
	}
	l.problems = append(l.problems, AuditProblem{Reference: name, Seq: found.Seq,
		Message: found.Message})
	return nil
}

func (l *logVerification) countOpen(ctx context.Context) error {
	var err error
	l.result.OpenEvents, l.result.OpenAccesses, err = l.reader.CountAfter(ctx,
		l.result.External.Events, l.result.External.Access)
	return err
}

// compare compares the leaves of a checkpoint with the present rows.
func (l *logVerification) compare(ctx context.Context, before, checkpoint audit.Checkpoint,
	leaves []audit.Leaf) (*audit.Break, error) {
	var heads, rows, passkeys []audit.Leaf
	for _, leaf := range leaves {
		switch leaf.Kind {
		case audit.LeafHead:
			heads = append(heads, leaf)
		case audit.LeafPasskey:
			passkeys = append(passkeys, leaf)
		case audit.LeafAccess:
			if found, err := l.compareAccess(ctx, leaf); found != nil || err != nil {
				return found, err
			}
		default:
			rows = append(rows, leaf)
		}
	}
	if found, err := l.compareHeads(ctx, heads); found != nil || err != nil {
		return found, err
	}
	if found, err := l.comparePasskeys(ctx, passkeys); found != nil || err != nil {
		return found, err
	}
	if found, err := l.compareRows(ctx, rows); found != nil || err != nil {
		return found, err
	}
	return l.findBackdated(ctx, before, checkpoint)
}

func (l *logVerification) compareHeads(ctx context.Context, heads []audit.Leaf) (*audit.Break, error) {
	keys := make([]store.EventKey, len(heads))
	for i, leaf := range heads {
		keys[i] = store.EventKey{Stream: leaf.Subject, Seq: leaf.Seq}
	}
	hashes, err := l.reader.EventHashes(ctx, keys)
	if err != nil {
		return nil, err
	}
	for i, leaf := range heads {
		if !bytes.Equal(hashes[keys[i]], leaf.Hash) {
			return audit.MissingLeaf(leaf), nil
		}
	}
	return nil, nil
}

func (l *logVerification) comparePasskeys(ctx context.Context, leaves []audit.Leaf) (*audit.Break,
	error) {
	ids := make([]domain.ID, len(leaves))
	for i, leaf := range leaves {
		ids[i] = leaf.Item
	}
	passkeys, err := l.reader.Passkeys(ctx, ids)
	if err != nil {
		return nil, err
	}
	hashes := map[domain.ID][]byte{}
	for _, p := range passkeys {
		hashes[p.ID] = audit.KeyOf(p).Hash()
	}
	for _, leaf := range leaves {
		if !bytes.Equal(hashes[leaf.Item], leaf.Hash) {
			return audit.MissingLeaf(leaf), nil
		}
	}
	return nil, nil
}

// compareRows compares decisions and votes. That a vote without an event of its revocation exists is
// verified with the events of its case.
func (l *logVerification) compareRows(ctx context.Context, rows []audit.Leaf) (*audit.Break, error) {
	var cases []domain.ID
	known := map[domain.ID]bool{}
	for _, leaf := range rows {
		if !known[leaf.Subject] {
			known[leaf.Subject], cases = true, append(cases, leaf.Subject)
		}
	}
	if len(cases) == 0 {
		return nil, nil
	}
	type rowKey struct {
		kind         audit.LeafKind
		item, person domain.ID
		duty         string
	}
	hashes := map[rowKey][]byte{}
	decisions, err := l.reader.RecordedDecisions(ctx, cases...)
	if err != nil {
		return nil, err
	}
	for i := range decisions {
		hash, err := audit.DecisionHash(&decisions[i])
		if err != nil {
			return nil, err
		}
		hashes[rowKey{kind: audit.LeafDecision, item: decisions[i].ReviewID}] = hash
	}
	votes, err := l.reader.VotesOfCases(ctx, cases...)
	if err != nil {
		return nil, err
	}
	for _, vote := range votes {
		hashes[rowKey{audit.LeafVote, vote.ReviewID, vote.Person, vote.Duty}] = audit.VoteHash(vote)
	}
	for _, leaf := range rows {
		hash, exists := hashes[rowKey{leaf.Kind, leaf.Item, leaf.Person, leaf.Duty}]
		if leaf.Kind == audit.LeafVote && !exists {
			continue
		}
		if !bytes.Equal(hash, leaf.Hash) {
			return audit.MissingLeaf(leaf), nil
		}
	}
	return nil, nil
}

func (l *logVerification) compareAccess(ctx context.Context, leaf audit.Leaf) (*audit.Break, error) {
	// One line more than recorded is enough to see that a line was added.
	lines, err := l.reader.AccessRange(ctx, leaf.After, leaf.Until, int(leaf.Seq)+1)
	if err != nil {
		return nil, err
	}
	present := audit.NewAccessRange(leaf.After)
	for i := range lines {
		present.Add(&lines[i])
	}
	present.Extend(leaf.Until)
	found, _ := present.Leaf()
	if !bytes.Equal(found.Digest(), leaf.Digest()) {
		return audit.LeafBreak(leaf, fmt.Sprintf("the access log was altered: a checkpoint recorded %s, now they are %d or have another content", leaf, len(lines))), nil
	}
	return nil, nil
}

// findBackdated finds an event that the checkpoint before lacks although the event says that it
// happened before.
func (l *logVerification) findBackdated(ctx context.Context, before, checkpoint audit.Checkpoint) (
	*audit.Break, error) {
	if before.At.IsZero() {
		return nil, nil
	}
	event, at, err := l.reader.BackdatedEvent(ctx, before.Events, checkpoint.Events,
		audit.EarliestAfter(before))
	switch {
	case domain.HasCode(err, domain.NotFound):
		return nil, nil
	case err != nil:
		return nil, err
	}
	return audit.BackdatedEvent(event.Stream, event.Seq, at, before), nil
}

// LogStatus is how the audit log is protected by checkpoints, as the database records it.
type LogStatus struct {
	Origin   string // "" if no checkpoint was ever signed
	Size     int64
	SignedAt time.Time
	Copies   []store.CheckpointCopy
}

// LogStatus reads the newest checkpoint of the newest log and its copies, for actors who may verify.
func (v *Views) LogStatus(ctx context.Context, actor domain.Actor) (LogStatus, error) {
	viewer, err := v.loadViewer(ctx, actor, domain.ActVerify)
	if err != nil {
		return LogStatus{}, err
	}
	if _, err := viewer.policy.AuthorizeGlobal(viewer.user, domain.ActVerify); err != nil {
		return LogStatus{}, err
	}
	logs, err := v.reader.CheckpointLogs(ctx)
	if err != nil || len(logs) == 0 {
		return LogStatus{}, err
	}
	log := logs[len(logs)-1]
	newest, err := v.reader.NewestCheckpoint(ctx, log.ID)
	if domain.HasCode(err, domain.NotFound) {
		return LogStatus{}, nil
	}
	if err != nil {
		return LogStatus{}, err
	}
	copies, err := v.reader.NewestCheckpointCopies(ctx, log.ID)
	return LogStatus{Origin: log.Origin, Size: newest.Size, SignedAt: newest.At.UTC(), Copies: copies},
		err
}
