import { Box } from '@mantine/core';
import { useEffect, useMemo, type ReactNode } from 'react';
import ReactMarkdown, { type Components } from 'react-markdown';
import rehypeSlug from 'rehype-slug';
import remarkGfm from 'remark-gfm';
import { Link } from 'wouter';
import { WebLink } from '../../parts/web-link.tsx';
import { followLink, type DocumentName } from './address.ts';

interface Props {
  readonly name: DocumentName;
  /** Markdown. */
  readonly text: string;
}

/** A page of the documentation. Comments in it are for its tests. */
export function DocumentText({ name, text }: Props): ReactNode {
  const { section, page } = name;
  const components = useMemo(() => toComponents({ section, page }), [section, page]);
  useEffect(() => {
    // The heading that the address names was not there when the browser looked for it.
    const id = decodeURIComponent(window.location.hash.slice(1));
    if (id !== '') document.querySelector(`#${CSS.escape(id)}`)?.scrollIntoView();
  }, [text]);
  return (
    <Box maw="52rem" className="nestor-markdown">
      <ReactMarkdown
        components={components}
        remarkPlugins={[remarkGfm]}
        rehypePlugins={[rehypeSlug]}
        skipHtml
      >
        {text}
      </ReactMarkdown>
    </Box>
  );
}

function toComponents(name: DocumentName): Components {
  return {
    a({ href = '', children }) {
      const inside = followLink(name, href);
      return inside === null ? (
        <WebLink href={href}>{children}</WebLink>
      ) : (
        <Link href={inside}>{children}</Link>
      );
    },
    // What scrolls has to be reachable by keyboard.
    pre: ({ children }) => (
      <pre tabIndex={0} role="region" aria-label="Example">
        {children}
      </pre>
    ),
    table: ({ children }) => (
      <div tabIndex={0} role="region" aria-label="Table" className="nestor-scroll">
        <table>{children}</table>
      </div>
    ),
    img: ({ alt }) => <span>{alt}</span>,
  };
}
