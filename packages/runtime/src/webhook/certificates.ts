/** The webhooks' own authority and its certificates, and what has to happen to them as time passes. Pure but for the making of keys. */
import { bundleCertificates, createAuthority, openAuthority, parseCertificate, validFor } from "@capstan/pki";
import type { Certificate, Entropy, KeyedCertificate, Validity } from "@capstan/pki";

/**
 * What replicas share. A new authority is trusted before it signs, and an old one for a while after it has stopped: at no moment does
 * a replica serve a certificate that an API server with the bundle of an hour ago would refuse.
 */
export interface Trust {
  /** Signs the serving certificate. */
  readonly signer: KeyedCertificate;
  /** Will sign when everybody has had time to learn of it. */
  readonly next: KeyedCertificate | undefined;
  /** Whoever has signed until lately (PEM, without keys). */
  readonly previous: string | undefined;
  readonly serving: KeyedCertificate;
}

/** Under which names the webhooks are reached. */
export interface ServingNames {
  readonly dnsNames: readonly string[];
  readonly ipAddresses: readonly string[];
}

/** How long things last. */
export interface Lifetimes {
  readonly authorityDays: number;
  readonly servingDays: number;
  /** How long both of two authorities are trusted, in milliseconds. */
  readonly overlap: number;
}

/** A year and three months; each is renewed when two thirds of its time are over. */
export const usualLifetimes: Lifetimes = { authorityDays: 365, servingDays: 90, overlap: 3_600_000 };

/** What the next state is made from. */
export interface TrustOptions {
  readonly now: Date;
  readonly names: ServingNames;
  readonly lifetimes?: Lifetimes;
  readonly entropy?: Entropy | undefined;
  /** Whom the cluster trusts as yet (PEM): where everything begins anew, replicas may still serve under them. */
  readonly trusted?: string | undefined;
  /** Somebody wants another authority: its successor is announced now, in the place of one that may have been announced already. */
  readonly isReplaced?: boolean | undefined;
}

/**
 * What a replica goes on from that serves by a state of its own: what is stored is the same for all, but it may be gone, spoiled, or that of
 * another time. The authority that replicas still serve under is trusted on for an overlap, which begins with the serving certificate.
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

/** The state that should be kept from now on: the very same one when nothing has to be done. */
export function nextTrust(trust: Trust | undefined, options: TrustOptions): Trust {
  let state = trust ?? newTrust(options);
  if (trust !== undefined && options.isReplaced === true) state = { ...trust, next: newAuthority(options) };
  for (let next = step(state, options); next !== undefined; next = step(state, options)) state = next;
  return state;
}

/** One thing that is due, if anything is. Each makes itself unnecessary, so they come to an end. */
function step(trust: Trust, options: TrustOptions): Trust | undefined {
  return promote(trust, options) ?? announce(trust, options) ?? retire(trust, options) ?? renew(trust, options);
}

/** Everyone whom an API server shall trust, as one PEM text. */
export function bundleOf({ signer, next, previous }: Trust): string {
  return bundleCertificates(signer.certificate, next?.certificate ?? "", previous ?? "");
}

function newTrust(options: TrustOptions): Trust {
  const signer = newAuthority(options);
  return { signer, next: undefined, previous: options.trusted, serving: issue(signer, options) };
}

/** The announced authority begins to sign; at once when the old one is over anyway. */
function promote(trust: Trust, options: TrustOptions): Trust | undefined {
  const { signer, next } = trust;
  const isOver = parseCertificate(signer.certificate).notAfter <= options.now;
  if (next === undefined) return isOver ? newTrust(options) : undefined;
  if (!isOver && ageOf(next.certificate, options.now) < overlapOf(options)) return undefined;
  return { signer: next, next: undefined, previous: signer.certificate, serving: issue(next, options) };
}

/** An authority that grows old gets a successor, which everybody shall trust before it signs. */
function announce(trust: Trust, options: TrustOptions): Trust | undefined {
  if (trust.next !== undefined || !isDue(parseCertificate(trust.signer.certificate), options.now)) return undefined;
  return { ...trust, next: newAuthority(options) };
}

/** Nobody serves a certificate of the previous authority any more. */
function retire(trust: Trust, options: TrustOptions): Trust | undefined {
  if (trust.previous === undefined || ageOf(trust.serving.certificate, options.now) < overlapOf(options)) {
    return undefined;
  }
  return { ...trust, previous: undefined };
}

function renew(trust: Trust, options: TrustOptions): Trust | undefined {
  const serving = parseCertificate(trust.serving.certificate);
  // At the end of an authority's life a new certificate would last no longer than the old one.
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

/** Two thirds of its time are over. */
function isDue({ notBefore, notAfter }: Certificate, now: Date): boolean {
  const life = notAfter.getTime() - notBefore.getTime();
  return now.getTime() >= notAfter.getTime() - life / 3;
}

/** Certificates say that they begin a little before they are made: the difference only makes an overlap shorter by that much. */
function ageOf(certificate: string, now: Date): number {
  return now.getTime() - parseCertificate(certificate).notBefore.getTime();
}

function overlapOf({ lifetimes = usualLifetimes }: TrustOptions): number {
  return lifetimes.overlap;
}

function newAuthority({ now, lifetimes = usualLifetimes, entropy }: TrustOptions): KeyedCertificate {
  const days = lifetimes.authorityDays;
  // The name tells one authority from the next where both are trusted.
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
