import { List, Paper, Stack, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { toPlainText } from '../../parts/plain-text.ts';
import { WebLink } from '../../parts/web-link.tsx';

interface Result {
  readonly title: string;
  readonly url: string;
  /** Passages of the page, separated by blank lines. */
  readonly snippet: string;
  readonly date?: string;
  readonly last_updated?: string;
}

export interface SearchAnswer {
  readonly results: readonly Result[];
  readonly tookMs: number;
}

/** What was found, best first. Everything in it was written by others and is shown as text. */
export function Results({ answer: { results, tookMs } }: { readonly answer: SearchAnswer }): ReactNode {
  return (
    <Stack gap="sm">
      <Text role="status">
        {results.length === 0
          ? 'Nothing was found. Add pages to the index, or configure a web engine.'
          : `${results.length} ${results.length === 1 ? 'page' : 'pages'} in ${Math.round(tookMs)} ms`}
      </Text>
      <List type="ordered" listStyleType="none" spacing="sm" styles={{ itemWrapper: { display: 'block' } }}>
        {results.map((result) => (
          <List.Item key={result.url}>
            <One result={result} />
          </List.Item>
        ))}
      </List>
    </Stack>
  );
}

function One({
  result: { title, url, snippet, date, last_updated: updated },
}: {
  readonly result: Result;
}): ReactNode {
  const dates = [
    date === undefined ? null : `published ${date}`,
    updated === undefined ? null : `changed ${updated}`,
  ];
  return (
    <Paper withBorder p="sm">
      <Title order={2} size="h5" className="nestor-text">
        <WebLink href={url}>{title === '' ? url : title}</WebLink>
      </Title>
      <Text size="sm" c="dimmed" className="nestor-text">
        {[url, ...dates].filter((part) => part !== null).join(' · ')}
      </Text>
      <Text size="sm" className="nestor-text" lineClamp={12}>
        {toPlainText(snippet)}
      </Text>
    </Paper>
  );
}
