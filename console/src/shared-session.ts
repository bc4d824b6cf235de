import type { Keys } from './session.tsx';

/** What the tabs of the console in one browser tell each other. */
type Told =
  { readonly kind: 'who' } | { readonly kind: 'in'; readonly keys: Keys } | { readonly kind: 'out' };

export interface SharedSession {
  /** Asks the other tabs who is signed in; whoever knows answers through `onIn`. */
  readonly ask: () => void;
  readonly tellIn: (keys: Keys) => void;
  readonly tellOut: () => void;
  readonly close: () => void;
}

interface Listener {
  /** The keys of this tab; null where nobody is signed in. */
  readonly keys: () => Keys | null;
  readonly onIn: (keys: Keys) => void;
  readonly onOut: () => void;
}

/**
 * One session for all tabs: a source or a page of the documentation that opens in a new tab asks for no key. Keys go
 * from tab to tab within the browser and lie on no disk, so they are gone with the last tab.
 */
export function joinSession({ keys, onIn, onOut }: Listener): SharedSession {
  const channel = new BroadcastChannel('nestor.session');
  const tell = (told: Told) => {
    // A channel is of one origin by itself: unlike a window it takes no target.
    // oxlint-disable-next-line unicorn/require-post-message-target-origin
    channel.postMessage(told);
  };
  channel.addEventListener('message', ({ data }: MessageEvent<Told>) => {
    const own = keys();
    if (data.kind === 'out') onOut();
    else if (data.kind === 'in') onIn(data.keys);
    else if (own !== null) tell({ kind: 'in', keys: own });
  });
  return {
    ask: () => {
      tell({ kind: 'who' });
    },
    tellIn: (given) => {
      tell({ kind: 'in', keys: given });
    },
    tellOut: () => {
      tell({ kind: 'out' });
    },
    close: () => {
      channel.close();
    },
  };
}
