import { base64url } from '@/components/patterns/key-bytes';
import type { ChannelKind, ChannelRow } from '@/lib/channels/schema';
import { bytesOfName, nameText } from '@/lib/visible-text';

/** A channel or pattern that the page follows, by its id. */
export interface Watched {
  kind: ChannelKind;
  id: string;
}

const LETTERS: Record<ChannelKind, string> = { channel: 'c', pattern: 'p', sharded: 's' };
const KINDS = Object.entries(LETTERS).map(([kind, letter]) => [letter, kind as ChannelKind] as const);
const KIND_OF = new Map(KINDS);

/** The maximum length of the field in the address. */
const MAX_CHARS = 1000;
const MAX_WATCHED = 20;

export const keyOf = ({ kind, id }: Watched): string => `${LETTERS[kind]}.${id}`;

/** From the address: `c.{id},p.{id}`; anything else is left out. */
export const watchedIn = (text: string): Watched[] =>
  text
    .split(',')
    .flatMap((part) => {
      const kind = KIND_OF.get(part.slice(0, 1));
      const id = part.slice(2);
      return kind && part[1] === '.' && /^(?:s\.)?[\w-]+$/.test(id) ? [{ kind, id }] : [];
    })
    .slice(0, MAX_WATCHED);

/** For the address; null where it would be too long or too many. */
export const addressOf = (watched: readonly Watched[]): string | null => {
  const text = watched.map(keyOf).join(',');
  return text.length > MAX_CHARS || watched.length > MAX_WATCHED ? null : text;
};

export const patternOf = (text: string): Watched => ({
  kind: 'pattern',
  id: base64url(bytesOfName(text)),
});

/** The bytes of an id as text; null for a sealed one, whose name has a secret. */
const decoded = (id: string): string | null => {
  if (id.startsWith('s.')) return null;
  try {
    const binary = atob(id.replaceAll('-', '+').replaceAll('_', '/'));
    return nameText(new TextDecoder().decode(Uint8Array.from(binary, (char) => char.charCodeAt(0))));
  } catch {
    return null;
  }
};

/** The names of what is followed, from the list where it has them. */
export const namesOf = (watched: readonly Watched[], rows: readonly ChannelRow[]): Map<string, string> => {
  const known = new Map(rows.map((row) => [keyOf({ kind: row.kind, id: row.channelId ?? '' }), row.channel]));
  return new Map(
    watched.map((channel) => [keyOf(channel), known.get(keyOf(channel)) ?? decoded(channel.id) ?? '•••']),
  );
};

/** The input of a tail. */
export const tailOf = (watched: readonly Watched[]) => {
  const ids = (kind: ChannelKind) => watched.filter((channel) => channel.kind === kind).map(({ id }) => id);
  return {
    channelIds: ids('channel'),
    shardChannelIds: ids('sharded'),
    patternIds: ids('pattern'),
  };
};
