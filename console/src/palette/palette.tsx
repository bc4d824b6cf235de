import './palette.css';
import { Kbd, Text, TextInput, VisuallyHidden } from '@mantine/core';
import { Search } from 'lucide-react';
import { useEffect, useId, useMemo, useRef, useState, type KeyboardEvent, type ReactNode } from 'react';
import { findEntries, type Entry } from './entry.ts';
import { useEntries } from './use-entries.ts';

interface Props {
  readonly onClose: () => void;
  readonly go: (path: string) => void;
}

/** Everything that the console can open or do, found by typing. A dialog with a combobox, as ARIA's patterns describe them. */
export function Palette({ onClose, go }: Props): ReactNode {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    dialog.current?.showModal();
  }, []);
  return (
    <dialog
      ref={dialog}
      className="nestor-palette"
      aria-label="Command palette"
      onClose={onClose}
      onClick={(event) => {
        // The dialog itself is clicked where its backdrop is; what it holds covers the rest.
        if (event.target === dialog.current) dialog.current.close();
      }}
    >
      <Commands
        go={go}
        onRun={(entry) => {
          dialog.current?.close();
          // Its own event comes later, and would close the palette that is opened again in between.
          onClose();
          entry.run();
        }}
      />
    </dialog>
  );
}

interface CommandsProps {
  readonly go: (path: string) => void;
  readonly onRun: (entry: Entry) => void;
}

function Commands({ go, onRun }: CommandsProps): ReactNode {
  const id = useId();
  const [query, setQuery] = useState('');
  const entries = useEntries(query, go);
  const found = useMemo(() => findEntries(query, entries), [query, entries]);
  const all = found.flatMap(([, own]) => own);
  // By its id: the choice stays with an entry when the documentation arrives and others come to stand before it.
  const [chosenId, setChosenId] = useState<string | null>(null);
  const chosen = all.find((one) => one.id === chosenId) ?? all[0];
  const idOf = (entry: Entry) => `${id}-${all.indexOf(entry)}`;
  const activeId = chosen === undefined ? undefined : idOf(chosen);
  useEffect(() => {
    if (activeId !== undefined) document.getElementById(activeId)?.scrollIntoView({ block: 'nearest' });
  }, [activeId]);
  const onKeyDown = (event: KeyboardEvent) => {
    // Enter also ends the writing of a word in some scripts.
    if (event.nativeEvent.isComposing) return;
    const to = chosen === undefined ? undefined : targetOf(event.key, all.indexOf(chosen), all.length);
    if (event.key === 'Enter' && chosen !== undefined) onRun(chosen);
    else if (to !== undefined) setChosenId(all[to]?.id ?? null);
    else return;
    event.preventDefault();
  };
  return (
    <div className="nestor-palette-body">
      <TextInput
        aria-label="Command, page or words to look for"
        placeholder="Type a command, a page or words to look for"
        leftSection={<Search size={18} aria-hidden />}
        size="md"
        role="combobox"
        aria-expanded={all.length > 0}
        aria-controls={id}
        aria-autocomplete="list"
        aria-activedescendant={activeId}
        autoComplete="off"
        spellCheck={false}
        autoFocus
        value={query}
        onChange={(event) => {
          setQuery(event.currentTarget.value);
          setChosenId(null);
        }}
        onKeyDown={onKeyDown}
      />
      <div id={id} role="listbox" aria-label="Commands" className="nestor-palette-list">
        {found.map(([group, own]) => (
          <div key={group} role="group" aria-label={group}>
            <Text size="xs" c="dimmed" fw={600} px="sm" pt="xs" pb={2} aria-hidden>
              {group}
            </Text>
            {own.map((entry) => (
              // The keyboard chooses and runs it from the field.
              <div
                key={entry.id}
                id={idOf(entry)}
                role="option"
                aria-selected={entry === chosen}
                className="nestor-palette-option"
                onClick={() => {
                  onRun(entry);
                }}
              >
                <span>{entry.label}</span>
                {entry.detail !== undefined && (
                  <Text span size="sm" c="dimmed">
                    {entry.detail}
                  </Text>
                )}
              </div>
            ))}
          </div>
        ))}
      </div>
      <VisuallyHidden role="status">{`${all.length} found`}</VisuallyHidden>
      <Text size="xs" c="dimmed" px="sm" py="xs" aria-hidden>
        <Kbd size="xs">↑</Kbd> <Kbd size="xs">↓</Kbd> choose · <Kbd size="xs">Enter</Kbd> open ·{' '}
        <Kbd size="xs">Esc</Kbd> close
      </Text>
    </div>
  );
}

const pageStep = 8;

/** Where a key leads from an entry; undefined for other keys. */
function targetOf(key: string, at: number, count: number): number | undefined {
  switch (key) {
    case 'ArrowDown':
      return (at + 1) % count;
    case 'ArrowUp':
      return (at - 1 + count) % count;
    case 'PageDown':
      return Math.min(count - 1, at + pageStep);
    case 'PageUp':
      return Math.max(0, at - pageStep);
    default:
      return undefined;
  }
}
