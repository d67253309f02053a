import 'server-only';
import { createElement, type FunctionComponent, type ReactNode } from 'react';
import { NotAllowed } from '@/components/patterns/not-allowed';
import { type Access, allows } from '@/lib/permissions';
import { FirstAnswers, type FirstQueries, type PageProps } from './first-answers';
import { signedInUser } from './signed-in';

interface Props {
  permission: Access;
  children: ReactNode;
}

/** Shows a page to users with the permission and an explanation to others. Routes check access to its data again. */
export const Allowed = async ({ permission, children }: Props) => {
  const { role } = await signedInUser();
  return allows(role, permission) ? children : <NotAllowed />;
};

/** A page for users with the permission, and the queries that it sends first. */
export const consolePage =
  (permission: Access, content: ReactNode | FunctionComponent<PageProps>, first?: FirstQueries) =>
  (given: Partial<PageProps>) => {
    // Next passes all props.
    const page = given as PageProps;
    const children = typeof content === 'function' ? createElement(content, page) : content;
    return (
      <Allowed permission={permission}>
        {first ? (
          <FirstAnswers first={first} {...page}>
            {children}
          </FirstAnswers>
        ) : (
          children
        )}
      </Allowed>
    );
  };
