import { bytesEqualAt, encodeText, utf8SequenceLength } from './bytes';
import type { Family, Params } from './family';
import { MASK, maskSecrets, withoutLastRun } from './mask';
import { fitsGrammar } from './pattern';
import type { Registry } from './registry';

/** The maximum number of characters of a key that are shown; the rest is replaced by `…`. */
export const DISPLAY_LIMIT = 200;
/** Bytes read for display: far more than can be shown, far less than a key can have. */
const LOOK_LIMIT = 4096;
/** Markers nested deeper do not occur in practice, so their inner keys are not examined. */
const MARKER_DEPTH = 4;

/** Invisible and direction-changing characters would let one key pass for another. */
const isDeceptive = (code: number): boolean =>
  code < 0x20 ||
  (code >= 0x7f && code <= 0x9f) ||
  code === 0xad ||
  (code >= 0x200b && code <= 0x200f) ||
  (code >= 0x2028 && code <= 0x202e) ||
  (code >= 0x2060 && code <= 0x2069) ||
  code === 0xfeff;

const escaped = (bytes: Uint8Array, start: number, end: number): string => {
  let out = '';
  for (let i = start; i < end; i++) out += `\\x${bytes[i]!.toString(16).padStart(2, '0')}`;
  return out;
};

const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

/** The pieces to show, one character or one escaped sequence each, so that truncation never falls inside one. */
function* pieces(bytes: Uint8Array, start: number, end: number): Generator<string> {
  for (let at = start; at < end; ) {
    const length = utf8SequenceLength(bytes, at, end);
    const next = at + Math.max(length, 1);
    if (length === 1) {
      yield isDeceptive(bytes[at]!) ? escaped(bytes, at, next) : String.fromCharCode(bytes[at]!);
    } else {
      const character = length === 0 ? '' : decoder.decode(bytes.subarray(at, next));
      yield length === 0 || isDeceptive(character.codePointAt(0)!) ? escaped(bytes, at, next) : character;
    }
    at = next;
  }
}

/** Most names are visible ASCII, and are not taken apart. */
const shown = (bytes: Uint8Array, start: number, end: number): string => {
  let out = '';
  for (let i = start; i < end; i++) {
    const code = bytes[i]!;
    if (code < 0x20 || code > 0x7e) return [...pieces(bytes, start, end)].join('');
    out += String.fromCharCode(code);
  }
  return out;
};

/** Bytes for display: UTF-8, with `\xNN` for invalid bytes, control and invisible characters. Masks nothing. */
export const displayBytes = (value: Uint8Array, max = Infinity): string => {
  let out = '';
  let count = 0;
  for (const piece of pieces(value, 0, value.length)) {
    if (++count > max) return `${out}…`;
    out += piece;
  }
  return out;
};

/** Truncates to `DISPLAY_LIMIT` characters, never inside a character or an escape. */
const cut = (text: string): string => {
  if (text.length <= DISPLAY_LIMIT) return text;
  const characters = Array.from(text.slice(0, 2 * DISPLAY_LIMIT + 2));
  if (characters.length <= DISPLAY_LIMIT) return text;
  return `${characters
    .slice(0, DISPLAY_LIMIT)
    .join('')
    .replace(/\\(x[0-9a-f]?)?$/u, '')}…`;
};

/**
 * Masks what looks like a secret. If the text was cut inside a run, the run is dropped, because its end is not known.
 */
const displayUnknown = (bytes: Uint8Array, strict: boolean): string => {
  if (bytes.length <= LOOK_LIMIT) return maskSecrets(shown(bytes, 0, bytes.length), strict);
  return `${maskSecrets(withoutLastRun(shown(bytes, 0, LOOK_LIMIT)), strict)}…`;
};

const isSecret = (family: Family, name: string): boolean => family.sensitive?.includes(name) ?? false;

/** A malformed key of a family with secrets in its keys: shows only what certainly precedes the secret. */
const displayMalformed = (key: Uint8Array, family: Family): string => {
  const { literals, params } = family.compiled;
  let from = literals[0]!.length;
  let out = shown(key, 0, from);
  for (const [i, { name, grammar }] of params.entries()) {
    const next = literals[i + 1]!;
    if (isSecret(family, name) || next.length === 0) break;
    let end = from;
    while (end < key.length && end - from < LOOK_LIMIT && !bytesEqualAt(key, end, next)) end++;
    if (!bytesEqualAt(key, end, next) || !fitsGrammar(grammar, key.subarray(from, end))) break;
    out += shown(key, from, end + next.length);
    from = end + next.length;
  }
  return out + MASK;
};

