'use client';

import { Box } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { replaceEqualDeep, useQuery } from '@tanstack/react-query';
import { usePathname, useSearchParams } from 'next/navigation';
import { type ReactNode, useCallback, useEffect, useLayoutEffect, useMemo, useState } from 'react';
import { type ConnectionFacts, ConnectionsProvider } from '@/components/patterns/connection';
import { signingOut } from '@/components/patterns/credentials';
import { onDemand } from '@/components/patterns/on-demand';
import { announceUser, onOtherUser } from '@/components/patterns/session-channel';
import { type Viewer, ViewerProvider } from '@/components/patterns/viewer';
import classes from './console-shell.module.css';
import { Header } from './header';
import { LiveProvider } from './live';
import { Navigation } from './navigation';
import { OutageBoundary } from './outage';
import { OutageBanner } from './outage-banner';
import { shellQueries } from './queries';
import { LAST_CONNECTION_COOKIE, MORE_COOKIE, remember } from './remembered';
import { StepUp } from './step-up';
import { keepTypedText, reportTypedText } from './typed-text';

const MenuDrawer = onDemand(async () => (await import('./menu-drawer')).MenuDrawer);
const HelpDrawer = onDemand(async () => (await import('./help/help-drawer')).HelpDrawer);
const Search = onDemand(async () => (await import('./find/search')).Search);

interface ConsoleShellProps {
  viewer: Viewer;
  connections: ConnectionFacts[];
  /** The last used connection, for pages without one in their URL. */
  remembered: string | null;
  /** Whether this browser shows all entries of the menu. */
  more: boolean;
  children: ReactNode;
}

/** The connection in the URL; on global pages the last used one. */
const useShown = (connections: ConnectionFacts[], remembered: string | null): ConnectionFacts | null => {
  const id = usePathname().split('/')[1];
  const addressed = connections.find((connection) => connection.id === id);
  const [last, setLast] = useState(remembered);
  const addressedId = addressed?.id;
  useEffect(() => {
    if (!addressedId) return;
    setLast(addressedId);
    remember(LAST_CONNECTION_COOKIE, addressedId);
  }, [addressedId]);
  return addressed ?? connections.find((connection) => connection.id === last) ?? connections[0] ?? null;
};

/** Reloads the page when another tab of this browser signs out or signs in as somebody else. */
const useOneUser = (userId: string): void =>
  useEffect(() => {
    announceUser(userId);
    // A tab hears its own announcement, too.
    return onOtherUser(userId, () => signingOut.isBegun || window.location.reload());
  }, [userId]);

/**
 * The connections with their current facts: while a page is open, a server may become a replica, and a catalog may be
 * reloaded.
 */
const useCurrentFacts = (given: ConnectionFacts[]): ConnectionFacts[] => {
  const { data } = useQuery(shellQueries.connections());
  return useMemo(() => {
    const current = given.map((facts) => {
      const now = data?.items.find(({ id }) => id === facts.id);
      if (!now) return facts;
      const { role, readOnly, roles, entities } = now;
      return { ...facts, role, readOnly, roles, entities };
    });
    // Usually nothing has changed, and every part of the page uses these objects.
    return replaceEqualDeep(given, current);
  }, [given, data]);
};

/** False in the server's HTML, and until the page has the layout for its width. */
const useHydrated = (): boolean => {
  const [isHydrated, setHydrated] = useState(false);
  useLayoutEffect(() => {
    reportTypedText(document);
    return keepTypedText();
  }, []);
  useEffect(() => setHydrated(true), []);
  return isHydrated;
};

/**
 * Header, navigation and page. Without Suspense: parts that hydrate later than the header would already find answers
 * of shared queries in the cache, and differ from the server's HTML.
 */
export const ConsoleShell = ({
  viewer,
  connections: given,
  remembered,
  more: left,
  children,
}: ConsoleShellProps) => {
  useOneUser(viewer.id);
  const isHydrated = useHydrated();
  const connections = useCurrentFacts(given);
  const [menuOpened, drawer] = useDisclosure(false);
  const [helpOpened, help] = useDisclosure(false);
  const [more, setMore] = useState(left);
  const onMore = useCallback((next: boolean) => {
    setMore(next);
    remember(MORE_COOKIE, String(next));
  }, []);
  const address = `${usePathname()}?${useSearchParams()}`;
  const { close: closeMenu } = drawer;
  // Not on click: going back over the menu's history step would cancel the navigation.
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new address closes the menu
  useEffect(() => {
    closeMenu();
  }, [address, closeMenu]);
  const shown = useShown(connections, remembered);
  const connection = shown?.id ?? null;
  return (
    <ViewerProvider viewer={viewer}>
      <ConnectionsProvider connections={connections}>
        <LiveProvider connection={connection}>
          <StepUp />
          <OutageBoundary shown={shown}>
            <Header current={shown} onMenu={drawer.open} onHelp={help.open} />
            <div className={classes.body}>
              <div className={classes.side}>
                <Navigation connection={shown} more={more} onMore={onMore} />
              </div>
              <Box flex={1} miw={0}>
                <OutageBanner connection={shown} />
                <main
                  id="page"
                  className={classes.main}
                  tabIndex={-1}
                  data-hydrated={isHydrated || undefined}
                >
                  {children}
                </main>
              </Box>
            </div>
          </OutageBoundary>
          <MenuDrawer
            opened={menuOpened}
            onClose={drawer.close}
            connection={shown}
            more={more}
            onMore={onMore}
          />
          <HelpDrawer opened={helpOpened} onClose={help.close} />
          <Search connection={shown} />
        </LiveProvider>
      </ConnectionsProvider>
    </ViewerProvider>
  );
};
