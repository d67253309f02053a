import { namespacesOf } from './namespaces';

/** All files of the language but the server's sentences, which are loaded where one is shown. */
export const messages = namespacesOf(
  import.meta.glob<{ default: unknown }>(['./ru/*.json', '!./ru/sentences.json'], { eager: true }),
);
