/** Maps the flags of kube-apiserver to options of the embedded API server. */
import { createAuthority, validFor } from "@capstan/pki";
import { admissionSteps } from "../admit/index.ts";
import type { AdmissionStep } from "../admit/admission.ts";
import type { AuthorizationMode } from "../authorize/modes.ts";
import type { UserInfo } from "../authenticate/user.ts";
import type { ListenTls } from "../serve/listen.ts";
import type { ApiServerOptions } from "../options.ts";
import { lastValue, listValue, type Flags } from "./flags.ts";

/** Access to files and time. */
export interface Surroundings {
  /** Reads a file that a flag names; throws if it cannot be read. */
  read(path: string): string;
  /** Reads a file that may be missing. */
  readIfThere(path: string): string | undefined;
  /** Milliseconds since 1970. */
  now(): number;
}

/** The flags with an effect; others are accepted and ignored. */
export const serverFlags: readonly string[] = [
  "advertise-address",
  "audit-log-path",
  "authorization-mode",
  "bind-address",
  "cert-dir",
  "client-ca-file",
  "disable-admission-plugins",
  "enable-admission-plugins",
  "secure-port",
  "service-account-issuer",
  "service-account-signing-key-file",
  "service-cluster-ip-range",
  "service-node-port-range",
  "tls-cert-file",
  "tls-private-key-file",
  "token-auth-file",
];

/** The options for the flags. */
export function toServerOptions(flags: Flags, around: Surroundings): ApiServerOptions {
  const address = lastValue(flags, "advertise-address");
  const port = Number(lastValue(flags, "secure-port") ?? "6443");
  const host = lastValue(flags, "bind-address") ?? "127.0.0.1";
  return {
    listen: { port, host, tls: tlsOf(flags, host, around) },
    authorization: authorizationOf(flags),
    admission: admissionOf(flags),
    tokens: tokensOf(lastValue(flags, "token-auth-file"), around),
    serviceAccounts: serviceAccountsOf(flags, around),
    ...(address === undefined ? {} : { advertise: { address } }),
    ...rangesOf(flags),
  };
}

/** The service networks and node ports. */
function rangesOf(flags: Flags): Pick<ApiServerOptions, "serviceNetwork" | "nodePorts"> {
  const networks = listValue(flags, "service-cluster-ip-range");
  // The server has an IPv4 address, so a network of that family comes first, or the default is used.
  const ordered = networks.toSorted((a, b) => Number(a.includes(":")) - Number(b.includes(":")));
  const serviceNetwork = ordered[0]?.includes(":") === false ? ordered.join(",") : undefined;
  const nodePorts = lastValue(flags, "service-node-port-range");
  return {
    ...(serviceNetwork === undefined ? {} : { serviceNetwork }),
    ...(nodePorts === undefined ? {} : { nodePorts }),
  };
}

function authorizationOf(flags: Flags): AuthorizationMode {
  const modes = listValue(flags, "authorization-mode");
  if (modes.length === 0 || modes.includes("AlwaysAllow")) return "always-allow";
  return modes.includes("Node") ? "node-and-rbac" : "rbac";
}

/** kube-apiserver runs NodeRestriction only if a flag enables it. */
function admissionOf(flags: Flags): readonly AdmissionStep[] {
  const disabled = new Set(listValue(flags, "disable-admission-plugins"));
  const enabled = new Set(listValue(flags, "enable-admission-plugins"));
  return admissionSteps.filter(({ name }) => !disabled.has(name) && (name !== "NodeRestriction" || enabled.has(name)));
}

/** The certificate of the flags, the one in the certificate folder, or a new one. */
function tlsOf(flags: Flags, host: string, around: Surroundings): ListenTls {
  const folder = lastValue(flags, "cert-dir") ?? "/var/run/kubernetes";
  const read = (flag: string, usual: string): string | undefined => {
    const named = lastValue(flags, flag);
    return named === undefined ? around.readIfThere(`${folder}/${usual}`) : around.read(named);
  };
  const certificate = read("tls-cert-file", "apiserver.crt");
  const privateKey = read("tls-private-key-file", "apiserver.key");
  const clients = lastValue(flags, "client-ca-file");
  const clientAuthority = clients === undefined ? undefined : around.read(clients);
  const own =
    certificate === undefined || privateKey === undefined ? issueOwn(host, around) : { certificate, privateKey };
  return { ...own, ...(clientAuthority === undefined ? {} : { clientAuthority }) };
}

function issueOwn(host: string, around: Surroundings): ListenTls {
  const now = new Date(around.now());
  const authority = createAuthority({ commonName: "capstan", now, days: 365 });
  const { certificate, privateKey } = authority.issue({
    commonName: "kube-apiserver",
    usages: ["server"],
    ipAddresses: [...new Set([host, "127.0.0.1"])],
    dnsNames: ["localhost"],
    ...validFor({ now, days: 365 }),
  });
  return { certificate, privateKey };
}

function serviceAccountsOf(flags: Flags, around: Surroundings): NonNullable<ApiServerOptions["serviceAccounts"]> {
  const issuer = lastValue(flags, "service-account-issuer");
  const file = lastValue(flags, "service-account-signing-key-file");
  const privateKeyPem = file === undefined ? undefined : around.read(file);
  return { ...(issuer === undefined ? {} : { issuer }), ...(privateKeyPem === undefined ? {} : { privateKeyPem }) };
}

/** Parses lines of `token,user,uid,"group,group"`. */
function tokensOf(file: string | undefined, around: Surroundings): ReadonlyMap<string, UserInfo> {
  const text = file === undefined ? "" : around.read(file);
  const rows = text.split(/\r?\n/).filter((line) => line.trim() !== "" && !line.startsWith("#"));
  return new Map(rows.map((line) => toUser(splitRow(line))));
}

function toUser([token = "", name = "", uid = "", groups = ""]: readonly string[]): [string, UserInfo] {
  const list = groups.split(",").filter((group) => group !== "");
  return [token, { name, groups: list, ...(uid === "" ? {} : { uid }) }];
}

/** Splits a CSV line; fields that contain commas are in quotes. */
function splitRow(line: string): string[] {
  return [...line.matchAll(/(?:^|,)\s*(?:"([^"]*)"|([^,]*))/g)].map(([, quoted, bare]) =>
    (quoted ?? bare ?? "").trim(),
  );
}
