import { Button, Group, NativeSelect, Stack, Text, TextInput } from '@mantine/core';
import { useState, type FormEvent, type ReactNode } from 'react';
import { ConfirmButton } from '../../parts/confirm-button.tsx';
import { saveAs } from '../../parts/save-as.ts';
import { titleOf, type Conversation } from './kept.ts';
import { toMarkdown } from './markdown.ts';

interface Props {
  readonly conversations: readonly Conversation[];
  /** The one that is open; it is among the others once it has a turn. */
  readonly open: Conversation;
  readonly onOpen: (id: string | null) => void;
  readonly onRename: (name: string | null) => void;
  readonly onDelete: () => void;
}

/** Which conversation is open, and what can be done with it. */
export function ConversationBar({ conversations, open, onOpen, onRename, onDelete }: Props): ReactNode {
  const [isRenaming, setRenaming] = useState(false);
  const isKept = conversations.some(({ id }) => id === open.id);
  if (conversations.length === 0) return null;
  return (
    <Stack gap={4}>
      {isRenaming ? (
        <RenameForm
          title={titleOf(open)}
          onDone={(name) => {
            setRenaming(false);
            if (name !== undefined) onRename(name);
          }}
        />
      ) : (
        <Group gap="xs" align="flex-end">
          <NativeSelect
            label="Conversation"
            flex="1 1 20rem"
            maw="30rem"
            data={[
              ...(isKept ? [] : [{ value: '', label: 'New conversation' }]),
              ...conversations.map((one) => ({ value: one.id, label: titleOf(one) })),
            ]}
            value={isKept ? open.id : ''}
            onChange={(event) => {
              onOpen(event.currentTarget.value);
            }}
          />
          {isKept && (
            <>
              <Button
                variant="default"
                size="compact-sm"
                onClick={() => {
                  setRenaming(true);
                }}
              >
                Rename
              </Button>
              <Button
                variant="default"
                size="compact-sm"
                onClick={() => {
                  saveAs(new Blob([toMarkdown(open)], { type: 'text/markdown' }), `${fileNameOf(open)}.md`);
                }}
              >
                Save as a file
              </Button>
              <ConfirmButton verb="Delete" label="this conversation" onConfirm={async () => onDelete()} />
            </>
          )}
        </Group>
      )}
      <Text size="xs" c="dimmed">
        Kept in this browser, and nowhere else, until you delete them or sign out.
      </Text>
    </Stack>
  );
}

interface RenameProps {
  readonly title: string;
  /** Undefined where it keeps its name; null where its first question is its title again. */
  readonly onDone: (name: string | null | undefined) => void;
}

function RenameForm({ title, onDone }: RenameProps): ReactNode {
  const [name, setName] = useState(title);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onDone(name.trim() === '' ? null : name.trim());
  };
  return (
    <form onSubmit={submit}>
      <Group gap="xs" align="flex-end">
        <TextInput
          label="Name of the conversation"
          flex="1 1 20rem"
          maw="30rem"
          autoFocus
          value={name}
          onChange={(event) => {
            setName(event.currentTarget.value);
          }}
        />
        <Button type="submit" size="compact-sm">
          Rename
        </Button>
        <Button
          variant="default"
          size="compact-sm"
          onClick={() => {
            onDone(undefined);
          }}
        >
          Keep
        </Button>
      </Group>
    </form>
  );
}

/** Letters and digits of the title, as every file system takes them. */
function fileNameOf(conversation: Conversation): string {
  const name = titleOf(conversation)
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, '-')
    .replaceAll(/^-|-$/g, '');
  return name === '' ? 'conversation' : name;
}