/**
 * A parameter left of a secret that may contain the separator (a legacy user name with dashes) may contain a part of
 * the secret too: only its first piece is certain.
 */
const displayBesideSecret = (bytes: Uint8Array, separator: Uint8Array): string => {
  let end = 0;
  while (end < bytes.length && !bytesEqualAt(bytes, end, separator)) end++;
  const first = displayUnknown(bytes.subarray(0, end), true);
  return end === bytes.length ? first : first + shown(separator, 0, separator.length) + MASK;
};

const displayParam = (
  family: Family,
  index: number,
  bytes: Uint8Array,
  registry: Registry,
  depth: number,
): string => {
  const { params, literals, wide } = family.compiled;
  const { name } = params[index]!;
  if (isSecret(family, name)) return MASK;
  if (name === family.innerKey) return depth < MARKER_DEPTH ? displayWhole(bytes, registry, depth + 1) : MASK;
  const secretFollows = params.some((param, i) => i > index && isSecret(family, param.name));
  return index === wide && secretFollows
    ? displayBesideSecret(bytes, literals[index + 1]!)
    : displayUnknown(bytes, false);
};

const displayWhole = (key: Uint8Array, registry: Registry, depth: number, isNoBareKey = false): string => {
  const { family, malformedOf, secretOf, candidate, spans } = registry.locate(key);
  const isUnclassified = malformedOf === null && (family === null || candidate !== null);
  if (isUnclassified && isNoBareKey) return displayUnknown(key, true);
  if (family === null) {
    if (secretOf !== null) return displayMalformed(key, secretOf);
    if (candidate === null) return displayUnknown(key, true);
    // Where an application uses bare secrets as keys, a key without a family may be one.
    const prefix = isNoBareKey ? (malformedOf?.compiled.literals[0] ?? []) : [];
    return shown(Uint8Array.from(prefix), 0, prefix.length) + MASK;
  }
  const { literals, params } = family.compiled;
  // Copied, because showing a marker's inner key calls `locate` again.
  const parts = params.map((_, i) => key.subarray(spans[2 * i]!, spans[2 * i + 1]!));
  return parts.reduce(
    (out, bytes, i) => {
      const literal = literals[i + 1]!;
      return out + displayParam(family, i, bytes, registry, depth) + shown(literal, 0, literal.length);
    },
    shown(literals[0]!, 0, literals[0]!.length),
  );
};

/** As `displayKey` or, for `isNoBareKey`, `displayUnclassified`, without their limit of 200 characters. */
export const maskedName = (key: Uint8Array, registry: Registry, isNoBareKey = false): string =>
  displayWhole(key, registry, 0, isNoBareKey);

/** Cuts a name for display. */
export const cutName = (name: string): string => cut(name);

/** Whether the end of a name is not examined, so that it may hold a secret. */
export const isPartlyExamined = (key: Uint8Array): boolean => key.length > LOOK_LIMIT;

/**
 * A key for display: UTF-8, `\xNN` for other bytes, secrets replaced by `•••`, at most 200 characters. Sensitive
 * parameters are masked by the key's family; in malformed and unknown keys everything is masked that could be or looks
 * like a secret.
 */
export const displayKey = (key: Uint8Array, registry: Registry): string =>
  cut(displayWhole(key, registry, 0));

/**
 * As `displayKey`, for a key without a family that was read and is no bare key, whatever its name suggests (`isSettled`
 * of `identifyKeys`). Of a malformed key the prefix is shown as well.
 */
export const displayUnclassified = (key: Uint8Array, registry: Registry): string =>
  cut(displayWhole(key, registry, 0, true));

/** Whether something in the key is masked. Its id must not be shown then, because it encodes the full key. */
export const holdsSecret = (key: Uint8Array, registry: Registry): boolean =>
  displayWhole(key, registry, 0).includes(MASK);

/** A key's parameters for display, masked as in `displayKey`. */
export const displayParams = (family: Family, params: Readonly<Params>, registry: Registry): Params =>
  Object.fromEntries(
    family.paramNames.map((name, i) => [
      name,
      cut(displayParam(family, i, encodeText(params[name] ?? ''), registry, 0)),
    ]),
  );

/** The key's bytes as base64url, used for keys in URLs and JSON. */
export const keyId = (key: Uint8Array): string => Buffer.from(key).toString('base64url');

/** The bytes of a key id, or null when it is not canonical base64url. */
export const keyFromId = (id: string): Buffer | null => {
  const key = Buffer.from(id, 'base64url');
  return key.toString('base64url') === id ? key : null;
};

export { escapeGlob } from './glob';
