import { createElement, type FunctionComponent, type ReactNode } from 'react';
import { NotAllowed } from '@/components/patterns/not-allowed';
import { useMay } from '@/components/patterns/viewer';
import type { Permission } from '@/lib/permissions';

/** Replaces `app/(console)/allowed.tsx`, a server component, for the viewer of `renderAt`. */
export const Allowed = ({ permission, children }: { permission: Permission; children: ReactNode }) =>
  useMay(permission) ? children : <NotAllowed />;

export const consolePage = (permission: Permission, content: ReactNode | FunctionComponent) => () => (
  <Allowed permission={permission}>
    {typeof content === 'function' ? createElement(content) : content}
  </Allowed>
);
