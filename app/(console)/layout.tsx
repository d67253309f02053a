import { cookies } from 'next/headers';
import type { ReactNode } from 'react';
import { Themed } from '@/app/themed';
import { ConsoleShell } from '@/components/shell/console-shell';
import { Providers } from '@/components/shell/providers';
import { menuCookie, menuOf } from '@/components/shell/remembered';
import { connectionFacts, rememberedConnection } from './console-connections';
import { signedInUser } from './signed-in';

export default async function ConsoleLayout({ children }: { children: ReactNode }) {
  const { id, name, email, role } = await signedInUser();
  return (
    <Themed>
      <Providers>
        <ConsoleShell
          viewer={{ id, name, email, role }}
          connections={connectionFacts()}
          remembered={await rememberedConnection()}
          menu={menuOf((await cookies()).get(menuCookie(id))?.value)}
        >
          {children}
        </ConsoleShell>
      </Providers>
    </Themed>
  );
}
