import { Button, Group, Table, Text } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { formatTime } from '../../parts/formats.ts';
import { ConfirmButton } from '../../parts/confirm-button.tsx';
import { saveAs } from '../../parts/save-as.ts';
import { ScrollingTable } from '../../parts/scrolling-table.tsx';
import { useSession } from '../../session.tsx';
import { SkillDetails } from './skill-details.tsx';

export interface Skill {
  readonly skill_id: string;
  readonly name: string;
  readonly revision: string;
  /** ISO 8601. */
  readonly updated_at: string;
}

export interface SkillList {
  readonly skills: readonly Skill[];
}

interface Props {
  readonly skills: readonly Skill[];
  readonly onChange: () => void;
  readonly onFailure: (failure: unknown) => void;
}

export function SkillTable({ skills, onChange, onFailure }: Props): ReactNode {
  const { api } = useSession();
  const [openId, setOpenId] = useState<string | null>(null);
  if (skills.length === 0) return <Text c="dimmed">No skills yet. Add one above.</Text>;
  const attempt = (work: () => Promise<void>) => async (): Promise<void> => {
    onFailure(null);
    await work().catch(onFailure);
  };
  const pathOf = ({ skill_id: id }: Skill) => `/v1/skills/${encodeURIComponent(id)}`;
  const download = (skill: Skill) =>
    attempt(async () => {
      const { body } = await api.call<{ download_url: string }>({ path: `${pathOf(skill)}/download` });
      // The link may be of the public address of the server, which need not be the one of this page.
      const { pathname, search } = new URL(body.download_url, window.location.href);
      saveAs(await api.download({ path: pathname + search }), `${skill.name}.zip`);
    });
  const remove = (skill: Skill) =>
    attempt(async () => {
      await api.call({ method: 'DELETE', path: pathOf(skill), query: { expected_revision: skill.revision } });
      onChange();
    });
  return (
    <>
      <ScrollingTable caption="Skills" headings={['Name', 'What to do', 'Changed', 'Revision']}>
        {skills.map((skill) => (
          <Table.Tr key={skill.skill_id}>
            <Table.Td>{skill.name}</Table.Td>
            <Table.Td>
              <Group gap="xs" wrap="nowrap">
                <Button
                  size="compact-sm"
                  variant="default"
                  aria-label={`Open ${skill.name}`}
                  aria-expanded={openId === skill.skill_id}
                  onClick={() => {
                    setOpenId(openId === skill.skill_id ? null : skill.skill_id);
                  }}
                >
                  Open
                </Button>
                <Button
                  size="compact-sm"
                  variant="default"
                  aria-label={`Download ${skill.name}`}
                  onClick={() => void download(skill)()}
                >
                  Download
                </Button>
                <ConfirmButton verb="Delete" label={skill.name} onConfirm={remove(skill)} />
              </Group>
            </Table.Td>
            <Table.Td>{formatTime(skill.updated_at)}</Table.Td>
            <Table.Td>{skill.revision}</Table.Td>
          </Table.Tr>
        ))}
      </ScrollingTable>
      {openId !== null && <SkillDetails key={openId} id={openId} onChange={onChange} />}
    </>
  );
}
