'use client';

import { Input, SegmentedControl, Stack } from '@mantine/core';
import { useRouter } from 'next/navigation';
import { useTranslations } from 'next-intl';
import { Dimmed } from '@/components/patterns/dimmed';
import { usePreferences } from '@/components/patterns/preferences';
import { Select } from '@/components/patterns/select';
import { useTimeZone } from '@/components/patterns/use-time-zone';
import { useViewer } from '@/components/patterns/viewer';
import { PAGES } from '@/components/shell/pages';
import { LOCALE_IDS, LOCALES, type Locale } from '@/lib/locales';
import { may } from '@/lib/permissions';
import { DENSITIES, HOURS } from '@/lib/users/preferences/schema';

/** How the console is shown to this user, in every browser. Each choice is stored at once. */
export const PreferenceFields = () => {
  const t = useTranslations('access.account.preferences');
  const label = useTranslations();
  const { role } = useViewer();
  const { preferences, change } = usePreferences();
  const zone = useTimeZone();
  const router = useRouter();
  return (
    <Stack gap="sm">
      <Select
        label={t('language')}
        placeholder={t('browser')}
        data={LOCALE_IDS.map((id) => ({ value: id, label: LOCALES[id] }))}
        value={preferences.language}
        onChange={(id) =>
          change({ language: id as Locale | null }).then((isStored) => isStored && router.refresh())
        }
        clearable
      />
      <Select
        label={t('timeZone')}
        placeholder={t('browser')}
        data={Intl.supportedValuesOf('timeZone')}
        value={preferences.timeZone}
        onChange={(timeZone) => change({ timeZone })}
        searchable
        clearable
      />
      {zone && <Dimmed size="xs">{t('timeZoneNote', { zone })}</Dimmed>}
      <Choice
        label={t('hours')}
        data={HOURS.map((value) => ({ value, label: t(`hoursOf.${value}`) }))}
        value={preferences.hours}
        onChange={(hours) => change({ hours })}
      />
      <Choice
        label={t('density')}
        data={DENSITIES.map((value) => ({ value, label: t(`densityOf.${value}`) }))}
        value={preferences.density}
        onChange={(density) => change({ density })}
      />
      <Select
        label={t('firstPage')}
        placeholder={label('overview.title')}
        data={PAGES.filter(({ permission }) => may(role, permission)).map((page) => ({
          value: page.id,
          label: label(page.label),
        }))}
        value={preferences.firstPage}
        onChange={(firstPage) => change({ firstPage })}
        searchable
        clearable
      />
    </Stack>
  );
};

interface ChoiceProps<V extends string> {
  label: string;
  data: { value: V; label: string }[];
  value: V;
  onChange: (value: V) => void;
}

const Choice = <V extends string>({ label, data, value, onChange }: ChoiceProps<V>) => (
  <Input.Wrapper label={label} labelElement="div">
    <SegmentedControl
      fullWidth
      aria-label={label}
      data={data}
      value={value}
      onChange={(chosen) => onChange(chosen as V)}
    />
  </Input.Wrapper>
);
