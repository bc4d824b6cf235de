import { List, Paper, Stack, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { formatTime } from '../../parts/formats.ts';
import { useCall } from '../../api/use-call.ts';
import { Failure } from '../../parts/failure.tsx';
import { useSession } from '../../session.tsx';
import { Upload } from './upload.tsx';

interface Details {
  readonly name: string;
  readonly description: string;
  readonly latest_revision: string;
}

interface Revisions {
  readonly revisions: readonly { readonly revision: string; readonly created_at: string }[];
}

/** One skill with its revisions, and a way to give it a new one. */
export function SkillDetails({
  id,
  onChange,
}: {
  readonly id: string;
  readonly onChange: () => void;
}): ReactNode {
  const { api } = useSession();
  const path = `/v1/skills/${encodeURIComponent(id)}`;
  const skill = useCall<Details>(api, { path });
  const revisions = useCall<Revisions>(api, { path: `${path}/revisions` });
  if (skill.body === null) return <Failure of={skill.failure ?? revisions.failure} />;
  const { name, description, latest_revision: latest } = skill.body;
  return (
    <Paper withBorder p="md">
      <Stack gap="sm">
        <Title order={3} size="h5" className="nestor-text">
          {name}
        </Title>
        <Text className="nestor-text">{description}</Text>
        <List>
          {(revisions.body?.revisions ?? []).map(({ revision, created_at: at }) => (
            <List.Item key={revision}>
              {revision}, {formatTime(at)}
            </List.Item>
          ))}
        </List>
        <Upload
          label={`A new revision of ${name}`}
          description="Refused when somebody else has changed the skill since you looked."
          send={async (file) => {
            const form = new FormData();
            form.set('file', file);
            await api.call({ method: 'PUT', path, query: { expected_revision: latest }, body: form });
          }}
          onSent={() => {
            skill.reload();
            revisions.reload();
            onChange();
          }}
        />
      </Stack>
    </Paper>
  );
}
