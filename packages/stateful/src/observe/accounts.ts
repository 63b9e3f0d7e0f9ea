/** Accounts of a cluster as observed: what is planned, when it is due, and whether passwords are lost. */
import { Secret } from "@capstan/kinds/v1";
import { planAccounts } from "../accounts/plan.ts";
import type { AccountsPlan } from "../accounts/plan.ts";
import type { AccountsSpec } from "../accounts/resource.ts";
import type { Observation, RecordedState } from "../cluster/observation.ts";
import type { ClusterObject } from "../cluster/resource.ts";
import { accountsSecretName } from "../pods/names.ts";
import { readTexts } from "../tls/secret.ts";
import type { ClusterObservation, ReadSide, Setting } from "./observe.ts";

/** Accounts that the spec asks for, with passwords. Without its Secret, a cluster that has data gets no other passwords. */
export function observeAccounts<C extends AsyncDisposable, P>(
  { get, object }: ReadSide,
  { application, environment }: Setting<C, P>,
  recorded: RecordedState,
): AccountsPlan {
  const { metadata, spec, status } = object;
  const accounts: AccountsSpec | undefined =
    application.accounts === undefined
      ? undefined
      : {
          databases: spec.databases ?? [],
          users: spec.users ?? [],
          accounts: spec.accounts ?? { overlap: "1h" },
        };
  const plan = planAccounts({
    cluster: metadata.name,
    namespace: metadata.namespace ?? "",
    port: application.port,
    lineage: recorded.lineage ?? "",
    spec: accounts,
    record: status?.accounts ?? {},
    read: (name) => {
      const secret = get(Secret, name);
      return secret && readTexts(secret);
    },
    isReplicationRenewed: (login) =>
      recorded.members.every(({ name, state, login: used }) =>
        state === "Joined" ? name === recorded.primary || used === login : state === "Leaving",
      ),
    now: environment.now(),
    makePassword: environment.randomText,
  });
  const isLost = recorded.isCreated && get(Secret, accountsSecretName(metadata.name)) === undefined;
  return isLost ? { ...plan, apply: [] } : plan;
}

/** The servers know passwords that cannot be guessed. */
export function lostPasswords(
  { isCreated }: RecordedState,
  { passwords, name }: { readonly passwords: ClusterObservation<never, never>["passwords"]; readonly name: string },
): string[] {
  if (!isCreated || passwords.operator !== "") return [];
  return [`the passwords of the operator (Secret ${accountsSecretName(name)}: restore it from a copy)`];
}

const RETRY_MS = 2_000;
const CHECK_MS = 60_000;

/** Other rules come between two attempts; an account that was changed by hand is found by a regular check. */
export function accountsDue<C extends AsyncDisposable, P>(
  plan: AccountsPlan,
  { application, attempts, environment }: Setting<C, P>,
  { metadata }: ClusterObject,
): Observation<P>["accountsDue"] {
  if (application.accounts === undefined) return undefined;
  const last = attempts.get(metadata.uid);
  const elapsed = last === undefined ? Number.POSITIVE_INFINITY : environment.steady() - last;
  if (plan.isDue) return elapsed >= RETRY_MS ? "change" : undefined;
  return plan.users.length + plan.databases.length > 0 && elapsed >= CHECK_MS ? "check" : undefined;
}
