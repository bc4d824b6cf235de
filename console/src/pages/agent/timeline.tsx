import { Code, List, Stack, Text, Timeline } from '@mantine/core';
import {
  Braces,
  ChartLine,
  Code as CodeIcon,
  FileDown,
  FileText,
  MessageSquare,
  Package,
  Search,
  Users,
  type LucideIcon,
} from 'lucide-react';
import type { ReactNode } from 'react';
import { Details } from '../../parts/answers/details.tsx';
import { formatCount } from '../../parts/formats.ts';
import { WebLink } from '../../parts/web-link.tsx';
import { textOf, type Progress } from './run.ts';
import type { OutputItem } from './wire.ts';

interface Props {
  readonly steps: readonly OutputItem[];
  readonly progress: readonly Progress[];
}

interface StepTexts {
  readonly icon: LucideIcon;
  readonly title: string;
  readonly body: ReactNode;
}

/** What was done, in its order, and at its end what is being done. */
export function StepTimeline({ steps, progress }: Props): ReactNode {
  const all = [...steps.map(toTexts), ...progress.map(toProgressTexts)];
  if (all.length === 0) return null;
  return (
    <Timeline active={all.length} bulletSize={24} lineWidth={2}>
      {all.map(({ icon: Icon, title, body }, index) => (
        // Steps are only ever added at the end.
        <Timeline.Item key={index} bullet={<Icon size={14} aria-hidden />} title={title}>
          {body}
        </Timeline.Item>
      ))}
    </Timeline>
  );
}

function toTexts(item: OutputItem): StepTexts {
  switch (item.type) {
    case 'search_results':
      return {
        icon: Search,
        title: `Searched: ${quoted(item.queries)}`,
        body: <Found pages={item.results} />,
      };
    case 'people_search_results':
      return {
        icon: Users,
        title: `Looked for people: ${quoted(item.queries)}`,
        body: <Found pages={item.results} />,
      };
    case 'fetch_url_results':
      return { icon: FileText, title: 'Read pages', body: <Found pages={item.contents} /> };
    case 'finance_results':
      return {
        icon: ChartLine,
        title: `Looked up figures: ${item.tickers.join(', ')}`,
        body: (
          <Plain>{item.results.map(({ category, content }) => `${category}: ${content}`).join('\n')}</Plain>
        ),
      };
    case 'sandbox_results':
      return {
        icon: CodeIcon,
        title: `Ran ${item.language}: ${item.status.replaceAll('_', ' ')}, exit code ${item.exit_code}`,
        body: <RunCode item={item} />,
      };
    case 'share_file':
      return {
        icon: FileDown,
        title: 'Shared a file',
        body: <Plain>{`${item.filename}, ${formatCount(item.size_bytes)} bytes`}</Plain>,
      };
    case 'skill_loaded':
      return { icon: Package, title: `Loaded the skill ${item.name}`, body: null };
    case 'function_call':
      return {
        icon: Braces,
        title: `Asks for ${item.name}`,
        body: <CodeBlock label="Arguments">{item.arguments}</CodeBlock>,
      };
    case 'message':
      return { icon: MessageSquare, title: 'Said', body: <Plain>{textOf(item)}</Plain> };
  }
}

function toProgressTexts({ kind, texts }: Progress): StepTexts {
  switch (kind) {
    case 'thought':
      return { icon: MessageSquare, title: 'Thought', body: <Plain>{texts.join(' ')}</Plain> };
    case 'search':
      return { icon: Search, title: `Searches: ${quoted(texts)} …`, body: null };
    case 'found':
      return { icon: Search, title: `Found ${texts.length}`, body: <Plain>{texts.join('\n')}</Plain> };
    case 'fetch':
      return { icon: FileText, title: 'Reads pages …', body: <Plain>{texts.join('\n')}</Plain> };
    case 'read':
      return { icon: FileText, title: `Read ${texts.length}`, body: <Plain>{texts.join('\n')}</Plain> };
    case 'skill':
      return { icon: Package, title: `Loads the skill ${texts.join(', ')} …`, body: null };
  }
}

function quoted(words: readonly string[]): string {
  return words.map((word) => `“${word}”`).join(', ');
}

function Plain({ children }: { readonly children: string }): ReactNode {
  return (
    <Text size="sm" className="nestor-text">
      {children}
    </Text>
  );
}

function Found({
  pages,
}: {
  readonly pages: readonly { readonly url: string; readonly title: string }[];
}): ReactNode {
  if (pages.length === 0) return <Plain>Nothing found.</Plain>;
  return (
    <Details summary={pages.length === 1 ? '1 page' : `${pages.length} pages`}>
      <List size="sm">
        {pages.map(({ url, title }) => (
          <List.Item key={url} className="nestor-text">
            <WebLink href={url}>{title === '' ? url : title}</WebLink>
          </List.Item>
        ))}
      </List>
    </Details>
  );
}

function RunCode({ item }: { readonly item: Extract<OutputItem, { type: 'sandbox_results' }> }): ReactNode {
  return (
    <Stack gap="xs">
      <CodeBlock label="Code">{item.code}</CodeBlock>
      {item.stdout !== '' && <CodeBlock label="Output">{item.stdout}</CodeBlock>}
      {item.stderr !== '' && <CodeBlock label="Errors">{item.stderr}</CodeBlock>}
      <Text size="xs" c="dimmed">
        {formatCount(item.duration_ms)} ms
      </Text>
    </Stack>
  );
}

/** It scrolls, and has to be reached by keyboard. */
export function CodeBlock({
  label,
  children,
}: {
  readonly label: string;
  readonly children: string;
}): ReactNode {
  return (
    <div>
      <Text size="xs" c="dimmed">
        {label}
      </Text>
      <Code block tabIndex={0} role="region" aria-label={label} mah="20rem" style={{ overflow: 'auto' }}>
        {children}
      </Code>
    </div>
  );
}
