'use client';

import { useTranslations } from 'next-intl';
import { HostileText } from '@/components/patterns/hostile-text';
import { providerName } from '@/components/patterns/token-words';
import { useFormat } from '@/components/patterns/use-format';
import type { StillValid } from '@/lib/sessions/revocation/schema';

const MAX_SHOWN = 8;

const longest = (a: number | null, b: number | null): number | null =>
  a === null || b === null ? null : Math.max(a, b);

/** Joins the entries about signatures of revoked tokens into one line, since they read the same for every user. */
const inOne = (entries: readonly StillValid[]): StillValid[] => {
  const jwts = entries.filter(({ kind }) => kind === 'jwt');
  const others = entries.filter(({ kind }) => kind !== 'jwt');
  const [first] = jwts;
  if (!first) return others;
  const count = jwts.reduce((sum, each) => sum + each.count, 0);
  const lives = jwts.map((each) => each.ttlSeconds);
  return [...others, { ...first, count, ttlSeconds: lives.reduce(longest) }];
};

/** A remaining TTL: "18 d", or "does not expire". */
export const useLife = (): ((ttlSeconds: number | null) => string) => {
  const t = useTranslations('sessions');
  const { duration } = useFormat();
  return (ttlSeconds) => (ttlSeconds === null ? t('never') : duration(ttlSeconds));
};

interface StillValidListProps {
  entries: readonly StillValid[];
  /** By user id; users not in it are shown by their id. */
  names: ReadonlyMap<string, string | null>;
}

/** What is still valid, one line each: "liwei’s Google refresh token (18 d)". */
export const StillValidList = ({ entries, names }: StillValidListProps) => {
  const t = useTranslations('sessions.valid');
  const life = useLife();
  const lines = inOne(entries);
  const who = (userId: string) => <HostileText max={40}>{names.get(userId) ?? `#${userId}`}</HostileText>;
  return (
    <ul style={{ margin: '4px 0 0', paddingInlineStart: 18 }}>
      {lines.slice(0, MAX_SHOWN).map((line) => (
        <li key={`${line.kind} ${line.userId} ${line.provider ?? ''}`}>
          {t.rich(line.kind, {
            name: () => who(line.userId),
            count: line.count,
            provider: providerName(line.provider),
            life: life(line.ttlSeconds),
          })}
        </li>
      ))}
      {lines.length > MAX_SHOWN && <li>{t('more', { count: lines.length - MAX_SHOWN })}</li>}
    </ul>
  );
};
