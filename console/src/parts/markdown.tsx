import type { ReactNode } from 'react';
import ReactMarkdown, { type Components } from 'react-markdown';

/**
 * Text of a model or of a page. HTML in it stays text, addresses other than those of the web are dropped, and nothing
 * is fetched: an image is shown as its address.
 */
const components: Components = {
  img: ({ src, alt }) => (
    <span>
      [{alt === undefined || alt === '' ? 'image' : alt}: {typeof src === 'string' ? src : ''}]
    </span>
  ),
  a: ({ href, children }) => <WebLink href={href}>{children}</WebLink>,
};

export function Markdown({ children }: { readonly children: string }): ReactNode {
  return (
    <div className="nestor-markdown">
      <ReactMarkdown components={components}>{children}</ReactMarkdown>
    </div>
  );
}

interface WebLinkProps {
  readonly href: string | undefined;
  readonly children: ReactNode;
}

/** A link to the web in a new tab; plain text where the address is not one of the web. */
export function WebLink({ href, children }: WebLinkProps): ReactNode {
  if (href === undefined || !isWebAddress(href)) return <span>{children}</span>;
  return (
    <a href={href} target="_blank" rel="noopener noreferrer nofollow">
      {children}
    </a>
  );
}

function isWebAddress(href: string): boolean {
  return ['http:', 'https:'].includes(URL.parse(href)?.protocol ?? '');
}
