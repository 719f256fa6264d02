//go:build !linux

package devservices

// SpreadSubdirectories does nothing: only ext4 remembers deleted files by region.
func SpreadSubdirectories(string) {}
