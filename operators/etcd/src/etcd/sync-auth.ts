/** Brings users, roles and the switch of authentication to what a spec says. Nothing is written when nothing would change. */
import type { EtcdClient, Keys, Permission } from "./client.ts";
import { EtcdError } from "./errors.ts";
import { toRange } from "./keys.ts";

/** What a spec says about authentication. */
export interface AuthSpec {
  readonly enabled: boolean;
  readonly roles: readonly { readonly name: string; readonly permissions: readonly PermissionSpec[] }[];
  readonly users: readonly { readonly name: string; readonly roles: readonly string[] }[];
}

/** A permission in a spec. */
export interface PermissionSpec {
  readonly access: "Read" | "Write" | "ReadWrite";
  readonly key: string;
  readonly rangeEnd?: string | undefined;
  readonly prefix: boolean;
}

/** What is known beside the spec. */
export interface AuthMeans {
  /** Passwords of users; who has none comes with a certificate. */
  readonly passwords: ReadonlyMap<string, string>;
  /** Whether a password was changed since it was last written: etcd does not tell what it has. */
  readonly isChanged: (user: string) => boolean;
}

/** The role and user that may do everything; without them authentication cannot be on. */
const ROOT = "root";

/** Makes it so; answers with what was done, in words. */
export async function syncAuth(client: EtcdClient, spec: AuthSpec, means: AuthMeans): Promise<readonly string[]> {
  const { auth } = client;
  const isOn = await auth.isEnabled();
  if (!spec.enabled && !isOn && spec.users.length === 0 && spec.roles.length === 0) return [];
  const done = [...(await syncRoles(client, spec)), ...(await syncUsers(client, spec, means))];
  if (spec.enabled && !isOn) {
    await auth.enable();
    done.push("authentication is on");
  } else if (!spec.enabled && isOn) {
    await auth.disable();
    done.push("authentication is off");
  }
  return done;
}

async function syncRoles({ auth }: EtcdClient, { roles }: AuthSpec): Promise<string[]> {
  const done: string[] = [];
  const wanted = new Map(roles.map(({ name, permissions }) => [name, permissions.map(toPermission)]));
  const existing = await auth.roles();
  for (const name of new Set([ROOT, ...wanted.keys()])) {
    if (existing.includes(name)) continue;
    await tolerate("AlreadyExists", auth.addRole(name));
    done.push(`role ${name} was added`);
  }
  for (const [name, permissions] of wanted) done.push(...(await syncPermissions(auth, name, permissions)));
  for (const name of existing) {
    if (name === ROOT || wanted.has(name)) continue;
    await tolerate("RoleNotFound", auth.removeRole(name));
    done.push(`role ${name} was removed`);
  }
  return done;
}

async function syncPermissions(
  auth: EtcdClient["auth"],
  role: string,
  wanted: readonly Permission[],
): Promise<string[]> {
  const done: string[] = [];
  const existing = await auth.permissionsOf(role);
  for (const permission of wanted) {
    if (existing.some((other) => isSame(other, permission))) continue;
    await auth.allow(role, permission);
    done.push(`role ${role} may ${permission.allow} more`);
  }
  for (const permission of existing) {
    // A permission with other rights over the same keys was replaced by the one above.
    if (wanted.some(({ keys }) => rangeText(keys) === rangeText(permission.keys))) continue;
    await auth.forbid(role, permission.keys);
    done.push(`role ${role} may ${permission.allow} less`);
  }
  return done;
}

async function syncUsers({ auth }: EtcdClient, spec: AuthSpec, means: AuthMeans): Promise<string[]> {
  const done: string[] = [];
  const wanted = new Map(spec.users.map(({ name, roles }) => [name, roles]));
  // The operator itself is root: by certificate, or with the password of a user root in the spec.
  const all = new Map([...wanted, [ROOT, [...new Set([ROOT, ...(wanted.get(ROOT) ?? [])])]]]);
  const existing = await auth.users();
  for (const [name, roles] of all)
    done.push(...(await syncUser(auth, { name, roles, isNew: !existing.includes(name) }, means)));
  for (const name of existing) {
    if (all.has(name)) continue;
    await tolerate("UserNotFound", auth.removeUser(name));
    done.push(`user ${name} was removed`);
  }
  return done;
}

interface WantedUser {
  readonly name: string;
  readonly roles: readonly string[];
  readonly isNew: boolean;
}

async function syncUser(
  auth: EtcdClient["auth"],
  { name, roles, isNew }: WantedUser,
  means: AuthMeans,
): Promise<string[]> {
  const done: string[] = [];
  const password = means.passwords.get(name);
  if (isNew) {
    await tolerate("AlreadyExists", auth.addUser(password === undefined ? { name } : { name, password }));
    done.push(`user ${name} was added`);
  } else if (password !== undefined && means.isChanged(name)) {
    await auth.changePassword({ name, password });
    done.push(`user ${name} has another password`);
  }
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
  return done;
}

function toPermission({ access, key, rangeEnd, prefix }: PermissionSpec): Permission {
  const allow = ({ Read: "read", Write: "write", ReadWrite: "readwrite" } as const)[access];
  if (prefix) return { allow, keys: { prefix: key } };
  return { allow, keys: rangeEnd === undefined ? { key } : { from: key, to: rangeEnd } };
}

function isSame(one: Permission, other: Permission): boolean {
  return one.allow === other.allow && rangeText(one.keys) === rangeText(other.keys);
}

function rangeText(keys: Keys): string {
  const { key, rangeEnd } = toRange(keys);
  return `${key.toString("hex")}-${rangeEnd.toString("hex")}`;
}

/** Somebody else, or an earlier attempt, was faster. */
async function tolerate(code: EtcdError["code"], call: Promise<void>): Promise<void> {
  try {
    await call;
  } catch (error) {
    if (!(error instanceof EtcdError) || error.code !== code) throw error;
  }
}
