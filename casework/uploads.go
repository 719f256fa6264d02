package casework

import "countersign/domain"

// noUpload is the answer for an upload that there is not, or that is another person's.
func noUpload() *domain.Error {
	return domain.Fail(domain.NotFound, "There is no such upload.").WithWayOut("Send the file again.")
}
