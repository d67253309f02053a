'use client';

import { useTranslations } from 'next-intl';
import { useFormat } from '@/components/patterns/use-format';
import type { StillValid } from '@/lib/sessions/revocation/schema';
import { StillValidList } from './still-valid';
import type { Names } from './use-revocation';

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

interface WhatStaysValidProps {
  entries: readonly StillValid[];
  names: Names;
}

/** What is still valid: by user if they are few, otherwise counts of each kind. */
export const WhatStaysValid = ({ entries, names }: WhatStaysValidProps) => {
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
