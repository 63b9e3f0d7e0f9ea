/** A Secret with a certificate that the user provides: what is wrong with it. */
import { isTrusted, parseCertificate, splitBundle } from "@capstan/pki";
import { coversNames, readLeaf } from "./leaf.ts";
import type { TlsState } from "./plan.ts";
import type { Texts } from "./secret.ts";

/**
 * A Secret with a certificate, and what it must satisfy.
 *
 * @example
 * const input: GivenInput = { name: "db-tls", texts: undefined, now: Date.now(), member: "db-0.db.default.svc" };
 */
export interface GivenInput {
  readonly name: string;
  /** Undefined: the Secret does not exist. */
  readonly texts: Texts | undefined;
  readonly now: number;
  /** A DNS name of a member, which the certificate must cover. Default: any names. */
  readonly member?: string | undefined;
  /** The authorities that verify the certificate, and how messages name them. Default: those of its own `ca.crt`. */
  readonly verifier?: { readonly trust: string | undefined; readonly name: string };
}

/**
 * Why the Secret cannot be used; undefined: it can. A Secret can contain anything.
 *
 * @example
 * const problem = judgeGiven({ name: "db-tls", texts: {}, now: Date.now() })?.message;
 */
export function judgeGiven(input: GivenInput): TlsState | undefined {
  if (input.texts === undefined) return bad("SecretMissing", `there is no Secret ${input.name}: create it`);
  try {
    return judge(input, input.texts);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return bad("SecretIncomplete", `Secret ${input.name} has no certificates that can be read: ${why}`);
  }
}

function judge({ name, now, member, verifier }: GivenInput, texts: Texts): TlsState | undefined {
  const leaf = readLeaf(texts);
  const { trust, name: place } = verifier ?? { trust: texts["ca.crt"], name: "its ca.crt" };
  if (leaf === undefined || texts["ca.crt"] === undefined || trust === undefined) {
    return bad("SecretIncomplete", `Secret ${name} needs tls.crt, the tls.key that belongs to it, and ca.crt`);
  }
  const certificate = parseCertificate(leaf.certificate);
  if (certificate.notAfter.getTime() <= now) {
    return bad(
      "Expired",
      `the certificate of Secret ${name} expired at ${certificate.notAfter.toISOString()}: renew it`,
    );
  }
  if (!isChained(leaf.certificate, splitBundle(trust), new Date(now))) {
    return bad("Untrusted", `the certificate of Secret ${name} is not signed by an authority of ${place}`);
  }
  if (member === undefined || coversNames(certificate, [member])) return undefined;
  const wildcard = `*${member.slice(member.indexOf("."))}`;
  return bad("WrongNames", `the certificate of Secret ${name} lacks the DNS name ${wildcard}`);
}

function bad(reason: string, message: string): TlsState {
  return { isReady: false, reason, message };
}

/** Limits the time for checking an arbitrary bundle. */
const LONGEST = 32;

/** Whether the certificate, or its intermediates, chain to a trusted authority. Each is checked once. */
function isChained(bundle: string, authorities: readonly string[], now: Date): boolean {
  const [leaf, ...others] = splitBundle(bundle).slice(0, LONGEST);
  if (leaf === undefined) return false;
  const chain = [leaf];
  for (const other of others) if (chain.some((one) => isTrusted(one, { authorities: [other], now }))) chain.push(other);
  return chain.some((one) => isTrusted(one, { authorities, now }));
}
