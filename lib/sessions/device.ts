import 'server-only';
import Bowser from 'bowser';
import { scalarText } from '@/lib/exact-json';
import { parseNested } from '@/lib/values/python-literal';
import { readable } from './readable';
import type { Device } from './schema';

export const NO_DEVICE: Device = { label: null, userAgent: null, address: null };

// Spellings seen in practice; compared without case and separators.
const USER_AGENT = ['useragent', 'ua', 'httpuseragent', 'browseruseragent'];
const ADDRESS = ['ip', 'address', 'ipaddress', 'remoteaddr', 'remoteaddress', 'clientip'];
const NAMED = ['label', 'devicename', 'name', 'device', 'model'];
const PARTS = ['browser', 'platform', 'os', 'devicetype', 'type'];

const LABEL_LENGTH = 80;

type Fields = Map<string, string>;

const textIn = (value: unknown): string | null => {
  const text = scalarText(value);
  if (text !== null) return text.trim() || null;
  if (typeof value !== 'object' || value === null) return null;
  const inner = fieldsOf(value as Record<string, unknown>, false);
  return (
    NAMED.concat(PARTS)
      .map((name) => inner.get(name))
      .find((text) => text !== undefined) ?? null
  );
};

const fieldsOf = (value: Record<string, unknown>, nested = true): Fields => {
  const fields: Fields = new Map();
  for (const [name, field] of Object.entries(value)) {
    const text = nested || typeof field !== 'object' ? textIn(field) : null;
    if (text !== null) fields.set(name.toLowerCase().replace(/[^a-z]/g, ''), text);
  }
  return fields;
};

const first = (fields: Fields, names: readonly string[], max: number): string | null => {
  const value = names.map((name) => fields.get(name)).find((text) => text !== undefined);
  return value === undefined ? null : readable(value, max);
};

/** A few agents account for most sessions, and parsing one takes longer than reading a session. */
const MAX_KNOWN = 2000;
const known = new Map<string, string | null>();

/** "Chrome 141 · Linux" for a user agent; null where the library does not recognise it. */
export const nameOfAgent = (userAgent: string): string | null => {
  const before = known.get(userAgent);
  if (before !== undefined) return before;
  if (known.size >= MAX_KNOWN) known.clear();
  const name = parseAgent(userAgent);
  known.set(userAgent, name);
  return name;
};

const parseAgent = (userAgent: string): string | null => {
  const { browser, os } = Bowser.parse(userAgent);
  const parts = [[browser.name, browser.version?.split('.')[0]].filter(Boolean).join(' '), os.name].filter(
    Boolean,
  );
  return parts.length > 0 ? parts.join(' · ') : null;
};

const labelOf = (fields: Fields, userAgent: string | null): string | null => {
  const named = first(fields, NAMED, LABEL_LENGTH);
  if (named !== null) return named;
  const parts = PARTS.map((name) => fields.get(name)).filter((text) => text !== undefined);
  if (parts.length > 0) return readable(parts.join(', '), LABEL_LENGTH);
  return userAgent === null ? null : readable(nameOfAgent(userAgent) ?? userAgent, LABEL_LENGTH);
};

/**
 * Parses a session's `device_info` in any of its spellings; null when it is neither a JSON object nor a Python
 * dictionary. Without one there is no device. The label is the device's own name, otherwise its platform, otherwise
 * the parsed user agent, otherwise the user agent itself, truncated.
 */
export const parseDevice = (text: string | null): Device | null => {
  if (text === null || text === '') return NO_DEVICE;
  const value = parseNested(text);
  if (value === null) return NO_DEVICE;
  if (typeof value !== 'object' || Array.isArray(value)) return null;
  const fields = fieldsOf(value as Record<string, unknown>);
  const userAgent = first(fields, USER_AGENT, 300);
  return { label: labelOf(fields, userAgent), userAgent, address: first(fields, ADDRESS, 100) };
};

/** A device stored as text: a user agent, unless the text is an object after all. */
export const namedDevice = (text: string): Device | null => {
  const parsed = text.startsWith('{') ? parseDevice(text) : null;
  if (parsed || text === '') return parsed ?? NO_DEVICE;
  const userAgent = readable(text, 300);
  return { label: readable(nameOfAgent(text) ?? text, LABEL_LENGTH), userAgent, address: null };
};
