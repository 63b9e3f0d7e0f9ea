/** The users and roles of a scripted etcd: who is asked for a name, and what is refused, as etcd 3.5 to 3.7 do it. */
import { parseCertificate } from "capstan/pki";
import type { AuthCalls, ConnectOptions, EtcdErrorCode } from "../../src/etcd/index.ts";
import { EtcdError } from "../../src/etcd/index.ts";

/** Somebody who is known: `undefined` for a user that comes with a certificate only. */
interface User {
  readonly roles: Set<string>;
  password: string | undefined;
}

export class ScriptedAuth {
  isOn = false;
  readonly roles = new Set<string>();
  readonly users = new Map<string, User>();
  /** How often anybody asked for the roles: each time that a spec is followed. */
  asked = 0;

  /** What etcd does first with every question: with authentication on, only root may ask what the operator asks. */
  admit(options: ConnectOptions): void {
    if (this.isOn && !this.#isRoot(options)) this.#refuse(options, "Unauthenticated", "user name is empty");
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
      // A user that came with a certificate only stays so, and nothing is said.
      changePassword: async ({ name, password }) => {
        if (user(name).password !== undefined) user(name).password = password;
      },
      rolesOf: async (name) => [...user(name).roles],
      grantRole: async (grant) => void user(grant.user).roles.add(role(grant.role)),
      revokeRole: async (grant) => void user(grant.user).roles.delete(grant.role),
    };
    return guarded(calls, () => this.admit(options));
  }

  #isRoot({ tls }: ConnectOptions): boolean {
    if (tls?.certificate === undefined) return false;
    return this.users.get(parseCertificate(tls.certificate).subject.commonName)?.roles.has("root") === true;
  }

  #refuse({ endpoint }: ConnectOptions, code: EtcdErrorCode, why: string): never {
    throw new EtcdError(code, `etcd at ${endpoint} refused: etcdserver: ${why}`, { endpoint, maybeDone: false });
  }
}

/** The same calls, each behind a guard. */
export function guarded<Calls extends object>(calls: Calls, guard: () => void): Calls {
  const wrap = (call: unknown): unknown =>
    typeof call === "function" ? async (...args: unknown[]) => (guard(), await call(...args)) : call;
  // The calls keep their names and types: only a guard stands before each.
  return Object.fromEntries(Object.entries(calls).map(([name, call]) => [name, wrap(call)])) as Calls;
}
