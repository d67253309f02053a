import { Document, isMap, type Pair, type Scalar, YAMLMap } from 'yaml';
import type { ProposedFamily } from './key-sample';

const contentOf = (family: ProposedFamily) => {
  const { id, pattern, params, type, otherTypes, ttl, sensitive, sensitiveValue, sensitiveFields, examples } =
    family;
  return {
    id,
    pattern,
    ...(Object.keys(params).length > 0 && { params }),
    type,
    ...(otherTypes.length > 0 && { otherTypes }),
    ttl,
    ...(sensitive.length > 0 && { sensitive }),
    ...(sensitiveValue && { sensitiveValue }),
    ...(sensitiveFields.length > 0 && { sensitiveFields }),
    ...(examples.length > 0 && { examples }),
  };
};

const HEADER = ` Proposed from a live keyspace. Name what you know (title, purpose), and give families their role and parts:
 a session, a flag or a cache gets its page from that. npm run catalog -- check FILE finds mistakes.`;

/** Proposals as a catalog file that loads without problems. */
export const catalogYaml = (app: string, families: readonly ProposedFamily[]): string => {
  const document = new Document({ app, families: families.map(contentOf) });
  document.commentBefore = HEADER;
  const list = document.get('families') as { items: unknown[] };
  for (const [i, item] of list.items.entries()) {
    if (!isMap(item)) continue;
    (item as YAMLMap).commentBefore = families[i]!.keys === 1 ? ' 1 key' : ` ${families[i]!.keys} keys`;
    for (const { value } of item.items as Pair<Scalar, unknown>[])
      if (value instanceof YAMLMap) value.flow = true;
    for (const name of ['otherTypes', 'sensitive', 'sensitiveFields', 'examples']) {
      const value = item.get(name) as { flow?: boolean } | undefined;
      if (value) value.flow = true;
    }
  }
  return document.toString({ lineWidth: 0, flowCollectionPadding: true });
};
