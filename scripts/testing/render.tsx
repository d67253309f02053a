import { render } from '@testing-library/react/pure';
import userEvent from '@testing-library/user-event';
import { NextIntlClientProvider } from 'next-intl';
import type { ReactNode } from 'react';
import {
  type ConnectionFacts,
  ConnectionProvider,
  ConnectionsProvider,
} from '@/components/patterns/connection';
import { PreferencesProvider } from '@/components/patterns/preferences';
import { ViewerProvider } from '@/components/patterns/viewer';
import { Look } from '@/components/shell/look';
import { Providers } from '@/components/shell/providers';
import { FAMILY_ROLES } from '@/lib/keyspace/roles';
import type { Role } from '@/lib/permissions';
import { DEFAULT_PREFERENCES, type Preferences } from '@/lib/users/preferences/schema';
import { messages } from '@/messages/en';
import { ENTITY_KINDS } from './entity-kinds';

const DEMO: ConnectionFacts = {
  id: 'demo',
  name: 'Demo',
  environment: 'development',
  role: 'primary',
  readOnly: false,
  roles: [...FAMILY_ROLES],
  entities: ENTITY_KINDS,
};

interface RenderOptions {
  role?: Role;
  /** Overrides an open development connection called `demo`. */
  connection?: Partial<ConnectionFacts>;
  preferences?: Partial<Preferences>;
}

/** Renders a page of the console at its address, inside the shell, for a user of a role. */
export const renderAt = (address: string, page: ReactNode, options: RenderOptions = {}) => {
  const { role = 'admin' } = options;
  const connection = { ...DEMO, ...options.connection };
  const viewer = { id: `user-${role}`, name: `Test ${role}`, email: `${role}@example.org`, role };
  window.history.replaceState(null, '', address);
  const view = render(
    <NextIntlClientProvider locale="en" messages={messages} timeZone="UTC">
      <Look nonce={undefined}>
        <Providers>
          <PreferencesProvider given={{ ...DEFAULT_PREFERENCES, ...options.preferences }}>
            <ViewerProvider viewer={viewer}>
              <ConnectionsProvider connections={[connection]}>
                <ConnectionProvider connection={connection}>{page}</ConnectionProvider>
              </ConnectionsProvider>
            </ViewerProvider>
          </PreferencesProvider>
        </Providers>
      </Look>
    </NextIntlClientProvider>,
  );
  const user = userEvent.setup({ delay: null });
  /** Replaces the text of a field, as if typed or pasted. */
  const fill = async (field: HTMLElement, text: string): Promise<void> => {
    await user.clear(field);
    await user.click(field);
    if (text) await user.paste(text);
  };
  return { ...view, user, fill };
};

/** The visible text, with white space collapsed. */
export const textOf = (element: Element | null | undefined): string =>
  (element?.textContent ?? '').replace(/\s+/g, ' ');

/** The page is as narrow as a phone until the test ends. Call it before rendering. */
export const narrowPage = (): void => {
  document.documentElement.dataset.testWidth = 'phone';
};
