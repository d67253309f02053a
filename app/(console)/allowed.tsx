import 'server-only';
import type { ReactNode } from 'react';
import { NotAllowed } from '@/components/patterns/not-allowed';
import { type Access, allows } from '@/lib/permissions';
import { FirstAnswers, type FirstQueries, type PageProps } from './first-answers';
import { signedInUser } from './signed-in';

interface Props extends PageProps {
  permission: Access;
  first?: FirstQueries;
  children: ReactNode;
}

/** Shows a page to users with the permission and an explanation to others. Routes check access to its data again. */
export const Allowed = async ({ permission, first, children, ...page }: Props) => {
  const { role } = await signedInUser();
  if (!allows(role, permission)) return <NotAllowed />;
  if (!first) return children;
  return (
    <FirstAnswers first={first} {...page}>
      {children}
    </FirstAnswers>
  );
};
