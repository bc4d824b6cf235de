import { Stack, Table, Text, Title } from '@mantine/core';
import { useEffect, useState, type ReactNode } from 'react';
import type { Api } from '../../api/call.ts';
import { useCall } from '../../api/use-call.ts';
import { useRefresh } from '../../api/use-refresh.ts';
import { Failure } from '../../parts/failure.tsx';
import { ScrollingTable } from '../../parts/scrolling-table.tsx';
import { describeFile, formatBytes, knownPath, type KnownModel, type ModelFile } from './known-model.ts';
import { KnownTable } from './known-table.tsx';

/** How often the list is asked for while something is being pulled. */
const lookAgainMs = 1_000;

interface Props {
  readonly api: Api;
}

/** The models in the data folder, and those that can be pulled into it. They are the operator's. */
export function ModelFiles({ api }: Props): ReactNode {
  const known = useCall<{ readonly data: readonly KnownModel[] }>(api, { path: knownPath });
  const files = useCall<{ readonly data: readonly ModelFile[] }>(api, { path: '/admin/v1/models/files' });
  const [failure, setFailure] = useState<unknown>(null);
  const pulling = known.body?.data.filter(({ state }) => state === 'pulling').length ?? 0;
  const { reload } = known;
  const { reload: reloadFiles } = files;
  useRefresh(pulling > 0, known, lookAgainMs);
  // One that ended lies in the folder now.
  useEffect(() => reloadFiles, [pulling, reloadFiles]);
  return (
    <>
      <Failure of={known.failure ?? files.failure ?? failure} />
      <Stack gap="xs">
        <Title order={2} size="h4">
          Models in the data folder
        </Title>
        <FileTable files={files.body?.data ?? []} />
      </Stack>
      <Stack gap="xs">
        <Title order={2} size="h4">
          Models to pull
        </Title>
        <KnownTable api={api} models={known.body?.data ?? []} onChange={reload} onFailure={setFailure} />
      </Stack>
    </>
  );
}

function FileTable({ files }: { readonly files: readonly ModelFile[] }): ReactNode {
  if (files.length === 0) return <Text c="dimmed">No model lies in the data folder yet.</Text>;
  return (
    <ScrollingTable
      caption="Models in the data folder"
      headings={['Name', 'Form', 'What', 'Size', 'Licence', 'Used by']}
    >
      {files.map((file) => (
        <Table.Tr key={file.name}>
          <Table.Td className="nestor-text">{file.name}</Table.Td>
          <Table.Td>{file.form.toUpperCase()}</Table.Td>
          <Table.Td>{describeFile(file)}</Table.Td>
          <Table.Td>{formatBytes(file.size_bytes)}</Table.Td>
          <Table.Td>{file.licence ?? '–'}</Table.Td>
          <Table.Td>{file.used_by.join(', ') || '–'}</Table.Td>
        </Table.Tr>
      ))}
    </ScrollingTable>
  );
}
