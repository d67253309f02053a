'use client';

import { Alert } from '@mantine/core';
import { useTranslations } from 'next-intl';
import type { ReactNode } from 'react';
import { useConnection } from '@/components/patterns/connection';
import { Dimmed } from '@/components/patterns/dimmed';
import { EntityRefText, IdBesideTitle } from '@/components/patterns/entity-link';
import { HostileText, KeyText } from '@/components/patterns/hostile-text';
import { KeyLink, keyHref } from '@/components/patterns/key-link';
import { Panel } from '@/components/patterns/panel';
import { AbsoluteTime, RelativeTime } from '@/components/patterns/relative-time';
import { Masked } from '@/components/patterns/shown-bytes';
import { TextLink } from '@/components/patterns/text-link';
import type { EntityView } from '@/lib/entities/schema';
import classes from './record-panel.module.css';

type Field = EntityView['fields'][number];

/** Characters of a value before it is cut. */
const MAX_VALUE = 400;

/** The record as it is stored, field by field, and what is wrong with it in words. */
export const RecordPanel = ({ view }: { view: EntityView }) => {
  const t = useTranslations('entities.record');
  const tWord = useTranslations('words');
  const { fields, problems, recordKey, moreFields } = view;
  if (fields.length === 0 && problems.length === 0) return null;
  return (
    <Panel
      title={tWord('record')}
      note={recordKey && <KeyLink keyId={recordKey.keyId}>{recordKey.key}</KeyLink>}
    >
      {problems.map(({ what, detail }) => (
        <Alert key={`${what} ${detail}`} color="orange" mb="sm" title={t(`problem.${what}.title`)}>
          {t.rich(`problem.${what}.text`, { detail: () => <KeyText max={300}>{detail}</KeyText> })}
        </Alert>
      ))}
      <dl className={classes.fields}>
        {fields.map((field, place) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: two names of bytes may be shown alike
          <div key={`${field.name} ${place}`}>
            <dt>
              <HostileText max={80}>{field.name}</HostileText>
            </dt>
            <dd>
              <Value field={field} keyId={recordKey?.keyId ?? null} />
            </dd>
          </div>
        ))}
      </dl>
      {moreFields && (
        <Dimmed mt="xs">
          {t('more')} {recordKey && <OpenKey keyId={recordKey.keyId} />}
        </Dimmed>
      )}
    </Panel>
  );
};

const Value = ({ field, keyId }: { field: Field; keyId: string | null }): ReactNode => {
  const { masked, value, time, ref, truncated } = field;
  if (masked) return <Masked />;
  if (value === null) return '—';
  if (time !== null)
    return (
      <span className={classes.time}>
        <AbsoluteTime at={time} />{' '}
        <Dimmed span>
          (<RelativeTime at={time} />)
        </Dimmed>{' '}
        <KeyText max={60}>{value}</KeyText>
      </span>
    );
  if (ref !== null) return <Reference of={ref} value={value} />;
  const isCut = truncated || value.length > MAX_VALUE;
  return (
    <>
      <HostileText max={MAX_VALUE}>{value}</HostileText>
      {isCut && keyId !== null && (
        <>
          {' '}
          <OpenKey keyId={keyId} />
        </>
      )}
    </>
  );
};

/** The entity that a field names, and the value where the link shows another text. */
const Reference = ({ of, value }: { of: NonNullable<Field['ref']>; value: string }) => (
  <>
    <EntityRefText of={of} />
    <IdBesideTitle of={of} stored={value} max={60} />
  </>
);

const OpenKey = ({ keyId }: { keyId: string }) => {
  const t = useTranslations('entities.record');
  const { id } = useConnection();
  return (
    <TextLink underline="always" href={keyHref(id, keyId)}>
      {t('openKey')}
    </TextLink>
  );
};
