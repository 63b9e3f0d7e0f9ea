/** The desired certificates of a cluster, computed from the existing Secrets, the spec and the time. */
import { parseCertificate } from "capstan/pki";
import type { KeyedCertificate } from "capstan/pki";
import {
  advance,
  dueTime,
  formatSuccession,
  keepLeaf,
  lifetimeOf,
  nextChange,
  openSigner,
  parseSuccession,
  readLeaf,
  trustOf,
} from "capstan/stateful/parts";
import type { Succession } from "capstan/stateful/parts";
import { parseDuration } from "../duration.ts";
import type { TlsMaterial } from "../etcd/index.ts";
import { printOf } from "./print.ts";
import { planProvided } from "./provided.ts";
import { readSecret, toSecret } from "./secret.ts";
import type { StoredSecret, WantedSecret } from "./secret.ts";
import { clientEndpoint, leafWishes, secretNames } from "./wishes.ts";
import type { ClusterName } from "./wishes.ts";

/** The TLS part of a cluster's spec. */
export interface TlsSpec {
  readonly mode: "Managed" | "Provided" | "Off";
  readonly secrets?: { readonly server: string; readonly peer: string; readonly client: string };
  readonly validity: string;
  readonly caValidity: string;
  /** The minimum time for which old and new authorities are trusted together. */
  readonly overlap?: string;
  readonly names: readonly string[];
}

export interface TlsInput {
  readonly cluster: ClusterName;
  readonly spec: TlsSpec;
  /** The Secrets of the namespace, at least those in `tlsSecrets`. */
  readonly secrets: readonly StoredSecret[];
  /** Milliseconds since 1970. */
  readonly now: number;
  /** The `restart` value of each running member. */
  readonly trusted: readonly string[];
  /** A value that the user changes to request a new authority. */
  readonly request?: string;
  /** With authentication: the users with all rights. The operator must be one of them. */
  readonly superusers?: readonly string[];
}

export interface TlsPlan {
  /** All Secrets of the cluster, changed or not. */
  readonly apply: readonly WantedSecret[];
  readonly state: { readonly ready: boolean; readonly reason: string; readonly message: string };
  /** Secrets that members mount; undefined without TLS. */
  readonly mounts?: { readonly server: string; readonly peer: string };
  /** The Secret for clients. */
  readonly clientSecret?: string;
  /** The certificates of the operator's client. */
  readonly operator?: TlsMaterial;
  /** A change restarts the members one by one, because etcd reads its trusted authorities only at the start. */
  readonly restart: string;
  /** Time of the next reconcile, in milliseconds since 1970. */
  readonly lookAgain?: number;
}

/** The names of the Secrets that a plan reads. */
export function tlsSecrets(cluster: ClusterName, spec: TlsSpec): string[] {
  if (spec.mode === "Off") return [];
  return Object.values(spec.mode === "Provided" ? (spec.secrets ?? {}) : secretNames(cluster));
}

export function planTls(input: TlsInput): TlsPlan {
  switch (input.spec.mode) {
    case "Off":
      return {
        apply: [],
        state: { ready: true, reason: "Off", message: "Connections are not encrypted" },
        restart: "",
      };
    case "Provided":
      return planProvided(input);
    case "Managed":
      return planOrKeep(input);
  }
}

/** If the spec cannot be fulfilled, nothing changes: members continue with their certificates and are managed. */
function planOrKeep(input: TlsInput): TlsPlan {
  try {
    return planManaged(input);
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    return keepAsIs(input, `certificates cannot be made as spec.tls has them: ${error.message}`);
  }
}

function keepAsIs({ cluster, secrets, trusted, now }: TlsInput, message: string): TlsPlan {
  const names = secretNames(cluster);
  const texts = readSecret(secrets, names.operator);
  const leaf = readLeaf(texts);
  const recordedState = parseSuccession(readSecret(secrets, names.authority));
  const restart = recordedState ? restartPrint(recordedState) : (trusted[0] ?? "");
  const kept = Object.values(names).map((name) => ({ name, parts: readSecret(secrets, name) }));
  return {
    apply: kept.flatMap(({ name, parts }) => (Object.keys(parts).length === 0 ? [] : [toSecret(name, parts)])),
    state: { ready: false, reason: "Invalid", message },
    mounts: { server: names.server, peer: names.peer },
    clientSecret: names.client,
    ...(leaf ? { operator: { ca: texts["ca.crt"] ?? "", ...leaf } } : {}),
    restart,
    lookAgain: now + HOUR,
  };
}

const HOUR = 3_600_000;

