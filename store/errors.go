package store

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"countersign/domain"
)

// leaseLostMessage is the message of LeaseLost for a worker whose lease was taken over.
const leaseLostMessage = "The work was taken over by another worker."

// triggerErrors maps the SQLSTATEs that our triggers raise to domain errors.
var triggerErrors = map[string]*domain.Error{
	"CS001": {Code: domain.ConflictOfInterest,
		Message: "You have a declared conflict of interest with the other party."},
	"CS002": {Code: domain.OwnDocument, Message: "You have a personal interest in this case."},
	"CS003": {Code: domain.ApprovalLimit, Message: "The amount is above your approval limit."},
	"CS004": {Code: domain.NotClaimedByYou,
		Message: "You do not have an active claim on this review."},
	"CS005": {Code: domain.LeaseLost, Message: leaseLostMessage},
	"CS010": {Code: domain.FourEyes,
		Message: "A version must be published by someone other than its proposer."},
	"CS011": {Code: domain.FourEyes,
		Message: "This change must be proposed by one person and confirmed by another."},
	"CS006": {Code: domain.NotPermitted,
		Message: "This person has not delegated their reviews to you."},
	"CS012": {Code: domain.OrderUnsupported,
		Message: "The document does not support the payment order: " +
			"it differs without a confirmed ground, or other orders have used its amount.",
		Remedy: "Read the case again. State a ground, or reject the order."},
	"CS013": {Code: domain.OrderRequired, Message: "The process requires a payment order.",
		Remedy: "Return the case, so that its submitter declares the payment order, or reject it."},
	"CS014": {Code: domain.FourEyes,
		Message: "You have already voted on this case with another account."},
	"CS009": {Code: domain.StateMismatch, Message: "This record can no longer be changed."},
}

// translate turns a pgx error into a domain error. It returns nil and domain errors unchanged.
func translate(err error, op string) error {
	if err == nil {
		return nil
	}
	var known *domain.Error
	if errors.As(err, &known) {
		return err
	}
	if errors.Is(err, pgx.ErrNoRows) {
		return &domain.Error{Code: domain.NotFound, Message: domain.NotFoundMessage,
			Op: "store." + op}
	}
	var pgErr *pgconn.PgError
	if errors.As(err, &pgErr) {
		return translateState(pgErr, op)
	}
	if unreachable(err) {
		return &domain.Error{Code: domain.Unavailable,
			Message: "The database cannot be reached at the moment.",
			Remedy:  "Try again in a few seconds.", Op: "store." + op, Err: err}
	}
	return fmt.Errorf("store.%s: %w", op, err)
}

func translateState(pgErr *pgconn.PgError, op string) error {
	if raised, ok := triggerErrors[pgErr.Code]; ok {
		return &domain.Error{Code: raised.Code, Message: raised.Message, Remedy: raised.Remedy,
			Op: "store." + op, Err: pgErr}
	}
	switch {
	case pgErr.Code == "55P03" || pgErr.Code == "40P01" || pgErr.Code == "40001":
		return &domain.Error{Code: domain.Busy,
			Message: "Someone else is changing this at the moment.",
			Remedy:  "Try again.", Op: "store." + op, Err: pgErr}
	case pgErr.Code == "23514" && pgErr.ConstraintName == "proposals_four_eyes":
		return &domain.Error{Code: domain.FourEyes,
			Message: "You cannot publish a version that you proposed.", Op: "store." + op,
			Err: pgErr}
	case pgErr.Code == "23514" && pgErr.ConstraintName == "order_grounds_four_eyes":
		return &domain.Error{Code: domain.FourEyes,
			Message: "You cannot confirm a ground that you stated, or that was stated on your behalf.",
			Op:      "store." + op, Err: pgErr}
	case pgErr.Code == "23505" && strings.HasPrefix(pgErr.TableName, "votes"):
		return &domain.Error{Code: domain.FourEyes, Message: "You have already voted on this case.",
			Op: "store." + op, Err: pgErr}
	case pgErr.Code == "23505" && strings.HasPrefix(pgErr.TableName, "decisions"):
		return &domain.Error{Code: domain.AlreadyDecided,
			Message: "This review is already decided.", Op: "store." + op, Err: pgErr}
	case pgErr.Code == "22021" || pgErr.Code == "22P05":
		return &domain.Error{Code: domain.InvalidInput,
			Message: "The text contains a character that cannot be stored.",
			Op:      "store." + op, Err: pgErr}
	case pgErr.Code == "53100":
		return &domain.Error{Code: domain.Unavailable, Message: "The disk of the database is full.",
			Remedy: "Ask an operator to free disk space, then try again.", Op: "store." + op,
			Err: pgErr}
	case strings.HasPrefix(pgErr.Code, "57P") || strings.HasPrefix(pgErr.Code, "08") ||
		pgErr.Code == "53300":
		return &domain.Error{Code: domain.Unavailable,
			Message: "The database cannot be reached at the moment.",
			Remedy:  "Try again in a few seconds.", Op: "store." + op, Err: pgErr}
	}
	return fmt.Errorf("store.%s: %w", op, pgErr)
}

func unreachable(err error) bool {
	var netErr net.Error
	var connectErr *pgconn.ConnectError
	return errors.As(err, &connectErr) || errors.As(err, &netErr) || errors.Is(err, io.EOF) ||
		errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, context.DeadlineExceeded) ||
		pgconn.SafeToRetry(err) || strings.Contains(err.Error(), "conn closed")
}

// uniqueViolation reports whether the error is a violation of the named constraint or index.
func uniqueViolation(err error, name string) bool {
	var pgErr *pgconn.PgError
	return errors.As(err, &pgErr) && pgErr.Code == "23505" && pgErr.ConstraintName == name
}
