import { useComputedColorScheme, useMantineColorScheme } from '@mantine/core';
import { useMemo } from 'react';
import type { Api } from '../api/call.ts';
import { useCall } from '../api/use-call.ts';
import { readConversations, titleOf } from '../pages/chat/kept.ts';
import { pages } from '../pages.tsx';
import { useSession } from '../session.tsx';
import type { Entry } from './entry.ts';

/** Heading and words of a part of the documentation, as `/docs/sections.json` has them. */
type Section = readonly [address: string, page: string, heading: string, words: string];

/** Everything that the palette has for what was written. `go` opens an address of the console. */
export function useEntries(query: string, go: (path: string) => void): readonly Entry[] {
  const { api } = useSession();
  const actions = useActions(go);
  const conversations = useConversations(api, go);
  const sections = useSections(api, query.trim() !== '', go);
  return useMemo(() => {
    const places = pages.map<Entry>(({ path, label, group }) => ({
      id: path,
      group: 'Pages',
      label,
      ...(group === undefined ? {} : { detail: group }),
      run: () => {
        go(path);
      },
    }));
    return [...actions, ...places, ...conversations, ...sections, ...asksOf(query.trim(), go)];
  }, [actions, conversations, sections, query, go]);
}

function useActions(go: (path: string) => void): readonly Entry[] {
  const { signOut } = useSession();
  const { setColorScheme } = useMantineColorScheme();
  const isDark = useComputedColorScheme('light') === 'dark';
  return useMemo(() => {
    const action = (label: string, words: string, run: () => void): Entry => ({
      id: label,
      group: 'Actions',
      label,
      words,
      run,
    });
    const open = (path: string) => () => {
      go(path);
    };
    return [
      action('New chat', 'conversation ask question start', open('/chat')),
      action('New key', 'make create token api', open('/keys#new')),
      action('New decider', 'make create train', open('/deciders/NEW')),
      action('Add a document', 'upload text page site index', open('/documents')),
      action(isDark ? 'Use light colours' : 'Use dark colours', 'toggle dark light mode theme colors', () => {
        setColorScheme(isDark ? 'light' : 'dark');
      }),
      action('Sign out', 'log out leave', signOut),
    ];
  }, [go, isDark, setColorScheme, signOut]);
}

/** Those that this browser keeps for the account, found by everything that was asked and answered in them. */
function useConversations(api: Api, go: (path: string) => void): readonly Entry[] {
  const { body, failure } = useCall<{ readonly id: string }>(api, { path: '/v1/account' });
  // A key that may not read its account has conversations of its own.
  const account = body?.id ?? (failure === null ? null : 'unknown');
  return useMemo(() => {
    if (account === null) return [];
    return readConversations(localStorage, account).map((conversation) => ({
      id: conversation.id,
      group: 'Conversations',
      label: titleOf(conversation),
      words: conversation.turns.map(({ question, text }) => `${question} ${text}`).join(' '),
      run: () => {
        go(`/chat?conversation=${conversation.id}`);
      },
    }));
  }, [account, go]);
}

function useSections(api: Api, isWanted: boolean, go: (path: string) => void): readonly Entry[] {
  const request = isWanted ? { path: '/docs/sections.json' } : null;
  const { body } = useCall<{ readonly sections: readonly Section[] }>(api, request);
  return useMemo(() => {
    if (!isWanted) return [];
    return (body?.sections ?? []).map(([address, page, heading, words]) => ({
      id: address,
      group: 'Documentation',
      label: heading,
      ...(heading === page ? {} : { detail: page }),
      words,
      run: () => {
        // The README is the first page of the documentation in the console.
        go(address.replace(/^\/docs\/README(?=#|$)/, '/docs'));
      },
    }));
  }, [body, isWanted, go]);
}

/** What can be asked about the words themselves. */
function asksOf(query: string, go: (path: string) => void): readonly Entry[] {
  if (query === '') return [];
  const ask = (id: string, label: string, path: string): Entry => ({
    id,
    group: 'Ask',
    label: `${label} “${query}”`,
    run: () => {
      go(`${path}${encodeURIComponent(query)}`);
    },
  });
  return [ask('ask', 'Ask in a chat:', '/chat?ask='), ask('search', 'Search for', '/search?q=')];
}
