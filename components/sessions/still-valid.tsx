'use client';

import { useTranslations } from 'next-intl';
import { HostileText } from '@/components/patterns/hostile-text';
import { providerName } from '@/components/patterns/token-words';
import { useFormat } from '@/components/patterns/use-format';
import type { StillValid } from '@/lib/sessions/revocation/schema';
import type { Names } from './use-revocation';

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

interface StillValidProps {
  entries: readonly StillValid[];
  /** By user id; users not in it are shown by their id. */
  names: Names;
}

/** What is still valid, one line each: "liwei’s Google refresh token (18 d)". */
const StillValidList = ({ entries, names }: StillValidProps) => {
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

/** Up to this many users are listed one by one. */
const MAX_LISTED = 4;

interface Total {
  kind: StillValid['kind'];
  count: number;
  users: number;
  ttlSeconds: number | null;
}

const KINDS: readonly StillValid['kind'][] = [
  'session',
  'legacySession',
  'oauthAccess',
  'oauthRefresh',
  'verification',
  'jwt',
];

const totalOf = (kind: StillValid['kind'], entries: readonly StillValid[]): Total[] => {
  const lines = entries.filter((entry) => entry.kind === kind);
  if (lines.length === 0) return [];
  const lives = lines.map(({ ttlSeconds }) => ttlSeconds);
  return [
    {
      kind,
      count: lines.reduce((sum, { count }) => sum + count, 0),
      users: new Set(lines.map(({ userId }) => userId)).size,
      ttlSeconds: lives.includes(null) ? null : Math.max(...lives.map(Number)),
    },
  ];
};

/** What is still valid: by user if they are few, otherwise counts of each kind. */
export const WhatStaysValid = ({ entries, names }: StillValidProps) => {
  const t = useTranslations('sessions.valid');
  const { duration } = useFormat();
  const life = (ttlSeconds: number | null) =>
    ttlSeconds === null ? t('someNever') : t('atMost', { time: duration(ttlSeconds) });
  const users = new Set(entries.map(({ userId }) => userId)).size;
  if (users <= MAX_LISTED) return <StillValidList entries={entries} names={names} />;
  return (
    <ul style={{ margin: '4px 0 0', paddingInlineStart: 18 }}>
      {KINDS.flatMap((kind) => totalOf(kind, entries)).map(({ kind, count, users: of, ttlSeconds }) => (
        <li key={kind}>{t(`total.${kind}`, { count, users: of, life: life(ttlSeconds) })}</li>
      ))}
    </ul>
  );
};
