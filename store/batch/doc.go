// Package batch executes concurrent requests in shared batches: a dataloader for writes as well as
// for reads.
//
// There is no batching delay. A request runs immediately if its batcher is idle; requests that
// arrive while a batch is running form the next batch. A result is therefore always computed after
// its request was made.
//
// What may enter: collecting requests, limiting how many batches run concurrently, distributing
// results and errors.
// What never happens here: SQL, a database connection, a decision of the domain.
package batch
