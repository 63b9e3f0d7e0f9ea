/** The accounts of a cluster, computed from spec, Secrets, record and time: Secrets to apply, and what the server should have. */
import { toMilliseconds } from "@capstan/runtime";
import { hashOf } from "../observe/spec.ts";
import { accountsSecretName, primaryServiceName } from "../pods/names.ts";
import type { Texts } from "../tls/secret.ts";
import type { DatabaseAccount, UserAccount } from "./accounts.ts";
import { acceptedPasswords, advanceLogin, formatLogin, parseLogin } from "./login.ts";
import type { Login, LoginInput } from "./login.ts";
import type { AccountRecord, AccountsSpec, DatabaseSpec, KeptAccount, UserSpec } from "./resource.ts";

export interface AccountsInput {
  readonly cluster: string;
  readonly namespace: string;
  readonly port: number;
  /** Data of another lineage has other accounts. */
  readonly lineage: string;
  /** Undefined: the application keeps no accounts. */
  readonly spec: AccountsSpec | undefined;
  readonly record: AccountRecord;
  /** The texts of a Secret of the namespace; undefined if it does not exist. */
  readonly read: (secret: string) => Texts | undefined;
  /** Every replica connects with the present password of replicas. */
  readonly isReplicationRenewed: (login: string) => boolean;
  /** Milliseconds since 1970. */
  readonly now: number;
  readonly makePassword: () => string;
}

/** A Secret as texts. */
export interface AccountSecret {
  readonly name: string;
  readonly texts: { readonly [entry: string]: string | undefined };
}

/** Something that the server should have, with a value that identifies it. */
export interface Wanted<T> {
  readonly account: T;
  readonly state: string;
  readonly onDelete: "Retain" | "Delete";
}

/** Passwords of the accounts of the operator and of replicas. */
export interface SystemPasswords {
  readonly operator: readonly string[];
  readonly replication: readonly string[];
}

export interface AccountsPlan {
  readonly apply: readonly AccountSecret[];
  readonly system: { readonly passwords: SystemPasswords; readonly state: string; readonly isDue: boolean };
  readonly users: readonly Wanted<UserAccount>[];
  readonly databases: readonly Wanted<DatabaseAccount>[];
  readonly removedUsers: readonly KeptAccount[];
  readonly removedDatabases: readonly KeptAccount[];
  /** What cannot be planned, as sentences. */
  readonly problems: readonly string[];
  /** Something differs from the record. */
  readonly isDue: boolean;
  /** A password that was replaced is still accepted. */
  readonly isRotating: boolean;
  /** The password with which replicas connect. */
  readonly replicationPassword: string;
  /** Identifies the present password of replicas while the one before is still accepted. */
  readonly replicationLogin: string | undefined;
}

/** The Secret of a user. */
export function userSecretName(cluster: string, user: string): string {
  return `${cluster}-user-${user.toLowerCase().replaceAll("_", "-")}`;
}

const OPERATOR = { password: "operator", next: "nextOperator", previous: "previousOperator" };
const REPLICATION = { password: "replication", next: "nextReplication", previous: "previousReplication" };
const USER = { password: "password", next: "nextPassword", previous: "previousPassword" };

export function planAccounts(input: AccountsInput): AccountsPlan {
  const system = planSystem(input);
  const { spec, record } = input;
  const users = (spec?.users ?? []).map((user) => planUser(input, user));
  const databases = (spec?.databases ?? []).map((database) => planDatabase(input, database));
  const wantedUsers = users.flatMap(({ wanted }) => wanted ?? []);
  const removedUsers = removedOf(record.users, spec?.users ?? []);
  const removedDatabases = removedOf(record.databases, spec?.databases ?? []);
  const isDue =
    system.isDue ||
    differs(record.users, wantedUsers) ||
    differs(record.databases, databases) ||
    removedUsers.length + removedDatabases.length > 0;
  return {
    ...system,
    apply: [system.secret, ...users.flatMap(({ secret }) => secret ?? [])],
    system,
    users: wantedUsers,
    databases,
    removedUsers,
    removedDatabases,
    problems: users.flatMap(({ problem }) => problem ?? []),
    isDue,
    isRotating:
      system.replicationLogin !== undefined || wantedUsers.some(({ account }) => account.passwords.length > 1),
  };
}

function removedOf(
  kept: readonly KeptAccount[] | undefined,
  present: readonly { readonly name: string }[],
): readonly KeptAccount[] {
  return (kept ?? []).filter(({ name }) => present.every((one) => one.name !== name));
}

/** What was refused before is tried again by the regular check. */
function differs(kept: readonly KeptAccount[] | undefined, wanted: readonly Wanted<{ readonly name: string }>[]) {
  return wanted.some(({ account, state }) => {
    const found = kept?.find(({ name }) => name === account.name);
    return (found?.state ?? found?.refused) !== state;
  });
}

