/** Brings the accounts of the primary to the plan, and records what all members have. */
import { Secret } from "@capstan/kinds/v1";
import type { ActionContext } from "../act/context.ts";
import { isServing, viewOf } from "../decide/view.ts";
import type { Accounts } from "./accounts.ts";
import { userSecretName } from "./plan.ts";
import type { AccountsPlan, Wanted } from "./plan.ts";
import type { AccountRecord, KeptAccount } from "./resource.ts";

/** What was done on the primary: the record if all members have it. */
type Outcome = Required<Pick<AccountRecord, "users" | "databases">> & Pick<AccountRecord, "system" | "problem">;

export async function keepAccounts<C extends AsyncDisposable, P>(
  context: ActionContext<C, P, "keep-accounts">,
): Promise<void> {
  const { seen, setting, status, signal, event, remove } = context;
  const { accounts } = setting.application;
  const { primary = "" } = seen.recorded;
  if (accounts === undefined) return;
  const client = await seen.clients.to(primary);
  signal.throwIfAborted();
  const outcome = await bring(client, accounts, { plan: seen.accounts, record: seen.object.status?.accounts ?? {} });
  for (const { name } of seen.accounts.removedUsers) {
    if (outcome.users.every((one) => one.name !== name)) await remove(Secret, userSecretName(seen.name, name));
  }
  // Another member may be the primary at any time, and readers use replicas: it counts when all have it.
  if (!(await isEverywhere(context, client))) return;
  for (const { name, problem } of [...outcome.databases, ...outcome.users]) {
    if (problem !== undefined && !isKnown(seen.object.status?.accounts, problem)) {
      event("Warning", "AccountRefused", `${name}: ${problem}`);
    }
  }
  status.accounts = {
    ...(outcome.system === undefined ? {} : { system: outcome.system }),
    ...(outcome.problem === undefined ? {} : { problem: outcome.problem }),
    users: outcome.users.map((one) => ({ ...one })),
    databases: outcome.databases.map((one) => ({ ...one })),
  };
}

function isKnown(record: AccountRecord | undefined, problem: string): boolean {
  return [...(record?.databases ?? []), ...(record?.users ?? [])].some((one) => one.problem === problem);
}

interface Bring {
  readonly plan: AccountsPlan;
  readonly record: AccountRecord;
}

/** Databases first: grants may name their tables. One that is refused does not hold up the others. */
async function bring<C>(client: C, accounts: Accounts<C>, { plan, record }: Bring): Promise<Outcome> {
  const system = await keepSystem(client, accounts, { plan, record });
  const databases = await keepAll(plan.databases, (one) => accounts.keepDatabase(client, one));
  const users = await keepAll(plan.users, (one) => accounts.keepUser(client, one));
  const left = await dropAll(plan.removedUsers, (name) => accounts.dropUser(client, name));
  const retained = await dropAll(plan.removedDatabases, (name) => accounts.dropDatabase(client, name));
  return { ...system, databases: [...databases, ...retained], users: [...users, ...left] };
}

async function keepSystem<C>(
  client: C,
  accounts: Accounts<C>,
  { plan, record }: Bring,
): Promise<Pick<AccountRecord, "system" | "problem">> {
  const { system } = plan;
  if (!system.isDue) return record.system === undefined ? {} : { system: record.system };
  const problem = await failureOf(async () => {
    await accounts.setPasswords(client, "replication", system.passwords.replication);
    await accounts.setPasswords(client, "operator", system.passwords.operator);
  });
  if (problem === undefined) return { system: system.state };
  return { ...(record.system === undefined ? {} : { system: record.system }), problem };
}

async function keepAll<T extends { readonly name: string }>(
  wanted: readonly Wanted<T>[],
  keep: (account: T) => Promise<void>,
): Promise<readonly KeptAccount[]> {
  const kept: KeptAccount[] = [];
  for (const { account, state, onDelete } of wanted) {
    const problem = await failureOf(() => keep(account));
    kept.push({ name: account.name, onDelete, ...(problem === undefined ? { state } : { refused: state, problem }) });
  }
  return kept;
}

/** Those that could not be dropped; the record forgets the others. */
async function dropAll(
  removed: readonly KeptAccount[],
  drop: (name: string) => Promise<void>,
): Promise<readonly KeptAccount[]> {
  const left: KeptAccount[] = [];
  for (const one of removed) {
    if (one.onDelete === "Retain") continue;
    const problem = await failureOf(() => drop(one.name));
    if (problem !== undefined) left.push({ ...one, problem });
  }
  return left;
}

async function failureOf(run: () => Promise<void>): Promise<string | undefined> {
  try {
    await run();
    return undefined;
  } catch (error) {
    return (error instanceof Error ? error.message : String(error)).slice(0, 500);
  }
}

/** Every member has applied what the primary has. */
async function isEverywhere<C extends AsyncDisposable, P>(
  { seen, setting, signal }: ActionContext<C, P, "keep-accounts">,
  primary: C,
): Promise<boolean> {
  const { topology, report } = setting.application;
  const { applied } = await report(primary);
  const others = viewOf<P>(seen).followers.filter(({ recorded }) => recorded.state === "Joined");
  for (const member of others) {
    if (!isServing(member)) return false;
    const client = await seen.clients.to(member.name);
    signal.throwIfAborted();
    await topology.waitFor(client, applied);
    const place = topology.compare((await report(client)).applied, applied);
    if (place !== "same" && place !== "ahead") return false;
  }
  return true;
}
