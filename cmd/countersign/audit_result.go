package main

import (
	"fmt"
	"strings"
	"time"

	"countersign/audit"
)

// verificationResult counts the intact streams and lists the first altered event of each broken
// one.
type verificationResult struct {
	Streams, Cases, Events int64    // cases are among the streams
	Erased                 int64    // events whose body was erased
	Signatures             int64    // approvals whose signature by a passkey is valid; of a file only
	Unrecorded             int64    // supporting documents that were read before an event recorded their pages
	ErasedBodies           []string `json:",omitempty"`
	Broken                 []brokenStream
	Log                    *verifiedLog `json:",omitempty"`
}

type brokenStream struct {
	Name    string // a case's reference, or a stream
	Seq     int64
	Message string
}

// verifiedLog is the result of verifying the checkpoints.
type verifiedLog struct {
	Verified                 bool // a public key was given
	Checkpoints              int64
	Newest, External         *time.Time `json:",omitempty"`
	Compared                 int        // number of external checkpoints
	OpenEvents, OpenAccesses int64
	Away                     []string `json:",omitempty"`
}

func newVerifiedLog(report audit.LogReport, verified bool) *verifiedLog {
	log := &verifiedLog{Verified: verified, Checkpoints: report.Checkpoints,
		Compared: report.ExternalCount}
	if report.Checkpoints > 0 && verified {
		log.Newest = &report.Newest.At
	}
	if report.ExternalCount > 0 {
		log.External = &report.External.At
	}
	return log
}

func (v verificationResult) printTo(c *console) error {
	if c.json {
		if err := c.printJSON(v); err != nil {
			return err
		}
	} else {
		v.printText(c)
	}
	if len(v.Broken) > 0 {
		return exitStatus(exitFailed)
	}
	return nil
}

func (v verificationResult) printText(c *console) {
	c.printLine("%s in %s, %s of them cases, verified", countText(v.Events, "event"),
		countText(v.Streams, "stream"), fmt.Sprint(v.Cases))
	if v.Erased > 0 {
		c.printLine("%s erased", countText(v.Erased, "body"))
	}
	if v.Unrecorded > 0 {
		c.printLine("NOTE: the pages of %s are not proved, because an earlier version read them and did not record "+
			"their hashes.", countText(v.Unrecorded, "supporting document"))
	}
	if v.Signatures > 0 {
		c.printLine("%s signed by passkey: the signatures are valid",
			countText(v.Signatures, "approval"))
	}
	for _, erased := range v.ErasedBodies {
		c.printLine("ERASED  the body of %s", erased)
	}
	if v.Log != nil {
		v.Log.printText(c)
	}
	for _, b := range v.Broken {
		c.printLine("BROKEN  %s at event %d: %s", b.Name, b.Seq, b.Message)
	}
}

func (l *verifiedLog) printText(c *console) {
	if !l.Verified {
		c.printLine("NOTE: the checkpoints were not verified, because no public key is given (--trust).")
		return
	}
	switch {
	case l.Checkpoints == 0:
		c.printLine("NOTE: there are no checkpoints.")
	case l.External == nil:
		c.printLine("%s verified, the newest of %s", countText(l.Checkpoints, "checkpoint"),
			l.Newest.Format(time.RFC3339))
		c.printLine("NOTE: no checkpoint outside of the database was compared, so its owner could have replaced the record.")
	default:
		c.printLine("%s verified, the newest of %s; %d outside of the database compared, the newest of %s",
			countText(l.Checkpoints, "checkpoint"), l.Newest.Format(time.RFC3339), l.Compared,
			l.External.Format(time.RFC3339))
	}
	if l.OpenEvents+l.OpenAccesses > 0 {
		c.printLine("Not covered by an outside checkpoint yet: %s, %s of the access log",
			countText(l.OpenEvents, "event"), countText(l.OpenAccesses, "line"))
	}
	if len(l.Away) > 0 {
		c.printLine("NOTE: no answer from %s.", strings.Join(l.Away, ", "))
	}
}
