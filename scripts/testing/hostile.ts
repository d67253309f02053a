import { z } from 'zod';
import { type Contract, pathParameters } from '@/lib/contract';
import type { Random } from '../demo-traffic/random';
import * as values from './hostile-values';
import { CONNECTION, ORIGIN } from './interface';

export interface HostileRequest {
  what: string;
  request: Request;
  params: Record<string, string>;
}

type Json = Record<string, unknown>;

interface Schema {
  type?: string;
  format?: string;
  enum?: unknown[];
  const?: unknown;
  default?: unknown;
  properties?: Record<string, Schema>;
  additionalProperties?: Schema | boolean;
  items?: Schema;
  required?: string[];
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
}

/** A place in an input that can take a value. */
interface Place {
  path: (string | number)[];
  schema: Schema;
}

const branches = (schema: Schema): Schema[] => [
  ...(schema.anyOf ?? []),
  ...(schema.oneOf ?? []),
  ...(schema.allOf ?? []),
];

const placesIn = (schema: Schema, path: Place['path'] = []): Place[] => {
  const here = path.length > 0 && branches(schema).length === 0 ? [{ path, schema }] : [];
  const record = typeof schema.additionalProperties === 'object' ? schema.additionalProperties : null;
  return [
    ...here,
    ...branches(schema).flatMap((inner) => placesIn(inner, path)),
    ...Object.entries(schema.properties ?? {}).flatMap(([name, inner]) => placesIn(inner, [...path, name])),
    ...(record ? placesIn(record, [...path, 'field']) : []),
    ...(schema.items ? placesIn(schema.items, [...path, 0]) : []),
  ];
};

/** A value that a schema might accept. */
const exampleOf = (schema: Schema): unknown => {
  if (schema.enum) return schema.enum[0];
  if (schema.const !== undefined) return schema.const;
  if (schema.default !== undefined) return schema.default;
  const [first] = branches(schema);
  if (first) return exampleOf(first);
  if (schema.type === 'object')
    return Object.fromEntries(
      (schema.required ?? []).map((name) => [name, exampleOf(schema.properties?.[name] ?? {})]),
    );
  if (schema.type === 'array') return [exampleOf(schema.items ?? {})];
  if (schema.type === 'boolean') return true;
  if (schema.type === 'integer' || schema.type === 'number') return 1;
  return schema.format === 'date-time' ? '2026-01-01T00:00:00Z' : 'x';
};

/** `base` with `value` at `path`; missing parents are created. */
const withValue = (base: unknown, [name, ...rest]: Place['path'], value: unknown): unknown => {
  if (name === undefined) return value;
  if (typeof name === 'number') return [withValue(Array.isArray(base) ? base[0] : undefined, rest, value)];
  const object = typeof base === 'object' && base !== null && !Array.isArray(base) ? base : {};
  return { ...object, [name]: withValue((object as Json)[name], rest, value) };
};

/** The most hostile values for a place, by its name and type. */
const poolFor = ({ path, schema }: Place, cursors: readonly string[]): readonly string[] => {
  const name = String(path.findLast((part) => typeof part === 'string')).toLowerCase();
  if (name === 'cursor') return [...values.CURSORS, ...cursors];
  if (schema.format === 'date-time' || /^(at|from|to|until|expiresat)$/.test(name)) return values.TIMES;
  if (schema.type === 'integer' || schema.type === 'number') return values.NUMBERS;
  if (/pattern|match|^q$|params|field|name$/.test(name)) return [...values.GLOBS, ...values.STRINGS];
  if (/^ips?$|address/.test(name)) return values.ADDRESSES;
  return /ids?$|handles?$|key|etag/.test(name) ? [...values.IDS, ...values.STRINGS] : values.STRINGS;
};

const hostileValue = (place: Place, { cursors, random, contract }: Attack): unknown => {
  const dice = random.next();
  if (dice < 0.08) return random.pick(values.SECRETS);
  if (dice < 0.55) return random.pick(poolFor(place, cursors));
  if (dice < 0.75 || contract.method === 'GET')
    return random.pick([...values.STRINGS, ...values.NUMBERS, ...values.TIMES]);
  return random.pick(values.VALUES);
};

const textOf = (value: unknown): string =>
  typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
const shown = (value: unknown): string => {
  const text = JSON.stringify(value) ?? 'undefined';
  return text.length > 160 ? `${text.slice(0, 160)}… (${text.length})` : text;
};

