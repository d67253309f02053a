'use client';

import { MantineProvider } from '@mantine/core';
import type { ReactNode } from 'react';
import { theme } from './theme';

// From here, so that their script is part of every page's and not loaded again for each of its error boundaries.
export { Broken, NotFound } from './trouble';

/** The theme of every page. `nonce` is the request's, for Mantine's style tags. */
export const Look = ({ nonce, children }: { nonce: string | undefined; children: ReactNode }) => (
  <MantineProvider theme={theme} defaultColorScheme="auto" getStyleNonce={() => nonce ?? ''}>
    {children}
  </MantineProvider>
);
