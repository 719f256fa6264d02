// The page of control data, with what proposed limits and accounts change for whom.
import { ControlsPage as Page } from '../features/admin/ControlsPage';
import { ProposedEffect } from '../features/authority/ProposedEffect';

export function ControlsPage() {
  return <Page Effect={ProposedEffect} />;
}
