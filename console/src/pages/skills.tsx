import { Stack, Title } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { useCall } from '../api/use-call.ts';
import { Failure } from '../parts/failure.tsx';
import { Page } from '../parts/page.tsx';
import { useSession } from '../session.tsx';
import { SkillTable, type SkillList } from './skills/skill-table.tsx';
import { Upload } from './skills/upload.tsx';

/** Skills of the account: added, replaced, fetched, deleted. */
export function SkillsPage(): ReactNode {
  const { api } = useSession();
  const skills = useCall<SkillList>(api, { path: '/v1/skills', query: { limit: 200 } });
  const [failure, setFailure] = useState<unknown>(null);
  return (
    <Page
      title="Skills"
      about="A skill is a folder with a SKILL.md, packed as a zip, that the agent reads when a task calls for it."
    >
      <Failure of={skills.failure ?? failure} />
      <Upload
        label="Add a skill"
        description="A zip with SKILL.md at its top or in one folder."
        send={async (file) => {
          const form = new FormData();
          form.set('file', file);
          await api.call({ path: '/v1/skills', body: form });
        }}
        onSent={skills.reload}
      />
      <Stack gap="xs">
        <Title order={2} size="h4">
          Your skills
        </Title>
        <SkillTable skills={skills.body?.skills ?? []} onChange={skills.reload} onFailure={setFailure} />
      </Stack>
    </Page>
  );
}
