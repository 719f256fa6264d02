// Package connect calls other systems over HTTP: for sagas, and to deliver events as webhooks.
//
// What may enter: clients of other systems and their wire formats. What never happens here:
// decisions, retries (a retry is a row of the service layer), access to our database.
//
// A saga call is named `system.operation` (bank.pay, ledger.reserve). It is sent to that system as
//
//	POST <its address>/<operation>
//	Idempotency-Key: <key>
//	Authorization: Bearer <token, if one is set>
//	{"case": "CS-2026-000123", "amount": "120.00", "currency": "EUR", "payee": "…",
//	 "account": "…", "number": "…", "undoes": "<key>"}
//
// The key is the same for every attempt at one step, so a system that receives it twice acts once
// and repeats its response. `undoes` is the key of the call to compensate. That call may never have
// arrived; then there is nothing to do, and the system responds with success.
//
// 2xx means done, with {"reference": "…"} if the system has a reference for it. After 408, 409,
// 425, 429, 5xx or no response the outcome is unknown, and the call is repeated. Any other response
// is a permanent refusal; {"message": "…"} gives the reason to show.
//
// A webhook is one event of the feed as a CloudEvent, signed as Standard Webhooks defines it. The
// address is checked after name resolution at every connection, redirects are not followed, and no
// proxy is used, so that a receiver cannot lead a delivery into the private network.
package connect
