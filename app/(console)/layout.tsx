import { cookies } from 'next/headers';
import type { ReactNode } from 'react';
import { Themed } from '@/app/themed';
import { PreferencesProvider } from '@/components/patterns/preferences';
import { ConsoleShell } from '@/components/shell/console-shell';
import { Providers } from '@/components/shell/providers';
import { MORE_COOKIE } from '@/components/shell/remembered';
import { preferencesOf } from '@/lib/users/preferences/store';
import { connectionFacts, rememberedConnection } from './console-connections';
import { signedInUser } from './signed-in';

export default async function ConsoleLayout({ children }: { children: ReactNode }) {
  const { id, name, email, role } = await signedInUser();
  const preferences = await preferencesOf(id);
  return (
    <Themed>
      <Providers>
        <PreferencesProvider given={preferences}>
          <ConsoleShell
            viewer={{ id, name, email, role }}
            connections={connectionFacts()}
            remembered={await rememberedConnection()}
            more={(await cookies()).get(MORE_COOKIE)?.value === 'true'}
          >
            {children}
          </ConsoleShell>
        </PreferencesProvider>
      </Providers>
    </Themed>
  );
}
