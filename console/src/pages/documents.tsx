import { Group, Stack, Tabs, Title } from '@mantine/core';
import { useEffect, useState, type ReactNode } from 'react';
import { useSearchParams } from 'wouter';
import { useCall } from '../api/use-call.ts';
import { useRefresh } from '../api/use-refresh.ts';
import { Failure } from '../parts/failure.tsx';
import { Page } from '../parts/page.tsx';
import { Pager } from '../parts/pager.tsx';
import { NewSource } from '../parts/sources/new-source.tsx';
import { isMoving, type SourceList } from '../parts/sources/source.ts';
import { SourceTable } from '../parts/sources/source-table.tsx';
import { useSession } from '../session.tsx';
import { DocumentTable } from './documents/document-table.tsx';
import { Limits } from './documents/limits.tsx';
import { NewDocument } from './documents/new-document.tsx';
import { documentsPath, sourcesPath, type DocumentPage, type OwnIndex } from './documents/wire.ts';

/** How often sources are asked for while one of them is being read. */
const lookAgainMs = 1_000;
/** Documents of a page. */
const pageSize = 50;

/** The index of the account: documents that it sent, and pages that it has read. */
export function DocumentsPage(): ReactNode {
  const { api } = useSession();
  const [params, setParams] = useSearchParams();
  const [tokens, setTokens] = useState<readonly string[]>([]);
  const [failure, setFailure] = useState<unknown>(null);
  const index = useCall<OwnIndex>(api, { path: '/v1/index' });
  const documents = useCall<DocumentPage>(api, {
    path: documentsPath,
    query: { limit: pageSize, page_token: tokens.at(-1) },
  });
  const sources = useCall<SourceList>(api, { path: sourcesPath });
  const reload = () => {
    index.reload();
    documents.reload();
    sources.reload();
  };
  // What is sent is a source of its own kind, and stands in the table of documents.
  const read = (sources.body?.data ?? []).filter(({ kind }) => kind !== 'texts');
  const isReading = read.some(isMoving);
  useRefresh(isReading, sources, lookAgainMs);
  useRefresh(isReading, index, lookAgainMs);
  const { reload: count } = index;
  // What was counted last may be from before the last page was kept.
  useEffect(() => (isReading ? count : undefined), [isReading, count]);
  return (
    <Page
      title="Your documents"
      about="What only this account finds, in its searches, answers and runs of the agent. No other account does."
    >
      <Failure of={index.failure ?? documents.failure ?? sources.failure ?? failure} />
      {index.body !== null && <Limits index={index.body} />}
      <Tabs defaultValue="text" keepMounted={false}>
        <Tabs.List mb="sm" aria-label="What to add">
          <Tabs.Tab value="text">Add a text</Tabs.Tab>
          <Tabs.Tab value="page">Add a page, site or feed</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="text">
          <NewDocument api={api} onSent={reload} />
        </Tabs.Panel>
        <Tabs.Panel value="page">
          <NewSource api={api} path={sourcesPath} label="Address" onAdded={reload} />
        </Tabs.Panel>
      </Tabs>
      <Stack gap="xs">
        <Title order={2} size="h4">
          Texts that you sent
        </Title>
        <DocumentTable
          api={api}
          loaded={documents}
          openId={params.get('document')}
          onOpen={(id) => {
            setParams(id === null ? {} : { document: id }, { replace: true });
          }}
          onChange={reload}
          onFailure={setFailure}
        />
        <Group>
          <Pager
            tokens={tokens}
            onTokens={setTokens}
            next={documents.body?.next_page_token}
            labels={['Earlier', 'Later']}
          />
        </Group>
      </Stack>
      {read.length > 0 && (
        <Stack gap="xs">
          <Title order={2} size="h4">
            Pages that are read
          </Title>
          <SourceTable api={api} path={sourcesPath} sources={read} onChange={reload} onFailure={setFailure} />
        </Stack>
      )}
    </Page>
  );
}
