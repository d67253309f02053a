import type { KeyDetails } from '@/lib/keys/schema';
import { visibleText } from '@/lib/visible-text';

/** The key in titles and messages. */
export const keyName = ({ key }: Pick<KeyDetails, 'key'>): string => visibleText(key, 60);
