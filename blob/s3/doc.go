// Package s3 stores blobs, and the parts of uploads, as objects of a bucket that speaks the S3 protocol.
// It is the only package that imports a client of it.
//
// What may enter: requests to one bucket, what its errors mean, retention of its object lock.
// What never happens here: creating a bucket or changing its settings, a decision, a permission, a
// user-chosen name in an object's name.
package s3
