import { Button, List, Stack, Text, Title } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { Failure } from '../../parts/failure.tsx';
import { formatCount } from '../../parts/formats.ts';
import { saveAs } from '../../parts/save-as.ts';
import { useSession } from '../../session.tsx';
import { pathOf } from './follow.ts';
import type { FileItem } from './wire.ts';

interface Props {
  readonly responseId: string;
  readonly files: readonly FileItem[];
}

/** Files that the code of a run shared, to be saved. */
export function SharedFiles({ responseId, files }: Props): ReactNode {
  const { api } = useSession();
  const [failure, setFailure] = useState<unknown>(null);
  if (files.length === 0) return null;
  const save = async ({ file_id: id, filename }: FileItem) => {
    setFailure(null);
    try {
      const path = `${pathOf(responseId)}/files/${encodeURIComponent(id)}/content`;
      saveAs(await api.download({ path }), filename.slice(filename.lastIndexOf('/') + 1));
    } catch (error) {
      setFailure(error);
    }
  };
  return (
    <Stack gap="xs">
      <Title order={3} size="h5">
        Files
      </Title>
      <List listStyleType="none" spacing="xs">
        {files.map((file) => (
          <List.Item key={file.file_id}>
            <Text size="sm" component="span" className="nestor-text">
              {file.filename} ({formatCount(file.size_bytes)} bytes){' '}
            </Text>
            <Button
              size="compact-sm"
              variant="default"
              aria-label={`Save ${file.filename}`}
              onClick={() => {
                void save(file);
              }}
            >
              Save
            </Button>
          </List.Item>
        ))}
      </List>
      <Failure of={failure} />
    </Stack>
  );
}
