import type { IconBolt } from '@tabler/icons-react';
import { IconBan, IconUserSearch } from '@tabler/icons-react';
import { useTranslations } from 'next-intl';
import { useMemo } from 'react';
import type { ConnectionFacts } from '@/components/patterns/connection';
import { useMay } from '@/components/patterns/viewer';
import { userIdText } from '@/lib/sessions/schema';
import { type Typed, typedQuery, VERBS, type Verb } from './typed';

export interface Action {
  id: string;
  label: string;
  icon: typeof IconBolt;
  href: string;
}

/** A query as typed in the user's language. */
export const useTyped = (query: string | null): Typed | null => {
  const t = useTranslations('shell.find');
  return useMemo(() => {
    if (query === null) return null;
    const words = Object.fromEntries(VERBS.map((verb) => [verb, t(`verb.${verb}`)])) as Record<Verb, string>;
    return typedQuery(query, words);
  }, [query, t]);
};

/** What can be done with a typed text, whether or not something is stored about it. */
export const useActions = (connection: ConnectionFacts | null, typed: Typed | null): Action[] => {
  const t = useTranslations('shell.find');
  const mayBan = useMay('guard:write');
  const maySessions = useMay('sessions:view');
  if (!connection || !typed) return [];
  const { id, roles, readOnly } = connection;
  const { address, userId } = typed;
  const user: Action[] =
    userId && maySessions && roles.includes('session')
      ? [
          {
            id: 'user',
            label: t('user', { id: userId }),
            icon: IconUserSearch,
            href: `/${id}/sessions?user=${encodeURIComponent(userIdText(userId))}`,
          },
        ]
      : [];
  const ban: Action[] =
    address && mayBan && !readOnly && roles.includes('ban-list')
      ? [
          {
            id: 'ban',
            label: t('ban', { address }),
            icon: IconBan,
            href: `/${id}/guard?ban=${encodeURIComponent(address)}`,
          },
        ]
      : [];
  return [...user, ...ban];
};