/** A cluster whose passwords never changed has what its data was created with, and nothing is recorded. */
function planSystem(input: AccountsInput) {
  const { spec, record, read, cluster, lineage } = input;
  const texts = read(accountsSecretName(cluster)) ?? {};
  const [operator, replication] = [parseLogin(texts, OPERATOR), parseLogin(texts, REPLICATION)];
  const told = { operator: passwordsOf(operator), replication: passwordsOf(replication) };
  const isAccepted = record.system === stateOf(lineage, told);
  const request = spec?.accounts.rotation ?? operator?.request ?? "";
  const present = hashOf(replication?.password ?? "");
  const options = { ...input, request, isAccepted, mayRetire: input.isReplicationRenewed(present) };
  const step = (login: Login | undefined): Login => advanceLogin(inputOf(options, login));
  const [nextOperator, nextReplication] = [step(operator), step(replication)];
  const passwords = { operator: passwordsOf(nextOperator), replication: passwordsOf(nextReplication) };
  const state = stateOf(lineage, passwords);
  const isChanging = passwords.operator.length + passwords.replication.length > 2;
  return {
    secret: {
      name: accountsSecretName(cluster),
      texts: { ...formatLogin(nextOperator, OPERATOR), ...formatLogin(nextReplication, REPLICATION) },
    },
    passwords,
    state,
    isDue: spec !== undefined && record.system !== state && (isChanging || record.system !== undefined),
    replicationPassword: nextReplication.password,
    replicationLogin: nextReplication.previous === undefined ? undefined : hashOf(nextReplication.password),
  };
}

function passwordsOf(login: Login | undefined): readonly string[] {
  return login === undefined ? [] : acceptedPasswords(login);
}

function stateOf(lineage: string, value: unknown): string {
  return hashOf([lineage, value]);
}

interface LoginOptions extends Pick<AccountsInput, "spec" | "now" | "makePassword"> {
  readonly request: string;
  readonly given?: string | undefined;
  readonly isAccepted: boolean;
  readonly mayRetire: boolean;
}

function inputOf({ spec, ...options }: LoginOptions, login: Login | undefined): LoginInput {
  const { every, overlap = "1h" } = spec?.accounts ?? {};
  return {
    ...options,
    login,
    overlapMs: toMilliseconds(overlap),
    ...(every === undefined ? {} : { everyMs: toMilliseconds(every) }),
  };
}

interface PlannedUser {
  readonly secret?: AccountSecret;
  readonly wanted?: Wanted<UserAccount>;
  readonly problem?: string;
}

function planUser(input: AccountsInput, user: UserSpec): PlannedUser {
  const problem = whyNot(input, user);
  if (problem !== undefined) return { problem };
  const login = parseLogin(input.read(userSecretName(input.cluster, user.name)) ?? {}, USER);
  const told = login && wantedUser(input, { user, login });
  const isAccepted = input.record.users?.find((one) => one.name === user.name)?.state === told?.state;
  const request = user.rotation ?? login?.request ?? "";
  const given = givenPassword(input, user);
  const next = advanceLogin(inputOf({ ...input, request, given, isAccepted, mayRetire: true }, login));
  return { secret: userSecret(input, { user, login: next }), wanted: wantedUser(input, { user, login: next }) };
}

function givenPassword({ read }: AccountsInput, { password }: UserSpec): string | undefined {
  return password && read(password.name)?.[password.key];
}

function whyNot(input: AccountsInput, user: UserSpec): string | undefined {
  const { cluster, spec } = input;
  const { name, password } = user;
  const secret = userSecretName(cluster, name);
  const first = spec?.users.find((other) => userSecretName(cluster, other.name) === secret);
  if (first !== user)
    return `the users ${first?.name} and ${name} would share the Secret ${secret}: rename one of them`;
  if (password === undefined || givenPassword(input, user)) return undefined;
  return `the password of ${name} is not there: create the Secret ${password.name} with the key ${password.key}`;
}

interface UserLogin {
  readonly user: UserSpec;
  readonly login: Login;
}

function wantedUser({ lineage }: AccountsInput, { user, login }: UserLogin): Wanted<UserAccount> {
  const { name, grants, connections, requireTls, onDelete } = user;
  const account = { name, passwords: acceptedPasswords(login), grants, connections, requireTls };
  return { account, state: stateOf(lineage, account), onDelete };
}

/** All that a program needs to connect. */
function userSecret({ cluster, namespace, port }: AccountsInput, { user, login }: UserLogin): AccountSecret {
  const place = { host: `${primaryServiceName(cluster)}.${namespace}.svc`, port: String(port) };
  const texts = { ...formatLogin(login, USER), username: user.name, ...place };
  return { name: userSecretName(cluster, user.name), texts };
}

function planDatabase({ lineage }: AccountsInput, database: DatabaseSpec): Wanted<DatabaseAccount> {
  const { name, onDelete, ...options } = database;
  const account = { name, options };
  return { account, state: stateOf(lineage, account), onDelete };
}
