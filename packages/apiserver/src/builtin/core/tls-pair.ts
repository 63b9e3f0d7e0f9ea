/** Checks a certificate and its key as a Go TLS server does when it loads them. */
import { findPemBlocks } from "@capstan/pki";
import { createPrivateKey, createPublicKey, X509Certificate } from "node:crypto";

/** The error of Go's TLS library; `undefined` if the pair is valid. */
export function complaintAboutPair(certificatePem: string, keyPem: string): string | undefined {
  const certificateBlocks = blocksOf(certificatePem);
  const certificate = certificateBlocks.find(({ type }) => type === "CERTIFICATE");
  if (certificate === undefined) return complaintAboutBlocks(certificateBlocks, "certificate");
  const keyBlocks = blocksOf(keyPem);
  const key = keyBlocks.find(({ type }) => type === "PRIVATE KEY" || type.endsWith(" PRIVATE KEY"));
  if (key === undefined) return complaintAboutBlocks(keyBlocks, "key");
  return isPair(certificate.text, key.text) ? undefined : "tls: private key does not match public key";
}

interface Block {
  readonly type: string;
  readonly text: string;
}

function blocksOf(pem: string): Block[] {
  return findPemBlocks(pem)
    .filter(({ body }) => /^\r?\n/.test(body))
    .map(({ label, text }) => ({ type: label, text }));
}

function complaintAboutBlocks(blocks: readonly Block[], input: "certificate" | "key"): string {
  if (blocks.length === 0) return `tls: failed to find any PEM data in ${input} input`;
  const types = `[${blocks.map(({ type }) => type).join(" ")}]`;
  if (input === "certificate") {
    const [first] = blocks;
    if (blocks.length === 1 && first?.type.endsWith("PRIVATE KEY") === true) {
      return "tls: failed to find certificate PEM data in certificate input, but did find a private key; PEM inputs may have been switched";
    }
    return `tls: failed to find "CERTIFICATE" PEM block in certificate input after skipping PEM blocks of the following types: ${types}`;
  }
  if (blocks.length === 1 && blocks[0]?.type === "CERTIFICATE") {
    return "tls: found a certificate rather than a key in the PEM for the private key";
  }
  return `tls: failed to find PEM block with type ending in "PRIVATE KEY" in key input after skipping PEM blocks of the following types: ${types}`;
}

function isPair(certificate: string, key: string): boolean {
  try {
    const format = { type: "spki", format: "pem" } as const;
    const ofKey = createPublicKey(createPrivateKey(key)).export(format);
    return new X509Certificate(certificate).publicKey.export(format) === ofKey;
  } catch {
    return false;
  }
}
