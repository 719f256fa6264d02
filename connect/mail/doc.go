// Package mail sends e-mails. It is the only package that imports the client of SMTP.
//
// What may enter: connections to a server of e-mail, messages, what its answers mean, and the e-mails
// of connectors. What never happens here: who receives an e-mail, retries, and an address of a
// connector that package connect does not allow.
package mail
