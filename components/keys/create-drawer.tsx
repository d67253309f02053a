'use client';

import { Checkbox, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslations } from 'next-intl';
import { useState } from 'react';
import { useConnection } from '@/components/patterns/connection';
import { familiesQuery } from '@/components/patterns/families-query';
import { fieldError } from '@/components/patterns/field-error';
import { FormDrawer } from '@/components/patterns/form-drawer';
import { SpanField } from '@/components/patterns/span-field';
import { useCommand } from '@/components/patterns/use-command';
import { ApiProblem } from '@/lib/api-client';
import type { Result } from '@/lib/contract';
import type { FamilyRow } from '@/lib/families/schema';
import { EDITABLE_TYPES, type EditableType } from '@/lib/key-values/schema';
import { keyContracts } from '@/lib/keys/schema';
import { visibleText } from '@/lib/visible-text';
import { NameFields, type NewName, nameInput } from './name-fields';
import { type NewValue, NO_ROW, wireValue } from './new-value';
import { ValueFields } from './value-fields';

const HOUR = 3600;
const NO_FAMILIES: FamilyRow[] = [];
const NO_VALUE: NewValue = { type: 'string', text: '', rows: [NO_ROW] };

export type CreatedKey = Result<typeof keyContracts.create>;

interface CreateDrawerProps {
  /** The initial family; '' for none. */
  family: string;
  opened: boolean;
  onClose: () => void;
  onClosed: () => void;
  onCreated: (key: CreatedKey) => void;
}

const typeOf = (family: FamilyRow | null): EditableType =>
  EDITABLE_TYPES.find((type) => type === family?.type) ?? 'string';

/** The refusal shown next to the name: the key exists, or a parameter does not fit its family. */
const refusalOf = (error: unknown) => {
  const exists = error instanceof ApiProblem && error.code === 'exists';
  const at = (path: string) => fieldError(error, path);
  const params =
    error instanceof ApiProblem ? error.errors.filter(({ path }) => path.startsWith('params')) : [];
  const name = exists ? error.message : (at('name') ?? at('name.text') ?? at('family'));
  return { name, params, rest: name !== undefined || params.length > 0 ? null : error };
};

/** Creates a key by its family's form, or by name; never overwrites one. */
export const CreateDrawer = ({ family: first, onCreated, ...drawer }: CreateDrawerProps) => {
  const t = useTranslations('keys.create');
  const tKeys = useTranslations('keys');
  const tWord = useTranslations('words');
  const { id } = useConnection();
  const families = useQuery(familiesQuery(id)).data?.items ?? NO_FAMILIES;
  const change = useCommand(keyContracts.create);
  const [name, setName] = useState<NewName>({ by: 'family', family: first, params: {}, text: '' });
  const family = name.by === 'family' ? (families.find((each) => each.family === name.family) ?? null) : null;
  // Fields that were not edited follow the family.
  const [typed, setTyped] = useState<NewValue | null>(null);
  const value = typed ?? { ...NO_VALUE, type: typeOf(family) };
  const [expiry, setExpiry] = useState<{ seconds: number | null } | null>(null);
  const ttlSeconds = expiry ? expiry.seconds : (family?.ttlSeconds ?? null);
  const refusal = refusalOf(change.error);
  const named = nameInput(name, family);
  const wire = wireValue(value);
  return (
    <FormDrawer
      {...drawer}
      width="editor"
      title={tKeys('actions.keys-create')}
      verb={tKeys('actions.keys-create')}
      blocked={!named || !wire}
      change={change}
      input={(words) => ({ ...named, value: wire!, ttlSeconds, ...words })}
      done={({ key }) => t('done', { key: visibleText(key, 80) })}
      onDone={onCreated}
      error={refusal.rest}
    >
      <Stack gap="sm">
        <NameFields
          name={name}
          families={families}
          error={refusal.name}
          paramErrors={refusal.params}
          onChange={(next) => {
            change.reset();
            if (next.family !== name.family || next.by !== name.by) setExpiry(null);
            setName(next);
          }}
        />
        <ValueFields
          value={value}
          documented={family?.type ?? null}
          onChange={(next) => {
            change.reset();
            setTyped(next);
          }}
        />
        <Checkbox
          label={tWord('expires')}
          description={family && t('documentedTtl', { ttl: family.ttl })}
          checked={ttlSeconds !== null}
          onChange={(event) =>
            setExpiry({ seconds: event.currentTarget.checked ? (family?.ttlSeconds ?? HOUR) : null })
          }
        />
        {ttlSeconds !== null && (
          <SpanField
            key={family?.family ?? ''}
            label={tWord('ttl')}
            description=""
            seconds={ttlSeconds}
            least={1}
            onChange={(seconds) => setExpiry({ seconds })}
          />
        )}
      </Stack>
    </FormDrawer>
  );
};
