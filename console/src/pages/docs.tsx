import { Loader } from '@mantine/core';
import { useDocumentTitle } from '@mantine/hooks';
import { useEffect, useState, type ReactNode } from 'react';
import { useLocation } from 'wouter';
import { Failure } from '../parts/failure.tsx';
import { useSession } from '../session.tsx';
import { parseDocument, toSource } from './docs/address.ts';
import { DocumentText } from './docs/document-text.tsx';

/** The documentation of this version, served by this server. */
export function DocsPage(): ReactNode {
  const { api } = useSession();
  const [location] = useLocation();
  const name = parseDocument(location.slice('/docs'.length));
  const source = toSource(name);
  const [text, setText] = useState<string | null>(null);
  const [failure, setFailure] = useState<unknown>(null);
  useDocumentTitle(`${name.page} · Nestor`);
  useEffect(() => {
    const abort = new AbortController();
    const load = async (): Promise<void> => {
      try {
        const content = await api.download({ path: source, signal: abort.signal });
        setText(await content.text());
      } catch (error) {
        if (!abort.signal.aborted) setFailure(error);
      }
    };
    void load();
    return () => {
      abort.abort();
    };
  }, [api, source]);
  if (failure !== null) return <Failure of={failure} />;
  if (text === null) return <Loader aria-label="Loading the page" />;
  return <DocumentText name={name} text={text} />;
}
