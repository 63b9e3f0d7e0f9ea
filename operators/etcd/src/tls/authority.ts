/**
 * The authority of a cluster and its succession. A new authority is first introduced (everybody trusts both, the old one signs), then
 * takes over (everybody still trusts both, the new one signs), and at last the old one is forgotten. Each step waits until all members
 * run with what the step before gave them, and until clients had time to notice: at no moment does anybody meet a stranger.
 */
import { bundleCertificates, createAuthority, openAuthority, parseCertificate, splitBundle } from "capstan/pki";
import type { Authority, KeyedCertificate } from "capstan/pki";
import type { Texts } from "./secret.ts";

/** What is trusted, who signs, and whether a change is under way. */
export interface Succession {
  readonly phase: "steady" | "introducing" | "retiring";
  /** Who signs; undefined when its key was lost and the successor is not known to everybody yet. */
  readonly signer?: KeyedCertificate;
  readonly successor?: KeyedCertificate;
  /** Certificates of authorities that no longer sign and are still trusted. */
  readonly retired: string;
  /** When the phase began, in milliseconds since 1970. */
  readonly since: number;
  /** The request for a rotation that was heeded last. */
  readonly heeded: string;
}

/** What a decision about the authority depends on. */
export interface SuccessionInput {
  readonly commonName: string;
  readonly now: number;
  readonly validityMs: number;
  readonly overlapMs: number;
  /** Whether all running members trust what is to be trusted now. */
  readonly isTrustEverywhere: boolean;
  /** A text that somebody changes to ask for a new authority. */
  readonly request: string;
  /** What members trust although the authority's own Secret is gone. */
  readonly remembered: string;
}

const DAY = 86_400_000;

/** Reads the authority's Secret; undefined when there is none or its content cannot be used. */
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

/** As the Secret has it. */
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

/** The certificates that everybody must trust now. */
export function trustOf({ signer, successor, retired }: Succession): string {
  return bundleCertificates(signer?.certificate ?? "", successor?.certificate ?? "", retired);
}

/** The next state: one step, or the same. */
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

/** When the state may change by itself, in milliseconds since 1970. */
export function nextChange(succession: Succession, overlapMs: number): number {
  const { phase, signer, since } = succession;
  return phase === "steady" && signer ? dueTime(signer) : since + overlapMs;
}

/** Opens the authority that signs now. */
export function openSigner({ signer }: Succession): Authority | undefined {
  return signer && openAuthority(signer);
}

/** The first authority, or the next one if the Secret was lost: then members trust one whose key nobody has any more. */
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

/** Two thirds of its life: the last third is for the succession. */
function dueTime({ certificate }: KeyedCertificate): number {
  const { notBefore, notAfter } = parseCertificate(certificate);
  return notBefore.getTime() + ((notAfter.getTime() - notBefore.getTime()) * 2) / 3;
}

function make({ commonName, now, validityMs }: SuccessionInput): KeyedCertificate {
  const { certificate, privateKey } = createAuthority({ commonName, now: new Date(now), days: validityMs / DAY });
  return { certificate, privateKey };
}

/** A certificate with its key, if both are there and belong together. */
function keyed(certificate: string | undefined, privateKey: string | undefined): KeyedCertificate | undefined {
  if (certificate === undefined || privateKey === undefined) return undefined;
  try {
    openAuthority({ certificate, privateKey });
    return { certificate, privateKey };
  } catch {
    return undefined;
  }
}
