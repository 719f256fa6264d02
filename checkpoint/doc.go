// Package checkpoint signs checkpoints of the audit log and keeps them outside of the database: in a
// folder, in a bucket, and with a witness, which is a program of another organization that keeps checkpoints
// only and cosigns those that continue the one before (C2SP tlog-witness).
//
// What may enter: places that keep checkpoints, and reading them for a verification. What never
// happens here: SQL, deciding what a checkpoint covers, replacing or deleting a checkpoint.
package checkpoint
