import type { ReactNode } from 'react';
import { Themed } from '@/app/themed';
import { Providers } from '@/components/shell/providers';

export default function SetupLayout({ children }: { children: ReactNode }) {
  return (
    <Themed>
      <Providers>{children}</Providers>
    </Themed>
  );
}
