'use client';

import { MantineProvider } from '@mantine/core';
import type { ReactNode } from 'react';
import { theme } from './theme';

// Exported here, so that their script belongs to every page instead of being loaded for each error boundary.
export { Broken, NotFound } from './trouble';

/** The theme of every page. `nonce` is the request's, for Mantine's style tags. */
export const Look = ({ nonce, children }: { nonce: string | undefined; children: ReactNode }) => (
  <MantineProvider theme={theme} defaultColorScheme="auto" getStyleNonce={() => nonce ?? ''}>
    {children}
  </MantineProvider>
);
