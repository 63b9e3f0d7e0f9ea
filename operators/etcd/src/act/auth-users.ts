/** Keeps users and roles as in the spec. Passwords come from Secrets and are written when a Secret changes. */
import { Secret } from "capstan/kinds/v1";
import { parseCertificate } from "capstan/pki";
import { isAuthWanted, superusersOf, syncAuth } from "../etcd/index.ts";
import { leaderClient } from "./reconcile-context.ts";
import type { ActionEnvironment, ActionContext } from "./reconcile-context.ts";

/** The users of the spec cannot be created. */
export class UsersError extends Error {
  override readonly name = "UsersError";
  readonly code: "LockedOut" | "PasswordMissing" | "PasswordImpossible";

  constructor(code: UsersError["code"], message: string) {
    super(message);
    this.code = code;
  }
}

/** Returns whether something was changed. */
export async function syncUsers(context: ActionContext, { passwords }: ActionEnvironment): Promise<boolean> {
  const { seen, status } = context;
  const { auth } = seen.object.spec;
  const { uid } = seen.object.metadata;
  const cluster = seen.report.quorum?.clusterId;
  // A hibernated cluster has no member to ask.
  if (cluster === undefined) return false;
  const charge = seen.object.status?.auth;
  const isWanted = isAuthWanted(auth);
  if (!isWanted && !isFormerUser(context, cluster)) return false;
  if (isWanted && (charge?.cluster !== cluster || !charge.inUse)) {
    // Recorded before the first change, so that a later reconcile knows that the operator made it.
    status.auth = { cluster, inUse: true };
    // Data of a backup contains the passwords of that time.
    passwords.delete(uid);
    return true;
  }
  if (auth.enabled) refuseLockout(context);
  const recordedState = passwords.get(uid) ?? new Map<string, string>();
  const told = new Map(recordedState);
  passwords.set(uid, told);
  context.signal.throwIfAborted();
  const done = await syncAuth(leaderClient(context), auth, {
    ...passwordsOf(context),
    fixed: new Map(["root", operatorName(context)].map((name) => [name, refuseRecreation(name)])),
    isChanged: (user) => recordedState.get(user) !== versionOf(context, user),
    wasWithout: (user) => recordedState.get(user) === "",
    onDone: (user) => told.set(user, versionOf(context, user)),
  });
  if (!isWanted) status.auth = { cluster, inUse: false };
  if (done.length > 0) context.event("Normal", "UsersChanged", done.join("; "));
  return done.length > 0;
}

/**
 * The spec has no users, but etcd may have some that the operator created or that a backup contained. Users that were created by hand are
 * left alone.
 */
function isFormerUser({ seen }: ActionContext, cluster: string): boolean {
  const { auth } = seen.object.status ?? {};
  return auth !== undefined && (auth.inUse || auth.cluster !== cluster);
}

/** With authentication on, etcd takes the common name of a certificate as the user. The operator needs the role root. */
function refuseLockout({ seen }: Pick<ActionContext, "seen">): void {
  const { clientSecret } = seen.tls;
  const name = operatorName({ seen });
  if (superusersOf(seen.object.spec.auth).includes(name)) return;
  const message =
    `spec.auth is not followed: the certificate of Secret ${clientSecret} is that of ${JSON.stringify(name)}, and etcd would refuse the operator. ` +
    "Give it one with the common name root";
  throw new UsersError("LockedOut", message);
}

/** The etcd user of the operator. */
function operatorName({ seen }: Pick<ActionContext, "seen">): string {
  const certificate = seen.tls.operator?.certificate;
  return certificate === undefined ? "" : parseCertificate(certificate).subject.commonName;
}

function secretOf({ get, seen }: ActionContext, user: string) {
  const name = seen.object.spec.auth.users.find((one) => one.name === user)?.passwordSecret;
  return name === undefined ? undefined : get(Secret, name);
}

/** resourceVersion of the user's password Secret; empty without a Secret. */
function versionOf(context: ActionContext, user: string): string {
  return secretOf(context, user)?.metadata.resourceVersion ?? "";
}

/** An empty password would admit every client that knows the user name. */
function passwordsOf(context: ActionContext): { passwords: Map<string, string>; missing: Map<string, UsersError> } {
  const passwords = new Map<string, string>();
  const missing = new Map<string, UsersError>();
  for (const { name, passwordSecret } of context.seen.object.spec.auth.users) {
    if (passwordSecret === undefined) continue;
    const text = Buffer.from(secretOf(context, name)?.data?.["password"] ?? "", "base64").toString();
    if (text !== "") passwords.set(name, text);
    else missing.set(name, noPassword(name, passwordSecret));
  }
  return { passwords, missing };
}

function noPassword(user: string, secret: string): UsersError {
  return new UsersError("PasswordMissing", `user ${user} waits for its password: Secret ${secret} has no \`password\``);
}

/** etcd cannot give a password to a user that was created without one. The operator cannot recreate the user that it needs itself. */
function refuseRecreation(user: string): UsersError {
  const message =
    `user ${user} was made without a password and etcd gives it none while authentication is on, for the operator needs that user: ` +
    "let auth.enabled be false for a moment, or take its passwordSecret back and make another user with the role root";
  return new UsersError("PasswordImpossible", message);
}
