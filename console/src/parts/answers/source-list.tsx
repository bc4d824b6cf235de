import { Badge, Group, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { toPlainText } from '../plain-text.ts';
import { WebLink } from '../web-link.tsx';
import './source-list.css';

export interface Source {
  /** The `n` of its citation markers `[n]`. */
  readonly number: number;
  readonly title: string;
  readonly url: string;
  readonly date: string | null;
  readonly snippet: string;
}

/** More than fits into three lines; snippets of the agent are whole passages. */
const snippetShown = 400;

/** Element id of the source with a number. */
export function sourceElementId(listId: string, number: number): string {
  return `${listId}-source-${number}`;
}

/** The sources of a text, numbered as its citation markers. */
export function SourceList({
  listId,
  sources,
}: {
  readonly listId: string;
  readonly sources: readonly Source[];
}): ReactNode {
  return (
    <Stack gap="sm" component="ol" p={0} m={0} style={{ listStyle: 'none' }}>
      {sources.map((source) => (
        <li key={source.number}>
          <SourceEntry id={sourceElementId(listId, source.number)} source={source} />
        </li>
      ))}
    </Stack>
  );
}

function SourceEntry({ id, source }: { readonly id: string; readonly source: Source }): ReactNode {
  const { number, title, url, date, snippet } = source;
  const host = URL.parse(url)?.host ?? url;
  return (
    <Group id={id} tabIndex={-1} gap="xs" wrap="nowrap" align="flex-start" className="nestor-source">
      <Badge
        variant="default"
        radius="sm"
        miw="2rem"
        px={4}
        style={{ flexShrink: 0 }}
        aria-label={`Source ${number}`}
      >
        {number}
      </Badge>
      <div style={{ minWidth: 0 }}>
        <Text size="sm" className="nestor-text">
          <WebLink href={url}>{title === '' ? url : title}</WebLink>
        </Text>
        <Text size="xs" c="dimmed" className="nestor-text">
          {date === null ? host : `${host} · ${date}`}
        </Text>
        {snippet !== '' && (
          <Text size="xs" className="nestor-text" lineClamp={3}>
            {toPlainText(snippet.slice(0, snippetShown)).replaceAll(/\s+/g, ' ')}
          </Text>
        )}
      </div>
    </Group>
  );
}
