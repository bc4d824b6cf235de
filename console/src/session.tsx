import { createContext, useCallback, useContext, useMemo, useState, type ReactNode } from 'react';
import { createApi, type Api } from './api/call.ts';

/** Who is signed in. The keys live in this page and, so that a reload does not lose them, in this tab. */
export interface Session {
  /** With the key of an account. */
  readonly api: Api;
  /** With the admin key; null where none was given. */
  readonly adminApi: Api | null;
  readonly signIn: (keys: Keys) => void;
  readonly signOut: () => void;
}

export interface Keys {
  readonly key: string;
  readonly adminKey: string | null;
}

const storageName = 'nestor.keys';
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
  const [keys, setKeys] = useState(readKeys);
  const signIn = useCallback((given: Keys) => {
    sessionStorage.setItem(storageName, JSON.stringify(given));
    setKeys(given);
  }, []);
  const signOut = useCallback(() => {
    // Also clears what pages keep in this tab: the next person may be somebody else.
    sessionStorage.clear();
    setKeys(null);
  }, []);
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
  if (session === null) return signInPage(signIn);
  return <SessionContext value={session}>{children}</SessionContext>;
}

function readKeys(): Keys | null {
  try {
    const kept = JSON.parse(sessionStorage.getItem(storageName) ?? 'null') as Partial<Keys> | null;
    return typeof kept?.key === 'string' ? { key: kept.key, adminKey: kept.adminKey ?? null } : null;
  } catch {
    return null;
  }
}