/** JSON allows these numbers, but `JSON.stringify` writes others. */
const numbersAsTheyAre = (json: string): string => json.replaceAll(/"(1e400|-0)"/g, '$1');

interface Sent {
  input: Json;
  query?: string;
  body?: string | Uint8Array;
  headers?: Record<string, string>;
  connection?: string;
}

/** In the form that Next passes on; characters not allowed in a URL are encoded like in a browser. */
const requestOf = (contract: Contract, what: string, sent: Sent): HostileRequest => {
  const names = pathParameters(contract.path);
  const inPath = names.map((name) => [name, Buffer.from(textOf(sent.input[name] ?? 'x')).toString()]);
  const rest = Object.entries(sent.input).filter(([name]) => !names.includes(name));
  const isGet = contract.method === 'GET';
  const fields = isGet ? rest.map(([name, value]): [string, string] => [name, textOf(value)]) : [];
  const query = sent.query ?? new URLSearchParams(fields).toString();
  const body = sent.body ?? (isGet ? undefined : numbersAsTheyAre(JSON.stringify(Object.fromEntries(rest))));
  return {
    what,
    request: new Request(`${ORIGIN}/api/v1/hostile${query ? `?${query}` : ''}`, {
      // The handler follows its contract, so a GET can carry a body here as it can over HTTP.
      method: body === undefined ? 'GET' : 'POST',
      headers: {
        host: new URL(ORIGIN).host,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...sent.headers,
      },
      ...(body === undefined ? {} : { body: body as BodyInit }),
    }),
    params: { connection: sent.connection ?? CONNECTION, ...Object.fromEntries(inPath) },
  };
};

interface Attack {
  contract: Contract;
  /** Valid input for the operation, as a starting point. */
  minimal: Json;
  /** Cursors that lists issued. */
  cursors: readonly string[];
  count: number;
  random: Random;
}

/** Requests that are hostile for any operation; a stream's main target is its resume id. */
const wholeRequests = ({ contract, minimal, random }: Attack): (() => HostileRequest)[] => {
  const send = (what: string, sent: Omit<Sent, 'input'>, input = minimal) =>
    requestOf(contract, what, { input, ...sent });
  const body = () => {
    const [what, text, type] = random.pick(values.BODIES);
    return send(what, { body: text, ...(type ? { headers: { 'content-type': type } } : {}) });
  };
  const query = () => {
    const text = random.pick(values.QUERIES);
    return send(`?${text.slice(0, 80)}`, { query: text });
  };
  const headers = () => {
    const extra = random.pick(values.HEADERS);
    return send(`headers ${shown(extra)}`, { headers: extra });
  };
  const unknownField = () => {
    const name = random.pick(values.NAMES);
    const field = { value: random.pick(values.VALUES), enumerable: true };
    // Defined explicitly, so that __proto__ becomes an own field.
    return send(`an unknown field ${shown(name)}`, {}, Object.defineProperty({ ...minimal }, name, field));
  };
  const connection = () => {
    const name = random.pick(values.CONNECTIONS);
    return send(`connection ${shown(name)}`, { connection: name });
  };
  return contract.stream
    ? [headers, query, headers, connection, headers]
    : [body, query, headers, unknownField, connection];
};

const WHOLE = 15;

/**
 * `count` hostile requests for any operation, without credentials: generic ones first, then by its contract the most
 * hostile values in each place, then random ones.
 */
export const hostileRequests = (attack: Attack): HostileRequest[] => {
  const { contract, minimal, cursors, count, random } = attack;
  const schema = z.toJSONSchema(contract.input, { io: 'input', unrepresentable: 'any' }) as Schema;
  const places = placesIn(schema);
  const bare = exampleOf(schema) as Json;
  const whole = wholeRequests(attack);
  const inPlace = (place: Place, value: unknown): HostileRequest => {
    const base = random.next() < 0.6 ? { ...bare, ...minimal } : bare;
    const input = withValue(base, place.path, value) as Json;
    return requestOf(contract, `${place.path.join('.')} = ${shown(value)}`, { input });
  };
  const worst = places.flatMap((place) =>
    poolFor(place, cursors)
      .slice(0, 2)
      .map((value) => ({ place, value })),
  );
  return Array.from({ length: count }, (_, i) => {
    if (places.length === 0 || i < WHOLE) return whole[i % whole.length]!();
    const next = worst[i - WHOLE];
    if (next && i < count - WHOLE) return inPlace(next.place, next.value);
    const place = random.pick(places);
    return inPlace(place, hostileValue(place, attack));
  });
};
