import 'server-only';
import type { Registry } from '@/lib/keyspace/registry';
import type { Fields } from './fields';
import type { Message } from './heard';
import type { LiveFilter } from './schema';

const lower = (value: unknown): string => String(value ?? '').toLowerCase();

const isEntity = (fields: Fields, wanted: string): boolean => {
  const kind = lower(fields.entity_type);
  const ids = [fields.entity_id, fields['payload.id']].filter((id) => id !== undefined).map(lower);
  return kind === wanted || ids.includes(wanted) || ids.some((id) => `${kind}:${id}` === wanted);
};

/**
 * Whether messages pass a filter. It compares what is shown, so that no secret can be guessed by what matches. Bytes
 * that are no text have neither fields nor text.
 */
export const matcherOf = (
  { type, action, entity, text }: LiveFilter,
  catalog: Registry,
): ((message: Message) => boolean) => {
  const wanted = { type: lower(type), action: lower(action), entity: lower(entity), text: lower(text) };
  if (Object.values(wanted).every((text) => text === '')) return () => true;
  const usesFields = wanted.type !== '' || wanted.action !== '' || wanted.entity !== '';
  const passes = (fields: Fields): boolean =>
    (wanted.type === '' || lower(fields.type) === wanted.type) &&
    (wanted.action === '' || lower(fields.action) === wanted.action) &&
    (wanted.entity === '' || isEntity(fields, wanted.entity));
  return (message) =>
    (!usesFields || passes(message.fields(catalog))) &&
    (wanted.text === '' || message.contains(wanted.text, catalog));
};
