import { Anchor } from '@mantine/core';
import type { ReactNode } from 'react';

interface WebLinkProps {
  readonly href: string | undefined;
  readonly children: ReactNode;
}

/** A link to the web in a new tab; plain text where the address is not one of the web. */
export function WebLink({ href, children }: WebLinkProps): ReactNode {
  if (href === undefined || !isWebAddress(href)) return <span>{children}</span>;
  return (
    <Anchor href={href} target="_blank" rel="noopener noreferrer nofollow" underline="always" inherit>
      {children}
    </Anchor>
  );
}

function isWebAddress(href: string): boolean {
  return ['http:', 'https:'].includes(URL.parse(href)?.protocol ?? '');
}
