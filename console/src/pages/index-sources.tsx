import { Code, List, Paper, Stack, Text, Title } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import type { Api } from '../api/call.ts';
import { useCall } from '../api/use-call.ts';
import { useRefresh } from '../api/use-refresh.ts';
import { Failure } from '../parts/failure.tsx';
import { Page } from '../parts/page.tsx';
import { useSession } from '../session.tsx';
import { NewSource } from '../parts/sources/new-source.tsx';
import { isMoving, type SourceList } from '../parts/sources/source.ts';
import { SourceTable } from '../parts/sources/source-table.tsx';

const sourcesPath = '/admin/v1/index/sources';
/** How often the list is asked for while something is being read. */
const lookAgainMs = 1_000;

/** What the embedded search looks in. The index belongs to the server and not to an account, so it takes the admin key. */
export function IndexPage(): ReactNode {
  const { adminApi } = useSession();
  return (
    <Page
      title="Index"
      about="Folders and sites that this server has read, for its own search. The documentation is in it from the first start."
    >
      {adminApi === null ? <HowToSignIn /> : <Sources api={adminApi} />}
    </Page>
  );
}

function Sources({ api }: { readonly api: Api }): ReactNode {
  const sources = useCall<SourceList>(api, { path: sourcesPath });
  const [failure, setFailure] = useState<unknown>(null);
  const { reload } = sources;
  useRefresh(sources.body?.data.some(isMoving) === true, sources, lookAgainMs);
  return (
    <>
      <Failure of={sources.failure ?? failure} />
      <NewSource api={api} path={sourcesPath} label="Folder on the server, or address" onAdded={reload} />
      <Stack gap="xs">
        <Title order={2} size="h4">
          Sources
        </Title>
        <SourceTable
          api={api}
          path={sourcesPath}
          sources={sources.body?.data ?? []}
          onChange={reload}
          onFailure={setFailure}
        />
      </Stack>
    </>
  );
}

function HowToSignIn(): ReactNode {
  return (
    <Paper withBorder p="md">
      <Stack gap="xs">
        <Text>
          The index is managed with the administration key, because a server reads any folder that it is told
          to. There are two ways:
        </Text>
        <List>
          <List.Item>
            Start Nestor with <Code>NESTOR_ADMIN_KEY</Code> set to a long secret of yours, sign out, and sign
            in with it beside your key.
          </List.Item>
          <List.Item>
            Use the command line: <Code>nestor index add ./documents</Code> and <Code>nestor index ls</Code>.
          </List.Item>
        </List>
      </Stack>
    </Paper>
  );
}
