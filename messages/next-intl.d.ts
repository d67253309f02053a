import type { Locale } from '@/lib/locales';
import type { messages } from './en';

declare module 'next-intl' {
  interface AppConfig {
    Locale: Locale;
    // A key that is in no file of messages/en does not compile.
    Messages: typeof messages;
  }
}
