import { badField } from '@/lib/errors';
import { maskSecrets } from './mask';

/** Refuses a text that others will read and that announces a secret. `what` begins the sentence: `A saved view`. */
export const requireNoSecret = (what: string, path: string, text: string): void => {
  if (maskSecrets(text, false) !== text) throw badField(path, `${what} cannot contain a token or a secret.`);
};
