import { escapeByte, isHiddenInNames } from '@/lib/visible-text';
import { bytesEqualAt, encodeText, utf8SequenceLength } from './bytes';
import type { Family, Params } from './family';
import { MASK, maskSecrets, withoutFirstRun, withoutLastRun } from './mask';
import { fitsGrammar } from './pattern';
import type { Registry } from './registry';

/** The maximum number of characters of a key that are shown; the rest is replaced by `…`. */
export const DISPLAY_LIMIT = 200;
/** Bytes read for display: far more than can be shown, far fewer than a key may have. */
const LOOK_LIMIT = 4096;
/** If a key is longer, this many bytes at its end are also read. */
const LAST_BYTES = 1024;
/** Markers nested deeper do not occur in practice, so their inner keys are not examined. */
const MARKER_DEPTH = 4;

const escaped = (bytes: Uint8Array, start: number, end: number): string => {
  let out = '';
  for (let i = start; i < end; i++) out += escapeByte(bytes[i]!);
  return out;
};

const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

const [SPACE, BACKSLASH] = [0x20, 0x5c];

/** A space at an end or next to another space; a backslash that could begin an escape. */
const isAmbiguous = (bytes: Uint8Array, at: number, start: number, end: number): boolean => {
  const next = at + 1 < end ? bytes[at + 1]! : SPACE;
  if (bytes[at] === SPACE) return at === start || next === SPACE;
  return bytes[at] === BACKSLASH && (next <= SPACE || next > 0x7e || next === BACKSLASH || next === 0x78);
};

/** The pieces to show, one character or one escaped sequence each, so that truncation never falls inside one. */
function* pieces(bytes: Uint8Array, start: number, end: number): Generator<string> {
  let before = '';
  for (let at = start; at < end; ) {
    const length = utf8SequenceLength(bytes, at, end);
    const next = at + Math.max(length, 1);
    if (length === 1) {
      const code = bytes[at]!;
      const isShown = code >= 0x20 && code <= 0x7e && !isAmbiguous(bytes, at, start, end);
      before = String.fromCharCode(code);
      yield isShown ? before : escaped(bytes, at, next);
    } else {
      const character = length === 0 ? '' : decoder.decode(bytes.subarray(at, next));
      yield length === 0 || isHiddenInNames(character, before) ? escaped(bytes, at, next) : character;
      before = character;
    }
    at = next;
  }
}

/** Most names are visible ASCII, and need no splitting. */
const shown = (bytes: Uint8Array, start: number, end: number): string => {
  let out = '';
  for (let i = start; i < end; i++) {
    const code = bytes[i]!;
    if (code < 0x20 || code > 0x7e || isAmbiguous(bytes, i, start, end))
      return [...pieces(bytes, start, end)].join('');
    out += String.fromCharCode(code);
  }
  return out;
};

/**
 * Bytes for display, from which `bytesOfName` restores them: UTF-8, with `\xNN` for invalid bytes, invisible
 * characters, and a backslash that could begin such an escape. Masks nothing.
 */
export const displayBytes = (value: Uint8Array, max = Infinity): string => {
  let out = '';
  let count = 0;
  for (const piece of pieces(value, 0, value.length)) {
    if (++count > max) return `${out}…`;
    out += piece;
  }
  return out;
};

const ESCAPE = /\\(?:x[0-9a-f]?)?$/;

/**
 * Cuts a name for display. The last quarter is its end, because names often differ only there. Splits no character or
 * escape.
 */
export const cutName = (text: string, max = DISPLAY_LIMIT): string => {
  if (text.length <= max) return text;
  const characters = Array.from(text);
  if (characters.length <= max) return text;
  const atEnd = Math.floor(max / 4);
  const head = characters
    .slice(0, max - atEnd)
    .join('')
    .replace(ESCAPE, '');
  // A cut escape begins at most three characters before the shown end.
  const split = ESCAPE.exec(characters.slice(-atEnd - 3, -atEnd).join(''));
  const end = characters.slice(-atEnd + (split ? 4 - split[0].length : 0)).join('');
  return `${head}…${end}`;
};

/**
 * Masks everything that looks secret. If the text was cut inside a run, the run is dropped, because its rest is
 * unknown.
 */
const displayUnknown = (bytes: Uint8Array, strict: boolean): string => {
  if (bytes.length <= LOOK_LIMIT) return maskSecrets(shown(bytes, 0, bytes.length), strict);
  const head = maskSecrets(withoutLastRun(shown(bytes, 0, LOOK_LIMIT)), strict);
  const end = shown(bytes, Math.max(LOOK_LIMIT, bytes.length - LAST_BYTES), bytes.length);
  return `${head}…${maskSecrets(withoutFirstRun(end), strict)}`;
};

/** A name without a family, with its end where it is longer than `max` characters; certain secrets are masked. */
export const displayName = (bytes: Uint8Array, max = DISPLAY_LIMIT): string =>
  cutName(displayUnknown(bytes, false), max);

const isSecret = (family: Family, name: string): boolean => family.sensitive?.includes(name) ?? false;

/** A malformed key of a family with secrets in its keys: shows only the part that certainly precedes the secret. */
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
 * A parameter before a secret that may contain the separator (a legacy user name with dashes) may contain a part of
 * the secret: only its first piece is certain.
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
    // Where an application uses bare secrets as keys, a key without a family may be a secret.
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

/** Like `displayKey` or, with `isNoBareKey`, `displayUnclassified`, without their limit of 200 characters. */
export const maskedName = (key: Uint8Array, registry: Registry, isNoBareKey = false): string =>
  displayWhole(key, registry, 0, isNoBareKey);

/** Whether the end of a name is not examined, so that it may hold a secret. */
export const isPartlyExamined = (key: Uint8Array): boolean => key.length > LOOK_LIMIT;

/**
 * A key for display: UTF-8, `\xNN` for other bytes, secrets replaced by `•••`, at most 200 characters. Sensitive
 * parameters are masked by the key's family; in malformed and unknown keys everything that may be or looks like a
 * secret is masked.
 */
export const displayKey = (key: Uint8Array, registry: Registry): string =>
  cutName(displayWhole(key, registry, 0));

/**
 * Like `displayKey`, for a key without a family whose type and fields show that it is not a bare key, whatever its
 * name suggests (`isSettled` of `identifyKeys`). Also shows the prefix of a malformed key.
 */
export const displayUnclassified = (key: Uint8Array, registry: Registry): string =>
  cutName(displayWhole(key, registry, 0, true));

/** Whether a part of the key is masked. Its id must not be shown then, because it encodes the full key. */
export const holdsSecret = (key: Uint8Array, registry: Registry): boolean =>
  displayWhole(key, registry, 0).includes(MASK);

/** A key's parameters for display, masked as in `displayKey`. */
export const displayParams = (family: Family, params: Readonly<Params>, registry: Registry): Params =>
  Object.fromEntries(
    family.paramNames.map((name, i) => [
      name,
      cutName(displayParam(family, i, encodeText(params[name] ?? ''), registry, 0)),
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
