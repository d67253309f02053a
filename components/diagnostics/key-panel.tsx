'use client';

import { Button } from '@mantine/core';
import { useTranslations } from 'next-intl';
import { useState } from 'react';
import { useConnection } from '@/components/patterns/connection';
import { Dimmed } from '@/components/patterns/dimmed';
import { NameInput } from '@/components/patterns/exact-text';
import { Facts } from '@/components/patterns/facts';
import { Bytes, Count, Duration } from '@/components/patterns/figures';
import { KeyLink } from '@/components/patterns/key-link';
import { isSecret, useLooksSecret } from '@/components/patterns/looks-secret';
import { Panel } from '@/components/patterns/panel';
import { ProblemAlert } from '@/components/patterns/problem-alert';
import touch from '@/components/patterns/touch.module.css';
import { useCommand } from '@/components/patterns/use-command';
import type { KeyMemory } from '@/lib/diagnostics/schema';
import { diagnosticContracts } from '@/lib/diagnostics/schema';
import classes from './diagnostics.module.css';
import { Links } from './section-panel';

/** The memory of one key, by its exact name. The name is not in the address: it may be a secret. */
export const KeyPanel = () => {
  const t = useTranslations('diagnostics.key');
  const tWord = useTranslations('words');
  const { id } = useConnection();
  const [name, setName] = useState('');
  const measure = useCommand(diagnosticContracts.key, id);
  const refused = useLooksSecret()?.(name) === true;
  return (
    <Panel title={t('title')}>
      <Dimmed mb="xs">{t('means')}</Dimmed>
      <form
        className={classes.form}
        onSubmit={async (event) => {
          event.preventDefault();
          if (!(await isSecret(name))) measure.mutate({ name });
        }}
      >
        <NameInput
          className={classes.name}
          label={tWord('keyName')}
          value={name}
          onChange={setName}
          error={refused && t('secret')}
        />
        <Button
          type="submit"
          className={touch.thumb}
          disabled={name === '' || refused}
          loading={measure.isPending}
        >
          {t('measure')}
        </Button>
      </form>
      <div aria-live="polite">
        {measure.error && <ProblemAlert error={measure.error} />}
        {measure.data && !measure.error && <Measured memory={measure.data} />}
      </div>
      <Links links={[{ path: '/keys', label: t('keys') }]} />
    </Panel>
  );
};

const Measured = ({ memory }: { memory: KeyMemory }) => {
  const t = useTranslations('diagnostics.key');
  const tWord = useTranslations('words');
  const { memoryBytes, exact, ttlSeconds, idleSeconds, frequency } = memory;
  return (
    <Facts
      facts={[
        {
          label: tWord('key'),
          value: (
            <KeyLink keyId={memory.keyId} max={80}>
              {memory.key}
            </KeyLink>
          ),
        },
        {
          label: tWord('memory'),
          value: (
            <>
              <Bytes value={memoryBytes} /> {memoryBytes !== null && t(exact ? 'exact' : 'estimated')}
            </>
          ),
        },
        { label: tWord('family'), value: memory.title ?? t('noFamily') },
        { label: tWord('type'), value: t('typeOf', { type: memory.type, encoding: memory.encoding ?? '—' }) },
        { label: t('length'), value: <Count value={memory.length} /> },
        { label: tWord('ttl'), value: ttlSeconds === null ? t('noTtl') : <Duration value={ttlSeconds} /> },
        idleSeconds === null ? null : { label: tWord('idle'), value: <Duration value={idleSeconds} /> },
        frequency === null ? null : { label: tWord('frequency'), value: <Count value={frequency} /> },
      ]}
    />
  );
};
