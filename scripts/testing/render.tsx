import { render } from '@testing-library/react/pure';
import userEvent from '@testing-library/user-event';
import { NextIntlClientProvider } from 'next-intl';
import type { ReactNode } from 'react';
import { renderToString } from 'react-dom/server';
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
  /** Further connections. */
  others?: Partial<ConnectionFacts>[];
  preferences?: Partial<Preferences>;
  /** What happens to the server's HTML before it is hydrated. */
  early?: (html: HTMLElement) => void;
}

const hydrated = (tree: ReactNode, early: (html: HTMLElement) => void) => {
  const container = document.body.appendChild(document.createElement('div'));
  container.innerHTML = renderToString(tree);
  // React reads the property, which happy-dom does not have.
  for (const style of container.querySelectorAll('style')) style.nonce = style.getAttribute('nonce') ?? '';
  early(container);
  return render(tree, { container, hydrate: true });
};

/** Renders a page of the console at its address, inside the shell, for a user of a role. */
export const renderAt = (address: string, page: ReactNode, options: RenderOptions = {}) => {
  const { role = 'admin' } = options;
  const connection = { ...DEMO, ...options.connection };
  const others = (options.others ?? []).map((other) => ({ ...DEMO, ...other }));
  const viewer = { id: `user-${role}`, name: `Test ${role}`, email: `${role}@example.org`, role };
  window.history.replaceState(null, '', address);
  const tree = (
    <NextIntlClientProvider locale="en" messages={messages} timeZone="UTC">
      <Look nonce={undefined}>
        <Providers>
          <PreferencesProvider given={{ ...DEFAULT_PREFERENCES, ...options.preferences }}>
            <ViewerProvider viewer={viewer}>
              <ConnectionsProvider connections={[connection, ...others]}>
                <ConnectionProvider connection={connection}>{page}</ConnectionProvider>
              </ConnectionsProvider>
            </ViewerProvider>
          </PreferencesProvider>
        </Providers>
      </Look>
    </NextIntlClientProvider>
  );
  const view = options.early ? hydrated(tree, options.early) : render(tree);
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
