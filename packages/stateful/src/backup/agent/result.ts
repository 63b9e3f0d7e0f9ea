/** Results as termination messages. Kubernetes keeps 4096 bytes, so a larger result is compressed. */
import { gunzipSync, gzipSync } from "node:zlib";
import type { JobResult } from "./job.ts";

const LIMIT = 4096;
const PACKED = "gzip:";

export function formatResult(result: JobResult): string {
  const plain = JSON.stringify(result);
  if (Buffer.byteLength(plain) <= LIMIT) return plain;
  const packed = `${PACKED}${gzipSync(plain, { level: 9 }).toString("base64")}`;
  if (packed.length <= LIMIT || result.ok) return packed;
  return formatResult({ ...result, message: `${result.message.slice(0, 1000)}…` });
}

/** Parses a result; undefined if the container ended without a valid one. */
export function parseResult(text: string | undefined): JobResult | undefined {
  if (!text) return undefined;
  try {
    const plain = text.startsWith(PACKED)
      ? gunzipSync(Buffer.from(text.slice(PACKED.length), "base64")).toString()
      : text;
    const value = JSON.parse(plain) as unknown;
    return typeof value === "object" && value !== null && "ok" in value ? (value as JobResult) : undefined;
  } catch {
    return undefined;
  }
}
