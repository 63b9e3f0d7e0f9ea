/** Exec credential plugins (client.authentication.k8s.io/v1 and v1beta1). */
import { ApiError, isApiError } from "../error/api-error.ts";
import type { CommandResult, Host } from "../host/host.ts";
import type { ClusterEntry, ExecEntry } from "../kubeconfig/kubeconfig.ts";
import { readSource } from "../kubeconfig/source.ts";
import { errorCode } from "../network/failure.ts";
import { cached } from "./cached.ts";
import type { Issued } from "./cached.ts";
import { bearer } from "./credential.ts";
import type { Credential } from "./credential.ts";

/** The output of a plugin. */
interface ExecCredential {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly status?: {
    readonly token?: string;
    readonly clientCertificateData?: string;
    readonly clientKeyData?: string;
    readonly expirationTimestamp?: string;
  };
}

/** The credential of an exec plugin: it runs when needed; the result is cached until it expires or is rejected. */
export function execPlugin(host: Host, exec: ExecEntry, cluster: ClusterEntry): Credential {
  const fetch = async (signal: AbortSignal): Promise<Issued> =>
    toIssued(exec, await runPlugin(host, { exec, cluster }, signal));
  // An interactive login may take longer than a call: it is not cancelled, and the next call uses its result.
  const credential = cached(host.clock, fetch, isInteractive(host, exec) ? "continue" : "cancel");
  const rethrow = (error: unknown): never => {
    throw isApiError(error, "DeadlineExceeded") ? timeoutError(exec, error) : error;
  };
  return {
    current(signal) {
      const identity = credential.current(signal);
      return identity instanceof Promise ? identity.catch(rethrow) : identity;
    },
    renew: (refused, signal) => credential.renew(refused, signal).catch(rethrow),
  };
}

function isInteractive({ hasTerminal }: Host, { interactiveMode }: ExecEntry): boolean {
  return interactiveMode !== "Never" && hasTerminal;
}

interface Plugin {
  readonly exec: ExecEntry;
  readonly cluster: ClusterEntry;
}

async function runPlugin(host: Host, { exec, cluster }: Plugin, signal: AbortSignal): Promise<CommandResult> {
  const interactive = isInteractive(host, exec);
  if (exec.interactiveMode === "Always" && !interactive) {
    throw failed(exec, "it needs an interactive login, and there is no terminal", "Log in from a terminal first.");
  }
  const info = {
    apiVersion: exec.apiVersion,
    kind: "ExecCredential",
    spec: { interactive, ...(exec.provideClusterInfo ? { cluster: await clusterInfo(host, cluster) } : {}) },
  };
  const own = Object.fromEntries(exec.env.map(({ name, value }) => [name, value]));
  const env = { ...host.env, ...own, KUBERNETES_EXEC_INFO: JSON.stringify(info) };
  try {
    return await host.run({ command: exec.command, args: exec.args, env, interactive, signal });
  } catch (cause) {
    signal.throwIfAborted();
    const missing = errorCode(cause) === "ENOENT";
    const why = missing ? "the program was not found" : cause instanceof Error ? cause.message : String(cause);
    throw failed(exec, why, exec.installHint ?? "Install it or correct the kubeconfig.", cause);
  }
}

async function clusterInfo(host: Host, cluster: ClusterEntry): Promise<object> {
  const { server, tlsServerName, insecureSkipTlsVerify, certificateAuthority, proxyUrl, execConfig } = cluster;
  const ca = certificateAuthority === undefined ? undefined : await readSource(host, certificateAuthority);
  return {
    server,
    "tls-server-name": tlsServerName,
    "insecure-skip-tls-verify": insecureSkipTlsVerify,
    "certificate-authority-data": ca === undefined ? undefined : Buffer.from(ca).toString("base64"),
    "proxy-url": proxyUrl,
    config: execConfig ?? null,
  };
}

function toIssued(exec: ExecEntry, { code, stdout, stderr }: CommandResult): Issued {
  if (code !== 0) {
    const said = stderr.trim().slice(-500);
    throw failed(exec, `it ended with code ${code}${said === "" ? "" : ` (${said})`}`, "Log in again.");
  }
  const { apiVersion, kind, status } = parse(exec, stdout);
  if (kind !== "ExecCredential" || apiVersion !== exec.apiVersion) {
    throw failed(
      exec,
      `it printed ${apiVersion} ${kind} instead of ${exec.apiVersion} ExecCredential`,
      "Use a matching version of it.",
    );
  }
  const { clientCertificateData: cert, clientKeyData: key, expirationTimestamp } = status ?? {};
  // An empty string means absent, as in Go.
  const token = status?.token === "" ? undefined : status?.token;
  checkStrings(exec, { token, clientCertificateData: cert, clientKeyData: key, expirationTimestamp });
  if (token === undefined && (cert === undefined || key === undefined)) {
    throw failed(exec, "it printed neither a token nor a certificate with its key", "Log in again.");
  }
  const expiresAt = expirationTimestamp === undefined ? undefined : Date.parse(expirationTimestamp);
  if (Number.isNaN(expiresAt)) throw failed(exec, `it printed an invalid time (${expirationTimestamp})`, "Correct it.");
  const headers = token === undefined ? {} : bearer(token, `the exec plugin ${exec.command}`).headers;
  return { identity: { headers, cert, key }, expiresAt };
}

function checkStrings(exec: ExecEntry, fields: { readonly [name: string]: unknown }): void {
  for (const [name, value] of Object.entries(fields)) {
    if (value !== undefined && typeof value !== "string")
      throw failed(exec, `the ${name} that it printed is not a string`, "Use another version of it.");
  }
}

function parse(exec: ExecEntry, stdout: string): ExecCredential {
  let printed: unknown;
  try {
    printed = JSON.parse(stdout);
  } catch (cause) {
    throw failed(exec, "it did not print JSON", "Check what it prints.", cause);
  }
  if (typeof printed === "object" && printed !== null && !Array.isArray(printed)) return withoutNulls(printed);
  throw failed(exec, "its output is not an ExecCredential", "Check what it prints.");
}

/** Null means absent. */
function withoutNulls(printed: ExecCredential): ExecCredential {
  const text = JSON.stringify(printed, (_name, value: unknown) => value ?? undefined);
  return JSON.parse(text) as ExecCredential;
}

/** The call's limit passed, but the plugin was slow, not the server. */
function timeoutError({ command }: ExecEntry, cause: ApiError): ApiError {
  const message = `Cannot get credentials from the exec plugin ${command}: it printed none before the call's time was up. Log in first, or allow more time.`;
  return new ApiError({ code: "DeadlineExceeded", message, cause });
}

function failed({ command }: ExecEntry, why: string, cure: string, cause?: unknown): ApiError {
  const message = `Cannot get credentials from the exec plugin ${command}: ${why}. ${cure}`;
  return new ApiError({ code: "CredentialsFailed", message, cause });
}
