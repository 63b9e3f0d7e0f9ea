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
  return findPemBlocks(text)
    .filter(({ label }) => /^[A-Z0-9 ]+$/.test(label))
    .map(({ label, body }) => ({ label, bytes: Buffer.from(body, "base64") }));
}

/** A block in a text. */
export interface PemText {
  readonly label: string;
  /** Between the lines of the label. */
  readonly body: string;
  readonly text: string;
}

/** Every block of a text, in order. The time is linear in the length of the text, however many blocks begin and do not end. */
export function findPemBlocks(text: string): PemText[] {
  const ends = new Map<string, number[]>();
  for (const { 1: label = "", index } of text.matchAll(/-----END ([^-\n]+)(?=-----)/g)) {
    const places = ends.get(label);
    if (places === undefined) ends.set(label, [index]);
    else places.push(index);
  }
  for (const places of ends.values()) places.reverse();
  const blocks: PemText[] = [];
  let done = 0;
  for (const { 0: begin, 1: label = "", index } of text.matchAll(/-----BEGIN ([^-\n]+)-----/g)) {
    if (index < done) continue;
    const places = ends.get(label) ?? [];
    const start = index + begin.length;
    while (places.length > 0 && (places.at(-1) ?? 0) < start) places.pop();
    const end = places.at(-1);
    if (end === undefined) continue;
    done = end + `-----END ${label}-----`.length;
    blocks.push({ label, body: text.slice(start, end), text: text.slice(index, done) });
  }
  return blocks;
}

/** The first block with this label. */
export function parsePemBlock(text: string, label: string): Buffer {
  const block = parsePem(text).find((candidate) => candidate.label === label);
  if (block === undefined) {
    throw new PkiError("MalformedPem", `could not find a ${label} block; give PEM text that has one`);
  }
  return block.bytes;
}

/**
 * The certificates of one or more PEM texts as one bundle, each certificate once.
 *
 * @example
 * const bundle = (current: string, next: string) => bundleCertificates(current, next);
 */
export function bundleCertificates(...texts: readonly string[]): string {
  const blocks = texts.flatMap(parsePem).filter((block) => block.label === "CERTIFICATE");
  return [...new Set(blocks.map((block) => formatPem(block.label, block.bytes)))].join("");
}

/**
 * The certificates of a bundle, one PEM text each.
 *
 * @example
 * const authorities = (bundle: string) => splitBundle(bundle).map(parseCertificate);
 */
export function splitBundle(bundle: string): string[] {
  const blocks = parsePem(bundle).filter((block) => block.label === "CERTIFICATE");
  return blocks.map((block) => formatPem(block.label, block.bytes));
}
