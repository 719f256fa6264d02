// Package notify tells people what happened: it lets the service make notices from the feed, and
// sends those that are due by e-mail.
//
// One program at a time does this, by a row lease. An e-mail about several notices is one e-mail. It
// is sent at least once: a crash between the answer of the mail server and its record sends it again,
// with the same Message-ID.
//
// What may enter: the pace, the texts of e-mails, the links with which people unsubscribe. What never
// happens here: SQL, decisions about who receives a notice (package casework) or may see it (package
// views), and the protocol of e-mail (package connect/mail).
package notify
