'use client';

import { createContext, type ReactNode, useContext } from 'react';
import { useConnection } from '@/components/patterns/connection';
import { useImpossible } from '@/components/patterns/impossible';
import { useMay } from '@/components/patterns/viewer';
import type { Result } from '@/lib/contract';
import type { flagContracts } from '@/lib/flags/schema';

type Approval = Result<typeof flagContracts.list>['approval'];

const ApprovalContext = createContext<Approval>('none');

export const ApprovalProvider = (props: { approval: Approval; children: ReactNode }) => (
  <ApprovalContext value={props.approval}>{props.children}</ApprovalContext>
);

/** Whether flag changes need a second person's approval (`approval: two-person`). */
export const useTwoPerson = (): boolean => useContext(ApprovalContext) === 'two-person';

/** Why the viewer cannot change flags here; null if they can. */
export const useObstacle = (): 'role' | 'readOnly' | 'server' | null => {
  const mayToggle = useMay('flags:toggle');
  const { readOnly } = useConnection();
  const impossible = useImpossible(mayToggle && !readOnly ? 'flags.set' : undefined);
  if (!mayToggle) return 'role';
  if (readOnly) return 'readOnly';
  return impossible ? 'server' : null;
};
