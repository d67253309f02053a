import { useTranslations } from 'next-intl';
import type { ConnectionFacts } from '@/components/patterns/connection';
import classes from './header.module.css';

/** The environment's colour, always next to its name. */
export const EnvironmentDot = ({ environment }: Pick<ConnectionFacts, 'environment'>) => (
  <span className={classes.environment} data-environment={environment} aria-hidden />
);

/** Names production and staging. */
export const EnvironmentBadge = ({ environment }: Pick<ConnectionFacts, 'environment'>) => {
  const t = useTranslations('shell.environment');
  if (environment === 'development') return null;
  return (
    <span className={classes.badge} data-environment={environment}>
      {t(environment)}
    </span>
  );
};
