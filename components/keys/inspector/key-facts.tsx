'use client';

import { Alert, Badge, Group, Text } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { useTranslations } from 'next-intl';
import type { ReactNode } from 'react';
import { Facts } from '@/components/patterns/facts';
import { Bytes, Count, Duration } from '@/components/patterns/figures';
import { HostileText } from '@/components/patterns/hostile-text';
import { KeyLink } from '@/components/patterns/key-link';
import { Panel } from '@/components/patterns/panel';
import { AbsoluteTime } from '@/components/patterns/relative-time';
import { useTtlWords } from '@/components/patterns/use-ttl-words';
import { UNKNOWN } from '@/lib/format';
import type { KeyDetails } from '@/lib/keys/schema';
import classes from './inspector.module.css';

/** A figure, or "—" with the reason why it is unknown. */
const Known = ({ children, why }: { children: ReactNode | null; why: string }) =>
  children ?? (
    <>
      {UNKNOWN} <span className={classes.quiet}>{why}</span>
    </>
  );

export const KeyFacts = ({ details }: { details: KeyDetails }) => {
  const t = useTranslations('keys.inspector.fact');
  const tWord = useTranslations('words');
  const { ttlSeconds, expiresAt, expiresAtMs, memoryBytes, encoding, length, idleSeconds, frequency } =
    details;
  return (
    <Panel title={tWord('details')}>
      <Facts
        facts={[
          {
            label: tWord('ttl'),
            value:
              ttlSeconds === null ? (
                t('noTtl')
              ) : (
                <>
                  <Duration value={ttlSeconds} />
                  <div className={classes.quiet}>
                    {expiresAtMs ? t('afterYear9999', { at: expiresAtMs }) : <AbsoluteTime at={expiresAt} />}
                  </div>
                </>
              ),
          },
          {
            label: tWord('memory'),
            value: (
              <Known why={t('notReported')}>
                {memoryBytes === null ? null : <Bytes value={memoryBytes} />}
              </Known>
            ),
          },
          {
            label: tWord('encoding'),
            value: <Known why={t('notReported')}>{encoding === null ? null : <code>{encoding}</code>}</Known>,
          },
          {
            label: t(details.type === 'string' ? 'size' : 'length'),
            value: (
              <Known why={t('notReported')}>
                {length === null ? null : details.type === 'string' ? (
                  <Bytes value={length} />
                ) : (
                  <Count value={length} />
                )}
              </Known>
            ),
          },
          {
            label: tWord('idle'),
            value: (
              <Known why={t(frequency === null ? 'notReported' : 'lfu')}>
                {idleSeconds === null ? null : <Duration value={idleSeconds} />}
              </Known>
            ),
          },
          {
            label: tWord('frequency'),
            value: (
              <Known why={t(idleSeconds === null ? 'notReported' : 'lru')}>
                {frequency === null ? null : (
                  <>
                    <Count value={frequency} /> <span className={classes.quiet}>{t('logarithmic')}</span>
                  </>
                )}
              </Known>
            ),
          },
        ]}
      />
    </Panel>
  );
};

/** The catalog's documentation of the key's family. */
export const Documented = ({ details }: { details: KeyDetails }) => {
  const t = useTranslations('keys.inspector.documented');
  const tWord = useTranslations('words');
  const ttlWords = useTtlWords();
  const { documented, params } = details;
  if (!documented) return null;
  return (
    <Panel title={t('title')}>
      <Text size="sm" mb="xs">
        {documented.purpose}
      </Text>
      <Facts
        facts={[
          { label: tWord('type'), value: documented.type },
          { label: tWord('ttl'), value: ttlWords(documented.ttl) },
          documented.role === null
            ? null
            : { label: tWord('role'), value: documented.role.replaceAll('-', ' ') },
          ...Object.entries(params).map(([label, value]) => ({
            label,
            value: <HostileText max={120}>{value}</HostileText>,
          })),
        ]}
      />
    </Panel>
  );
};

/** Where the key differs from the catalog's documentation. */
export const Drift = ({ details }: { details: KeyDetails }) => {
  const t = useTranslations('keys.inspector.drift');
  const ttlWords = useTtlWords();
  if (details.drift.length === 0) return null;
  return (
    <Alert color="orange" mb="md" icon={<IconAlertTriangle size={18} />} title={t('title')}>
      {details.drift.map(({ what, documented, found }) => (
        <div key={`${what} ${documented} ${found}`}>
          {t(what, { documented: ttlWords(documented), found: ttlWords(found) })}
        </div>
      ))}
    </Alert>
  );
};

/** Keys of other families related to this one. */
export const Related = ({ details }: { details: KeyDetails }) => {
  const t = useTranslations('keys.inspector.related');
  if (details.related.length === 0) return null;
  return (
    <Panel title={t('title')}>
      <ul className={classes.related}>
        {details.related.map(({ keyId, key, title, exists }) => (
          <li key={keyId}>
            <Text size="sm">{title}</Text>
            <Group gap={6}>
              <KeyLink keyId={keyId}>{key}</KeyLink>
              <Badge color={exists === false ? 'orange' : 'gray'}>
                {t(exists === null ? 'unknown' : exists ? 'exists' : 'missing')}
              </Badge>
            </Group>
          </li>
        ))}
      </ul>
    </Panel>
  );
};
