import { z } from 'zod';
import type { SentinelConfig } from './configuration-connections';
import { tlsOf } from './configuration-connections';
import { tlsIn } from './configuration-tls';
import type { ConfigurationProblem } from './configuration-values';
import * as values from './configuration-values';

const PREFIX = 'KEYWARD_STORE_SENTINEL';
const [NODES, URL_NAME] = [`${PREFIX}_NODES`, 'KEYWARD_STORE_URL'];

type Source = Record<string, string | undefined>;

/** `inner:port=outer:port`, with commas. */
const natMap = values.expecting(
  'a list of host:port=host:port',
  z
    .string()
    .transform((text) => Object.fromEntries(text.split(',').map((pair) => pair.trim().split('='))))
    .pipe(z.record(values.hostAndPort, values.hostAndPort)),
);

/** The variables of the store's Sentinels. Relative paths start from `cwd`. */
const sentinelsIn = (cwd: string) =>
  values.mapping({
    nodes: values.nodes,
    natMap: values.orNull(natMap),
    username: values.orNull(z.string()),
    password: values.orNull(z.string()),
    tls: tlsIn(cwd),
  });

/** Sentinels restrict the names of primaries to these characters, so a name fits in place of a URL's host. */
const nameIn = (url: string): string | null =>
  /^rediss?:\/\/(?:[^@/]*@)?([A-Za-z0-9._-]+)(?:\/\d*)?$/.exec(url)?.[1] ?? null;

/** The Sentinels of the store; null where KEYWARD_STORE_URL has an address. */
export const storeSentinelsOf = (
  source: Source,
  cwd: string,
): { data?: SentinelConfig | null; problems: ConfigurationProblem[] } => {
  const own = Object.keys(source).filter((variable) => variable.startsWith(PREFIX) && source[variable]);
  if (own.length === 0) return { data: null, problems: [] };
  const given = {
    nodes: source[NODES],
    natMap: source[`${PREFIX}_NAT_MAP`],
    username: source[`${PREFIX}_USERNAME`],
    password: source[`${PREFIX}_PASSWORD`],
    tls: tlsOf(source, PREFIX),
  };
  const variableOf = ([field = 'nodes', file]: PropertyKey[]): string =>
    `${PREFIX}_${field === 'natMap' ? 'NAT_MAP' : [field, file].filter((part) => typeof part === 'string').join('_')}`.toUpperCase();
  const { data, problems } = values.check(sentinelsIn(cwd), given, variableOf);
  const url = source[URL_NAME]?.trim() ?? '';
  const name = nameIn(url);
  if (name === null)
    problems.push({
      variable: URL_NAME,
      found: url ? values.shown(url) : 'nothing',
      expected: `redis:// or rediss:// with the name of the primary where the host is, and no port, beside ${NODES}`,
    });
  return { data: data && name !== null ? { ...data, name } : undefined, problems };
};
