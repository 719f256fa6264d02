package casework

import (
	"context"

	"countersign/domain"
)

// SetPersonSetting asks to store a choice of the actor about the layout of the pages.
type SetPersonSetting struct {
	Once  Once
	Name  domain.PersonSetting
	Value int
}

// SetPersonSetting stores the actor's choice, which affects no one else and no right. Nothing of it is in
// the audit log.
func (svc *Service) SetPersonSetting(ctx context.Context, actor domain.Actor, in SetPersonSetting) error {
	var done bool
	return svc.runOwnSetting(ctx, actor, "setPersonSetting", in.Once, in, &done,
		func(w *unitOfWork) error {
			if err := domain.CheckPersonSetting(in.Name, in.Value); err != nil {
				return err
			}
			done = true
			return w.tx.SetPersonSetting(w.ctx, actor.UserID, in.Name, in.Value)
		})
}
