// Package connect is the way out of the project: calls of sagas to other systems over HTTP.
//
// What may enter: clients of other systems and their wire formats. What never happens here: decisions, retries (a retry is
// a row of the service layer), reading or writing of our database.
//
// A call of a saga is `name.operation` (bank.pay, ledger.reserve). The system of that name is asked by
//
//	POST <its address>/<operation>
//	Idempotency-Key: <key>
//	Authorization: Bearer <token, if one is set>
//	{"case": "CS-2026-000123", "amount": "120.00", "currency": "EUR", "payee": "…", "account": "…", "number": "…", "undoes": "<key>"}
//
// The key is the same in every attempt at the same step, so a system that gets it twice does it once and answers as before;
// `undoes` is the key of the call that is taken back, which may never have arrived: then there is nothing to do, and that is
// a success. 2xx is done, with {"reference": "…"} if the system has a name for it. 408, 409, 425, 429 and 5xx, and no answer, say
// nothing of what happened: the call is made again. Any other answer is a refusal permanently; {"message": "…"} tells people why.
package connect
