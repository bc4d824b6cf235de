import { Grid, Stack, Text, Title } from '@mantine/core';
import { useId, type ReactNode } from 'react';
import { CitedMarkdown } from './cited-markdown.tsx';
import { Details } from './details.tsx';
import { SourceList, type Source } from './source-list.tsx';

interface Props {
  readonly text: string;
  readonly sources: readonly Source[];
  /** Above the text. */
  readonly before?: ReactNode;
  /** Below the text. */
  readonly after?: ReactNode;
}

/** A text with its sources beside it, or below it on narrow screens. */
export function CitedAnswer({ text, sources, before, after }: Props): ReactNode {
  const listId = useId();
  const hasSources = sources.length > 0;
  return (
    <Grid>
      <Grid.Col span={hasSources ? { base: 12, md: 8 } : 12}>
        <Stack gap="sm">
          {before}
          {text !== '' && (
            <CitedMarkdown listId={listId} known={new Set(sources.map(({ number }) => number))}>
              {text}
            </CitedMarkdown>
          )}
          {after}
        </Stack>
      </Grid.Col>
      {hasSources && (
        <Grid.Col span={{ base: 12, md: 4 }}>
          <Stack gap="xs">
            <Title order={3} size="h5">
              Sources
            </Title>
            <Sources listId={listId} text={text} sources={sources} />
          </Stack>
        </Grid.Col>
      )}
    </Grid>
  );
}

/** Sources that the text cites, or the first few while it cites none; the others are folded. */
function Sources({
  listId,
  text,
  sources,
}: { readonly listId: string } & Pick<Props, 'text' | 'sources'>): ReactNode {
  const named = sources.filter(({ number }) => text.includes(`[${number}]`));
  const shown = named.length > 0 ? named : sources.slice(0, 5);
  const others = sources.filter((source) => !shown.includes(source));
  return (
    <>
      <SourceList listId={listId} sources={shown} />
      {others.length > 0 && (
        <Details summary={`${others.length} more found`}>
          <SourceList listId={listId} sources={others} />
        </Details>
      )}
    </>
  );
}

/** A chat answer numbers its sources by position. */
export function toSources(
  found: readonly {
    readonly title: string;
    readonly url: string;
    readonly date: string | null;
    readonly snippet: string;
  }[],
): readonly Source[] {
  return found.map(({ title, url, date, snippet }, index) => ({
    number: index + 1,
    title,
    url,
    date,
    snippet,
  }));
}

/** What is being waited for; announced to screen readers. */
export function Announcement({ children }: { readonly children: string }): ReactNode {
  return (
    <Text size="sm" c="dimmed" role="status">
      {children}
    </Text>
  );
}
