import { Anchor } from '@mantine/core';
import type { ReactNode } from 'react';

interface WebLinkProps {
  readonly href: string | undefined;
  readonly children: ReactNode;
}

/** A link that opens in a new tab; plain text unless the address is http(s). */
export function WebLink({ href, children }: WebLinkProps): ReactNode {
  if (href === undefined || !isWebAddress(href)) return <span>{children}</span>;
  return (
    <Anchor
      href={toReadable(href)}
      target="_blank"
      rel="noopener noreferrer nofollow"
      underline="always"
      inherit
    >
      {children}
    </Anchor>
  );
}

function isWebAddress(href: string): boolean {
  return ['http:', 'https:'].includes(URL.parse(href)?.protocol ?? '');
}

/** Pages of this server's documentation are Markdown at their address; the console shows them as pages. */
function toReadable(href: string): string {
  const url = URL.parse(href);
  if (url?.origin !== location.origin || !url.pathname.startsWith('/docs/')) return href;
  // Of the pages there it is the one without a section.
  const path = url.pathname === '/docs/README' ? '/docs' : url.pathname;
  return `/console${path}${url.hash}`;
}
