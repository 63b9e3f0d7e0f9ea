/** Calls about users and roles. */
import type { Caller, Method } from "./caller.ts";
import type { AuthCalls, CallOptions, Permission } from "./client.ts";
import { fromRange, toRange } from "./keys.ts";
import {
  AuthStatusResponse,
  LoginRequest,
  NameRequest,
  NamesResponse,
  RoleGrantRequest,
  RoleResponse,
  RoleRevokeRequest,
  UserAddRequest,
  UserRoleRequest,
} from "./wire/cluster-messages.ts";
import type { WirePermission } from "./wire/cluster-messages.ts";
import { Empty, HeaderOnly } from "./wire/kv-messages.ts";

const METHODS = {
  status: { path: "Auth/AuthStatus", request: Empty, answer: AuthStatusResponse },
  enable: { path: "Auth/AuthEnable", request: Empty, answer: HeaderOnly },
  disable: { path: "Auth/AuthDisable", request: Empty, answer: HeaderOnly },
  users: { path: "Auth/UserList", request: Empty, answer: NamesResponse },
  user: { path: "Auth/UserGet", request: NameRequest, answer: NamesResponse },
  addUser: { path: "Auth/UserAdd", request: UserAddRequest, answer: HeaderOnly },
  changePassword: { path: "Auth/UserChangePassword", request: LoginRequest, answer: HeaderOnly },
  removeUser: { path: "Auth/UserDelete", request: NameRequest, answer: HeaderOnly },
  grantRole: { path: "Auth/UserGrantRole", request: UserRoleRequest, answer: HeaderOnly },
  revokeRole: { path: "Auth/UserRevokeRole", request: UserRoleRequest, answer: HeaderOnly },
  roles: { path: "Auth/RoleList", request: Empty, answer: NamesResponse },
  role: { path: "Auth/RoleGet", request: NameRequest, answer: RoleResponse },
  addRole: { path: "Auth/RoleAdd", request: NameRequest, answer: HeaderOnly },
  removeRole: { path: "Auth/RoleDelete", request: NameRequest, answer: HeaderOnly },
  allow: { path: "Auth/RoleGrantPermission", request: RoleGrantRequest, answer: HeaderOnly },
  forbid: { path: "Auth/RoleRevokePermission", request: RoleRevokeRequest, answer: HeaderOnly },
};

const ALLOWED = ["read", "write", "readwrite"] as const;

export function authCalls({ ask }: Caller): AuthCalls {
  const tell = async <Request>(
    method: Method<Request, HeaderOnly>,
    request: Partial<Request>,
    options?: CallOptions,
  ): Promise<void> => {
    await ask(method, request, options);
  };
  return {
    isEnabled: async (options) => (await ask(METHODS.status, {}, options)).enabled,
    enable: (options) => tell(METHODS.enable, {}, options),
    disable: (options) => tell(METHODS.disable, {}, options),
    users: async (options) => (await ask(METHODS.users, {}, options)).names,
    rolesOf: async (name, options) => (await ask(METHODS.user, { name }, options)).names,
    addUser: ({ name, password }, options) => {
      const secret = password === undefined ? { options: { noPassword: true } } : { password };
      return tell(METHODS.addUser, { name, ...secret }, options);
    },
    changePassword: (user, options) => tell(METHODS.changePassword, user, options),
    removeUser: (name, options) => tell(METHODS.removeUser, { name }, options),
    grantRole: (grant, options) => tell(METHODS.grantRole, grant, options),
    revokeRole: (grant, options) => tell(METHODS.revokeRole, grant, options),
    roles: async (options) => (await ask(METHODS.roles, {}, options)).names,
    addRole: (name, options) => tell(METHODS.addRole, { name }, options),
    removeRole: (name, options) => tell(METHODS.removeRole, { name }, options),
    permissionsOf: async (name, options) => (await ask(METHODS.role, { name }, options)).permissions.map(toPermission),
    allow: (name, { allow, keys }, options) =>
      tell(METHODS.allow, { name, permission: { type: ALLOWED.indexOf(allow), ...toRange(keys) } }, options),
    forbid: (role, keys, options) => tell(METHODS.forbid, { role, ...toRange(keys) }, options),
  };
}

function toPermission({ type, ...range }: WirePermission): Permission {
  return { allow: ALLOWED[type] ?? "readwrite", keys: fromRange(range) };
}
