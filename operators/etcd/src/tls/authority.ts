/**
 * The certificate authority of a cluster and its rotation. A new authority is first introduced (both are trusted, the old one signs),
 * then takes over (both are trusted, the new one signs), and finally the old one is removed. Each phase waits until all members run with
 * the result of the phase before, and until clients had time to reload. So every certificate in use is trusted at any time.
 */
import { bundleCertificates, createAuthority, openAuthority, parseCertificate, splitBundle } from "capstan/pki";
import type { Authority, KeyedCertificate } from "capstan/pki";
import type { Texts } from "./secret.ts";

/** The trusted authorities, the signer, and the phase of a rotation. */
export interface Succession {
  readonly phase: "steady" | "introducing" | "retiring";
  /** The authority that signs; undefined if its key was lost and its successor is not trusted by all members yet. */
  readonly signer?: KeyedCertificate;
  readonly successor?: KeyedCertificate;
  /** Certificates of authorities that no longer sign but are still trusted. */
  readonly retired: string;
  /** When the phase began, in milliseconds since 1970. */
  readonly since: number;
  /** The last rotation request that was handled. */
  readonly heeded: string;
}

export interface SuccessionInput {
  readonly commonName: string;
  readonly now: number;
  readonly validityMs: number;
  readonly overlapMs: number;
  /** Whether all running members have the present trust. */
  readonly isTrustEverywhere: boolean;
  /** A value that the user changes to request a new authority. */
  readonly request: string;
  /** The certificates that members trust although the authority's Secret is lost. */
  readonly remembered: string;
}

const DAY = 86_400_000;

/** Reads the authority's Secret; undefined if it does not exist or is invalid. */
export function parseSuccession(texts: Texts): Succession | undefined {
  const signer = keyed(texts["tls.crt"], texts["tls.key"]);
  const successor = keyed(texts["next.crt"], texts["next.key"]);
  const phase = texts["phase"];
  if (phase !== "steady" && phase !== "introducing" && phase !== "retiring") return undefined;
  if (phase === "introducing" ? successor === undefined : signer === undefined) return undefined;
  const retired = texts["retired.crt"] ?? "";
  const since = Number(texts["since"] ?? 0);
  const rest = { phase, retired, since, heeded: texts["request"] ?? "" } as const;
  return { ...rest, ...(signer ? { signer } : {}), ...(successor ? { successor } : {}) };
}

/** The data of the Secret. */
export function formatSuccession(succession: Succession): { readonly [entry: string]: string | undefined } {
  const { phase, signer, successor, retired, since, heeded } = succession;
  return {
    "tls.crt": signer?.certificate,
    "tls.key": signer?.privateKey,
    "next.crt": successor?.certificate,
    "next.key": successor?.privateKey,
    "retired.crt": retired === "" ? undefined : retired,
    "ca.crt": trustOf(succession),
    phase,
    since: String(since),
    request: heeded,
  };
}

/** The certificates that must be trusted now. */
export function trustOf({ signer, successor, retired }: Succession): string {
  return bundleCertificates(signer?.certificate ?? "", successor?.certificate ?? "", retired);
}

/** The next state: one phase further, or the same. */
export function advance(recordedState: Succession | undefined, input: SuccessionInput): Succession {
  if (recordedState === undefined) return found(input);
  const isRipe = input.isTrustEverywhere && input.now - recordedState.since >= input.overlapMs;
  switch (recordedState.phase) {
    case "steady":
      return isDue(recordedState, input) ? introduce(recordedState, input) : recordedState;
    case "introducing":
      return isRipe && recordedState.successor
        ? takeOver(recordedState, recordedState.successor, input.now)
        : recordedState;
    case "retiring":
      return isRipe ? { ...recordedState, phase: "steady", retired: "", since: input.now } : recordedState;
  }
}

/** When the state may change without an event, in milliseconds since 1970. */
export function nextChange(succession: Succession, overlapMs: number): number {
  const { phase, signer, since } = succession;
  return phase === "steady" && signer ? dueTime(signer) : since + overlapMs;
}

/** Opens the authority that signs now. */
export function openSigner({ signer }: Succession): Authority | undefined {
  return signer && openAuthority(signer);
}

/** The first authority, or a new one after the Secret was lost: then members trust an authority without a key. */
function found(input: SuccessionInput): Succession {
  const made = make(input);
  const remembered = bundleCertificates(...splitBundle(input.remembered));
  const base = { since: input.now, heeded: input.request };
  if (remembered === "") return { ...base, phase: "steady", signer: made, retired: "" };
  return { ...base, phase: "introducing", successor: made, retired: remembered };
}

function introduce(recordedState: Succession, input: SuccessionInput): Succession {
  return { ...recordedState, phase: "introducing", successor: make(input), since: input.now, heeded: input.request };
}

function takeOver(recordedState: Succession, signer: KeyedCertificate, now: number): Succession {
  const retired = bundleCertificates(recordedState.signer?.certificate ?? "", recordedState.retired);
  return { phase: "retiring", signer, retired, since: now, heeded: recordedState.heeded };
}

function isDue({ signer, heeded }: Succession, { now, request }: SuccessionInput): boolean {
  return request !== heeded || signer === undefined || now >= dueTime(signer);
}

/** Two thirds of its lifetime: the last third is for the rotation. */
function dueTime({ certificate }: KeyedCertificate): number {
  const { notBefore, notAfter } = parseCertificate(certificate);
  return notBefore.getTime() + ((notAfter.getTime() - notBefore.getTime()) * 2) / 3;
}

function make({ commonName, now, validityMs }: SuccessionInput): KeyedCertificate {
  const { certificate, privateKey } = createAuthority({ commonName, now: new Date(now), days: validityMs / DAY });
  return { certificate, privateKey };
}

/** A certificate with its key, if both exist and match. */
function keyed(certificate: string | undefined, privateKey: string | undefined): KeyedCertificate | undefined {
  if (certificate === undefined || privateKey === undefined) return undefined;
  try {
    openAuthority({ certificate, privateKey });
    return { certificate, privateKey };
  } catch {
    return undefined;
  }
}
