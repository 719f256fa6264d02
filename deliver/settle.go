package deliver

import (
	"math/rand/v2"
	"time"

	"countersign/domain"
)

// Pauses after failures: of one event, and between rounds while the receiver fails, so that events of
// other cases follow soon after it recovers.
const (
	firstPause    = time.Second
	maxEventPause = 6 * time.Hour
	maxRoundPause = time.Minute
)

// pause returns how long to wait after a number of failures: it doubles, and varies by a fifth.
func pause(failures int, most time.Duration) time.Duration {
	wait := most
	if failures < 32 {
		wait = min(firstPause<<max(failures-1, 0), most)
	}
	return wait - wait/5 + time.Duration(rand.Int64N(int64(wait/5*2))) //nolint:gosec // no secret
}

// settle returns the record of a round after its attempts.
func settle(connector domain.Connector, todo *work) domain.DeliveryRound {
	round := domain.DeliveryRound{Connector: connector.ID, Generation: connector.Generation,
		Cursor: todo.next, Resolved: todo.gone}
	var asked time.Duration
	failed, refused, failedNew := 0, 0, 0
	for _, one := range todo.items {
		switch {
		case one.attempt == nil:
			continue
		case one.attempt.Outcome == domain.AttemptDelivered:
			round.Delivered++
			continue
		case one.attempt.Outcome == domain.AttemptGone:
			round.Gone = true
		case one.attempt.Outcome == domain.AttemptRefused:
			refused++
		}
		failed++
		if one.row == nil {
			failedNew++
		}
		asked = max(asked, one.attempt.RetryAfter)
		if round.Error == "" {
			round.Error = one.attempt.Error
		}
	}
	// A receiver that delivers nothing is away, or its address is wrong; one that refuses a few events
	// is there.
	round.Failed = round.Delivered == 0 && (round.Gone ||
		failedNew > 0 && (refused == 0 || failed >= abortAfter))
	round.RetryAfter = asked
	if round.Failed {
		round.Cursor = connector.Cursor
		round.RetryAfter = max(asked, pause(connector.Failures+1, maxRoundPause))
	}
	for _, one := range todo.items {
		settleItem(&round, one)
	}
	if !round.Failed {
		for _, one := range todo.held {
			round.Parked = append(round.Parked, parkedRow(connector.ID, one))
		}
	}
	return round
}

// settleItem adds what an attempt means for one event.
func settleItem(round *domain.DeliveryRound, one *item) {
	delivered := one.attempt != nil && one.attempt.Outcome == domain.AttemptDelivered
	switch {
	case one.row == nil && (delivered || round.Failed):
	case one.row == nil:
		round.Parked = append(round.Parked, parkedRow(round.Connector, one))
	case delivered:
		round.Resolved = append(round.Resolved, one.row.ID)
	case one.attempt != nil:
		row := *one.row
		applyAttempt(&row, one.attempt)
		round.Attempted = append(round.Attempted, row)
	}
}

// parkedRow returns the row of an event that was not delivered.
func parkedRow(connector domain.ID, one *item) domain.Delivery {
	row := domain.Delivery{ID: domain.NewID(), Connector: connector, Position: one.event.Position,
		Stream: one.event.Stream, EventID: one.event.ID(), Type: one.event.Type,
		Status: domain.DeliveryWaiting}
	if one.attempt != nil {
		applyAttempt(&row, one.attempt)
	}
	return row
}

// applyAttempt sets the state of a row after a failed attempt.
func applyAttempt(row *domain.Delivery, attempt *domain.DeliveryAttempt) {
	row.Attempts++
	row.HTTPStatus, row.Error, row.Answer = attempt.HTTPStatus, attempt.Error, attempt.Answer
	row.Wait = max(pause(row.Attempts, maxEventPause), attempt.RetryAfter)
	if attempt.Outcome == domain.AttemptRefused || row.Exhausted {
		row.Status = domain.DeliveryDead
	}
}
