import type { ReactNode } from 'react';
import { NotAllowed } from '@/components/patterns/not-allowed';
import { useMay } from '@/components/patterns/viewer';
import type { Permission } from '@/lib/permissions';

/** As `app/(console)/allowed.tsx`, which a browser cannot render, for the viewer of `renderAt`. */
export const Allowed = ({ permission, children }: { permission: Permission; children: ReactNode }) =>
  useMay(permission) ? children : <NotAllowed />;
