/** Parses a user entry of a kubeconfig: certificates, tokens, plugins, impersonation. */
import { ConfigError } from "../error/config-error.ts";
import type { Fields } from "./fields.ts";
import type { ExecEntry, Impersonation, OidcEntry, Proof, UserEntry } from "./kubeconfig.ts";
import { sourceOf } from "./source.ts";
import type { Origin } from "./source.ts";

/** Parses a user entry. */
export function toUser(fields: Fields, origin: Origin): UserEntry {
  const clientCertificate = sourceOf(fields, "client-certificate", origin);
  const clientKey = sourceOf(fields, "client-key", origin);
  if ((clientCertificate === undefined) !== (clientKey === undefined)) {
    throw contradiction(origin, "has a client certificate or a client key, but not both");
  }
  return { clientCertificate, clientKey, proof: toProof(fields, origin), impersonate: toImpersonation(fields, origin) };
}

function contradiction({ file, owner }: Origin, what: string): ConfigError {
  return new ConfigError("Contradiction", `Cannot use ${file}: ${owner} ${what}. Correct it there.`);
}

/** The precedence of client-go: token file, token, basic auth, then plugins. */
function toProof(fields: Fields, origin: Origin): Proof {
  const [tokenFile, token, username] = [fields.text("tokenFile"), fields.text("token"), fields.text("username")];
  if (fields.has("exec") && fields.has("auth-provider")) {
    throw contradiction(origin, "has both exec and auth-provider");
  }
  if (isSet(tokenFile)) return { type: "tokenFile", file: origin.path(tokenFile) };
  if (isSet(token)) return { type: "token", token };
  if (isSet(username)) return { type: "basic", username, password: fields.text("password") ?? "" };
  if (fields.has("exec")) return { type: "exec", exec: toExec(fields.within("exec"), origin) };
  if (fields.has("auth-provider")) return { type: "oidc", oidc: toOidc(fields.within("auth-provider"), origin) };
  return { type: "none" };
}

function isSet(text: string | undefined): text is string {
  return text !== undefined && text !== "";
}

const execVersions = ["client.authentication.k8s.io/v1", "client.authentication.k8s.io/v1beta1"];
const modes = ["Never", "IfAvailable", "Always"] as const;

function toExec(fields: Fields, origin: Origin): ExecEntry {
  const apiVersion = fields.required("apiVersion");
  if (!execVersions.includes(apiVersion)) {
    throw contradiction(origin, `has an exec plugin of ${apiVersion}; known are ${execVersions.join(" and ")}`);
  }
  const said = fields.text("interactiveMode");
  const interactiveMode = modes.find((mode) => mode === said) ?? (said === undefined ? "IfAvailable" : undefined);
  if (interactiveMode === undefined) {
    throw contradiction(origin, `has an exec plugin with interactiveMode ${said}; known are ${modes.join(", ")}`);
  }
  const command = fields.required("command");
  return {
    apiVersion,
    // A command with a slash is relative to the file; others are searched in PATH.
    command: command.includes("/") ? origin.path(command) : command,
    args: fields.texts("args") ?? [],
    env: fields.list("env").map((one) => ({ name: one.required("name"), value: one.text("value") ?? "" })),
    interactiveMode,
    provideClusterInfo: fields.flag("provideClusterInfo") ?? false,
    installHint: fields.text("installHint"),
  };
}

function toOidc(fields: Fields, origin: Origin): OidcEntry {
  const provider = fields.required("name");
  if (provider !== "oidc") {
    throw contradiction(
      origin,
      `wants the auth-provider ${provider}, which Kubernetes has given up; use an exec plugin`,
    );
  }
  const config = fields.within("config");
  return {
    issuer: config.required("idp-issuer-url"),
    clientId: config.required("client-id"),
    clientSecret: config.text("client-secret"),
    idToken: config.text("id-token"),
    refreshToken: config.text("refresh-token"),
    certificateAuthority: sourceOf(config, "idp-certificate-authority", origin),
  };
}

/** client-go also rejects impersonated groups, uid or extras without a user. */
function toImpersonation(fields: Fields, origin: Origin): Impersonation | undefined {
  const [user, uid, groups] = [fields.text("as"), fields.text("as-uid"), fields.texts("as-groups")];
  const extra = fields.within("as-user-extra");
  if (!isSet(user)) {
    if (!isSet(uid) && (groups ?? []).length === 0 && extra.names().length === 0) return undefined;
    throw contradiction(origin, "has as-uid, as-groups or as-user-extra without as");
  }
  return { user, uid, groups, extra: Object.fromEntries(extra.names().map((name) => [name, extra.texts(name) ?? []])) };
}
