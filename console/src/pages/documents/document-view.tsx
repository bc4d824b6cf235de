import { Button, Group, Paper, ScrollArea, Skeleton, Stack, Text, Title } from '@mantine/core';
import { useEffect, useRef, type ReactNode } from 'react';
import type { Api } from '../../api/call.ts';
import { useCall } from '../../api/use-call.ts';
import { Failure } from '../../parts/failure.tsx';
import { formatTime } from '../../parts/formats.ts';
import { documentsPath, placeOf, type WholeDocument } from './wire.ts';

interface Props {
  readonly api: Api;
  readonly id: string;
  readonly onClose: () => void;
}

/** A document as it was sent: as text, whatever marks are in it. */
export function DocumentView({ api, id, onClose }: Props): ReactNode {
  const { body, failure } = useCall<WholeDocument>(api, {
    path: `${documentsPath}/${encodeURIComponent(id)}`,
  });
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    heading.current?.focus();
  }, []);
  return (
    <Paper component="section" withBorder p="md" aria-label="The open document">
      <Stack gap="sm">
        <Group justify="space-between" align="flex-start" wrap="nowrap">
          <Title ref={heading} tabIndex={-1} order={3} size="h5" className="nestor-text">
            {body?.title ?? 'Document'}
          </Title>
          <Button variant="default" size="compact-md" onClick={onClose}>
            Close
          </Button>
        </Group>
        <Failure of={failure} />
        {body === null && failure === null && <Skeleton h={120} aria-label="Loading the document" />}
        {body !== null && (
          <>
            <Text size="xs" c="dimmed" className="nestor-text">
              {factsOf(body)}
            </Text>
            <ScrollArea.Autosize
              mah="24rem"
              viewportProps={{ tabIndex: 0, role: 'region', 'aria-label': 'Text of the document' }}
            >
              <Text size="sm" className="nestor-text">
                {body.text}
              </Text>
            </ScrollArea.Autosize>
          </>
        )}
      </Stack>
    </Paper>
  );
}

function factsOf(document: WholeDocument): string {
  const { id, language, date, written_at: written } = document;
  const facts = [placeOf(document) ?? id, language, date, `written ${formatTime(written)}`];
  return facts.filter((fact) => fact !== null).join(' · ');
}
