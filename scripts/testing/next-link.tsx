import type { AnchorHTMLAttributes } from 'react';
import { useRouter } from './next-navigation';

/** Replaces `next/link` in component tests: a link that changes the URL and loads nothing. */
const Link = ({
  href,
  onClick,
  prefetch: _,
  ...others
}: AnchorHTMLAttributes<HTMLAnchorElement> & { href: string; prefetch?: boolean }) => {
  const router = useRouter();
  return (
    <a
      href={href}
      {...others}
      onClick={(event) => {
        onClick?.(event);
        if (event.defaultPrevented) return;
        event.preventDefault();
        router.push(href);
      }}
    />
  );
};

export default Link;
