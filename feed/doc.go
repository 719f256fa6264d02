// Package feed holds what leaves through the feed of events: its cursors, its events as CloudEvents,
// and their contracts, as JSON Schemas and as an AsyncAPI document.
//
// What may enter: pure functions over events that a receiver may see. What never happens here: reads,
// and decisions about who may see an event (package views).
package feed
