/** The users and roles of a scripted etcd: which calls need a user, and which are denied, like etcd 3.5 to 3.7. */
import { parseCertificate } from "capstan/pki";
import type { AuthCalls, ConnectOptions, EtcdErrorCode } from "../../src/etcd/index.ts";
import { EtcdError } from "../../src/etcd/index.ts";

/** A user; its password is `undefined` if it was created with a certificate only. */
interface User {
  readonly roles: Set<string>;
  password: string | undefined;
}

export class ScriptedAuth {
  isOn = false;
  readonly roles = new Set<string>();
  readonly users = new Map<string, User>();
  /** How often the roles were listed: once each time that a spec is applied. */
  asked = 0;

  /** etcd's check before every call: with authentication on, any user may read, and only root may do anything else. */
  admit(options: ConnectOptions, call: string): void {
    if (!this.isOn || this.#isRoot(options)) return;
    const name = nameIn(options);
    if (name === undefined) this.#refuse(options, "Unauthenticated", "user name is empty");
    if (OPEN.has(call)) return;
    if (this.users.has(name)) this.#refuse(options, "Denied", "permission denied");
    this.#refuse(options, "UserNotFound", "user name not found");
  }

  callsOf(options: ConnectOptions): AuthCalls {
    const refuse = (code: EtcdErrorCode, why: string): never => this.#refuse(options, code, why);
    const user = (name: string): User => this.users.get(name) ?? refuse("UserNotFound", "user name not found");
    const role = (name: string): string =>
      this.roles.has(name) ? name : refuse("RoleNotFound", "role name not found");
    const calls: AuthCalls = {
      isEnabled: async () => this.isOn,
      enable: async () => {
        if (this.users.get("root")?.roles.has("root") !== true) refuse("NoRoot", "root user does not exist");
        this.isOn = true;
      },
      disable: async () => void (this.isOn = false),
      roles: async () => (this.asked++, [...this.roles]),
      addRole: async (name) => void this.roles.add(name),
      removeRole: async (name) => void this.roles.delete(role(name)),
      permissionsOf: async () => [],
      allow: async (_name, { keys }) =>
        "key" in keys && keys.key.length === 0 ? refuse("Invalid", "invalid auth management") : undefined,
      forbid: async () => undefined,
      users: async () => [...this.users.keys()],
      addUser: async ({ name, password }) => {
        if ((password ?? "").length > 72) refuse("Other", "bcrypt: password length exceeds 72 bytes");
        this.users.set(name, { roles: new Set(), password });
      },
      removeUser: async (name) => (user(name), void this.users.delete(name)),
      // A user without a password does not get one, and etcd returns no error.
      changePassword: async ({ name, password }) => {
        if (user(name).password !== undefined) user(name).password = password;
      },
      rolesOf: async (name) => [...user(name).roles],
      grantRole: async (grant) => void user(grant.user).roles.add(role(grant.role)),
      revokeRole: async (grant) => void user(grant.user).roles.delete(grant.role),
    };
    return guarded(calls, (call) => this.admit(options, call));
  }

  #isRoot(options: ConnectOptions): boolean {
    return this.users.get(nameIn(options) ?? "")?.roles.has("root") === true;
  }

  #refuse({ endpoint }: ConnectOptions, code: EtcdErrorCode, why: string): never {
    throw new EtcdError(code, `etcd at ${endpoint} refused: etcdserver: ${why}`, { endpoint, maybeDone: false });
  }
}

/** Calls that etcd allows with any certificate. */
const OPEN: ReadonlySet<string> = new Set(["status", "list", "alarms", "versions"]);

function nameIn({ tls }: ConnectOptions): string | undefined {
  return tls?.certificate === undefined ? undefined : parseCertificate(tls.certificate).subject.commonName;
}

/** The same calls, each behind a guard. */
export function guarded<Calls extends object>(calls: Calls, guard: (call: string) => void): Calls {
  const wrap = (name: string, call: unknown): unknown =>
    typeof call === "function" ? async (...args: unknown[]) => (guard(name), await call(...args)) : call;
  // The calls keep their names and types: only a guard runs before each.
  return Object.fromEntries(Object.entries(calls).map(([name, call]) => [name, wrap(name, call)])) as Calls;
}
