// Package live holds everything that may be forgotten: hints that a stream has new events, the hub that turns hints
// into frames for people who watch, rate counters and the epoch key. It is the one owner of Redis.
//
// What may enter: delivery of what the log already holds, counting, waking. Redis carries only (stream, seq); whoever is
// behind reads the log.
// What never happens here: decisions, SQL (the log and the rights are asked through the ports Log and Rights), a fact
// that is not in Postgres. With Redis away or emptied every page is at most one poll interval late and still whole.
package live
