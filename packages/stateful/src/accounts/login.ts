/**
 * The life of a password: a successor is made, every member accepts both, the successor is used, and after an overlap the predecessor is
 * no longer accepted. Each state is recorded in a Secret before it is applied to the server.
 */

/** A password with its successor or its predecessor. */
export interface Login {
  readonly password: string;
  /** The next password. The server accepts both as soon as it is applied. */
  readonly next?: string | undefined;
  /** The previous password. The server accepts both until the end of the overlap. */
  readonly previous?: string | undefined;
  /** When the password was used first, in milliseconds since 1970. */
  readonly since: number;
  /** The request that was handled last. */
  readonly request: string;
}

/** What a login depends on. */
export interface LoginInput {
  /** Undefined: there is none yet. */
  readonly login: Login | undefined;
  /** Another text asks for another password. */
  readonly request: string;
  /** A password that the user gives; undefined: passwords are made. */
  readonly given?: string | undefined;
  /** All members accept exactly the passwords of `login`. */
  readonly isAccepted: boolean;
  /** Nothing uses the predecessor any more. */
  readonly mayRetire: boolean;
  readonly now: number;
  readonly overlapMs: number;
  /** Passwords are replaced when they are older; undefined: only on request. */
  readonly everyMs?: number | undefined;
  readonly makePassword: () => string;
}

/** The login after one step. */
export function advanceLogin(input: LoginInput): Login {
  const { login, given, request, now, isAccepted, makePassword } = input;
  if (login === undefined) return { password: given ?? makePassword(), since: now, request };
  if (login.next !== undefined) {
    if (given !== undefined && given !== login.next) return succeed(login, given);
    if (!isAccepted) return login;
    return { password: login.next, previous: login.password, since: now, request };
  }
  if (login.previous !== undefined) return retire(input, login);
  const successor = successorOf(input, login);
  return successor === undefined ? { ...login, request } : { ...login, next: successor };
}

/** A given password that returned to the one before it ends the change. */
function succeed({ next: _next, ...login }: Login, given: string): Login {
  return given === login.password ? login : { ...login, next: given };
}

/** A clock that went back must not prolong the overlap without end. */
function retire({ now, overlapMs, isAccepted, mayRetire }: LoginInput, login: Login): Login {
  if (login.since > now) return { ...login, since: now };
  const isOver = now - login.since >= overlapMs;
  if (!isOver || !isAccepted || !mayRetire) return login;
  const { previous: _previous, ...rest } = login;
  return rest;
}

function successorOf({ given, request, now, everyMs, makePassword }: LoginInput, login: Login): string | undefined {
  if (given !== undefined) return given === login.password ? undefined : given;
  const isOld = everyMs !== undefined && now - login.since >= everyMs;
  return request !== login.request || isOld ? makePassword() : undefined;
}

/** The passwords that the server is to accept, the newest last. */
export function acceptedPasswords({ previous, password, next }: Login): readonly string[] {
  return [previous, password, next].flatMap((one) => one ?? []);
}

/** Names of the entries of a Secret that hold a login. */
export interface LoginEntries {
  readonly password: string;
  readonly next: string;
  readonly previous: string;
}

/** The login of a Secret; undefined if it has no password. Entries for the record are missing in a Secret that a person made. */
export function parseLogin(texts: { readonly [entry: string]: string }, entries: LoginEntries): Login | undefined {
  const password = texts[entries.password];
  if (password === undefined || password === "") return undefined;
  const since = Date.parse(texts[SINCE] ?? "");
  const [next, previous] = [texts[entries.next], texts[entries.previous]];
  return {
    password,
    ...(next ? { next } : {}),
    ...(previous ? { previous } : {}),
    since: Number.isNaN(since) ? 0 : since,
    request: texts[REQUEST] ?? "",
  };
}

/** Entries of the record, shared by all logins of a Secret. */
const SINCE = "passwordSince";
const REQUEST = "rotation";

/** The entries of a Secret. */
export function formatLogin(
  { password, next, previous, since, request }: Login,
  entries: LoginEntries,
): { readonly [entry: string]: string | undefined } {
  return {
    [entries.password]: password,
    [entries.next]: next,
    [entries.previous]: previous,
    [SINCE]: new Date(since).toISOString(),
    [REQUEST]: request === "" ? undefined : request,
  };
}
