/** The certificates of a cluster, computed from the existing Secrets, the spec, the time, and what members serve. */
import { bundleCertificates } from "@capstan/pki";
import { toMilliseconds } from "@capstan/runtime";
import type { TlsSpec } from "../cluster/resource.ts";
import { judgeGiven } from "./given.ts";
import { endOf, keepLeaf, readLeaf } from "./leaf.ts";
import type { Texts } from "./secret.ts";
import { advance, formatSuccession, openSigner, parseSuccession, trustOf } from "./succession.ts";
import type { Succession } from "./succession.ts";

export interface TlsInput {
  readonly cluster: string;
  readonly namespace: string;
  /** Undefined: the application has no TLS. */
  readonly spec: TlsSpec | undefined;
  /** The texts of a Secret of the namespace; undefined if it does not exist. */
  readonly read: (secret: string) => Texts | undefined;
  /** Milliseconds since 1970. */
  readonly now: number;
  /** When the certificates end that the running members serve; undefined: it is not known. */
  readonly served: readonly (number | undefined)[];
}

/**
 * The state for the condition.
 *
 * @example
 * const off: TlsState = { isReady: true, reason: "Off", message: "connections are not encrypted" };
 */
export interface TlsState {
  readonly isReady: boolean;
  readonly reason: string;
  readonly message: string;
}

export interface TlsPlan {
  /** Secrets to apply in this order, changed or not: what signs is recorded first, and nothing is served before it is trusted. */
  readonly apply: readonly TlsSecret[];
  readonly state: TlsState;
  /** The Secret that new pods mount. */
  readonly mount?: string | undefined;
  /** The authorities that the operator and clients trust. */
  readonly trust?: string | undefined;
}

/** A Secret as texts. */
export interface TlsSecret {
  readonly name: string;
  readonly texts: { readonly [entry: string]: string | undefined };
}

/** The Secret of the certificate authority, with its key. */
export function authoritySecretName(cluster: string): string {
  return `${cluster}-authority`;
}

/** The Secret that members mount. */
export function certificateSecretName(cluster: string): string {
  return `${cluster}-certificate`;
}

/** The Secret for clients: the authorities that they trust, without a key. */
export function trustSecretName(cluster: string): string {
  return `${cluster}-trust`;
}

/** The DNS names of members and Services. */
export function namesOf({ cluster, namespace }: Pick<TlsInput, "cluster" | "namespace">): readonly string[] {
  const services = [cluster, `${cluster}-replicas`].flatMap((service) => [
    service,
    `${service}.${namespace}`,
    `${service}.${namespace}.svc`,
    `${service}.${namespace}.svc.cluster.local`,
  ]);
  const members = `*.${cluster}-members.${namespace}.svc`;
  return ["localhost", "127.0.0.1", "::1", ...services, members, `${members}.cluster.local`];
}

/** The plan. A spec that cannot be fulfilled changes nothing: members continue with what they have. */
export function planTls(input: TlsInput): TlsPlan {
  const { spec } = input;
  if (spec === undefined || spec.mode === "Off") {
    return { apply: [], state: { isReady: true, reason: "Off", message: "connections are not encrypted" } };
  }
  if (spec.mode === "Provided") return planGiven(input, spec.secret ?? "");
  try {
    return planManaged(input, spec);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    const message = `certificates cannot be made as spec.tls asks: ${why}`;
    return { apply: [], state: { isReady: false, reason: "Invalid", message }, trust: publishedTrust(input) };
  }
}

function planManaged(input: TlsInput, spec: TlsSpec): TlsPlan {
  const { cluster, now, read } = input;
  const texts = read(certificateSecretName(cluster)) ?? {};
  const recorded = parseSuccession(read(authoritySecretName(cluster)) ?? {});
  const succession = advance(recorded, {
    commonName: `${cluster} authority`.slice(0, 64),
    now,
    validityMs: lifetimeOf(spec.authorityValidity),
    overlapMs: Math.max(MINUTE, toMilliseconds(spec.overlap)),
    isLoadedEverywhere: isLoaded(input, texts),
    request: spec.rotation ?? "",
    remembered: texts["ca.crt"] ?? "",
  });
  const trust = trustOf(succession);
  const leaf = keepLeaf({
    commonName: cluster.slice(0, 64),
    names: [...namesOf(input), ...spec.names],
    texts,
    trust,
    signer: openSigner(succession),
    now,
    validityMs: lifetimeOf(spec.validity),
  });
  const wanted = { "tls.crt": leaf?.certificate, "tls.key": leaf?.privateKey, "ca.crt": trust };
  return {
    apply: [
      { name: authoritySecretName(cluster), texts: formatSuccession(succession) },
      trustSecret(cluster, trust),
      ...(leaf === undefined ? [] : [{ name: certificateSecretName(cluster), texts: wanted }]),
    ],
    state: managedState(succession, { end: leaf && endOf(leaf), input }),
    mount: leaf && certificateSecretName(cluster),
    trust,
  };
}

