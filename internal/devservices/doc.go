// Package devservices starts a private Postgres and a private Redis for the demo, for tests and for
// measurements, on free ports of 127.0.0.1, and takes them down again: cleanly on Stop, and also
// when the program that started them is killed.
//
// What may enter: finding server programs, folders and accounts to run them under, starting,
// stopping, killing and restarting them, and saying in one sentence why one of them will not run.
// What never happens here: anything a production program needs (it is given DATABASE_URL and
// REDIS_URL), tables, words of document review.
//
// Postgres is, in this order, a given URL, the binaries that npm ci put under
// frontend/node_modules, an installed server of version 15 or newer. Redis is a given URL,
// redis-server, else miniredis inside this process. As root the servers run under a system account
// made for them, from a state folder it may enter; as anyone else all stays in the checkout's .data
// folder.
package devservices
