import { useDeferredValue, useMemo, type MouseEvent, type ReactNode } from 'react';
import ReactMarkdown, { type Components } from 'react-markdown';
import remarkGfm from 'remark-gfm';
import { WebLink } from '../web-link.tsx';
import { markSources } from './marks.ts';
import { sourceElementId } from './source-list.tsx';

interface Props {
  readonly children: string;
  /** Of the list beside the text, so that marks find their sources in it. */
  readonly listId: string;
  /** Numbers of the sources that are in the list. */
  readonly known: ReadonlySet<number>;
}

/**
 * Markdown of a model whose citation markers link to its sources. HTML stays text, links other than http(s) are dropped,
 * and nothing is fetched: an image is shown as its address. Headings are two levels lower, below those of the page.
 */
export function CitedMarkdown({ children, listId, known }: Props): ReactNode {
  // A streamed text changes many times a second; a slow machine may render it less often.
  const text = useDeferredValue(children);
  const numbers = [...known].join(' ');
  const drawn = useMemo(() => {
    const sources = new Set(numbers.split(' ').map(Number));
    return (
      <ReactMarkdown
        components={componentsOf(listId)}
        remarkPlugins={[remarkGfm]}
        rehypePlugins={[[markSources, { known: sources }]]}
      >
        {text}
      </ReactMarkdown>
    );
  }, [text, listId, numbers]);
  return <div className="nestor-markdown">{drawn}</div>;
}

function componentsOf(listId: string): Components {
  return {
    h1: ({ children }) => <h3>{children}</h3>,
    h2: ({ children }) => <h4>{children}</h4>,
    h3: ({ children }) => <h5>{children}</h5>,
    h4: ({ children }) => <h6>{children}</h6>,
    h5: ({ children }) => <h6>{children}</h6>,
    img: ({ src, alt }) => (
      <span>
        [{alt === undefined || alt === '' ? 'image' : alt}: {typeof src === 'string' ? src : ''}]
      </span>
    ),
    a: ({ href, children }) => <WebLink href={href}>{children}</WebLink>,
    // It scrolls, and has to be reached by keyboard.
    pre: ({ children }) => (
      <pre tabIndex={0} role="region" aria-label="Code">
        {children}
      </pre>
    ),
    table: ({ children }) => (
      <div tabIndex={0} role="region" aria-label="Table" className="nestor-scroll">
        <table>{children}</table>
      </div>
    ),
    sup: ({ node, children }) => {
      const source = node?.properties['dataSource'];
      return typeof source === 'string' ? <Mark listId={listId} source={source} /> : <sup>{children}</sup>;
    },
  };
}

function Mark({ listId, source }: { readonly listId: string; readonly source: string }): ReactNode {
  const id = sourceElementId(listId, Number(source));
  const show = (event: MouseEvent) => {
    event.preventDefault();
    document.querySelector<HTMLElement>(`#${CSS.escape(id)}`)?.focus();
  };
  return (
    <a href={`#${id}`} aria-label={`Source ${source}`} onClick={show}>
      [{source}]
    </a>
  );
}
