import {
  createContext,
  useCallback,
  useContext,
  useEffect,
  useMemo,
  useRef,
  useState,
  type ReactNode,
} from 'react';
import { createApi, type Api } from './api/call.ts';
import { joinSession, type SharedSession } from './shared-session.ts';

/** Who is signed in. The keys live in the pages and, so that a reload does not lose them, in their tabs. */
export interface Session {
  /** With the key of an account. */
  readonly api: Api;
  /** With the admin key; null where none was given. */
  readonly adminApi: Api | null;
  readonly signIn: (keys: Keys) => void;
  /** In every tab. */
  readonly signOut: () => void;
}

export interface Keys {
  readonly key: string;
  readonly adminKey: string | null;
}

const storageName = 'nestor.keys';
/** How long another tab has to say who is signed in, before somebody is asked for a key. Unit: ms. */
const askMs = 250;
const SessionContext = createContext<Session | null>(null);

export function useSession(): Session {
  const session = useContext(SessionContext);
  if (session === null) throw new Error('nobody is signed in');
  return session;
}

interface ProviderProps {
  /** Rendered until somebody has signed in. */
  readonly signInPage: (signIn: (keys: Keys) => void) => ReactNode;
  readonly children: ReactNode;
}

export function SessionProvider({ signInPage, children }: ProviderProps): ReactNode {
  const { keys, isAsking, signIn, signOut } = useKeys();
  const session = useMemo<Session | null>(
    () =>
      keys === null
        ? null
        : {
            api: createApi(keys.key),
            adminApi: keys.adminKey === null ? null : createApi(keys.adminKey),
            signIn,
            signOut,
          },
    [keys, signIn, signOut],
  );
  if (session === null) return isAsking ? null : signInPage(signIn);
  return <SessionContext value={session}>{children}</SessionContext>;
}

/** The keys of this tab, which the other tabs share. */
function useKeys(): Pick<Session, 'signIn' | 'signOut'> & {
  readonly keys: Keys | null;
  /** While another tab may still know who is signed in. */
  readonly isAsking: boolean;
} {
  const [keys, setKeys] = useState(readKeys);
  const [isAsking, setAsking] = useState(keys === null);
  const latest = useRef(keys);
  const shared = useRef<SharedSession | null>(null);
  const take = useCallback((given: Keys | null) => {
    // Without anybody, what pages keep is forgotten too: the next person may be somebody else.
    if (given === null) forgetAll();
    else sessionStorage.setItem(storageName, JSON.stringify(given));
    latest.current = given;
    setKeys(given);
  }, []);
  useEffect(() => {
    const joined = joinSession({
      keys: () => latest.current,
      onIn: (given) => {
        if (latest.current === null) take(given);
      },
      onOut: () => {
        take(null);
      },
    });
    shared.current = joined;
    if (latest.current === null) joined.ask();
    const timer = setTimeout(() => {
      setAsking(false);
    }, askMs);
    return () => {
      clearTimeout(timer);
      joined.close();
    };
  }, [take]);
  const signIn = useCallback(
    (given: Keys) => {
      take(given);
      shared.current?.tellIn(given);
    },
    [take],
  );
  const signOut = useCallback(() => {
    take(null);
    shared.current?.tellOut();
  }, [take]);
  return { keys, isAsking, signIn, signOut };
}

/** The choice of colours stays: it is nobody's. */
function forgetAll(): void {
  sessionStorage.clear();
  for (const name of Object.keys(localStorage)) if (name.startsWith('nestor.')) localStorage.removeItem(name);
}

function readKeys(): Keys | null {
  try {
    const kept = JSON.parse(sessionStorage.getItem(storageName) ?? 'null') as Partial<Keys> | null;
    return typeof kept?.key === 'string' ? { key: kept.key, adminKey: kept.adminKey ?? null } : null;
  } catch {
    return null;
  }
}
