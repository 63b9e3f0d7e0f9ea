/** PEM: the text form of keys, certificates and bundles of them. */
import { PkiError } from "./errors.ts";

/** One block of a PEM text: its label and its bytes. */
export interface PemBlock {
  readonly label: string;
  readonly bytes: Buffer;
}

/** Writes one block, with lines of 64 characters. */
export function formatPem(label: string, bytes: Uint8Array): string {
  const lines =
    Buffer.from(bytes)
      .toString("base64")
      .match(/.{1,64}/g) ?? [];
  return `-----BEGIN ${label}-----\n${lines.join("\n")}\n-----END ${label}-----\n`;
}

/** Every block of a PEM text, in order; text between the blocks is ignored. */
export function parsePem(text: string): PemBlock[] {
  const blocks = text.matchAll(/-----BEGIN ([A-Z0-9 ]+)-----([\s\S]*?)-----END \1-----/g);
  return [...blocks].map(([, label = "", body = ""]) => ({ label, bytes: Buffer.from(body, "base64") }));
}

/** The first block with this label. */
export function parsePemBlock(text: string, label: string): Buffer {
  const block = parsePem(text).find((candidate) => candidate.label === label);
  if (block === undefined) {
    throw new PkiError("MalformedPem", `could not find a ${label} block; give PEM text that has one`);
  }
  return block.bytes;
}

/** The certificates of one or more PEM texts as one bundle, each certificate once. */
export function bundleCertificates(...texts: readonly string[]): string {
  const blocks = texts.flatMap(parsePem).filter((block) => block.label === "CERTIFICATE");
  return [...new Set(blocks.map((block) => formatPem(block.label, block.bytes)))].join("");
}

/** The certificates of a bundle, one PEM text each. */
export function splitBundle(bundle: string): string[] {
  const blocks = parsePem(bundle).filter((block) => block.label === "CERTIFICATE");
  return blocks.map((block) => formatPem(block.label, block.bytes));
}
