/** Brings users, roles and the state of authentication to the spec. Nothing is written when nothing would change. */
import type { EtcdClient, Keys, Permission } from "./client.ts";
import { EtcdError, isPassing } from "./errors.ts";
import { toRange } from "./keys.ts";

export interface AuthSpec {
  readonly enabled: boolean;
  readonly roles: readonly { readonly name: string; readonly permissions: readonly PermissionSpec[] }[];
  readonly users: readonly { readonly name: string; readonly roles: readonly string[] }[];
}

export interface PermissionSpec {
  readonly access: "Read" | "Write" | "ReadWrite";
  readonly key: string;
  readonly rangeEnd?: string | undefined;
  readonly prefix: boolean;
}

/** Input beside the spec. */
export interface AuthMeans {
  /** Passwords of users. A user without one authenticates with a certificate. */
  readonly passwords: ReadonlyMap<string, string>;
  /** Whether a password changed since it was last written. etcd does not return passwords. */
  readonly isChanged: (user: string) => boolean;
  /** Whether the user was created without a password. etcd cannot give it one, so the user is recreated. */
  readonly wasWithout?: (user: string) => boolean;
  /** Users that cannot be recreated while authentication is on, with the error to report: root, and the caller's own user. */
  readonly fixed?: ReadonlyMap<string, Error>;
  /**
   * Users with a missing password Secret, with the error to report. They are not created, because they could not be given a password
   * later.
   */
  readonly missing?: ReadonlyMap<string, Error>;
  /** Called when a user has its password, or needs none. */
  readonly onDone?: (user: string) => void;
}

/** The role and user with all rights. Authentication cannot be on without them. */
const ROOT = "root";

/** Users with all rights once authentication is on. */
export function superusersOf({ users }: Pick<AuthSpec, "users">): readonly string[] {
  return [ROOT, ...users.filter(({ roles }) => roles.includes(ROOT)).map(({ name }) => name)];
}

/**
 * Synchronizes, and returns descriptions of the changes. After an error the other changes continue, but authentication is enabled only if
 * all users are as in the spec.
 */
export async function syncAuth(client: EtcdClient, spec: AuthSpec, environment: AuthMeans): Promise<readonly string[]> {
  const { auth } = client;
  const isOn = await auth.isEnabled();
  const done: string[] = [];
  // Disable authentication before users are deleted: one of them may be the caller's own user, which could not disable it later.
  if (!spec.enabled && isOn) {
    await auth.disable();
    done.push("authentication is off");
  }
  const wish = { spec, means: spec.enabled && isOn ? environment : { ...environment, fixed: new Map() } };
  const failures = [...(await syncRoles(client, spec, done)), ...(await syncUsers(client, wish, done))];
  const [first] = failures;
  if (first !== undefined) throw first;
  if (spec.enabled && !isOn) {
    await auth.enable();
    done.push("authentication is on");
  }
  return done;
}

/** Whether the spec requests anything. Otherwise no root user is needed. */
export function isAuthWanted({ enabled, users, roles }: AuthSpec): boolean {
  return enabled || users.length > 0 || roles.length > 0;
}

/** Runs one change and collects its error. If the member does not respond, the error is thrown, because the others would fail as well. */
async function attempt(failures: Error[], run: () => Promise<void>): Promise<void> {
  try {
    await run();
  } catch (error) {
    if (!(error instanceof Error) || (error instanceof EtcdError && isPassing(error))) throw error;
    failures.push(error);
  }
}

async function syncRoles({ auth }: EtcdClient, spec: AuthSpec, done: string[]): Promise<Error[]> {
  const failures: Error[] = [];
  const desired = new Map(spec.roles.map(({ name, permissions }) => [name, toPermissions(permissions)]));
  const existing = await auth.roles();
  for (const name of new Set([...(isAuthWanted(spec) ? [ROOT] : []), ...desired.keys()])) {
    if (existing.includes(name)) continue;
    await tolerate("AlreadyExists", auth.addRole(name));
    done.push(`role ${name} was added`);
  }
  for (const [role, permissions] of desired) {
    // The role root has all rights; permissions do not matter.
    if (role !== ROOT) await attempt(failures, () => syncPermissions(auth, { role, permissions }, done));
  }
  for (const name of existing) {
    if (name === ROOT || desired.has(name)) continue;
    await tolerate("RoleNotFound", auth.removeRole(name));
    done.push(`role ${name} was removed`);
  }
  return failures;
}

async function syncPermissions(
  auth: EtcdClient["auth"],
  { role, permissions: desired }: { readonly role: string; readonly permissions: readonly Permission[] },
  done: string[],
): Promise<void> {
  const existing = await auth.permissionsOf(role);
  for (const permission of desired) {
    const former = existing.filter((other) => isOver(other, permission));
    if (former.length === 1 && former[0]?.allow === permission.allow) continue;
    await (former.length === 0 ? auth.allow(role, permission) : replacePermission(auth, role, permission));
    done.push(`role ${role} may ${permission.allow} ${former.length === 0 ? "more" : "instead"}`);
  }
  const others = existing.filter((permission) => !desired.some((one) => isOver(one, permission)));
  // Several permissions may have the same keys: one call removes all of them.
  for (const { allow, keys } of new Map(others.map((one) => [rangeText(one.keys), one])).values()) {
    await auth.forbid(role, keys);
    done.push(`role ${role} may ${allow} less`);
  }
}