function planManaged(input: TlsInput): TlsPlan {
  const { cluster, spec } = input;
  const names = secretNames(cluster);
  const impossible = spec.names.filter((name) => !isPossible(name));
  const succession = succeed(input);
  const trust = trustOf(succession);
  const leaves = keepLeaves(input, succession);
  const { server, peer, client, operator } = leaves;
  const extra = { endpoints: clientEndpoint(cluster) };
  const apply = [
    toSecret(names.authority, { ...formatSuccession(succession), "ca.crt": trust }),
    ...(server ? [leafSecret(names.server, server, trust)] : []),
    ...(peer ? [leafSecret(names.peer, peer, trust)] : []),
    ...(client ? [leafSecret(names.client, client, trust, extra)] : []),
    ...(operator ? [leafSecret(names.operator, operator, trust)] : []),
  ];
  const complete = server !== undefined && peer !== undefined && client !== undefined;
  return {
    apply,
    state: expired(Object.values(leaves), input.now) ?? leftOut(impossible) ?? describe(succession, complete),
    mounts: { server: names.server, peer: names.peer },
    clientSecret: names.client,
    ...(operator ? { operator: { ca: trust, ...operator } } : {}),
    restart: restartPrint(succession),
    lookAgain: Math.min(
      nextChange(succession, overlapOf(spec)),
      ...[server, peer, client, operator].flatMap((leaf) => (leaf ? [dueTime(leaf)] : [])),
    ),
  };
}

function succeed({ cluster, spec, secrets, now, trusted, request = "" }: TlsInput): Succession {
  const names = secretNames(cluster);
  const recordedState = parseSuccession(readSecret(secrets, names.authority));
  const current = recordedState && restartPrint(recordedState);
  return advance(recordedState, {
    commonName: `etcd ${cluster.namespace}/${cluster.name}`,
    now,
    validityMs: lifetimeOf(spec.caValidity),
    overlapMs: overlapOf(spec),
    isLoadedEverywhere: trusted.every((print) => print === current),
    request,
    remembered: oldTrust(secrets, names.server),
  });
}

type Leaves = { readonly [Purpose in "server" | "peer" | "client" | "operator"]: KeyedCertificate | undefined };

function keepLeaves({ cluster, spec, secrets, now }: TlsInput, succession: Succession): Leaves {
  const names = secretNames(cluster);
  const wishes = leafWishes(cluster, spec.names.filter(isPossible));
  const signer = openSigner(succession);
  const validityMs = lifetimeOf(spec.validity);
  const keep = (purpose: keyof Leaves): KeyedCertificate | undefined =>
    keepLeaf({ ...wishes[purpose], texts: readSecret(secrets, names[purpose]), signer, now, validityMs });
  return { server: keep("server"), peer: keep("peer"), client: keep("client"), operator: keep("operator") };
}

function leafSecret(
  name: string,
  leaf: KeyedCertificate,
  trust: string,
  extra: Record<string, string> = {},
): WantedSecret {
  return toSecret(name, { "tls.crt": leaf.certificate, "tls.key": leaf.privateKey, "ca.crt": trust, ...extra });
}

/** A new signer restarts the members as well, so that no certificate of the old one is in use when it is removed. */
function restartPrint(succession: Succession): string {
  return printOf(trustOf(succession), succession.signer?.certificate ?? "");
}

function oldTrust(secrets: readonly StoredSecret[], name: string): string {
  return readSecret(secrets, name)["ca.crt"] ?? "";
}

function overlapOf(spec: TlsSpec): number {
  return parseDuration(spec.overlap ?? "24h");
}

/** Whether a name is possible in a certificate: ASCII, and no IPv6 zone. */
function isPossible(name: string): boolean {
  return /^[\x21-\x7e]+$/u.test(name) && !name.includes("%");
}

/** Reports impossible names. The certificate contains the others and is renewed as usual. */
function leftOut(names: readonly string[]): TlsPlan["state"] | undefined {
  if (names.length === 0) return undefined;
  const list = names.map((name) => JSON.stringify(name)).join(", ");
  const message = `spec.tls.names has ${list}, which cannot stand in a certificate and is left out: write names in ASCII (xn-- for others)`;
  return { ready: false, reason: "Invalid", message };
}

/** An expired certificate is reported, whatever prevented its renewal. */
function expired(leaves: readonly (KeyedCertificate | undefined)[], now: number): TlsPlan["state"] | undefined {
  const ends = leaves.flatMap((leaf) => (leaf ? [parseCertificate(leaf.certificate).notAfter] : []));
  const end = ends.find((one) => one.getTime() <= now);
  if (end === undefined) return undefined;
  const message = `A certificate expired at ${end.toISOString()}: let caValidity be longer, and overlap much shorter`;
  return { ready: false, reason: "Expired", message };
}

function describe({ phase, signer }: Succession, isComplete: boolean): TlsPlan["state"] {
  if (!isComplete) {
    const message =
      "The authority's Secret was lost before all certificates were made; a new authority is being introduced";
    return { ready: false, reason: "AuthorityLost", message };
  }
  switch (phase) {
    case "steady":
      return { ready: true, reason: "Valid", message: "All certificates are in place" };
    case "introducing": {
      const why = signer ? "is due" : "was lost";
      return {
        ready: true,
        reason: "Introducing",
        message: `The authority ${why}: members learn to trust its successor`,
      };
    }
    case "retiring":
      return {
        ready: true,
        reason: "Retiring",
        message: "The new authority signs; the old one is trusted for a while",
      };
  }
}
