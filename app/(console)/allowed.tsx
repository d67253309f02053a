import 'server-only';
import type { ReactNode } from 'react';
import { NotAllowed } from '@/components/patterns/not-allowed';
import { type Access, allows } from '@/lib/permissions';
import { signedInUser } from './signed-in';

/** A page for those who may see it; others are told so. Its data is refused by each route once more. */
export const Allowed = async ({ permission, children }: { permission: Access; children: ReactNode }) => {
  const { role } = await signedInUser();
  return allows(role, permission) ? children : <NotAllowed />;
};