/**
 * etcd replaces a permission over the same keys, unless another one begins with the same key and has another end. Then both stay, and the
 * old right remains.
 */
async function replacePermission(auth: EtcdClient["auth"], role: string, permission: Permission): Promise<void> {
  await auth.allow(role, permission);
  const left = (await auth.permissionsOf(role)).filter((other) => isOver(other, permission));
  if (left.length === 1) return;
  await auth.forbid(role, permission.keys);
  await auth.allow(role, permission);
}

interface Wish {
  readonly spec: AuthSpec;
  readonly means: AuthMeans;
}

async function syncUsers({ auth }: EtcdClient, { spec, means }: Wish, done: string[]): Promise<Error[]> {
  const failures: Error[] = [];
  const desired = new Map(spec.users.map(({ name, roles }) => [name, roles]));
  // The operator itself is root: by certificate, or with the password of a user root in the spec.
  const root = [...new Set([ROOT, ...(desired.get(ROOT) ?? [])])];
  const all = new Map(isAuthWanted(spec) ? [...desired, [ROOT, root]] : []);
  const existing = await auth.users();
  for (const [name, roles] of all) {
    const isNew = !existing.includes(name);
    await attempt(failures, () => syncUser(auth, { user: { name, roles, isNew }, means }, done));
  }
  for (const name of existing) {
    if (name === ROOT || all.has(name)) continue;
    await tolerate("UserNotFound", auth.removeUser(name));
    done.push(`user ${name} was removed`);
  }
  return failures;
}

interface WantedUser {
  readonly name: string;
  readonly roles: readonly string[];
  readonly isNew: boolean;
}

interface UserWish {
  readonly user: WantedUser;
  readonly means: AuthMeans;
}

async function syncUser(auth: EtcdClient["auth"], { user, means }: UserWish, done: string[]): Promise<void> {
  const { name, roles } = user;
  const missing = means.missing?.get(name);
  if (user.isNew && missing !== undefined) throw missing;
  await syncPassword(auth, { user, means }, done);
  if (missing === undefined) means.onDone?.(name);
  const granted = await auth.rolesOf(name);
  for (const role of roles) {
    if (granted.includes(role)) continue;
    await auth.grantRole({ user: name, role });
    done.push(`user ${name} got the role ${role}`);
  }
  for (const role of granted) {
    if (roles.includes(role)) continue;
    await auth.revokeRole({ user: name, role });
    done.push(`user ${name} lost the role ${role}`);
  }
}

/** A user created without a password accepts certificates only, whatever etcd returns for a new password. It has to be recreated. */
async function syncPassword(auth: EtcdClient["auth"], { user, means }: UserWish, done: string[]): Promise<void> {
  const { name, isNew } = user;
  const password = means.passwords.get(name);
  const isRemade = !isNew && password !== undefined && means.wasWithout?.(name) === true;
  const fixed = isRemade ? means.fixed?.get(name) : undefined;
  if (fixed !== undefined) throw fixed;
  if (isRemade) await tolerate("UserNotFound", auth.removeUser(name));
  if (isNew || isRemade) {
    await tolerate("AlreadyExists", auth.addUser(password === undefined ? { name } : { name, password }));
    done.push(isNew ? `user ${name} was added` : `user ${name} has a password now`);
  } else if (password !== undefined && means.isChanged(name)) {
    await auth.changePassword({ name, password });
    done.push(`user ${name} has another password`);
  }
}

function toPermission({ access, key, rangeEnd, prefix }: PermissionSpec): Permission {
  const allow = ({ Read: "read", Write: "write", ReadWrite: "readwrite" } as const)[access];
  if (prefix) return { allow, keys: { prefix: key } };
  return { allow, keys: rangeEnd === undefined ? { key } : { from: key, to: rangeEnd } };
}

/** One permission for each range: read and write of the same keys become readwrite. */
function toPermissions(specs: readonly PermissionSpec[]): readonly Permission[] {
  const merged = new Map<string, Permission>();
  for (const permission of specs.map(toPermission)) {
    const range = rangeText(permission.keys);
    const former = merged.get(range);
    const isSame = former === undefined || former.allow === permission.allow;
    merged.set(range, isSame ? permission : { ...permission, allow: "readwrite" });
  }
  return [...merged.values()];
}

function isOver(one: Permission, other: Permission): boolean {
  return rangeText(one.keys) === rangeText(other.keys);
}

function rangeText(keys: Keys): string {
  const { key, rangeEnd } = toRange(keys);
  return `${key.toString("hex")}-${rangeEnd.toString("hex")}`;
}

/** Another writer or an earlier attempt was first. */
async function tolerate(code: EtcdError["code"], call: Promise<void>): Promise<void> {
  try {
    await call;
  } catch (error) {
    if (!(error instanceof EtcdError) || error.code !== code) throw error;
  }
}
