/** The webhooks' own certificate authority and leaf certificates, and their rotation. Pure but for the generation of keys. */
import { bundleCertificates, createAuthority, openAuthority, parseCertificate, validFor } from "@capstan/pki";
import type { Certificate, Entropy, KeyedCertificate, Validity } from "@capstan/pki";

/**
 * The shared state of the replicas. A new authority is trusted before it signs, and an old one for a while after it has stopped: at no
 * moment does a replica serve a certificate that an API server with the bundle of an hour ago would reject.
 */
export interface Trust {
  /** Signs the serving certificate. */
  readonly signer: KeyedCertificate;
  /** Will sign when every API server has had time to learn of it. */
  readonly next: KeyedCertificate | undefined;
  /** The previous signer (PEM, without keys). */
  readonly previous: string | undefined;
  readonly serving: KeyedCertificate;
}

/** The names under which the webhooks are reached. */
export interface ServingNames {
  readonly dnsNames: readonly string[];
  readonly ipAddresses: readonly string[];
}

export interface Lifetimes {
  readonly authorityDays: number;
  readonly servingDays: number;
  /** How long two authorities are trusted together, in milliseconds. */
  readonly overlap: number;
}

/** A year and three months; each is renewed after two thirds of its lifetime. */
export const usualLifetimes: Lifetimes = { authorityDays: 365, servingDays: 90, overlap: 3_600_000 };

export interface TrustOptions {
  readonly now: Date;
  readonly names: ServingNames;
  readonly lifetimes?: Lifetimes;
  readonly entropy?: Entropy | undefined;
  /** The CA bundle of the cluster (PEM): if there is no stored state, replicas may still serve under it. */
  readonly trusted?: string | undefined;
  /** The user requests another authority: its successor is announced now, in place of one that may have been announced already. */
  readonly isReplaced?: boolean | undefined;
}

/**
 * The state from which a serving replica continues: the stored one is shared by all, but it may be missing, invalid, or outdated. The
 * authority that replicas still serve under is trusted for an overlap, which begins with the serving certificate.
 */
export function settleTrust(
  stored: Trust | undefined,
  known: Trust | undefined,
  options: TrustOptions,
): Trust | undefined {
  if (stored === undefined || known === undefined) return stored ?? known;
  const { certificate } = known.signer;
  if (bundleCertificates(bundleOf(stored), certificate) === bundleOf(stored)) return stored;
  const previous = bundleCertificates(stored.previous ?? "", certificate);
  return { ...stored, previous, serving: issue(stored.signer, options) };
}

/** The next state to store: the same one if nothing is due. */
export function nextTrust(trust: Trust | undefined, options: TrustOptions): Trust {
  let state = trust ?? newTrust(options);
  if (trust !== undefined && options.isReplaced === true) state = { ...trust, next: newAuthority(options) };
  for (let next = step(state, options); next !== undefined; next = step(state, options)) state = next;
  return state;
}

/** One transition that is due, if any. Each makes itself unnecessary, so the loop ends. */
function step(trust: Trust, options: TrustOptions): Trust | undefined {
  return promote(trust, options) ?? announce(trust, options) ?? retire(trust, options) ?? renew(trust, options);
}

/** All authorities that an API server must trust, as one PEM text. */
export function bundleOf({ signer, next, previous }: Trust): string {
  return bundleCertificates(signer.certificate, next?.certificate ?? "", previous ?? "");
}

function newTrust(options: TrustOptions): Trust {
  const signer = newAuthority(options);
  return { signer, next: undefined, previous: options.trusted, serving: issue(signer, options) };
}

/** The announced authority begins to sign; at once if the old one has expired. */
function promote(trust: Trust, options: TrustOptions): Trust | undefined {
  const { signer, next } = trust;
  const isOver = parseCertificate(signer.certificate).notAfter <= options.now;
  if (next === undefined) return isOver ? newTrust(options) : undefined;
  if (!isOver && ageOf(next.certificate, options.now) < overlapOf(options)) return undefined;
  return { signer: next, next: undefined, previous: signer.certificate, serving: issue(next, options) };
}

/** An old authority gets a successor, which must be trusted before it signs. */
function announce(trust: Trust, options: TrustOptions): Trust | undefined {
  if (trust.next !== undefined || !isDue(parseCertificate(trust.signer.certificate), options.now)) return undefined;
  return { ...trust, next: newAuthority(options) };
}

/** No replica serves a certificate of the previous authority any more. */
function retire(trust: Trust, options: TrustOptions): Trust | undefined {
  if (trust.previous === undefined || ageOf(trust.serving.certificate, options.now) < overlapOf(options)) {
    return undefined;
  }
  return { ...trust, previous: undefined };
}

function renew(trust: Trust, options: TrustOptions): Trust | undefined {
  const serving = parseCertificate(trust.serving.certificate);
  // At the end of an authority's lifetime a new certificate would last no longer than the old one.
  const isWorthIt = isDue(serving, options.now) && serving.notAfter < servingValidity(trust.signer, options).notAfter;
  if (!isWorthIt && covers(serving, options.names)) return undefined;
  return { ...trust, serving: issue(trust.signer, options) };
}

function covers(certificate: Certificate, { dnsNames, ipAddresses }: ServingNames): boolean {
  return (
    dnsNames.every((name) => certificate.dnsNames.includes(name)) &&
    ipAddresses.every((address) => certificate.ipAddresses.includes(address))
  );
}

/** After two thirds of its lifetime. */
function isDue({ notBefore, notAfter }: Certificate, now: Date): boolean {
  const life = notAfter.getTime() - notBefore.getTime();
  return now.getTime() >= notAfter.getTime() - life / 3;
}

/** `notBefore` is a little earlier than the creation: the difference only shortens an overlap by that much. */
function ageOf(certificate: string, now: Date): number {
  return now.getTime() - parseCertificate(certificate).notBefore.getTime();
}

function overlapOf({ lifetimes = usualLifetimes }: TrustOptions): number {
  return lifetimes.overlap;
}

function newAuthority({ now, lifetimes = usualLifetimes, entropy }: TrustOptions): KeyedCertificate {
  const days = lifetimes.authorityDays;
  // The name distinguishes authorities while several are trusted.
  const commonName = `capstan webhooks ${now.toISOString().slice(0, 19)}Z`;
  const { certificate, privateKey } = createAuthority({ commonName, now, days, ...(entropy ? { entropy } : {}) });
  return { certificate, privateKey };
}

function issue(signer: KeyedCertificate, options: TrustOptions): KeyedCertificate {
  const { names, entropy } = options;
  return openAuthority({ ...signer, ...(entropy ? { entropy } : {}) }).issue({
    commonName: names.dnsNames[0] ?? names.ipAddresses[0] ?? "webhooks",
    ...names,
    usages: ["server"],
    ...servingValidity(signer, options),
  });
}

/** A serving certificate must not outlive its authority. */
function servingValidity(signer: KeyedCertificate, { now, lifetimes = usualLifetimes }: TrustOptions): Validity {
  const { notBefore, notAfter } = validFor({ now, days: lifetimes.servingDays });
  const end = parseCertificate(signer.certificate).notAfter;
  return { notBefore, notAfter: end < notAfter ? end : notAfter };
}
