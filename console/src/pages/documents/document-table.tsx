import { Button, Group, Stack, Table, Text } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import type { Api } from '../../api/call.ts';
import type { Loaded } from '../../api/use-call.ts';
import { ConfirmButton } from '../../parts/confirm-button.tsx';
import { formatTime } from '../../parts/formats.ts';
import { ScrollingTable } from '../../parts/scrolling-table.tsx';
import { WebLink } from '../../parts/web-link.tsx';
import { DocumentView } from './document-view.tsx';
import { documentsPath, placeOf, type Document, type DocumentPage } from './wire.ts';

interface Props {
  readonly api: Api;
  readonly loaded: Loaded<DocumentPage>;
  /** Of the document that is open; null when none is. */
  readonly openId: string | null;
  readonly onOpen: (id: string | null) => void;
  readonly onChange: () => void;
  readonly onFailure: (failure: unknown) => void;
}

/** What the account sent, oldest first, and the document that is open above it. */
export function DocumentTable({ api, loaded, openId, onOpen, onChange, onFailure }: Props): ReactNode {
  const [isBusy, setBusy] = useState(false);
  const documents = loaded.body?.data ?? [];
  const remove = (document: Document) => async (): Promise<void> => {
    onFailure(null);
    setBusy(true);
    const path = `${documentsPath}/${encodeURIComponent(document.id)}`;
    await api.call({ method: 'DELETE', path }).catch(onFailure);
    setBusy(false);
    if (openId === document.id) onOpen(null);
    onChange();
  };
  return (
    <Stack gap="sm">
      {openId !== null && (
        <DocumentView
          key={openId}
          api={api}
          id={openId}
          onClose={() => {
            onOpen(null);
          }}
        />
      )}
      {documents.length === 0 ? (
        <Text c="dimmed">
          None yet. Add a text above, and ask a question about it on the page Search or Chat.
        </Text>
      ) : (
        <ScrollingTable caption="Documents" headings={['Title', 'Address', 'Written', 'What to do']}>
          {documents.map((document) => (
            <Table.Tr key={document.id} aria-current={document.id === openId ? 'true' : undefined}>
              <Table.Td miw="10rem">
                <Text size="sm" className="nestor-text" lineClamp={2}>
                  {document.title}
                </Text>
              </Table.Td>
              <Table.Td className="nestor-text">
                <Place document={document} />
              </Table.Td>
              <Table.Td>{formatTime(document.written_at)}</Table.Td>
              <Table.Td>
                <Group gap="xs" wrap="nowrap">
                  <Button
                    size="compact-sm"
                    variant="default"
                    aria-label={`Read ${document.title}`}
                    onClick={() => {
                      onOpen(document.id);
                    }}
                  >
                    Read
                  </Button>
                  <ConfirmButton
                    verb="Delete"
                    label={document.title}
                    onConfirm={isBusy ? () => Promise.resolve() : remove(document)}
                  />
                </Group>
              </Table.Td>
            </Table.Tr>
          ))}
        </ScrollingTable>
      )}
    </Stack>
  );
}

function Place({ document }: { readonly document: Document }): ReactNode {
  const place = placeOf(document);
  return place === null ? '–' : <WebLink href={place}>{place}</WebLink>;
}
