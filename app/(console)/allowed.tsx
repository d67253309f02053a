import 'server-only';
import type { ReactNode } from 'react';
import { NotAllowed } from '@/components/patterns/not-allowed';
import { type Access, allows } from '@/lib/permissions';
import { signedInUser } from './signed-in';

/** Shows a page to users with the permission and an explanation to others. Routes check access to its data again. */
export const Allowed = async ({ permission, children }: { permission: Access; children: ReactNode }) => {
  const { role } = await signedInUser();
  return allows(role, permission) ? children : <NotAllowed />;
};
