// Package kafka delivers events of the feed as records of a Kafka topic. It is the only package that
// imports the client of Kafka.
//
// What may enter: clients by connector, records, and what their errors mean for a delivery. What
// never happens here: the order of events (package deliver sends the events of a case one after the
// other), creating a topic, reading one but to compare, and an address that package connect does not
// allow.
package kafka