const MINUTE = 60_000;
/** X.509 times end with the year 9999. */
const CENTURY = 36_500 * 86_400_000;

/**
 * The lifetime of a certificate in milliseconds, at most a century.
 *
 * @example
 * const validityMs = lifetimeOf("90d");
 */
export function lifetimeOf(text: string): number {
  return Math.min(toMilliseconds(text), CENTURY);
}

function trustSecret(cluster: string, trust: string): TlsSecret {
  return { name: trustSecretName(cluster), texts: { "ca.crt": trust } };
}

function publishedTrust({ read, cluster }: TlsInput): string | undefined {
  return read(trustSecretName(cluster))?.["ca.crt"];
}

/** Every member with certificates serves that of the Secret. A member without a report may still have the one before. */
function isLoaded({ served }: TlsInput, texts: Texts): boolean {
  const leaf = readLeaf(texts);
  return leaf === undefined ? served.length === 0 : isServed(served, endOf(leaf));
}

function isServed(served: TlsInput["served"], end: number): boolean {
  return served.every((one) => one === end);
}

interface StateInput {
  readonly end: number | undefined;
  readonly input: TlsInput;
}

function managedState({ phase, signer }: Succession, { end, input }: StateInput): TlsState {
  if (end === undefined) {
    const message =
      "the authority's Secret was lost before a certificate was made; a new authority is being introduced";
    return { isReady: false, reason: "AuthorityLost", message };
  }
  if (end <= input.now) return expired(end);
  switch (phase) {
    case "introducing": {
      const why = signer === undefined ? "was lost" : "is due";
      return { isReady: true, reason: "Introducing", message: `the authority ${why}: members load its successor` };
    }
    case "retiring":
      return { isReady: true, reason: "Retiring", message: "a new authority signs; the old one is still trusted" };
    case "steady":
      return loading(input, end) ?? { isReady: true, reason: "Valid", message: "all certificates are in place" };
  }
}

function expired(end: number): TlsState {
  const message = `the certificate expired at ${new Date(end).toISOString()}: let authorityValidity be longer, and overlap much shorter`;
  return { isReady: false, reason: "Expired", message };
}

/** The kubelet writes a changed Secret into running pods within about a minute. */
function loading({ served }: TlsInput, end: number): TlsState | undefined {
  const others = served.filter((one) => one !== undefined && one !== end).length;
  if (others === 0) return undefined;
  return { isReady: true, reason: "Loading", message: `${others} members serve the certificate before this one` };
}

/** A given Secret that is not usable is not mounted by new pods; the trust of the last usable one stays. */
function planGiven(input: TlsInput, secret: string): TlsPlan {
  const { cluster, read, served } = input;
  const texts = read(secret);
  const problem = judgeSecret(input, secret);
  const published = publishedTrust(input);
  if (problem !== undefined) return { apply: [], state: problem, trust: published };
  const certificate = texts?.["tls.crt"] ?? "";
  const end = endOf({ certificate });
  // Members that still serve the certificate before this one must be reached as well.
  const before = isServed(served, end) ? "" : (published ?? "");
  const trust = bundleCertificates(texts?.["ca.crt"] ?? "", before);
  const valid: TlsState = { isReady: true, reason: "Valid", message: "the given certificate is good" };
  return { apply: [trustSecret(cluster, trust)], state: loading(input, end) ?? valid, mount: secret, trust };
}

function judgeSecret({ cluster, namespace, read, now }: Omit<TlsInput, "served">, name: string): TlsState | undefined {
  return judgeGiven({ name, texts: read(name), now, member: `m.${cluster}-members.${namespace}.svc` });
}

/** The authorities by which members are verified before it is known what they serve. */
export function connectionTrust(input: Omit<TlsInput, "served">): string | undefined {
  const { spec, read, cluster } = input;
  const published = read(trustSecretName(cluster))?.["ca.crt"];
  const secret = spec?.mode === "Provided" ? (spec.secret ?? "") : undefined;
  if (secret === undefined || judgeSecret(input, secret) !== undefined) return published;
  return bundleCertificates(read(secret)?.["ca.crt"] ?? "", published ?? "");
}
