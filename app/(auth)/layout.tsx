import type { ReactNode } from 'react';
import { Logo } from '@/components/shell/logo';
import classes from './auth.module.css';

/** The pages before sign-in: one centred card. */
export default function AuthLayout({ children }: { children: ReactNode }) {
  return (
    <main className={classes.page}>
      <div className={classes.card}>
        <div className={classes.brand}>
          <Logo size={28} />
          <span>Keyward</span>
        </div>
        {children}
      </div>
    </main>
  );
}
