import classes from './text.module.css';

/** Makes a line break visible. */
export const LineEnd = () => (
  <span className={classes.mark} aria-hidden>
    ↵
  </span>
);
