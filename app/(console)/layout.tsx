import { redirect } from 'next/navigation';
import type { ReactNode } from 'react';
import { ConsoleShell } from '@/components/shell/console-shell';
import { currentActor } from '@/lib/access/current';
import { connectionFacts, rememberedConnection } from './console-connections';

/** People only: an API token has no pages. Every route authorises again. */
export default async function ConsoleLayout({ children }: { children: ReactNode }) {
  const actor = await currentActor();
  if (actor?.kind !== 'user') redirect('/sign-in');
  const { id, name, email, role } = actor;
  return (
    <ConsoleShell
      viewer={{ id, name, email, role }}
      connections={connectionFacts()}
      remembered={await rememberedConnection()}
    >
      {children}
    </ConsoleShell>
  );
}
