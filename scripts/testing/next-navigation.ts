import { useMemo, useSyncExternalStore } from 'react';

// Replaces `next/navigation` in component tests: uses the window's URL, updated like Next does.
const listeners = new Set<() => void>();
const tell = () => {
  for (const listener of listeners) listener();
};

for (const name of ['pushState', 'replaceState'] as const) {
  const change = History.prototype[name];
  History.prototype[name] = function (...args: Parameters<typeof change>) {
    change.apply(this, args);
    tell();
  };
}

const subscribe = (listener: () => void) => {
  listeners.add(listener);
  window.addEventListener('popstate', listener);
  return () => {
    listeners.delete(listener);
    window.removeEventListener('popstate', listener);
  };
};

export const usePathname = (): string => useSyncExternalStore(subscribe, () => window.location.pathname);

export const useSearchParams = (): URLSearchParams => {
  const search = useSyncExternalStore(subscribe, () => window.location.search);
  return useMemo(() => new URLSearchParams(search), [search]);
};

const router = {
  push: (href: string) => window.history.pushState(null, '', href),
  replace: (href: string) => window.history.replaceState(null, '', href),
  refresh: () => undefined,
};

export const useRouter = () => router;
