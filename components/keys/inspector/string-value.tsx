'use client';

import { Button, Group, SegmentedControl } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslations } from 'next-intl';
import { useState } from 'react';
import { useConnection } from '@/components/patterns/connection';
import { Dimmed } from '@/components/patterns/dimmed';
import { Panel } from '@/components/patterns/panel';
import { QueryProblem } from '@/components/patterns/query-problem';
import { Select } from '@/components/patterns/select';
import { Masked } from '@/components/patterns/shown-bytes';
import { useFormat } from '@/components/patterns/use-format';
import { useNarrow } from '@/components/patterns/use-narrow';
import type { KeyDetails } from '@/lib/keys/schema';
import { type Form, formsOf, type StringView } from './forms';
import { keyQueries } from './queries';
import { StringForm } from './string-forms';
import { isWhole, MAX_WHOLE_BYTES, wholeQuery } from './whole-value';

interface StringValueProps {
  details: KeyDetails;
  /** The selected form; any other text means the first. */
  view: string;
  onView: (view: string) => void;
}

/** A string page by page, in suitable forms. */
export const StringValue = ({ details, view, onView }: StringValueProps) => {
  const tWord = useTranslations('words');
  const { id } = useConnection();
  // The cursors of the pages up to this one; the first page has none.
  const [cursors, setCursors] = useState<readonly string[]>([]);
  const cursor = cursors.at(-1) ?? '';
  const later = useQuery({
    ...keyQueries.stringPage(id, details.keyId, cursor, details.etag),
    enabled: cursor !== '',
  });
  const [wantsWhole, setWantsWhole] = useState(false);
  const whole = useQuery({ ...wholeQuery(id, details), enabled: wantsWhole && !isWhole(details) });
  const shown = cursor === '' ? details : (later.data ?? details);
  const page = shown.string ?? details.string!;
  const first =
    whole.data && cursor === ''
      ? { ...page, page: { ...whole.data.value, decoded: page.page.decoded } }
      : page;
  const isPaged = details.nextCursor !== null || cursor !== '';
  const size = details.length ?? page.page.bytes;
  return (
    <Panel title={tWord('value')}>
      <Forms
        view={first}
        chosen={view}
        onChoose={onView}
        onWhole={
          size > MAX_WHOLE_BYTES || isWhole(details) || cursor !== '' ? null : () => setWantsWhole(true)
        }
        wholePending={wantsWhole && whole.isFetching}
      />
      {whole.isError && wantsWhole && <QueryProblem of={whole} />}
      {later.isError && <QueryProblem of={later} />}
      {isPaged && (
        <StringPager
          page={page}
          size={size}
          pending={later.isFetching}
          onPrevious={cursor === '' ? null : () => setCursors(cursors.slice(0, -1))}
          onNext={shown.nextCursor === null ? null : () => setCursors([...cursors, shown.nextCursor!])}
        />
      )}
    </Panel>
  );
};

interface PagerProps {
  page: StringView;
  size: number;
  pending: boolean;
  onPrevious: (() => void) | null;
  onNext: (() => void) | null;
}

const StringPager = ({ page, size, pending, onPrevious, onNext }: PagerProps) => {
  const t = useTranslations('keys.inspector.value.pager');
  const tWord = useTranslations('words');
  const format = useFormat();
  return (
    <Group gap="xs" mt="sm" role="group" aria-label={t('label')}>
      <Button size="xs" variant="default" disabled={!onPrevious || pending} onClick={() => onPrevious?.()}>
        {t('previous')}
      </Button>
      <Button size="xs" variant="default" disabled={!onNext || pending} onClick={() => onNext?.()}>
        {tWord('next')}
      </Button>
      <Dimmed size="xs" role="status">
        {t('offset', { offset: format.count(page.offset), size: format.bytes(size) })}
      </Dimmed>
    </Group>
  );
};

interface FormsProps {
  view: StringView;
  chosen: string;
  onChoose: (form: string) => void;
  onWhole: (() => void) | null;
  wholePending?: boolean;
}

/** Bytes with a choice of forms. A masked value has none. */
export const Forms = ({ view, chosen, onChoose, onWhole, wholePending = false }: FormsProps) => {
  const t = useTranslations('keys.inspector.value');
  const isNarrow = useNarrow();
  const forms = formsOf(view, onWhole !== null);
  const form = forms.find((candidate) => candidate === chosen) ?? forms[0];
  if (!form) return <Masked />;
  const data = forms.map((option) => ({ value: option, label: t(`form.${option}`) }));
  const choose = (next: string | null) => onChoose(next === forms[0] ? '' : ((next ?? '') as Form));
  return (
    <>
      {forms.length > 1 &&
        (isNarrow && forms.length > 3 ? (
          <Select
            aria-label={t('forms')}
            data={data}
            value={form}
            onChange={choose}
            allowDeselect={false}
            mb="sm"
          />
        ) : (
          <SegmentedControl aria-label={t('forms')} data={data} value={form} onChange={choose} mb="sm" />
        ))}
      <StringForm form={form} view={view} onWhole={onWhole} wholePending={wholePending} />
    </>
  );
};
