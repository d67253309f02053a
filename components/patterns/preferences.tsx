'use client';

import { notifications } from '@mantine/notifications';
import { useTranslations } from 'next-intl';
import { createContext, type ReactNode, useContext, useMemo, useState } from 'react';
import { call } from '@/lib/api-client';
import { DEFAULT_PREFERENCES, type Preferences, preferenceContracts } from '@/lib/users/preferences/schema';

interface OwnPreferences {
  preferences: Preferences;
  /** Takes effect at once; what cannot be stored is undone, with a notice. Whether it was stored. */
  change: (change: Partial<Preferences>) => Promise<boolean>;
}

const PreferencesContext = createContext<OwnPreferences>({
  preferences: DEFAULT_PREFERENCES,
  change: async () => false,
});

/** How the signed-in user wants the console shown. */
export const usePreferences = (): OwnPreferences => useContext(PreferencesContext);

interface PreferencesProviderProps {
  /** As stored when the page was rendered. */
  given: Preferences;
  children: ReactNode;
}

export const PreferencesProvider = ({ given, children }: PreferencesProviderProps) => {
  const t = useTranslations('patterns');
  const [preferences, setPreferences] = useState(given);
  const own = useMemo(
    () => ({
      preferences,
      change: (change: Partial<Preferences>) => {
        const set = (changed: Partial<Preferences>) => setPreferences((now) => ({ ...now, ...changed }));
        const before = Object.fromEntries(
          (Object.keys(change) as (keyof Preferences)[]).map((name) => [name, preferences[name]]),
        );
        set(change);
        // Not a mutation: no query has preferences, and every page would load what mutations need.
        return call(preferenceContracts.set, change).then(
          () => true,
          () => {
            set(before);
            notifications.show({ color: 'red', message: t('preferenceNotStored') });
            return false;
          },
        );
      },
    }),
    [preferences, t],
  );
  return <PreferencesContext value={own}>{children}</PreferencesContext>;
};
