// Package live delivers live updates and owns Redis: hints that a stream has new events, the hub
// that turns hints into frames for subscribers, rate counters and the epoch key. Everything in it
// may be lost.
//
// What may enter: delivery of events that are already in the log, and counting. Redis carries only
// (stream, seq); a subscriber that is behind reads the log. What never happens here: decisions, SQL
// (the log and the rights are read through the ports EventLog and Authorizer), and facts that are
// not in Postgres. Without Redis every page is at most one poll interval late and still complete.
package live
