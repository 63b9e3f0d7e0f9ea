/**
 * The certificate authority of a cluster and its rotation. A new authority is first introduced (both are trusted, the old one signs),
 * then takes over (both are trusted, the new one signs), and finally the old one is removed. Each phase waits until all members serve
 * with the result of the phase before, and until clients had time to reload. So every certificate in use is trusted at any time.
 */
import { bundleCertificates, createAuthority, openAuthority, parseCertificate, splitBundle } from "@capstan/pki";
import type { Authority, KeyedCertificate } from "@capstan/pki";
import type { Texts } from "./secret.ts";

/**
 * The trusted authorities, the signer, and the phase of a rotation.
 *
 * @example
 * const isRotating = ({ phase }: Succession) => phase !== "steady";
 */
export interface Succession {
  readonly phase: "steady" | "introducing" | "retiring";
  /** The authority that signs; undefined if its key was lost and its successor is not trusted by all members yet. */
  readonly signer?: KeyedCertificate | undefined;
  readonly successor?: KeyedCertificate | undefined;
  /** Certificates of authorities that no longer sign but are still trusted. */
  readonly retired: string;
  /** When the phase began, in milliseconds since 1970. */
  readonly since: number;
  /** The last request for a rotation that was handled. */
  readonly handledRequest: string;
}

/**
 * What the next phase of a rotation depends on.
 *
 * @example
 * const isAsked = ({ request }: SuccessionInput) => request !== "";
 */
export interface SuccessionInput {
  readonly commonName: string;
  readonly now: number;
  readonly validityMs: number;
  readonly overlapMs: number;
  /** Whether all running members serve with the present Secret. */
  readonly isLoadedEverywhere: boolean;
  /** A value that the user changes to request a new authority. */
  readonly request: string;
  /** The certificates that members trust although the authority's Secret is lost. */
  readonly remembered: string;
}

const DAY = 86_400_000;

/**
 * Reads the authority's Secret; undefined if it does not exist or is invalid.
 *
 * @example
 * const succession = parseSuccession({ phase: "steady" });
 */
export function parseSuccession(texts: Texts): Succession | undefined {
  const signer = keyed(texts["tls.crt"], texts["tls.key"]);
  const successor = keyed(texts["next.crt"], texts["next.key"]);
  const phase = texts["phase"];
  if (phase !== "steady" && phase !== "introducing" && phase !== "retiring") return undefined;
  if (phase === "introducing" ? successor === undefined : signer === undefined) return undefined;
  const since = Number(texts["since"] ?? 0);
  return {
    phase,
    signer,
    successor,
    retired: texts["retired.crt"] ?? "",
    since,
    handledRequest: texts["request"] ?? "",
  };
}

/**
 * The texts of the Secret.
 *
 * @example
 * const textsOf = (succession: Succession) => formatSuccession(succession);
 */
export function formatSuccession(succession: Succession): { readonly [entry: string]: string | undefined } {
  const { phase, signer, successor, retired, since, handledRequest } = succession;
  return {
    "tls.crt": signer?.certificate,
    "tls.key": signer?.privateKey,
    "next.crt": successor?.certificate,
    "next.key": successor?.privateKey,
    "retired.crt": retired === "" ? undefined : retired,
    phase,
    since: String(since),
    request: handledRequest,
  };
}

/**
 * The certificates that must be trusted now.
 *
 * @example
 * const trusted = (succession: Succession) => trustOf(succession);
 */
export function trustOf({ signer, successor, retired }: Succession): string {
  return bundleCertificates(signer?.certificate ?? "", successor?.certificate ?? "", retired);
}

/**
 * The next state: one phase further, or the same.
 *
 * @example
 * const next = (recorded: Succession | undefined, input: SuccessionInput) => advance(recorded, input);
 */
export function advance(recorded: Succession | undefined, input: SuccessionInput): Succession {
  if (recorded === undefined) return begin(input);
  const isRipe = input.isLoadedEverywhere && input.now - recorded.since >= input.overlapMs;
  const { successor } = recorded;
  switch (recorded.phase) {
    case "steady":
      return isDue(recorded, input) ? introduce(recorded, input) : recorded;
    case "introducing":
      return isRipe && successor !== undefined ? takeOver(recorded, successor, input.now) : recorded;
    case "retiring":
      return isRipe ? { ...recorded, phase: "steady", retired: "", since: input.now } : recorded;
  }
}

/**
 * When the state may change without an event, in milliseconds since 1970.
 *
 * @example
 * const at = (succession: Succession) => new Date(nextChange(succession, 86_400_000));
 */
export function nextChange({ phase, signer, since }: Succession, overlapMs: number): number {
  return phase === "steady" && signer !== undefined ? dueTime(signer) : since + overlapMs;
}

/**
 * The authority that signs now.
 *
 * @example
 * const canSign = (succession: Succession) => openSigner(succession) !== undefined;
 */
export function openSigner({ signer }: Succession): Authority | undefined {
  return signer && openAuthority(signer);
}

/** The first authority, or a new one after the Secret was lost: then members trust an authority without a key. */
function begin(input: SuccessionInput): Succession {
  const made = make(input);
  const remembered = bundleCertificates(...splitBundle(input.remembered));
  const base = { since: input.now, handledRequest: input.request };
  if (remembered === "") return { ...base, phase: "steady", signer: made, retired: "" };
  return { ...base, phase: "introducing", successor: made, retired: remembered };
}

function introduce(recorded: Succession, input: SuccessionInput): Succession {
  return { ...recorded, phase: "introducing", successor: make(input), since: input.now, handledRequest: input.request };
}

function takeOver(recorded: Succession, signer: KeyedCertificate, now: number): Succession {
  const retired = bundleCertificates(recorded.signer?.certificate ?? "", recorded.retired);
  return { phase: "retiring", signer, retired, since: now, handledRequest: recorded.handledRequest };
}

function isDue({ signer, handledRequest }: Succession, { now, request }: SuccessionInput): boolean {
  return request !== handledRequest || signer === undefined || now >= dueTime(signer);
}

/**
 * Two thirds of the lifetime of a certificate: the last third is for its renewal.
 *
 * @example
 * const renewal = (certificate: string) => new Date(dueTime({ certificate }));
 */
export function dueTime({ certificate }: Pick<KeyedCertificate, "certificate">): number {
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
