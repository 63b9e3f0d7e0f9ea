/** Credentials that a program prints (client.authentication.k8s.io/v1 and v1beta1). */
import { ApiError } from "../error/api-error.ts";
import type { CommandResult, Host } from "../host/host.ts";
import type { ClusterEntry, ExecEntry } from "../kubeconfig/kubeconfig.ts";
import { readSource } from "../kubeconfig/source.ts";
import { errorCode } from "../network/failure.ts";
import { cached } from "./cached.ts";
import type { Issued } from "./cached.ts";
import type { Credential } from "./credential.ts";

/** What a plugin prints. */
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

/** The credential of an exec plugin: run when needed, kept until it expires or is refused. */
export function execPlugin(host: Host, exec: ExecEntry, cluster: ClusterEntry): Credential {
  return cached(host.clock, async () => toIssued(exec, await runPlugin(host, exec, cluster)));
}

async function runPlugin(host: Host, exec: ExecEntry, cluster: ClusterEntry): Promise<CommandResult> {
  const interactive = exec.interactiveMode !== "Never" && host.hasTerminal;
  if (exec.interactiveMode === "Always" && !interactive) {
    throw failed(exec, "it must ask a person, and there is no terminal", "Log in from a terminal first.");
  }
  const info = {
    apiVersion: exec.apiVersion,
    kind: "ExecCredential",
    spec: { interactive, ...(exec.provideClusterInfo ? { cluster: await clusterInfo(host, cluster) } : {}) },
  };
  const own = Object.fromEntries(exec.env.map(({ name, value }) => [name, value]));
  const env = { ...host.env, ...own, KUBERNETES_EXEC_INFO: JSON.stringify(info) };
  try {
    return await host.run({ command: exec.command, args: exec.args, env, interactive });
  } catch (cause) {
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
  const { token, clientCertificateData: cert, clientKeyData: key, expirationTimestamp } = status ?? {};
  if (token === undefined && (cert === undefined || key === undefined)) {
    throw failed(exec, "it printed neither a token nor a certificate with its key", "Log in again.");
  }
  const expiresAt = expirationTimestamp === undefined ? undefined : Date.parse(expirationTimestamp);
  if (Number.isNaN(expiresAt))
    throw failed(exec, `it printed a time that is none (${expirationTimestamp})`, "Correct it.");
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  return { identity: { headers, cert, key }, expiresAt };
}

function parse(exec: ExecEntry, stdout: string): ExecCredential {
  try {
    return JSON.parse(stdout) as ExecCredential;
  } catch (cause) {
    throw failed(exec, "it did not print JSON", "Check what it prints.", cause);
  }
}

function failed({ command }: ExecEntry, why: string, cure: string, cause?: unknown): ApiError {
  const message = `Cannot get credentials from the exec plugin ${command}: ${why}. ${cure}`;
  return new ApiError({ code: "CredentialsFailed", message, cause });
}
